"""Draughts in text: what is accepted, what is written, what is refused and why."""

import pytest

from arbitre.errors import AmbiguousMoveError, IllegalMoveError, InvalidMoveError, PositionError
from arbitre.games.draughts.moves import BIT, squares_of
from arbitre.games.draughts.notation import DraughtsNotation, read_fen, write_fen
from arbitre.games.draughts.rules import Board, Draughts
from arbitre.reasons import Reason
from tests.reasons import raises

GAME = Draughts()
TEXT = DraughtsNotation(GAME)
AMBIGUOUS = "W:WK42:B17,K27,29,32,K37,41"


@pytest.mark.parametrize(
    ("fen", "said", "canonical"),
    [
        ("W:W31-50:B1-20", "32-28", "32-28"),
        ("W:W31-50:B1-20", " 32-28 ", "32-28"),
        ("W:W26:B21,12,13", "26x17x8x19", "26x17x8x19"),
        ("W:W26:B21,12,13", "26X17x8X19", "26x17x8x19"),
        ("W:W26:B21,12,13", "26x19", "26x17x8x19"),
        ("W:W26:B21,12,13", "26x17x19", "26x17x8x19"),
        ("W:W26:B21,12,13", "26x8x19", "26x17x8x19"),
        ("W:W28:B22,12,13,23", "28x28", "28x17x8x19x28"),
        ("W:W28:B22,12,13,23", "28x19x28", "28x17x8x19x28"),
        ("W:W28:B22,12,13,23", "28x19x17x28", "28x19x8x17x28"),
        ("W:W28:B22,12,13,23", "28x19x8x17x28", "28x19x8x17x28"),
        (AMBIGUOUS, "42x31x34", "42x31x18x34"),
        (AMBIGUOUS, "42x12x34", "42x26x12x34"),
        ("W:W31-50:B1-20", "1-50", "1-50"),
    ],
)
def test_moves(fen: str, said: str, canonical: str) -> None:
    board = read_fen(fen)
    move = TEXT.read(said, board)
    assert TEXT.write(move) == canonical
    assert TEXT.read(canonical, board) == move


def test_a_short_capture_that_fits_two_is_ambiguous() -> None:
    with pytest.raises(AmbiguousMoveError) as caught:
        TEXT.read("42x34", read_fen(AMBIGUOUS))
    assert set(caught.value.fits) == {"42x31x18x34", "42x26x12x34"}


@pytest.mark.parametrize(
    ("fen", "said", "why"),
    [
        ("W:W32:B28,19", "32x23", Reason("must-capture-most", count=2)),
        ("W:W32:B28", "28x37", "jumps-nothing"),
        ("W:W32:B28", "32x19", Reason("no-such-capture", start=32, end=19)),
        ("W:WK46:B28,23", "46x5", "jumps-nothing"),
        ("W:W32:B28", "32x50", "jumps-nothing"),
        ("W:W32:B28", "32-23", "must-capture"),
        ("W:WK46,14:B19,1,6", "46x10", Reason("no-such-capture", start=46, end=10)),
        ("W:WK46,37:B32", "46x23", Reason("no-such-capture", start=46, end=23)),
        ("W:W26:B21,12,13", "26x17x8x19x28", "jumps-nothing"),
    ],
)
def test_captures_that_nobody_can_make(fen: str, said: str, why: str | Reason) -> None:
    board = read_fen(fen)
    with raises((InvalidMoveError, IllegalMoveError), why):
        GAME.check(board, TEXT.read(said, board))


def test_a_legal_capture_along_a_wrong_path_is_refused() -> None:
    """The same piece three times, there and back and there again: the ends are right, the way is not."""
    with raises(InvalidMoveError, "other-way"):
        TEXT.read("32x23x32x23", read_fen("W:W32:B28"))


@pytest.mark.parametrize(
    "said",
    ["", "32", "32-", "-28", "32_28", "32-28-23", "32x", "32 28", "132-28", "32-28!", "٣٢-٢٨", "1" + "x2" * 21, "x" * 9_000],
)
def test_what_is_no_move(said: str) -> None:
    with raises(InvalidMoveError, "no-draughts-move"):
        TEXT.read(said, GAME.start())


