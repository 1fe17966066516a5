"""Texts of Pente: what is read, what is written, what is refused and where."""

import pytest

from arbitre.errors import InvalidMoveError, PositionError
from arbitre.games.game import Outcome
from arbitre.games.pente.notation import PenteNotation
from arbitre.games.pente.rules import BITS, Board, Cell, Pente
from arbitre.reasons import Reason
from tests.reasons import raises

GAME = Pente()
TEXT = PenteNotation(GAME)


def cells(start: str, end: str = "") -> str:
    """Return 361 cells with these at the beginning and at the end."""
    return start + "0" * (361 - len(start) - len(end)) + end


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        pytest.param(cells("") + " 0 0", cells("") + " 0 0 1", id="empty, turn left out"),
        pytest.param(cells("12", "1") + " 0 0", cells("12", "1") + " 0 0 4", id="the stones tell the turn"),
        pytest.param(cells("12") + " 1 1", cells("12") + " 1 1 7", id="so do the captured ones"),
        pytest.param(cells("1010", "") + " 1 0", cells("1010") + " 1 0 5", id="two stones each, one pair gone"),
        pytest.param(cells("1010") + " 3 2 1", cells("1010") + " 3 2 1", id="a photo may count its turns anew"),
        pytest.param(f"  {cells('1')}  0  0   2 ", cells("1") + " 0 0 2", id="spaces"),
        pytest.param(cells("11111", "2222") + " 0 0 10", cells("11111", "2222") + " 0 0 10", id="a finished game"),
        pytest.param(cells("") + " 5 4 30", cells("") + " 5 4 30", id="finished by pairs"),
    ],
)
def test_positions(text: str, canonical: str) -> None:
    assert TEXT.write_state(TEXT.read_state(text)) == canonical


def test_a_finished_position_is_finished() -> None:
    assert isinstance(GAME.phase(TEXT.read_state(cells("11111", "2222") + " 0 0")), Outcome)
    assert isinstance(GAME.phase(TEXT.read_state(cells("") + " 5 4 30")), Outcome)


def test_cells_are_where_they_are_read() -> None:
    assert TEXT.read_state(cells("0" * 20 + "1", "2" + "0" * 19) + " 0 0") == Board(BITS[20], BITS[341], turn=3)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (cells("")[1:] + " 0 0", Reason("the board has %(size)s cells, not %(word)s", size=361, word=360)),
        (cells("") + "0 0 0", Reason("the board has %(size)s cells, not %(word)s", size=361, word=362)),
        (cells("123") + " 0 0", Reason("%(character)r is none of %(allowed)s", character="3", allowed="012", at=3)),
        (cells("") + " 6 0", Reason("is a whole number from", least=0, most=5, word="6")),
        (cells("") + " 0 x", Reason("is a whole number from", least=0, most=5, word="x")),
        (cells("") + " 0 0 0", Reason("is a whole number from", what="the turn number")),
        (cells(""), Reason("expected so many fields", fields=3)),
        (cells("") + " 1", Reason("expected so many fields", fields=3)),
        (cells("") + " 0 0 1 1", Reason("expected so many fields", fields=3)),
        (cells("11") + " 0 0", Reason("stones, which does not tell the turn: write it at the end", laid=2, laid2=0)),
        (cells("1") + " 1 0", Reason("stones, which does not tell the turn: write it at the end", laid=1, laid2=2)),
        (cells("11111") + " 0 0 11", "the player to move has won already"),
        (cells("22222") + " 0 0 10", "the player to move has won already"),
        (cells("") + " 5 0 31", "the player to move has won already"),
        (cells("") + " 5 5 31", "the player to move has won already"),
        (cells("11111" + "0" * 33 + "11111") + " 0 0 20", "no single last stone"),
        ("", Reason("expected so many fields", fields=3)),
    ],
)
def test_bad_positions_say_what_and_where(text: str, why: str | Reason) -> None:
    with raises(PositionError, why):
        TEXT.read_state(text)


@pytest.mark.parametrize(("text", "cell"), [("AA", 0), ("SA", 18), ("AS", 342), ("SS", 360), ("ch", 135), (" JJ ", 180)])
def test_moves(text: str, cell: int) -> None:
    assert TEXT.read(text, Board()) == cell
    assert TEXT.write(Cell(cell)) == text.strip().upper()


@pytest.mark.parametrize("text", ["", "A", "AT", "TA", "A1", "AAA", "A A", "ß", "ﬀ", "ſs", "éA"])
def test_bad_moves(text: str) -> None:
    with raises(InvalidMoveError, "no-cell-text", first="AA", last="SS"):
        TEXT.read(text, Board())


def test_the_picture_shows_what_matters() -> None:
    lines = TEXT.picture(TEXT.read_state(cells("11111", "2222") + " 3 1 10")).split("\n")
    assert lines[2] == "A │ X X X X X · · · · · · · · · · · · · · │    x captured 3 of 5 pairs"
    assert lines[3].endswith("o captured 1 of 5 pairs")
    assert lines[4].endswith("the game is over")
    assert lines[20] == "S │ · · · · · · · · · · · · · · · o o o o │"
    third = TEXT.picture(TEXT.read_state(cells("1", "2") + " 0 0")).split("\n")
    assert third[9] == "H │ · · · · · · ·           · · · · · · · │"
