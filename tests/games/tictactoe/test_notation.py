"""Texts of TicTacToe: what is read, what is written, what is refused and where."""

import pytest

from arbitre.errors import InvalidMoveError, PositionError
from arbitre.games.tictactoe.notation import TicTacToeNotation
from arbitre.games.tictactoe.rules import Board, TicTacToe
from arbitre.reasons import Reason
from tests.reasons import raises

TEXT = TicTacToeNotation(TicTacToe())


@pytest.mark.parametrize(
    ("text", "canonical"),
    [("000000000", "000000000 1"), ("000010000 2", "000010000 2"), (" 120000000  3 ", "120000000 3")],
)
def test_positions(text: str, canonical: str) -> None:
    assert TEXT.write_state(TEXT.read_state(text)) == canonical


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("00000000", Reason("the board has %(size)s cells, not %(word)s", size=9, word=8)),
        ("0000000000", Reason("the board has %(size)s cells, not %(word)s", size=9, word=10)),
        ("00003x000", Reason("%(character)r is none of %(allowed)s", character="3", allowed="012", at=5)),
        ("220000000", "as many marks"),
        ("110000000", "as many marks"),
        ("100000000 1", Reason("with these marks it is turn", turn=2, turn2=1)),
        ("100000000 x", Reason("is a whole number from", what="the turn number")),
        ("100000000 2 3", Reason("expected so many fields", fields=1)),
        ("", Reason("expected so many fields", fields=1)),
    ],
)
def test_bad_positions_say_what_and_where(text: str, why: str | Reason) -> None:
    with raises(PositionError, why):
        TEXT.read_state(text)


@pytest.mark.parametrize("text", ["", "0", "10", "a", "1 2", "½", "٣"])
def test_bad_moves(text: str) -> None:
    with raises(InvalidMoveError, "no-digit"):
        TEXT.read(text, Board())


def test_the_winning_line_stands_out() -> None:
    assert TEXT.picture(TEXT.read_state("111220000")).count("X") == 3
