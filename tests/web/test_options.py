"""The options of games on the site (spec tournoyons, section 4): chosen on forms, said on pages, the same rules for programs."""

import re

import pytest

from arbitre.client import Client as Programs
from arbitre.errors import SiteError
from arbitre.games.catalogue import game as find_game
from arbitre.games.catalogue import listing, options_of
from arbitre.games.wires import wire_of
from arbitre.site.accounts import Role
from arbitre.web.options import choices, chosen, form_of, told
from arbitre.words import words
from tests.house import HOUSE
from tests.web.site import Client, Running

FRENCH = words("fr")
ENGLISH = words("en")


@pytest.mark.parametrize("name", HOUSE)
def test_every_option_that_the_wire_has_words_for_is_offered_in_both_languages(name: str) -> None:
    offered = {one.name for one in choices(name, ENGLISH)}
    assert offered == {one.name for one in listing(name).options()} - wire_of(name).engine.must.keys()
    for english, french in zip(choices(name, ENGLISH), choices(name, FRENCH), strict=True):
        assert english.label != french.label


@pytest.mark.parametrize("name", HOUSE)
def test_a_form_that_is_sent_as_it_is_chooses_nothing(name: str) -> None:
    fields = {f"option.{one.name}": one.default for one in choices(name, ENGLISH) if one.kind != "check"}
    assert chosen(name, fields) == {}


def test_a_form_with_several_games_chooses_for_the_one_that_is_played() -> None:
    fields = {"option.bigtictactoe.first": "yes", "option.draughts.plies": "80", "option.kriegspiel.plies": "600"}
    assert chosen("draughts", fields, among=True) == {"plies": "80"}
    assert chosen("kriegspiel", fields, among=True) == {}
    assert chosen("bigtictactoe", fields, among=True) == {"first": "yes"}


def test_what_was_chosen_is_said() -> None:
    assert told(find_game("reversi"), ENGLISH) == []
    said = "Nulle après tant de coups des deux camps ensemble\N{NO-BREAK SPACE}: 60"
    assert told(find_game("draughts", {"plies": 60}), FRENCH) == [said]
    assert told(find_game("kriegspiel", {"refusals": "mover", "plies": 40}), ENGLISH) == [
        "Who hears that a try is refused: the mover alone",
        "A draw after so many moves of both sides together: 40",
    ]


def test_what_holds_by_itself_is_left_out_by_a_word() -> None:
    """A box that is not ticked sends nothing, so an option that is on by itself is a list."""
    dead = next(one for one in choices("kriegspiel", FRENCH) if one.name == "dead")
    assert (dead.kind, dead.default, dead.values) == ("select", "yes", (("yes", "oui"), ("no", "non")))
    options = find_game("kriegspiel", chosen("kriegspiel", {"option.dead": "no", "option.agreement": "yes"}))
    assert options_of(options) == {"dead": False}
    assert form_of({"dead": False}) == {"option.dead": "no"}
    assert told(options, ENGLISH) == ["When neither side could mate even with help the game is a draw: no"]


def begin(client: Client, game: str, **fields: str) -> str:
    answer = client.post("/play", {"game": game, "one": "me", "two": "house:1", **fields}, page=f"/play?game={game}")
    assert answer.status == 303, answer.text
    return answer.headers["location"]


def test_a_game_with_an_option_is_begun_by_the_form_and_says_so(client: Client) -> None:
    page = client.get("/play?game=bigtictactoe", Accept_Language="fr").text
    assert re.search(r'type="checkbox" name="option.first" value="yes">\s*Le premier alignement de cinq gagne', page)
    address = begin(client, "bigtictactoe", **{"option.first": "yes"})
    assert "The first row of five wins" in client.get(address).text
    assert "The first row of five wins" not in client.get(begin(client, "bigtictactoe")).text


def test_a_friend_reads_the_rules_before_sitting_down(client: Client) -> None:
    address = begin(client, "draughts", two="friend", **{"option.plies": "60"})
    assert "together: 60" in client.get(address).text
    link = re.search(r"/invite/([\w-]+)", client.post(f"{address}/invite", page=address).text)
    assert link is not None
    assert "together: 60" in client.get(f"/invite/{link[1]}").text


@pytest.mark.parametrize(
    ("game", "field", "text", "said"),
    [
        ("draughts", "option.plies", "many", "a whole number"),
        ("draughts", "option.first", "yes", "no option"),
        ("mastermind", "option.pegs", "6", "pegs=4"),
        ("rochambeau", "option.goal", "0", "not by elimination"),
        ("kriegspiel", "option.refusals", "nobody", "is one of"),
    ],
)
def test_an_option_that_is_none_is_refused_in_words(client: Client, game: str, field: str, text: str, said: str) -> None:
    answer = client.post("/play", {"game": game, "one": "me", "two": "house:1", field: text}, page=f"/play?game={game}")
    assert answer.status == 400
    assert said in answer.text


def test_nobody_waits_for_a_step_while_a_clock_runs(client: Client, open_site: Running) -> None:
    """Forms and programs hear the same rule; nothing is dropped in silence."""
    fields = {"game": "reversi", "one": "me", "two": "house:1", "clock": "10s/move", "stepped": "1"}
    answer = client.post("/play", fields, page="/play?game=reversi", Accept_Language="fr")
    assert answer.status == 400
    assert "Personne n’attend un pas" in answer.text
    community = open_site.site.state.house.community
    anna = community.accounts.create("anna", "correct horse", Role.PLAYER)
    with Programs(open_site.url, community.tokens.make(anna, "all", ("read", "play")).secret) as program:
        with pytest.raises(SiteError, match="waits for a step has no clock"):
            program.call("reversi", "me", "house:1", clock="10s/move", stepped=True)
        with pytest.raises(SiteError, match="pegs=4"):
            program.call("mastermind", "me", "house:1", options={"pegs": 5})
