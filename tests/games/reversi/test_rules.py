"""Reversi against published leaf counts, a second implementation of the rules, and positions worth naming."""

from fractions import Fraction
from random import Random

import pytest

from arbitre.errors import IllegalMoveError
from arbitre.games.game import DRAW, FIRST, LOSS, SECOND, WIN, Awaits, Outcome, playout
from arbitre.games.reversi.rules import CELLS, PASS, Board, Cell, Reversi, lay
from arbitre.reasons import Reason
from tests.reasons import raises

GAME = Reversi()

LEAVES = {1: 4, 2: 12, 3: 56, 4: 244, 5: 1_396, 6: 8_200, 7: 55_092, 8: 390_216, 9: 3_005_288, 10: 24_571_284, 11: 212_258_800}
"""The published counts from the start: a forced pass is a ply, and a game that ended earlier stays one leaf."""


def leaves(board: Board, depth: int) -> int:
    if depth == 1:
        return board.choices or 1
    return sum(leaves(GAME.play(board, {board.mover: cell}), depth - 1) for cell in GAME.legal(board)) or 1


@pytest.mark.parametrize("depth", range(1, 10))
def test_leaves(depth: int) -> None:
    assert leaves(GAME.start(), depth) == LEAVES[depth]


@pytest.mark.campaign
@pytest.mark.parametrize("depth", [10, 11])
def test_more_leaves(depth: int) -> None:
    assert leaves(GAME.start(), depth) == LEAVES[depth]


def seen(picture: str, turn: int = 1) -> Board:
    """Return the board drawn as rows of `x` (black), `o` (white) and `.`; what is left out is empty."""
    marks = {8 * y + x: mark for y, row in enumerate(picture.split("/")) for x, mark in enumerate(row)}
    black, white = (sum(1 << n for n, mark in marks.items() if mark == disc) for disc in "xo")
    return lay(black, white, turn)


def drawn(board: Board) -> str:
    marks = ["x" if board.black >> n & 1 else "o" if board.white >> n & 1 else "." for n in CELLS]
    return "/".join("".join(marks[n : n + 8]).rstrip(".") for n in range(0, 64, 8)).rstrip("/")


def cell(name: str) -> Cell:
    return next(one for one in (*CELLS, PASS) if str(one) == name)


def after(board: Board, *names: str) -> Board:
    for name in names:
        GAME.check(board, cell(name))
        board = GAME.play(board, {board.mover: cell(name)})
    return board


def test_the_start() -> None:
    start = GAME.start()
    assert drawn(start) == "///...ox/...xo"
    assert [str(one) for one in GAME.legal(start)] == ["D3", "C4", "F5", "E6"]
    assert GAME.phase(start) == Awaits(frozenset({FIRST}), 1)
    assert GAME.phase(after(start, "D3")) == Awaits(frozenset({SECOND}), 2)


@pytest.mark.parametrize(
    ("before", "move", "result"),
    [
        pytest.param(".oox", "A1", "xxxx", id="to the right, from the corner"),
        pytest.param("....xoo.", "H1", "....xxxx", id="to the left, from the corner"),
        pytest.param("/o/o/x", "A1", "x/x/x/x", id="down"),
        pytest.param("x/o/o/o/o/o/o", "A8", "x/x/x/x/x/x/x/x", id="up a whole column"),
        pytest.param("/.o/..o/...x", "A1", "x/.x/..x/...x", id="down to the right"),
        pytest.param("/......o/.....o/....x", "H1", ".......x/......x/.....x/....x", id="down to the left"),
        pytest.param(".......x/......o/.....o", "E4", ".......x/......x/.....x/....x", id="up to the right"),
        pytest.param(
            "x/.o/..o/...o/....o/.....o/......o", "H8", "x/.x/..x/...x/....x/.....x/......x/.......x", id="up to the left"
        ),
        pytest.param(
            "x..x..x/.o.o.o/..ooo/xoo.oox/..ooo/.o.o.o/x..x..x",
            "D4",
            "x..x..x/.x.x.x/..xxx/xxxxxxx/..xxx/.x.x.x/x..x..x",
            id="all eight ways at once",
        ),
        pytest.param("oo.oox", "C1", "ooxxxx", id="a run up to the edge stays"),
        pytest.param(".ox.ox", "A1", "xxx.ox", id="up to the first own disc, no further"),
        pytest.param(".oxo/ox/o.x", "A1", "xxxo/ox/o.x", id="an own neighbour or a gap after the run turns nothing"),
    ],
)
def test_turning(before: str, move: str, result: str) -> None:
    board = seen(before)
    assert drawn(after(board, move)) == drawn(seen(result))
    swapped = lay(board.white, board.black, 2)
    assert list(GAME.legal(swapped)) == list(GAME.legal(board)), "the rules are the same for both colours"


