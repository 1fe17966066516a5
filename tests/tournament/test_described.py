"""Added games that a file describes: what a site shows its owner is enough, and whatever is wrong with it is named."""

import json

import pytest

from arbitre.errors import TournamentError
from arbitre.games.added.rules import Added, AddedPair
from arbitre.games.catalogue import game
from arbitre.tournament.config import plan_of
from arbitre.tournament.described import added_keys
from tests.reasons import english, raises

PLAYERS = ["random", {"name": "other", "player": "random"}]
URL = "http://r.org/referee"

DESCRIBED = {
    "the least": ({"name": "Pawns", "url": URL}, Added(key="Pawns")),
    "a board": ({"name": "Pawns", "url": URL, "board": "222000111"}, Added(key="Pawns", board="222000111")),
    "both at once": ({"name": "Odds", "url": URL, "simultaneous": True}, Added(key="Odds", simultaneous=True)),
    "two boards": ({"name": "Digits", "url": URL, "boards": 2}, AddedPair(key="Digits")),
    "two open boards": ({"name": "Digits", "url": URL, "boards": 2, "open": True}, AddedPair(key="Digits", open=True)),
    "what a site says": (
        {"id": 7, "name": "Pawns", "owner": "ann", "about": "…", "boards": 1, "board": "", "simultaneous": False, "open": False}
        | {"framed": False, "public": True, "retired": False, "state": "ok", "mine": True, "url": URL, "fault": ""},
        Added(key="Pawns"),
    ),
}


@pytest.mark.parametrize(("given", "rules"), DESCRIBED.values(), ids=DESCRIBED)
def test_a_description_is_a_game_and_its_referee(given: dict[str, object], rules: Added) -> None:
    keys = added_keys(json.dumps(given))
    assert game(keys["game"], keys["options"]) == rules
    assert keys["referee"] == URL
    plan = plan_of(keys | {"players": PLAYERS})
    assert (plan.game, plan.referee, plan.name) == (rules, URL, f"{rules.key} tournament")
    assert plan_of(plan.fields()) == plan


def test_somebody_elses_game_comes_without_the_address() -> None:
    assert "referee" not in added_keys('{"name": "Pawns", "url": null}')


WRONG = {
    "nothing": ("", "no description"),
    "a list": ("[]", "no description"),
    "no JSON": ("{", "no description"),
    "no name": ("{}", "name is None"),
    "a name that is none": ('{"name": 7}', "name is 7"),
    "three boards": ('{"name": "Pawns", "boards": 3}', "boards is 3"),
    "boards in words": ('{"name": "Pawns", "boards": "two"}', "boards is 'two'"),
    "a board that is none": ('{"name": "Pawns", "board": ["2"]}', "board is ['2']"),
    "yes": ('{"name": "Pawns", "simultaneous": "yes"}', "simultaneous is 'yes'"),
    "a frame": ('{"name": "Pawns", "framed": true}', "only a site can ask him"),
    "much": ('{"name": "' + "P" * 200_000 + '"}', "at most 100000 characters"),
    "depth": ("[" * 50_000, "no description"),
}


@pytest.mark.parametrize(("text", "named"), WRONG.values(), ids=WRONG)
def test_what_describes_no_game_is_named(text: str, named: str) -> None:
    with pytest.raises(TournamentError) as caught:
        added_keys(text)
    assert named in english(caught.value)
    assert len(english(caught.value)) < 300


def test_only_added_games_bring_a_referee() -> None:
    with raises(TournamentError, "only added games bring a referee"):
        plan_of({"game": "reversi", "players": PLAYERS, "referee": URL})
