"""A plan is read whole or refused with the key that is wrong, and written so that it is read back the same."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbitre.errors import TournamentError
from arbitre.reasons import Reason
from arbitre.referee.clock import Clock
from arbitre.tournament.config import Budget, Entrant, TournamentPlan, plan_of, read_kept_plan, read_plan
from arbitre.tournament.gauntlet import Gauntlet
from arbitre.tournament.knockout import Knockout
from arbitre.tournament.roundrobin import RoundRobin
from arbitre.tournament.sprt import Sprt
from arbitre.tournament.swiss import Swiss
from tests.reasons import raises

FULL = """
name = "club night"
game = "tictactoe"
format = "gauntlet"
games = 4
cycles = 2
challengers = 1
clock = "60s+1s"
refusals = "any"
turns = 40
seed = "sunday"
seeding = "lot"
concurrency = 2
starts = ["120010000", ""]
players = [
    "house:tictactoe/1",
    "house:tictactoe/1",
    { name = "mine", player = "cmd:./bot --fast" },
]

[limits]
cpu = 30
memory = "512M"

[sprt]
elo0 = 0
elo1 = 20.5
alpha = 0.01
"""

LEAST: dict[str, Any] = {"game": "tictactoe", "players": ["a", "b"]}


def test_everything_is_read() -> None:
    plan = read_plan(FULL)
    assert plan.name == "club night"
    assert plan.game.name == "tictactoe"
    assert plan.format == Gauntlet(games=4, cycles=2, challengers=1)
    assert plan.entrants == (
        Entrant("house:tictactoe/1", "house:tictactoe/1"),
        Entrant("house:tictactoe/1 2", "house:tictactoe/1"),
        Entrant("mine", "cmd:./bot --fast"),
    )
    assert plan.starts == ("120010000 4", ""), "positions are kept in canonical text"
    assert plan.clock == Clock("game", 60_000, 1_000)
    assert plan.refusals is None
    assert plan.terms.turns == 40
    assert plan.limits == Budget(30, 512 << 20)
    assert plan.sprt == Sprt(0, 20.5, 0.01, 0.05)
    assert plan.schedule.field.seeding == "lot"


def test_the_least_plan_has_sensible_defaults() -> None:
    plan = plan_of(LEAST)
    assert plan.format == RoundRobin()
    assert plan.name == "tictactoe tournament"
    assert plan.starts == ("",)
    assert plan.terms.clock == Clock()
    assert plan.concurrency == 1
    assert plan.seed == ""
    with raises(TournamentError, "'seed': not drawn yet"):
        _ = plan.schedule
    drawn = plan.seeded("f00d")
    assert drawn.schedule == plan_of({**LEAST, "seed": "f00d"}).schedule
    assert drawn.seeded("other") == drawn, "a seed that is there stays"


@pytest.mark.parametrize(
    ("keys", "held"),
    [
        ({"format": "double-round-robin"}, RoundRobin(cycles=2)),
        ({"format": "round-robin", "cycles": 3, "games": 2}, RoundRobin(2, 3)),
        ({"format": "swiss", "rounds": 7}, Swiss(rounds=7)),
        ({"format": "fitting", "rounds": 7, "players": list("abcde")}, RoundRobin(1, 2)),
        ({"format": "fitting", "games": 4, "players": list("ab")}, RoundRobin(2, 2)),
        ({"format": "fitting", "players": list("abcdef")}, Swiss(rounds=4)),
        ({"format": "swiss", "players": list("abcdefghi")}, Swiss(rounds=5)),
        ({"format": "knockout", "third": True, "replays": 0}, Knockout(replays=0, third=True)),
    ],
)
def test_formats(keys: dict[str, Any], held: object) -> None:
    assert plan_of({**LEAST, **keys}).format == held


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(({"format": "swiss"}, {"format": "knockout", "third": True}, {"cycles": 2}, {"sprt": {"elo1": 3.25}}, {})),
    st.lists(
        st.text(st.characters(categories=("L", "N", "P", "S")), min_size=1, max_size=80), min_size=2, max_size=2, unique=True
    ),
    st.integers(1, 9),
    st.fixed_dictionaries(
        {"clock": st.sampled_from(("none", "5s/move", "200ms/move", "10m", "60s+1s")), "seed": st.integers() | st.just("7")},
        optional={"turns": st.integers(1, 1000)},
    ),
)
def test_what_is_written_is_read_back(keys: dict[str, Any], names: list[str], games: int, more: dict[str, Any]) -> None:
    players = [{"name": name, "player": "py:bot.py"} for name in names]
    plan = plan_of({**LEAST, **keys, **more, "players": players, "games": games})
    again = read_kept_plan(plan.text())
    assert again == plan
    assert again.text() == plan.text()
    assert again.schedule.fixtures({}) == plan.schedule.fixtures({})


def test_a_kept_plan_says_everything() -> None:
    """So that a change of a default does not change a tournament that was begun."""
    kept = plan_of({**LEAST, "format": "knockout"}).text()
    for key in ("games", "replays", "third", "clock", "refusals", "seeding", "concurrency"):
        assert f'"{key}":' in kept


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ({"game": None}, "missing"),
        ({"game": "chess 2"}, Reason("no game is called", name="chess 2")),
        ({"game": 7}, Reason("a text, not %(found)s", found="7")),
        ({"options": {"size": 3}}, Reason("it has no options", name="tictactoe", key="size")),
        ({"options": 3}, Reason("a table, not %(found)s", found="3")),
        ({"players": []}, Reason("a list of %(least)s to %(most)s values, not %(what)s", least=2, most=2000, what="0")),
        ({"players": "a"}, Reason("a list of %(least)s to %(most)s values, not %(what)s", least=2, most=2000, what="'a'")),
        ({"players": ["a", 7]}, Reason("a text, not %(found)s", found="7")),
        ({"players": ["a", {"name": "b"}]}, "missing"),
        ({"players": ["a", {"player": "b", "nmae": "c"}]}, Reason("unknown; did you mean %(near)r?", near="name")),
        ({"players": ["a", {"player": "b", "name": "c\x1b[2J"}]}, "holds characters that cannot be shown"),
        ({"players": ["a", {"player": "b", "name": "c" * 81}]}, Reason("at most %(most)s characters, not %(text)s", most=80)),
        (
            {"players": [{"player": "a", "name": "x"}, {"player": "b", "name": "x"}]},
            Reason("two contestants are called %(twice)r", twice="x"),
        ),
        (
            {"format": "league"},
            Reason(
                "one of %(words)s, not %(found)r",
                words="round-robin, gauntlet, swiss, knockout, double-round-robin, fitting",
                found="league",
            ),
        ),
        ({"format": "swiss", "cycles": 2}, Reason("a %(name)s has none; it has %(own)s", name="swiss", own="games, rounds")),
        ({"format": "double-round-robin", "cycles": 2}, Reason("a %(double)s has two", double="double-round-robin")),
        ({"games": 0}, Reason("key %(what)r: a number from %(least)s to %(most)s, not %(number)s", what="games", least=1)),
        ({"games": 2.5}, Reason("a whole number from", least=0, most=1000000, found="2.5")),
        ({"games": True}, "a whole number from"),
        ({"format": "knockout", "third": "yes"}, Reason("true or false, not %(found)s", found="'yes'")),
        ({"clock": "soon"}, Reason("try 5s/move, 60s+1s, 10m or none", text="soon")),
        ({"refusals": "some"}, Reason("a whole number from", least=0, most=1000000, found="'some'")),
        ({"turns": 0}, Reason("a whole number from", least=1)),
        ({"starts": ["12001000x"]}, "%(character)r is none of %(allowed)s"),
        ({"starts": ["", "111220000"]}, Reason("%(item)r is the end of a game", item="111220000")),
        ({"starts": [1]}, Reason("a position in text, not %(item)s", item="1")),
        ({"seeding": "random"}, Reason("one of %(words)s, not %(found)r", words="listed, lot")),
        ({"seed": 1.5}, Reason("a text, not %(found)s", found="1.5")),
        ({"concurrency": 0}, Reason("a whole number from", least=1, most=1000)),
        ({"limits": {"memory": "lots"}}, Reason("a size like 512M or 2G, not %(found)r", found="lots")),
        ({"limits": {"memory": "1K"}}, Reason("a whole number from", least=1048576)),
        ({"limits": {"cpus": 1}}, Reason("unknown; did you mean %(near)r?", near="cpu")),
        ({"sprt": {"elo1": "big"}}, Reason("a number, not %(found)s", found="'big'")),
        ({"sprt": {"elo1": -5}}, "elo0 must be less than elo1, both within ±2000, not"),
        ({"sprt": {"gamma": 1}}, "unknown; there are %(known)s"),
        ({"sprt": {}, "format": "swiss"}, "key 'sprt': only for one challenger"),
        ({"conccurrency": 2}, Reason("unknown; did you mean %(near)r?", near="concurrency")),
        ({"colour": 2}, "unknown; there are %(known)s"),
    ],
)
def test_a_wrong_key_is_named(keys: dict[str, Any], why: str | Reason) -> None:
    merged = {key: found for key, found in {**LEAST, **keys}.items() if found is not None}
    with raises(TournamentError, why):
        plan_of(merged)


def test_a_game_for_more_than_two_is_refused() -> None:
    class Crowd(type(plan_of(LEAST).game)):  # type: ignore[misc]
        seats = 3

    with raises(TournamentError, "key 'game': tournaments are for two seats, and", name="tictactoe", seats=3):
        TournamentPlan("crowd", Crowd(), RoundRobin(), (Entrant("a", "a"), Entrant("b", "b")))


@pytest.mark.parametrize("text", ["game = ", "[[[", "a = 1\na = 2", "x = " + "[" * 5000])
def test_what_is_no_toml_is_refused(text: str) -> None:
    with raises(TournamentError, "not TOML"):
        read_plan(text)


def test_memory_is_read_with_its_unit() -> None:
    for text, octets in (("2G", 2 << 30), ("512M", 512 << 20), ("2048k", 2 << 20), ("64MB", 64 << 20), (4 << 20, 4 << 20)):
        assert plan_of({**LEAST, "limits": {"memory": text}}).limits.memory == octets
