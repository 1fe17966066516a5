"""Texts of BigTicTacToe: what is read, what is written, what is refused and where."""

import pytest

from arbitre.errors import InvalidMoveError, PositionError
from arbitre.games.bigtictactoe.notation import BigTicTacToeNotation
from arbitre.games.bigtictactoe.rules import BITS, BigTicTacToe, Board, Cell, alignments
from arbitre.games.game import FIRST, SECOND
from arbitre.reasons import Reason
from tests.reasons import raises

TEXT = BigTicTacToeNotation(BigTicTacToe())
SUDDEN = BigTicTacToeNotation(BigTicTacToe(first=True))


def cells(start: str, end: str = "") -> str:
    """Return a hundred cells with these at the beginning and at the end."""
    return start + "0" * (100 - len(start) - len(end)) + end


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        pytest.param(cells(""), cells("") + " 1", id="empty"),
        pytest.param(cells("12", "21") + " 5", cells("12", "21") + " 5", id="all corners"),
        pytest.param("  " + cells("1") + "  2 ", cells("1") + " 2", id="spaces"),
        pytest.param("12" * 50, "12" * 50 + " 101", id="full"),
    ],
)
def test_positions(text: str, canonical: str) -> None:
    assert TEXT.write_state(TEXT.read_state(text)) == canonical


def test_cells_are_where_they_are_read() -> None:
    text = cells("0" * 11 + "1", "2" + "0" * 10)
    assert TEXT.read_state(text) == Board(BITS[11], BITS[89])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (cells("")[1:], Reason("the board has %(size)s cells, not %(word)s", size=100, word=99)),
        (cells("") + "0", Reason("the board has %(size)s cells, not %(word)s", size=100, word=101)),
        (cells("123"), Reason("%(character)r is none of %(allowed)s", character="3", allowed="012", at=3)),
        (cells("2"), "as many marks"),
        (cells("11"), "as many marks"),
        (cells("1") + " 1", Reason("with these marks it is turn", turn=2, turn2=1)),
        (cells("1") + " x", Reason("is a whole number from", what="the turn number")),
        ("", Reason("expected so many fields", fields=1)),
    ],
)
def test_bad_positions_say_what_and_where(text: str, why: str | Reason) -> None:
    for notation in (TEXT, SUDDEN):
        with raises(PositionError, why):
            notation.read_state(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param(cells("11111", "22222"), "the player to move has a row of five", id="both"),
        pytest.param(cells("11111", "2202202"), "the player to move has a row of five", id="the mover"),
        pytest.param(cells("1111100000" + "0" * 20 + "11111", "2020202002022022"), "no single last mark", id="twice in turn"),
    ],
)
def test_nobody_plays_on_after_the_first_row(text: str, why: str) -> None:
    TEXT.read_state(text)
    with raises(PositionError, why):
        SUDDEN.read_state(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(cells("11111", "2222"), id="one row"),
        pytest.param(cells("1111100000" + "1000000000" * 4, "22022022022"), id="two that share the last mark"),
    ],
)
def test_the_last_mark_may_make_several_rows(text: str) -> None:
    assert SUDDEN.write_state(SUDDEN.read_state(text)).startswith(text)


@pytest.mark.parametrize(("text", "cell"), [("A0", 0), ("J0", 9), ("A9", 90), ("J9", 99), ("d3", 33), (" C5 ", 52)])
def test_moves(text: str, cell: int) -> None:
    assert TEXT.read(text, Board()) == cell
    assert TEXT.write(Cell(cell)) == text.strip().upper()


@pytest.mark.parametrize("text", ["", "A", "A10", "K0", "00", "0A", "A 0", "D3H3", "A٣", "ı3"])
def test_bad_moves(text: str) -> None:
    with raises(InvalidMoveError, "no-cell-text", first="A0", last="J9"):
        TEXT.read(text, Board())


def test_alignments_are_written_by_their_ends() -> None:
    row = sum(BITS[n] for n in range(33, 38))
    column = sum(BITS[n] for n in range(33, 93, 10))
    board = Board(row | column, BITS[0])
    assert [f"{one.head}{one.tail}" for one in alignments(board.marks(FIRST))] == ["D3H3", "D3D8"]
    assert not list(alignments(board.marks(SECOND)))


def test_rows_of_five_stand_out() -> None:
    picture = TEXT.picture(TEXT.read_state(cells("11111", "2222")))
    assert "0 │ X X X X X · · · · · │" in picture
    assert "9 │ · · · · · · o o o o │" in picture
    assert picture.endswith("x: 1   o: 0   o to move")
    assert SUDDEN.picture(SUDDEN.read_state(cells("11111", "2222"))).endswith("the game is over")
