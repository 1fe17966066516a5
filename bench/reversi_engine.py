"""The strong Reversi engine: its kernel beside the same search in C.

Positions searched per CPU second, in an opening, in a middle game and in an ending of sixteen empty cells that is counted out.
The C program (`bench/peers/reversi_search.c`) is the kernel's algorithm line by line with the same weights, compiled with
`cc -O3 -march=native`; it must see as many positions and come to the same worth. Of seven rounds in turns the best
of each counts.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from arbitre.games import kernels
from arbitre.games.reversi.rules import LOW, Board, Reversi
from arbitre.games.reversi.weights import loaded
from bench.table import Row, best_of_both, compiled, in_c, rate

SECONDS = 0.4
BUCKETS = 1 << 18
RULES = Reversi()
POSITIONS = (("an opening", 50, 8, 0), ("a middle game", 34, 9, 0), ("an ending", 16, 60, 16))
"""A name, how many cells are empty, how deep it is searched, and from how many empty cells on it is counted out."""


def measure() -> Iterator[Row]:
    """Measure positions searched."""
    kernel = kernels.load("reversi")
    weights = loaded(kernel)
    with TemporaryDirectory() as folder:
        program, data = compiled(Path(folder), "reversi_search"), Path(folder) / "weights"
        if program is None:
            return
        data.write_bytes(weights.tobytes() + kernel.POWERS.tobytes() + kernel.OFFSETS.tobytes())
        for name, empty, depth, end in POSITIONS:
            board = _board(empty)
            found: list[tuple[int, int]] = []
            given = (SECONDS, board.own & LOW, board.against & LOW, depth, end, BUCKETS, data)
            work = partial(_searched, kernel, weights, board, depth, end, found)
            ours, theirs = best_of_both(partial(rate, work, SECONDS), partial(in_c, program, given, found))
            yield Row(f"positions searched in {name}", ours, "C", theirs, aim=0.8)


def _board(empty: int) -> Board:
    """Return a board of a random game with so many empty cells."""
    board, random = RULES.start(), Random(empty)
    while 64 - (board.own & LOW).bit_count() - (board.against & LOW).bit_count() > empty:
        board = RULES.play(board, {board.mover: random.choice(list(RULES.legal(board)))})
    return board


def _searched(kernel: Any, weights: Any, board: Board, depth: int, end: int, found: list[tuple[int, int]]) -> int:
    """Search once; return how many positions that were."""
    memory = kernel.memory_for(BUCKETS)
    sides = kernel.U(board.own & LOW), kernel.U(board.against & LOW)
    kernel.think(kernel.address(memory), kernel.address(weights), *sides, depth, end, 0)
    found.append((int(memory[kernel.NODES]), int(memory[kernel.MOVES + 2]) - 2 * kernel.MOST))
    return found[-1][0]
