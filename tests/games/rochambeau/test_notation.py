"""Texts of Rochambeau: names in two languages, numbers, standings, refusals."""

import pytest

from arbitre.errors import InvalidMoveError, PositionError
from arbitre.games.game import Seat
from arbitre.games.rochambeau.notation import RochambeauNotation
from arbitre.games.rochambeau.rules import MOST_STATES, Rochambeau, Sign
from arbitre.reasons import Reason
from tests.reasons import raises

THREE = RochambeauNotation(Rochambeau())
FIVE = RochambeauNotation(Rochambeau(states=5))
MANY = RochambeauNotation(Rochambeau(states=17, players=3, goal=0))
START = Rochambeau().start()


@pytest.mark.parametrize(
    ("text", "three", "five"),
    [
        ("rock", 0, 0),
        ("Rock", 0, 0),
        ("PIERRE", 0, 0),
        ("scissors", 1, 3),
        ("ciseaux", 1, 3),
        ("paper", 2, 4),
        (" Feuille ", 2, 4),
        ("lizard", None, 1),
        ("Lézard", None, 1),
        ("lezard", None, 1),
        ("Spock", None, 2),
        ("0", 0, 0),
        ("2", 2, 2),
        ("4", None, 4),
        ("002", 2, 2),
    ],
)
def test_names_and_numbers(text: str, three: int | None, five: int) -> None:
    assert FIVE.read(text, START) == five
    if three is None:
        with raises(InvalidMoveError, "no-sign-named", names="rock, scissors, paper", last=2):
            THREE.read(text, START)
    else:
        assert THREE.read(text, START) == three


def test_canonical_signs() -> None:
    assert [THREE.write(Sign(n)) for n in range(3)] == ["rock", "scissors", "paper"]
    assert [FIVE.write(Sign(n)) for n in range(5)] == ["rock", "lizard", "spock", "scissors", "paper"]
    assert MANY.write(Sign(16)) == "16"
    largest = RochambeauNotation(Rochambeau(states=MOST_STATES))
    assert largest.read("2147483646", START) == MOST_STATES - 1
    with raises(InvalidMoveError, "no-sign", last=2147483646):
        largest.read("2147483647", START)


@pytest.mark.parametrize("text", ["", "3", "-1", "+1", "1 2", "rocks", "r", "٢", "1.0", "1_0", "00000000001", "pierre feuille"])
def test_bad_moves(text: str) -> None:
    with raises(InvalidMoveError, "no-sign-named", names="rock, scissors, paper", last=2):
        THREE.read(text, START)


def test_names_are_for_three_and_five_signs_only() -> None:
    with raises(InvalidMoveError, "no-sign", last=16):
        MANY.read("rock", START)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("0,0 11 -", "0,0 11 - 1"),
        ("3,2 11 -", "3,2 11 - 6"),
        ("3,2 11 - 9", "3,2 11 - 9"),
        ("3,2 11 pierre,2 7", "3,2 11 rock,paper 7"),
        ("0,0 11 rock,rock", "0,0 11 rock,rock 2"),
        ("3,2 11 rock,rock", "3,2 11 rock,rock 7"),
        ("5,2 11 rock,scissors", "5,2 11 rock,scissors 8"),
    ],
)
def test_races(text: str, canonical: str) -> None:
    assert THREE.write_state(THREE.read_state(text)) == canonical


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("0,0,0 111 -", "0,0,0 111 - 1"),
        ("0,0,0 101 -", "0,0,0 101 - 2"),
        ("0,0,0 101 16,-,16 4", "0,0,0 101 16,-,16 4"),
        ("0,0,0 001 5,3,2", "0,0,0 001 5,3,2 2"),
        ("0,0,0 000 -,-,- 3", "0,0,0 000 -,-,- 3"),
    ],
)
def test_eliminations(text: str, canonical: str) -> None:
    assert MANY.write_state(MANY.read_state(text)) == canonical


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("0,0,0 11 -", Reason("with commas between them", what="scores", players=2)),
        ("0 11 -", Reason("with commas between them", what="scores", players=2)),
        ("x,0 11 -", Reason("is a whole number from", what="a score")),
        ("6,0 11 -", Reason("the game ends when one player has", goal=5)),
        ("5,5 11 -", Reason("the game ends when one player has", goal=5)),
        ("0,0 1 -", Reason("who is inside is told by", players=2)),
        ("0,0 12 -", Reason("who is inside is told by", players=2)),
        ("0,0 10 -", "nobody is out"),
        ("0,1 11 rock,-", "all show a sign in every round"),
        ("0,1 11 -,-", "all show a sign in every round"),
        ("0,1 11 rock", Reason("with commas between them", what="signs", players=2)),
        ("0,1 11 rock,lizard", Reason("%(word)r is no sign of this game", word="lizard")),
        ("0,1 11 rock,scissors", Reason("was best in the last round and has no point for it", ahead=1)),
        ("5,1 11 scissors,rock", Reason("won the game, but not in the last round", goal=1)),
        ("3,2 11 - 5", Reason("with these points and signs it is turn", least=6, most=1001, turn=5)),
        ("3,2 11 rock,rock 6", Reason("with these points and signs it is turn", least=7, most=1001, turn=6)),
        ("0,0 11 - 1002", Reason("with these points and signs it is turn", least=1, most=1001, turn=1002)),
        ("0,0 11", Reason("expected so many fields", fields=3)),
    ],
)
def test_bad_races_say_why(text: str, why: str | Reason) -> None:
    with raises(PositionError, why):
        THREE.read_state(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1,0,0 111 -", "nobody has points"),
        ("0,0,0 110 3,3,3 2", "not the best of the last round"),
        ("0,0,0 111 3,-,3 2", "not the best of the last round"),
        ("0,0,0 101 - 1", Reason("with these points and signs it is turn", least=2, most=256, turn=1)),
        ("0,0,0 111 - 257", Reason("with these points and signs it is turn", least=1, most=256, turn=257)),
        ("0,0,0 111 3,3,17", Reason("%(word)r is no sign of this game", word="17")),
    ],
)
def test_bad_eliminations_say_why(text: str, why: str | Reason) -> None:
    with raises(PositionError, why):
        MANY.read_state(text)


def test_a_thousand_players_fit_a_screen_and_the_leaders_are_on_it() -> None:
    game = Rochambeau(players=1_000)
    state = game.play(game.start(), {Seat(n): Sign(n == 700) for n in range(1_000)})
    state = game.play(state, {Seat(n): Sign(n != 700) for n in range(1_000)})
    lines = RochambeauNotation(game).picture(state).split("\n")
    assert len(lines) == 22
    assert lines[4] == "│    701 │    rock    │  +999 │      1 │"
    assert lines[-1] == "and 984 more"
    text = RochambeauNotation(game)
    assert text.read_state(text.write_state(state)) == state
