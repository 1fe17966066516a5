"""From the site's own answers alone a program that knows nothing of it plays every game."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from re import fullmatch
from urllib.parse import quote

import pytest

from arbitre.games.catalogue import listings
from arbitre.games.grammar import grammar_of
from tests.house import HOUSE
from tests.web import stranger
from tests.web.site import Running, quiet, running
from tests.web.stranger import Stranger, made


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stranger]:
    with running(quiet(tmp_path_factory.mktemp("stranger"))) as site:
        community = site.site.state.house.community
        account = community.accounts.create("Stranger", "a long password")
        found = Stranger(site.port, community.tokens.make(account, "agent", ["read", "play"]).secret)
        yield found
        found.line.close()


def test_no_game_has_its_name_in_the_client() -> None:
    text = Path(stranger.__file__).read_text(encoding="utf-8").lower()
    assert not [one.name for one in listings() if one.name in text]


@pytest.mark.parametrize("game", HOUSE)
def test_a_program_that_knows_nothing_plays_it_to_its_end(agent: Stranger, game: str) -> None:
    match = agent.play(game)
    assert match["verdict"]["termination"] == "rules"


@pytest.mark.parametrize("game", ["bigtictactoe", "connectfour", "mastermind", "rochambeau"])
def test_it_plays_with_other_options_too(agent: Stranger, game: str) -> None:
    if not any(one.name == game for one in listings()):
        pytest.skip(f"{game} is not installed")
    match = agent.play(game, agent.varied(game))
    assert match["verdict"]["termination"] == "rules"


def test_the_guide_for_agents_names_every_game_and_leads_to_its_rules(agent: Stranger) -> None:
    agent.line.request("GET", "/llms.txt")
    answer = agent.line.getresponse()
    guide = answer.read().decode()
    assert answer.getheader("content-type", "").startswith("text/plain")
    assert all(f"/api/games/{one.name})" in guide for one in listings())


def test_rules_come_in_the_language_that_is_asked_for(open_site: Running) -> None:
    for language, title, word in (
        ("en", "Seafight", "a cell not shot at yet"),
        ("fr", "Bataille navale", "une case sur laquelle"),
    ):
        book = json.loads(open_site.client().get("/api/games/seafight", Accept_Language=language).text)
        assert (book["language"], book["title"]) == (language, title)
        assert book["rules"].startswith(f"# {title}")
        assert word in book["spelling"]["move"]["anyOf"][1]["description"]
        assert (book["secrets"], book["simultaneous"], book["chance"]) == (True, True, False)


def test_what_is_no_game_and_no_option_is_refused(open_site: Running) -> None:
    client = open_site.client()
    assert client.get("/api/games/nothing").status == 404
    for options in ("[]", "{", '{"pegs":99}', '{"nothing":1}', '{"pegs":[]}'):
        answer = client.get(f"/api/games/mastermind?options={quote(options)}")
        assert (answer.status, "error" in json.loads(answer.text)) == (400, True), options


def test_what_is_made_of_a_pattern_matches_it() -> None:
    random = Random(2)
    for one in listings():
        grammar = grammar_of(one.game())
        for spelling in (*grammar.moves, grammar.position, grammar.view):
            for _ in range(5):
                assert fullmatch(spelling.pattern or ".*", made(spelling.pattern, random))
