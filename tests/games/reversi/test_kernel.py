"""The Reversi kernel finds the moves of the rules, counts endings exactly, and judges alike in both lives."""

from random import Random
from typing import Any

import pytest

from arbitre.games.reversi.rules import LOW, PASS, Board, Cell
from tests.games.reversi.kernel import LIVES, RULES, after, compiled, counted, course, discs, empties, late, plain

pytest.importorskip("numpy")

import numpy as np

from arbitre.games.reversi.weights import digits, mirror, packed, spread, table, unpacked


@LIVES
def test_moves_and_what_they_turn_are_those_of_the_rules(life: Any) -> None:
    kernel = life()
    for seed in range(8):
        for board in course(Random(seed)):
            own, foes = discs(kernel, board)
            assert int(kernel.mobility(own, foes)) == board.moves
            for cell in RULES.legal(board) if board.moves else ():
                turned = int(kernel.flips(own, foes, int(cell)))
                then = after(board, cell)
                assert then.against & LOW == int(own) | turned | 1 << cell
                assert then.own & LOW == int(foes) ^ turned


def test_leaves_are_the_published_ones() -> None:
    """A game that ended stays one leaf: the first end on the ninth ply."""
    start = discs(compiled(), RULES.start())
    assert [compiled().perft(*start, depth) for depth in range(10)] == [1, 4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288]
    assert plain().perft(*discs(plain(), RULES.start()), 5) == 1396


# ── judgement ──────────────────────────────────────────────────────────────────────────────────────────────────────


def some_weights(kernel: Any) -> Any:
    """Return weights without a meaning, the same in both lives."""
    kept = np.random.default_rng(1).integers(-40, 40, (kernel.STAGES, int(spread(kernel.SHAPES)[0].max()) + 1))
    return table(kernel.SHAPES, kept.astype(np.int16))


WEIGHTS = some_weights(plain())


def judged(kernel: Any, board: Board) -> int:
    """Return what a board is worth without a search."""
    memory = kernel.memory_for(1)
    own, foes = discs(kernel, board)
    kernel.begin(kernel.address(memory), own, foes)
    worth: int = kernel.evaluate(kernel.address(memory), kernel.address(WEIGHTS), own, foes, 0, 0)
    return worth


def test_there_are_46_patterns() -> None:
    kernel = plain()
    assert kernel.NUMBER == 46
    assert len({frozenset(cells) for _, cells in kernel.PATTERNS}) == 46
    assert {cell for _, cells in kernel.PATTERNS for cell in cells} == set(range(64))


def turned(board: Board, way: int) -> tuple[int, int]:
    """Return the discs of a board seen from one of eight sides."""

    def seen(cells: int) -> int:
        found = 0
        for cell in range(64):
            row, column = divmod(cell, 8)
            if way & 1:
                row = 7 - row
            if way & 2:
                column = 7 - column
            if way & 4:
                row, column = column, row
            found |= (cells >> cell & 1) << (8 * row + column)
        return found

    return seen(board.own & LOW), seen(board.against & LOW)


@LIVES
def test_a_board_is_worth_the_same_from_all_eight_sides(life: Any) -> None:
    kernel = life()
    for empty in (50, 30, 10):
        board = late(Random(empty), empty)
        worths = set()
        for way in range(8):
            memory = kernel.memory_for(1)
            own, foes = (kernel.U(cells) for cells in turned(board, way))
            kernel.begin(kernel.address(memory), own, foes)
            worths.add(kernel.evaluate(kernel.address(memory), kernel.address(WEIGHTS), own, foes, 0, 0))
        assert len(worths) == 1


def test_both_lives_judge_alike() -> None:
    for seed in range(3):
        for board in course(Random(seed)):
            assert judged(compiled(), board) == judged(plain(), board)


