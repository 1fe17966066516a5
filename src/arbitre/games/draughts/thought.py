"""A thought of the draughts engine: one call of the compiled search, in a thread of its own unless it is short.

The kernel holds no lock while it searches, so the caller's thread watches the clock and raises the flag that the search reads
every few hundred positions: it answers within a millisecond or so. Without a clock the search is measured in positions alone and
gives the same answer each time.
"""

import os
from pathlib import Path
from threading import Lock
from typing import Any

from arbitre.games import kernels
from arbitre.games.draughts.moves import BIT, squares_of
from arbitre.games.draughts.rules import Board, Move
from arbitre.games.engine import Budget, watched

NAME = "draughts"
HASTE = 2_000
"""Positions that even a player without time looks at: they take half a millisecond."""

SHORT = 200_000
"""Positions that are searched so soon that nobody need be able to interrupt it."""

_solving = Lock()
_endings: list[Any] = []


def prepare() -> Any:
    """Compile the kernel and solve the smallest endings, unless that was done before; return the kernel."""
    kernel = kernels.load(NAME)
    with _solving:
        if not _endings:
            _endings.append(_tables(kernel))
    return kernel


def _tables(kernel: Any) -> Any:
    """Return the tables of endings: as they were kept, or solved now and kept if they can be."""
    folder = kernels.folder(NAME)
    if folder is None:
        return _solved(kernel)
    import numpy  # noqa: PLC0415 - without the extra `engines` it is not there

    kept = folder / "endings.npy"
    with kernels.locked(folder):
        try:
            found = numpy.load(kept, mmap_mode="r", allow_pickle=False)
            if found.dtype == numpy.uint64 and found.shape == ((kernel.ENDINGS + 7) // 8,):
                return found
        except (OSError, ValueError):
            pass  # not there yet, or no such file
        solved = _solved(kernel)
        _keep(kept, solved)
    return solved


def _keep(path: Path, tables: Any) -> None:
    new = path.with_suffix(f".{os.getpid()}")
    try:
        with new.open("wb") as file:
            import numpy  # noqa: PLC0415

            numpy.save(file, tables, allow_pickle=False)
        new.replace(path)
    except OSError:
        new.unlink(missing_ok=True)  # a full disk: solved anew next time


def _solved(kernel: Any) -> Any:
    import numpy  # noqa: PLC0415

    memory = kernel.memory_for(1)
    tables, left = (numpy.zeros((kernel.ENDINGS + 7) // 8, dtype=numpy.uint64) for _ in range(2))
    places = [kernel.address(array) for array in (memory, tables, left)]
    for since, until in ((0, kernel.PAIRS), (kernel.PAIRS, kernel.CROWD), (kernel.CROWD, kernel.ENDINGS)):
        kernel.solve(*places, since, until)
    return tables


class Thought:
    """What one player remembers from move to move, and how it searches."""

    def __init__(self, buckets: int) -> None:
        self.kernel = prepare()
        self.tables = _endings[0]
        self.memory = self.kernel.memory_for(buckets)
        self.memory[self.kernel.TABLES] = 1
        self.depth = 0
        """How many plies deep the last search was finished."""

    @property
    def positions(self) -> int:
        """How many positions the last search saw."""
        return int(self.memory[self.kernel.NODES])

    def stop(self) -> None:
        """End the search that is running, from any thread."""
        self.memory[self.kernel.STOP] = 1

    def weigh(
        self, board: Board, plies: int, budget: Budget, *, positions: int, depth: int = 99, slack: int = 0
    ) -> list[tuple[Move, int]]:
        """Return the moves that came into question and what they are worth, the best first.

        The best is listed, and with `slack` also those that fall short of it by no more. Empty where the position has more
        captures than the kernel has room for.
        """
        kernel, memory = self.kernel, self.memory
        haste = budget.spent
        memory[kernel.STOP] = 0
        memory[kernel.PLIES], memory[kernel.TURN] = plies, board.turn
        memory[kernel.LIMIT] = min(positions, HASTE) if haste else positions
        own, foes, kings, seat = board.side
        sides = [kernel.U(squares) for squares in (own, foes, kings)]
        asked = (kernel.address(memory), kernel.address(self.tables), *sides, int(seat), depth, slack)
        if haste or (budget.until is None and positions <= SHORT):
            kernel.think(*asked)
        else:
            watched(lambda: kernel.think(*asked), budget, self.stop)
        self.depth = int(memory[kernel.DEPTH])
        return self._found(board, slack)

    def _found(self, board: Board, slack: int) -> list[tuple[Move, int]]:
        kernel, memory = self.kernel, self.memory
        moves = {(BIT[move.start], BIT[move.end], squares_of(move.captured)): move for move in board.moves}
        found: list[tuple[Move, int]] = []
        for nth in range(len(moves)):
            entry = kernel.MOVES + nth * kernel.ENTRY
            start, end, taken, worth = (int(word) for word in memory[entry : entry + kernel.ENTRY])
            move = moves.get((start, end, taken))
            if move is None:
                return []
            if not found or (slack and worth and worth - 2 * kernel.WON >= found[0][1] - slack):
                found.append((move, worth - 2 * kernel.WON))
        return found
