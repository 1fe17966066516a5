"""BigTicTacToe: what an alignment is, how alignments are counted, and who wins."""

from fractions import Fraction
from random import Random

import pytest

from arbitre.errors import IllegalMoveError
from arbitre.games.bigtictactoe.rules import BITS, CELLS, FULL, SIDE, STEPS, BigTicTacToe, Board, Cell, alignments, count, heads
from arbitre.games.game import DRAW, FIRST, LOSS, SECOND, WIN, Awaits, Outcome, playout
from arbitre.reasons import Reason
from tests.reasons import raises

GAME = BigTicTacToe()
SUDDEN = BigTicTacToe(first=True)

NAMED = {str(cell): cell for cell in CELLS}


def marks(names: str) -> int:
    """Return cells as bits: `A0 B0`, or a straight run by its ends, `A0-E0`."""
    found = 0
    for word in names.split():
        head, _, tail = word.partition("-")
        a, b = NAMED[head], NAMED[tail or head]
        length = max(abs(a // 10 - b // 10), abs(a % 10 - b % 10))
        for n in range(length + 1):
            row = a // 10 + (b // 10 - a // 10) * n // (length or 1)
            column = a % 10 + (b % 10 - a % 10) * n // (length or 1)
            found |= BITS[10 * row + column]
    return found


def found(cells: int) -> str:
    return " ".join(f"{one.head}{one.tail}" for one in alignments(cells))


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        pytest.param("", "", id="nothing"),
        pytest.param("D3-G3", "", id="four are not five"),
        pytest.param("D3-E3 G3-I3", "", id="five with a gap"),
        pytest.param("D3-H3", "D3H3", id="along a row, the seed's example"),
        pytest.param("D3-D7", "D3D7", id="down a column"),
        pytest.param("D3-H7", "D3H7", id="down to the right"),
        pytest.param("H3-D7", "H3D7", id="down to the left: the upper end first"),
        pytest.param("A0-E0", "A0E0", id="in the first corner"),
        pytest.param("J5-J9", "J5J9", id="in the last corner"),
        pytest.param("F9-J9", "F9J9", id="along the bottom"),
        pytest.param("D3-I3", "D3I3", id="six are one alignment with other ends"),
        pytest.param("A3-J3", "A3J3", id="ten are one, not two"),
        pytest.param("A3-E3 F4-J4", "A3E3 F4J4", id="two in two rows"),
        pytest.param("F3-J3 A4-E4", "F3J3 A4E4", id="a row does not go on in the next"),
        pytest.param("G3-J3 A4", "", id="nor does half of one"),
        pytest.param("G5-J2 A2", "", id="a diagonal does not go over the right edge"),
        pytest.param("A4-D7 J3", "", id="nor over the left edge"),
        pytest.param("G6-J9 A0", "", id="nor over the bottom"),
        pytest.param("D3-H3 D3-D7", "D3H3 D3D7", id="two directions share a corner"),
        pytest.param("C4-G4 E2-E6", "C4G4 E2E6", id="a cross is two"),
        pytest.param("C4-G4 E2-E6 C2-G6 G2-C6", "C4G4 E2E6 C2G6 G2C6", id="a star is four"),
        pytest.param(
            "A0-E0 A1-E1 A2-E2 A3-E3 A4-E4", "A0E0 A1E1 A2E2 A3E3 A4E4 A0A4 B0B4 C0C4 D0D4 E0E4 A0E4 E0A4", id="a block"
        ),
        pytest.param("A0-E0 G0-J0", "A0E0", id="five, a gap and four"),
    ],
)
def test_alignments(cells: str, expected: str) -> None:
    bits = marks(cells)
    assert found(bits) == expected
    assert count(bits) == len(expected.split())


@pytest.mark.parametrize(
    ("before", "cell", "one", "two"),
    [
        pytest.param("A0-D0", "E0", "", "A0E0", id="the fifth mark makes it"),
        pytest.param("A0-E0", "F0", "A0E0", "A0F0", id="the sixth makes it longer"),
        pytest.param("B0-F0", "A0", "B0F0", "A0F0", id="at the other end too"),
        pytest.param("A0-D0 F0-I0", "E0", "", "A0I0", id="two fours become one nine"),
        pytest.param("A0-E0 G0-J0", "F0", "A0E0", "A0J0", id="a five swallows a four"),
        pytest.param("C4-F4 G0-G3", "G4", "", "C4G4 G0G4", id="two at once"),
        pytest.param("A4-D4 E0-E3 A0-D3 I0-F3", "E4", "", "A4E4 E0E4 A0E4 I0E4", id="four at once"),
        pytest.param("A0-E0", "A1", "A0E0", "A0E0", id="a mark beside changes nothing"),
    ],
)
def test_a_mark_changes_alignments(before: str, cell: str, one: str, two: str) -> None:
    assert found(marks(before)) == one
    assert found(marks(before) | marks(cell)) == two


