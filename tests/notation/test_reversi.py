"""Texts of Reversi: what is read, what is written, what is refused and where."""

import pytest

from arbitre.errors import InvalidMoveError, PositionError
from arbitre.games.game import SECOND
from arbitre.games.reversi.notation import ReversiNotation
from arbitre.games.reversi.rules import Cell, Reversi

GAME = Reversi()
TEXT = ReversiNotation(GAME)

START = "0" * 27 + "43" + "0" * 6 + "34" + "0" * 27
LATER = "0000000000000000000000000004300000033000000030000000000000000000"


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        pytest.param(START, f"{START} 1", id="turn left out at the start"),
        pytest.param(f"  {START}   1 ", f"{START} 1", id="spaces"),
        pytest.param(f"{START} 2", f"{START} 2", id="white to move, however that came about"),
        pytest.param(LATER, f"{LATER} 2", id="turn left out after a move"),
        pytest.param("3" * 64, f"{'3' * 64} 61", id="full"),
    ],
)
def test_positions(text: str, canonical: str) -> None:
    assert TEXT.write_state(TEXT.read_state(text)) == canonical


def test_the_start_is_the_start() -> None:
    assert TEXT.read_state(START) == GAME.start()
    assert TEXT.read_state(f"{START} 2").mover == SECOND


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (START[:-1], "64 cells, not 63"),
        (START + "0", "64 cells, not 65"),
        ("1" + START[1:], "at character 1: '1' is none of 034"),
        ("0" * 64, "D4, E4, D5 and E5 hold discs"),
        (START.replace("43", "03"), "D4, E4, D5 and E5 hold discs"),
        ("3" + START[1:], "at character 1: every disc is laid next to another, but the one on A1 stands apart"),
        (START[:31] + "3" + START[32:], "the one on H4 stands apart"),
        (START[:31] + "33" + START[33:], "the one on H4 stands apart"),
        (f"{START} 0", "the turn number is a whole number"),
        (f"{START} 1 1", "expected 1 field"),
        ("", "expected 1 field"),
    ],
)
def test_bad_positions_say_what_and_where(text: str, why: str) -> None:
    with pytest.raises(PositionError, match=why):
        TEXT.read_state(text)


@pytest.mark.parametrize(
    ("text", "cell"), [("A1", 0), ("H1", 7), ("A8", 56), ("H8", 63), ("d3", 19), (" C5 ", 34), ("XX", 64), ("xx", 64)]
)
def test_moves(text: str, cell: int) -> None:
    assert TEXT.read(text, GAME.start()) == cell
    assert TEXT.write(Cell(cell)) == text.strip().upper()


@pytest.mark.parametrize("text", ["", "A", "A0", "A9", "I1", "11", "A1A1", "A 1", "X", "XXX", "A١", "Ａ1", "\u2460A", "pass"])
def test_bad_moves(text: str) -> None:
    with pytest.raises(InvalidMoveError, match="a cell from A1 to H8, column and row, or XX to pass"):
        TEXT.read(text, GAME.start())


def test_the_picture_says_who_moves_where() -> None:
    lines = TEXT.picture(GAME.start()).split("\n")
    assert lines[8] == "4 │   │   │ · │ ○ │ ● │   │   │   │"
    assert lines[-1] == "  ● black 2   ○ white 2   ● to move"
    assert TEXT.picture(TEXT.read_state("3" * 63 + "4 61")).endswith("the game is over")
    assert TEXT.picture(TEXT.read_state("0" + "4" * 62 + "3 61")).endswith("● to move")
    assert TEXT.picture(TEXT.read_state("0" + "4" * 62 + "3 62")).endswith("○ must pass")
