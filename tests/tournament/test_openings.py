"""Openings from a file: positions and moves, remarks, and which line is wrong."""

import pytest

from arbitre.errors import TournamentError
from arbitre.games.catalogue import game
from arbitre.games.notation import notation_of
from arbitre.tournament.openings import read_openings
from tests.reasons import raises

DRAUGHTS, REVERSI = game("draughts"), game("reversi")


def test_an_opening_is_a_position_or_the_moves_that_lead_to_it() -> None:
    text = "# two openings\n\n1. 32-28 19-23 2. 28x19 14x23  # an exchange\nW:W31,32:B1,2 1\n"
    moved, set_up = read_openings(text, DRAUGHTS)
    assert notation_of(DRAUGHTS).read_state(moved).turn == 5
    assert set_up == "W:W31,32:B1,2 1"
    [board] = read_openings("F5 D6 c3", REVERSI)
    assert notation_of(REVERSI).read_state(board).turn == 4


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "there is no opening"),
        ("# nothing\n\n", "there is no opening"),
        ("32-28\n32-27 x", "line %(line)s"),
        ("32-28 32-28", "is no position"),
        ("W:W31:B 1", "is no position"),
        ("W:W:B1 1", "is the end of a game"),
        ("x" * 20_001, "too long a one"),
    ],
)
def test_the_line_that_is_wrong_is_named(text: str, why: str) -> None:
    with raises(TournamentError, why):
        read_openings(text, DRAUGHTS)


def test_moves_beyond_the_end_are_no_opening() -> None:
    with raises(TournamentError, "is the end of a game"):
        read_openings("1 4 2 5 3", game("tictactoe"))
    with raises(TournamentError, "nobody is to move there alone", word="6"):
        read_openings("1 4 2 5 3 6", game("tictactoe"))
