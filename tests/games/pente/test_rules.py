"""Pente: captures, rows of five, the opening rule and the ways to end, as tables of positions."""

from random import Random

import pytest

from arbitre.errors import IllegalMoveError
from arbitre.games.game import DRAW, FIRST, LOSS, SECOND, WIN, Awaits, Outcome
from arbitre.games.pente.rules import BITS, CELLS, CENTRE, FULL, LETTERS, Board, Cell, Pente
from arbitre.reasons import Reason
from tests.reasons import raises

GAME = Pente()

NAMED = {str(cell): cell for cell in CELLS}


def stones(names: str) -> int:
    return sum(BITS[NAMED[name]] for name in names.split())


def names(bits: int) -> str:
    return " ".join(str(cell) for cell in CELLS if BITS[cell] & bits)


def after(board: Board, *cells: str) -> Board:
    for name in cells:
        GAME.check(board, NAMED[name])
        board = GAME.play(board, {board.mover: NAMED[name]})
    return board


@pytest.mark.parametrize(
    ("own", "against", "cell", "left"),
    [
        pytest.param("AA", "BA CA", "DA", "", id="along a row, out of the corner"),
        pytest.param("SA", "QA RA", "PA", "", id="along a row, towards the corner"),
        pytest.param("AA", "AB AC", "AD", "", id="down a column"),
        pytest.param("AS", "AR AQ", "AP", "", id="up a column"),
        pytest.param("DD", "EE FF", "GG", "", id="down to the right"),
        pytest.param("GG", "EE FF", "DD", "", id="up to the left"),
        pytest.param("GD", "FE EF", "DG", "", id="down to the left"),
        pytest.param("DG", "FE EF", "GD", "", id="up to the right"),
        pytest.param("DA", "BA CA", "AA", "", id="from the corner itself"),
        pytest.param("AA SA", "BA CA QA RA", "DA", "QA RA", id="only where the new stone is"),
        pytest.param("AA GA", "BA CA EA FA", "DA", "", id="two at once in one line"),
        pytest.param("GD DG", "GE GF EG FG", "GG", "", id="two at once across"),
        pytest.param("AA", "BA", "CA", "BA", id="one stone is safe"),
        pytest.param("AA", "BA CA DA", "EA", "BA CA DA", id="three are safe"),
        pytest.param("AA", "BA DA", "EA", "BA DA", id="two with a gap are safe"),
        pytest.param("AA", "BA CA", "EA", "BA CA", id="from a cell further off"),
        pytest.param("", "BA CA", "DA", "BA CA", id="the edge is no stone of one's own"),
        pytest.param("AB", "RA SA", "QA", "RA SA", id="a row does not go on in the next"),
        pytest.param("SA", "AB BB", "CB", "AB BB", id="nor in the one before"),
        pytest.param("SC", "AB BA", "DA", "AB BA", id="a diagonal does not go over the edge"),
        pytest.param("AC", "SB RA", "QA", "RA SB", id="whichever edge"),
    ],
)
def test_captures(own: str, against: str, cell: str, left: str) -> None:
    for seat in (FIRST, SECOND):
        one, two = (own, against) if seat == FIRST else (against, own)
        board = after(Board(stones(one), stones(two), turn=11 + seat), cell)
        other_stones, own_stones = (board.second, board.first) if seat == FIRST else (board.first, board.second)
        assert names(other_stones) == names(stones(left))
        assert own_stones == stones(own) | stones(cell)
        taken = (len(against.split()) - len(left.split())) // 2
        assert board.pairs == ((taken, 0) if seat == FIRST else (0, taken))


def test_all_eight_directions_at_once() -> None:
    ring = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]

    def around(distance: int) -> int:
        return sum(BITS[(9 + down * distance) * 19 + 9 + right * distance] for down, right in ring)

    board = after(Board(around(3), around(1) | around(2), turn=33), "JJ")
    assert board.second == 0
    assert board.pairs == (5, 0), "the count stops where the game ends"
    assert isinstance(GAME.phase(board), Outcome)


def test_moving_into_a_bracket_is_safe() -> None:
    board = after(Board(stones("AA DA"), stones("BA"), turn=4), "CA")
    assert names(board.second) == "BA CA"
    assert board.pairs == (0, 0)
    board = after(board, "SS")
    assert names(board.second) == "BA CA", "and stays so until a bracket is closed anew"