@pytest.mark.parametrize(
    ("before", "move"),
    [
        pytest.param("x.oo.x///////xo", "B1", id="a gap before the run's end"),
        pytest.param("/ox//////xo", "H1", id="a row does not go on in the row below"),
        pytest.param("//.....xoo/////xo", "A4", id="nor in the row above"),
        pytest.param("//o/.x////xo", "H1", id="a diagonal does not leave by the right edge"),
        pytest.param(".......o/......x//////xo", "A1", id="nor by the left edge"),
        pytest.param("x///////xo", "B1", id="nothing of the other side beside it"),
    ],
)
def test_turning_nothing(before: str, move: str) -> None:
    with raises(IllegalMoveError, "turns-none"):
        GAME.check(seen(before), cell(move))


def test_a_forced_pass_is_a_turn() -> None:
    board = after(GAME.start(), "D3", "C3", "E6", "D2", "D1", "E1", "B2", "C1")
    assert GAME.phase(board) == Awaits(frozenset({FIRST}), 9)
    assert list(GAME.legal(board)) == [PASS]
    assert board.choices == 1
    passed = after(board, "XX")
    assert GAME.phase(passed) == Awaits(frozenset({SECOND}), 10)
    assert drawn(passed) == drawn(board)
    assert PASS not in GAME.legal(passed)


def test_the_shortest_wipe_out() -> None:
    end = after(GAME.start(), "E6", "F4", "E3", "F6", "G5", "D6", "E7", "F5", "C5")
    outcome = GAME.phase(end)
    assert isinstance(outcome, Outcome)
    assert outcome.scores == (WIN, LOSS)
    assert outcome.tally == (13, 0)


@pytest.mark.parametrize(
    ("board", "scores", "tally"),
    [
        pytest.param("xx....oo", (DRAW, DRAW), (2, 2), id="neither can move on a board with room: as many each"),
        pytest.param("xx...ooo", (LOSS, WIN), (2, 3), id="neither can move: white has more"),
        pytest.param("/".join(["xxxxxxxx"] * 4 + ["oooooooo"] * 4), (DRAW, DRAW), (32, 32), id="full, as many each"),
        pytest.param("/".join(["xxxxxxxx"] * 5 + ["oooooooo"] * 3), (WIN, LOSS), (40, 24), id="full, black has more"),
    ],
)
def test_the_end_comes_at_once(board: str, scores: tuple[Fraction, ...], tally: tuple[int, ...]) -> None:
    for turn in (1, 2):
        state = seen(board, turn)
        outcome = GAME.phase(state)
        assert isinstance(outcome, Outcome)
        assert (outcome.scores, outcome.tally) == (scores, tally)
        assert list(GAME.legal(state)) == []
        assert state.choices == 0
        with raises(IllegalMoveError, "game-over"):
            GAME.check(state, PASS)


@pytest.mark.parametrize(
    ("board", "move", "why"),
    [
        pytest.param("///...ox/...xo", "D4", Reason("occupied", cell="D4"), id="taken by the other"),
        pytest.param("///...ox/...xo", "E4", Reason("occupied", cell="E4"), id="taken by oneself"),
        pytest.param("///...ox/...xo", "A1", Reason("turns-none", cell="A1"), id="far away"),
        pytest.param("///...ox/...xo", "C5", "turns-none", id="beside an own disc"),
        pytest.param("///...ox/...xo", "XX", Reason("no-pass", cell="D3"), id="a choice to pass"),
        pytest.param("oox", "H8", "must-pass", id="a cell where one must pass"),
    ],
)
def test_illegal_moves_say_why(board: str, move: str, why: str | Reason) -> None:
    with raises(IllegalMoveError, why):
        GAME.check(seen(board), cell(move))


@pytest.mark.parametrize("number", [-1, 65, 10**30])
def test_there_are_64_cells(number: int) -> None:
    with raises(IllegalMoveError, "no-cell", first="A1", last="H8"):
        GAME.check(GAME.start(), Cell(number))


def turned(marks: str, mover: str, at: int) -> set[int]:
    """Turn discs by walking the eight directions, step by step: the rules said a second time."""
    found: set[int] = set()
    for down, right in ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)):
        row, column, run = at // 8 + down, at % 8 + right, set()
        while 0 <= row < 8 and 0 <= column < 8 and marks[8 * row + column] not in (".", mover):
            run.add(8 * row + column)
            row, column = row + down, column + right
        if 0 <= row < 8 and 0 <= column < 8 and marks[8 * row + column] == mover:
            found |= run
    return found if marks[at] == "." else set()


@pytest.mark.parametrize("seed", range(25))
def test_another_implementation_agrees(seed: int) -> None:
    for step in playout(GAME, Random(seed)):
        board = step.before
        mover = "xo"[board.mover]
        marks = "".join("x" if board.black >> n & 1 else "o" if board.white >> n & 1 else "." for n in CELLS)
        gains = {n: gain for n in range(64) if (gain := turned(marks, mover, n))}
        assert list(GAME.legal(board)) == (list(gains) or [PASS])
        for n, gain in gains.items():
            child = GAME.play(board, {board.mover: CELLS[n]})
            own, against = (child.black, child.white) if mover == "x" else (child.white, child.black)
            assert own == sum(1 << k for k in range(64) if marks[k] == mover or k == n or k in gain)
            assert against == sum(1 << k for k in range(64) if marks[k] not in (".", mover) and k not in gain)
            assert child == lay(child.black, child.white, child.turn)