@LIVES
def test_codes_that_are_carried_on_are_those_that_are_read_anew(life: Any) -> None:
    """A disc laid or turned changes the codes of the next ply to what they must be, for either side."""
    kernel = life()
    memory, fresh = kernel.memory_for(1), kernel.memory_for(1)
    board, side, ply = RULES.start(), 0, 0
    random = Random(5)
    kernel.begin(kernel.address(memory), *discs(kernel, board))
    while ply < 30 and not board.stuck:
        cell = random.choice(list(RULES.legal(board))) if board.moves else PASS
        own, foes = discs(kernel, board)
        if cell != PASS:
            kernel.put(kernel.address(memory), ply, side, int(cell), kernel.flips(own, foes, int(cell)))
            ply += 1
        board, side = after(board, cell), 1 - side
        sides = discs(kernel, board)
        kernel.begin(kernel.address(fresh), *(sides if side == 0 else sides[::-1]))
        row = memory[kernel.CODES + ply * kernel.ROW :][: kernel.ROW]
        assert (row == fresh[kernel.CODES :][: kernel.ROW]).all()
        worth = kernel.evaluate(kernel.address(memory), kernel.address(WEIGHTS), *sides, side, ply)
        assert worth == judged(kernel, board)


def test_weights_are_kept_once_for_a_code_and_its_mirror() -> None:
    own, other = spread(plain().SHAPES)
    assert len(own) == len(other) == plain().SPAN
    assert mirror("A1 B1 C1 A2 B2 C2 A3 B3 C3") == [0, 3, 6, 1, 4, 7, 2, 5, 8]
    assert digits(2).tolist() == [[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 1], [0, 2], [1, 2], [2, 2]]
    kept = np.arange(30, dtype=np.int16).reshape(15, 2)
    assert (unpacked(packed(kept), 15) == kept).all()


# ── the search ─────────────────────────────────────────────────────────────────────────────────────────────────────


def thought(kernel: Any, board: Board, depth: int, *, end: int = 0, limit: int = 1 << 40, slack: int = 0) -> Any:
    """Return the memory after a search."""
    memory = kernel.memory_for(1 << 10)
    memory[kernel.LIMIT] = limit
    kernel.think(kernel.address(memory), kernel.address(WEIGHTS), *discs(kernel, board), depth, end, slack)
    return memory


def found(kernel: Any, memory: Any) -> tuple[Cell, int]:
    """Return the best move and its worth."""
    return Cell(int(memory[kernel.MOVES])), int(memory[kernel.MOVES + 2]) - 2 * kernel.MOST


def negamax(board: Board, depth: int) -> int:
    """Search without any cut."""
    kernel = compiled()
    if board.stuck or depth >= empties(board):
        return int(kernel.DISC) * counted(board)
    if depth == 0:
        return judged(kernel, board)
    if not board.moves:
        return -negamax(after(board, PASS), depth)
    return max(-negamax(after(board, cell), depth - 1) for cell in RULES.legal(board))


@pytest.mark.parametrize("empty", [50, 35, 20, 12])
def test_the_search_finds_what_one_without_cuts_finds(empty: int) -> None:
    kernel = compiled()
    for depth in (1, 2, 3):
        board = late(Random(empty + depth), empty)
        cell, worth = found(kernel, thought(kernel, board, depth))
        assert worth == negamax(board, depth) == -negamax(after(board, cell), depth - 1)


def test_both_lives_search_alike() -> None:
    """The same positions are seen, and nothing is read outside the memory."""
    for board in (RULES.start(), late(Random(1), 30), late(Random(2), 9)):
        told = [thought(kernel, board, 9, end=9, limit=400).tolist() for kernel in (compiled(), plain())]
        assert told[0] == told[1]


@LIVES
@pytest.mark.parametrize("empty", [1, 2, 4, 6, 7])
def test_endings_are_counted_out(life: Any, empty: int) -> None:
    kernel = life()
    for seed in range(6 if kernel is compiled() else 1):
        board = late(Random(seed), empty)
        memory = thought(kernel, board, 60, end=20)
        cell, worth = found(kernel, memory)
        assert memory[kernel.SOLVED] == kernel.COUNT
        assert worth == kernel.DISC * counted(board) == -kernel.DISC * counted(after(board, cell))