def test_a_capture_opens_cells_again() -> None:
    board = after(Board(stones("AA"), stones("BA CA"), turn=5), "DA", "BA")
    assert names(board.second) == "BA"


@pytest.mark.parametrize(
    ("own", "cell", "wins"),
    [
        pytest.param("AA BA CA DA", "EA", True, id="along a row"),
        pytest.param("AA AB AC AD", "AE", True, id="down a column"),
        pytest.param("OO PP QQ RR", "SS", True, id="a diagonal into the corner"),
        pytest.param("SA RB QC PD", "OE", True, id="the other diagonal"),
        pytest.param("AA BA DA EA", "CA", True, id="in the middle"),
        pytest.param("AA BA CA EA FA", "DA", True, id="six are enough too"),
        pytest.param("AA BA CA", "DA", False, id="four are not enough"),
        pytest.param("AA BA CA EA", "FA", False, id="a gap"),
        pytest.param("PA QA RA SA", "AB", False, id="a row does not go on in the next"),
        pytest.param("PP QQ RR SS", "AA", False, id="nor a diagonal"),
    ],
)
def test_five_in_a_row(own: str, cell: str, wins: bool) -> None:
    for seat in (FIRST, SECOND):
        one, two = (stones(own), 0) if seat == FIRST else (0, stones(own))
        end = GAME.phase(after(Board(one, two, turn=9 + seat), cell))
        assert isinstance(end, Outcome) == wins
        if isinstance(end, Outcome):
            assert end.scores == ((WIN, LOSS) if seat == FIRST else (LOSS, WIN))
            assert end.reason == Reason("five-in-a-row", seat=seat)


def test_a_capture_breaks_a_four() -> None:
    cut = after(Board(stones("DD DE DF DG EE"), stones("FE"), turn=10), "CE")
    assert names(cut.first) == "DD DF DG"
    assert cut.pairs == (0, 1)
    assert GAME.phase(after(cut, "DH")) == Awaits(frozenset({SECOND}), 12), "DH would have been the fifth"


def test_the_stone_that_makes_five_may_capture_as_well() -> None:
    board = after(Board(stones("AA BA CA DA ED"), stones("EB EC"), (4, 0), 13), "EA")
    end = GAME.phase(board)
    assert isinstance(end, Outcome)
    assert (end.scores, end.reason, end.tally) == ((WIN, LOSS), Reason("five-in-a-row", seat=0), (5, 0))


@pytest.mark.parametrize(
    ("pairs", "after_it", "ends"),
    [((3, 0), (4, 0), False), ((4, 0), (5, 0), True), ((4, 4), (5, 4), True), ((0, 4), (1, 4), False)],
)
def test_the_fifth_pair_wins(pairs: tuple[int, int], after_it: tuple[int, int], ends: bool) -> None:
    board = after(Board(stones("AA"), stones("BA CA"), pairs, 21), "DA")
    assert board.pairs == after_it
    end = GAME.phase(board)
    assert isinstance(end, Outcome) == ends
    if isinstance(end, Outcome):
        assert (end.scores, end.reason, end.tally) == ((WIN, LOSS), Reason("five-pairs", seat=0), after_it)
        assert list(GAME.legal(board)) == []


def test_the_second_player_wins_by_pairs_too() -> None:
    end = GAME.phase(after(Board(stones("BA CA"), stones("AA"), (0, 4), 22), "DA"))
    assert isinstance(end, Outcome)
    assert end.scores == (LOSS, WIN)


def test_the_first_stone_lies_anywhere_and_the_second_outside_the_centre() -> None:
    assert len(list(GAME.legal(GAME.start()))) == 361
    third = after(GAME.start(), "JJ", "AA")
    legal = list(GAME.legal(third))
    assert len(legal) == 361 - 25 - 1
    for name in ("HH", "LH", "HL", "LL", "JK"):
        with raises(IllegalMoveError, "too-central", move=name, first="HH", last="LL"):
            GAME.check(third, NAMED[name])
    for name in ("GH", "HG", "MM", "MJ", "JG"):
        GAME.check(third, NAMED[name])
    assert len(list(GAME.legal(after(third, "GH")))) == 361 - 3, "the second player is free"
    assert NAMED["JK"] in GAME.legal(after(third, "GH", "SS"))


