"""Texts of TicTacToe: what is read, what is written, what is refused and where."""

import pytest

from arbitre.errors import InvalidMoveError, PositionError
from arbitre.games.tictactoe.notation import TicTacToeNotation
from arbitre.games.tictactoe.rules import Board, TicTacToe

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
        ("00000000", "9 cells, not 8"),
        ("0000000000", "9 cells, not 10"),
        ("00003x000", "at character 5: '3' is none of 012"),
        ("220000000", "as many marks"),
        ("110000000", "as many marks"),
        ("100000000 1", "it is turn 2, not 1"),
        ("100000000 x", "the turn number is a whole number"),
        ("100000000 2 3", "expected 1 field and a turn number"),
        ("", "expected 1 field"),
    ],
)
def test_bad_positions_say_what_and_where(text: str, why: str) -> None:
    with pytest.raises(PositionError, match=why):
        TEXT.read_state(text)


@pytest.mark.parametrize("text", ["", "0", "10", "a", "1 2", "½", "٣"])
def test_bad_moves(text: str) -> None:
    with pytest.raises(InvalidMoveError, match="one digit from 1 to 9"):
        TEXT.read(text, Board())


def test_the_winning_line_stands_out() -> None:
    assert TEXT.picture(TEXT.read_state("111220000")).count("X") == 3
