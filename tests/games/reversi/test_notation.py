"""Texts of Reversi: what is read, what is written, what is refused and where."""

import pytest

from arbitre.errors import InvalidMoveError, PositionError
from arbitre.games.game import SECOND
from arbitre.games.reversi.notation import ReversiNotation
from arbitre.games.reversi.rules import Cell, Reversi
from arbitre.reasons import Reason
from tests.reasons import raises

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
        (START[:-1], Reason("the board has %(size)s cells, not %(word)s", size=64, word=63)),
        (START + "0", Reason("the board has %(size)s cells, not %(word)s", size=64, word=65)),
        ("1" + START[1:], Reason("%(character)r is none of %(allowed)s", character="1", allowed="034", at=1)),
        ("0" * 64, "D4, E4, D5 and E5 hold discs"),
        (START.replace("43", "03"), "D4, E4, D5 and E5 hold discs"),
        ("3" + START[1:], Reason("every disc is laid next to another, but the one on", lone="A1", at=1)),
        (START[:31] + "3" + START[32:], Reason("every disc is laid next to another, but the one on", lone="H4")),
        (START[:31] + "33" + START[33:], Reason("every disc is laid next to another, but the one on", lone="H4")),
        (f"{START} 0", Reason("is a whole number from", what="the turn number")),
        (f"{START} 1 1", Reason("expected so many fields", fields=1)),
        ("", Reason("expected so many fields", fields=1)),
    ],
)
def test_bad_positions_say_what_and_where(text: str, why: str | Reason) -> None:
    with raises(PositionError, why):
        TEXT.read_state(text)


@pytest.mark.parametrize(
    ("text", "cell"), [("A1", 0), ("H1", 7), ("A8", 56), ("H8", 63), ("d3", 19), (" C5 ", 34), ("XX", 64), ("xx", 64)]
)
def test_moves(text: str, cell: int) -> None:
    assert TEXT.read(text, GAME.start()) == cell
    assert TEXT.write(Cell(cell)) == text.strip().upper()


@pytest.mark.parametrize("text", ["", "A", "A0", "A9", "I1", "11", "A1A1", "A 1", "X", "XXX", "A١", "Ａ1", "\u2460A", "pass"])
def test_bad_moves(text: str) -> None:
    with raises(InvalidMoveError, "no-cell-or-pass"):
        TEXT.read(text, GAME.start())


def test_the_picture_says_who_moves_where() -> None:
    lines = TEXT.picture(GAME.start()).split("\n")
    assert lines[8] == "4 │   │   │ · │ ○ │ ● │   │   │   │"
    assert lines[-1] == "  ● black 2   ○ white 2   ● to move"
    assert TEXT.picture(TEXT.read_state("3" * 63 + "4 61")).endswith("the game is over")
    assert TEXT.picture(TEXT.read_state("0" + "4" * 62 + "3 61")).endswith("● to move")
    assert TEXT.picture(TEXT.read_state("0" + "4" * 62 + "3 62")).endswith("○ must pass")