def test_a_full_board_is_a_draw() -> None:
    """Pairs of one colour, shifted from row to row as bricks, are never five and fill the board."""
    first = sum(bit for n, bit in enumerate(BITS) if (n // 19 + n % 19 // 2) % 2)
    full = Board(first, FULL ^ first, (2, 3), 362)
    end = GAME.phase(full)
    assert isinstance(end, Outcome)
    assert (end.scores, end.reason, end.tally) == ((DRAW, DRAW), Reason("board-full"), (2, 3))
    assert list(GAME.legal(full)) == []
    with raises(IllegalMoveError, "occupied"):
        GAME.check(full, NAMED["AA"])


def test_a_third_turn_with_room_only_in_the_centre_is_a_draw() -> None:
    """Only a position composed by hand can be so; whoever is awaited must have a move."""
    first = sum(bit for n, bit in enumerate(BITS) if (n // 19 + n % 19 // 2) % 2)
    board = Board(first & ~CENTRE, (FULL ^ first) & ~CENTRE, turn=3)
    assert isinstance(GAME.phase(board), Outcome)
    assert list(GAME.legal(board)) == []


@pytest.mark.parametrize(
    ("board", "cell", "why"),
    [
        (Board(stones("AA"), 0, turn=2), 0, Reason("occupied", cell="AA")),
        (Board(stones("AA"), stones("SS"), turn=3), 360, Reason("occupied", cell="SS")),
        (Board(), -1, Reason("no-cell", first="AA", last="SS")),
        (Board(), 361, Reason("no-cell", first="AA", last="SS")),
        (Board(stones("AA BA CA DA EA"), 0, turn=10), 360, "game-over"),
        (Board(0, 0, (5, 0), 30), 360, "game-over"),
    ],
)
def test_illegal_moves_say_why(board: Board, cell: int, why: str | Reason) -> None:
    with raises(IllegalMoveError, why):
        GAME.check(board, Cell(cell))


def test_another_implementation_agrees() -> None:
    """Crowd a corner, so that captures and rows of five happen, and look for both by walking: the rules said a second time."""
    ends = [walk(Random(seed)) for seed in range(60)]
    assert sum(captured for captured, _ in ends) > 60
    assert {reason for _, reason in ends} >= {"five-in-a-row", "five-pairs"}


def walk(random: Random) -> tuple[int, str]:
    """Play a random game in one corner beside a dictionary of cells; return the captured pairs and how it ended."""
    board = Board(turn=5)
    cells: dict[tuple[int, int], int] = {}
    pairs = [0, 0]
    while room := [cell for cell in GAME.legal(board) if cell % 19 > 10 and cell // 19 > 10]:
        mover = board.mover
        cell = random.choice(room)
        x, y = cell % 19, cell // 19
        assert (x, y) not in cells
        cells[x, y] = mover
        for right, down in ((a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b):
            line = [cells.get((x + k * right, y + k * down)) for k in (1, 2, 3)]
            if line == [1 - mover, 1 - mover, mover]:
                del cells[x + right, y + down], cells[x + 2 * right, y + 2 * down]
                pairs[mover] += 1
        board = after(board, str(cell))
        for seat, bits in ((0, board.first), (1, board.second)):
            assert bits == sum(BITS[19 * row + column] for (column, row), who in cells.items() if who == seat)
        assert board.pairs == (min(pairs[0], 5), min(pairs[1], 5))
        row_of_five = any(
            all(cells.get((x + (k - at) * right, y + (k - at) * down)) == mover for k in range(5))
            for right, down in ((1, 0), (0, 1), (1, 1), (1, -1))
            for at in range(5)
        )
        end = GAME.phase(board)
        assert isinstance(end, Outcome) == (row_of_five or pairs[mover] >= 5)
        if isinstance(end, Outcome):
            return sum(pairs), end.reason.code
    return sum(pairs), "no room"


def test_cells_are_named_by_column_and_row() -> None:
    assert [str(CELLS[n]) for n in (0, 18, 19, 342, 360)] == ["AA", "SA", "AB", "AS", "SS"]
    assert len(LETTERS) == 19