@pytest.mark.parametrize("seed", range(10))
def test_counting_cell_by_cell_agrees(seed: int) -> None:
    """Walk every line and measure its runs: the definition said a second time."""
    random = Random(seed)
    cells = {n for n in range(100) if random.random() < 0.4 + 0.05 * seed}
    bits = sum(BITS[n] for n in cells)
    for step, (down, right) in zip(STEPS, ((0, 1), (1, 0), (1, 1), (1, -1)), strict=True):
        runs = 0
        for row, column in ((n // SIDE, n % SIDE) for n in range(SIDE * SIDE)):
            if (row - down) * SIDE + column - right in cells and 0 <= column - right < SIDE and row >= down:
                continue
            length = 0
            while 0 <= row < SIDE and 0 <= column < SIDE and row * SIDE + column in cells:
                row, column, length = row + down, column + right, length + 1  # noqa: PLW2901 - a walk from this cell
            runs += length >= 5
        assert heads(bits, step).bit_count() == runs


CHESSBOARD = sum(BITS[n] for n in range(100) if (n // 10 + n % 10) % 2)
"""The dark cells of a chessboard: only diagonals are longer than one cell."""

BRICKS = sum(BITS[n] for n in range(100) if (n // 10 + n % 10 // 2) % 2)
"""Two cells of one kind, two of the other, the next row the other way round: no line is longer than two."""


@pytest.mark.parametrize(
    ("first", "scores", "tally"),
    [
        pytest.param(BRICKS, (DRAW, DRAW), (0, 0), id="no row of five at all"),
        pytest.param(BRICKS ^ marks("E0 F0 A9 J9"), (WIN, LOSS), (1, 0), id="C0 to H0 is the only one"),
        pytest.param(FULL ^ BRICKS ^ marks("E0 F0 A9 J9"), (LOSS, WIN), (0, 1), id="the same for the second player"),
        pytest.param(CHESSBOARD, (DRAW, DRAW), (11, 11), id="a chessboard: as many diagonals each"),
        pytest.param(
            marks("A0-J0 A1-J1 A2-J2 A3-J3 A4-J4"),
            (DRAW, DRAW),
            (27, 27),
            id="half each: five rows, ten columns, twelve diagonals",
        ),
    ],
)
def test_a_full_board_is_counted(first: int, scores: tuple[Fraction, ...], tally: tuple[int, ...]) -> None:
    end = GAME.phase(Board(first, FULL ^ first))
    assert isinstance(end, Outcome)
    assert (end.scores, end.tally) == (scores, tally)
    assert list(GAME.legal(Board(first, FULL ^ first))) == []


def test_five_do_not_end_the_game_unless_asked() -> None:
    board = Board(marks("A0-E0"), marks("A9-D9"))
    assert GAME.phase(board) == Awaits(frozenset({SECOND}), 10)
    end = SUDDEN.phase(board)
    assert isinstance(end, Outcome)
    assert (end.scores, end.reason, end.tally) == ((WIN, LOSS), Reason("first-row", seat=0), (1, 0))


def test_the_second_player_may_be_first() -> None:
    end = SUDDEN.phase(Board(marks("A0-D0 A2"), marks("A9-E9")))
    assert isinstance(end, Outcome)
    assert end.scores == (LOSS, WIN)


def test_a_full_board_without_five_is_drawn_with_either_option() -> None:
    end = SUDDEN.phase(Board(BRICKS, FULL ^ BRICKS))
    assert isinstance(end, Outcome)
    assert end.scores == (DRAW, DRAW)


@pytest.mark.parametrize(
    ("game", "board", "move", "why"),
    [
        (GAME, Board(marks("A0"), 0), 0, Reason("occupied", cell="A0")),
        (GAME, Board(marks("A0"), marks("J9")), 99, Reason("occupied", cell="J9")),
        (GAME, Board(), -1, Reason("no-cell", first="A0", last="J9")),
        (GAME, Board(), 100, Reason("no-cell", first="A0", last="J9")),
        (SUDDEN, Board(marks("A0-E0"), marks("A9-D9")), 99, "game-over"),
        (GAME, Board(BRICKS, FULL ^ BRICKS), 0, Reason("occupied", cell="A0")),
    ],
)
def test_illegal_moves_say_why(game: BigTicTacToe, board: Board, move: int, why: str | Reason) -> None:
    with raises(IllegalMoveError, why):
        game.check(board, Cell(move))


def test_turns_alternate_until_the_board_is_full() -> None:
    seats = [seat for step in playout(GAME, Random(1)) for seat in step.moves]
    assert seats == [FIRST, SECOND] * 50