@pytest.mark.parametrize("said", ["0-5", "32-51", "99x1", "1x0x10"])
def test_what_is_no_square(said: str) -> None:
    with raises(InvalidMoveError, "no-square"):
        TEXT.read(said, GAME.start())


START = "W:W" + ",".join(map(str, range(31, 51))) + ":B" + ",".join(map(str, range(1, 21)))


@pytest.mark.parametrize(
    ("said", "canonical"),
    [
        ("W:W31-50:B1-20", f"{START} 1"),
        ("W:B1-20:W31-50", f"{START} 1"),
        ("w:w50,31-49:b1-20.", f"{START} 1"),
        ("W:W31-50:B1-20 99", f"{START} 99"),
        (" B:W33,K5:BK50,k1  4 ", "B:WK5,33:BK1,K50 4"),
        ("B:WK1-3:B20", "B:WK1,K2,K3:B20 2"),
        ("B:W31:B", "B:W31:B 2"),
    ],
)
def test_positions(said: str, canonical: str) -> None:
    assert TEXT.write_state(TEXT.read_state(said)) == canonical


def test_a_position_is_what_it_says() -> None:
    board = TEXT.read_state("B:W31,K4:BK50,20 8")
    assert board == Board(squares_of([31, 4]), squares_of([50, 20]), BIT[4] | BIT[50], 8)
    assert write_fen(board) == "B:WK4,31:B20,K50"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("", Reason("expected so many fields", fields=1)),
        ("W", "W or B to move"),
        ("X:W31:B1", "W or B to move"),
        ("W:W31", "W or B to move"),
        ("W:W31:B1:H0:F1", "W or B to move"),
        ("W:W31:W32", Reason("expected the squares of white after W and those of black after B", at=7)),
        ("W:31:B1", Reason("expected the squares of white after W and those of black after B", at=3)),
        ("W:W31,:B1", Reason("expected a square such as 31, K31 for a king, or a range such as 31-35", at=7)),
        ("W:W31,x:B1", Reason("expected a square such as 31, K31 for a king, or a range such as 31-35", at=7)),
        ("W:W31:B1,51", Reason("squares are numbered 1 to 50, ranges ascend", at=10)),
        ("W:W31:B0", "numbered 1 to 50"),
        ("W:W35-31:B1", "ranges ascend"),
        ("W:W31,31:B1", Reason("square %(bit)s is named twice", bit=31)),
        ("W:W31-35:B33", Reason("square %(bit)s is named twice", bit=33)),
        ("W:W31,K31:B1", Reason("square %(bit)s is named twice", bit=31)),
        ("W:W30-50:B1-20", Reason("pieces, and began with", colour="white", pieces=21, most=20)),
        ("W:W5:B20", Reason("would be a king", colour="white", stray=5)),
        ("W:W31:B46", Reason("would be a king", colour="black", stray=46)),
        ("W:W31:B", Reason("%(colour)s, who has just moved, has no piece", colour="black")),
        ("B:W:B20", Reason("%(colour)s, who has just moved, has no piece", colour="white")),
        ("W:W:B", Reason("%(colour)s, who has just moved, has no piece", colour="black")),
        ("W:W31:B1 2", Reason("on turn %(turn)s %(colour)s is to move", turn=2, colour="black")),
        ("B:W31:B1 1", Reason("on turn %(turn)s %(colour)s is to move", turn=1, colour="white")),
        ("W:W31:B1 0", Reason("is a whole number from", what="the turn number")),
        ("W:W31:B1 103", Reason("the game ends after", plies=100)),
    ],
)
def test_bad_positions_say_what_and_where(said: str, why: str | Reason) -> None:
    with raises(PositionError, why):
        TEXT.read_state(said)


def test_the_picture_tells_sides_and_kings_apart() -> None:
    board, legend = TEXT.picture(read_fen("W:W31,K1:B20,K50")).rsplit("\n", 1)
    assert [board.count(mark) for mark in "oOxX"] == [1, 1, 1, 1]
    assert "king" in legend
    assert board.count("\n") == 11
