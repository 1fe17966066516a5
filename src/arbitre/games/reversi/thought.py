"""A thought of the Reversi engine: one call of the compiled search, in a thread of its own unless it is short.

The kernel holds no lock while it searches, so the caller's thread watches the clock and raises the flag that the search reads at
every position. Without a clock the search is measured in positions alone and gives the same answer each time.
"""

from typing import Any

from arbitre.games import kernels
from arbitre.games.engine import Budget, watched
from arbitre.games.reversi.rules import CELLS, LOW, Board, Cell
from arbitre.games.reversi.weights import loaded

NAME = "reversi"
HASTE = 2_000
"""Positions that even a player without time looks at."""
SHORT = 200_000
"""Positions that are searched so soon that nobody need be able to interrupt it."""


def prepare() -> Any:
    """Compile the kernel and spread out the weights, unless that was done before; return the kernel."""
    kernel = kernels.load(NAME)
    loaded(kernel)
    return kernel


class Thought:
    """What one player remembers from move to move, and how it searches."""

    def __init__(self, buckets: int, noise: int = 0, seed: int = 0) -> None:
        self.kernel = prepare()
        self.weights = loaded(self.kernel)
        self.memory = self.kernel.memory_for(buckets)
        self.memory[self.kernel.NOISE], self.memory[self.kernel.SEED] = noise, seed

    @property
    def positions(self) -> int:
        """How many positions the last search saw."""
        return int(self.memory[self.kernel.NODES])

    @property
    def depth(self) -> int:
        """How many discs deep the last search was finished."""
        return int(self.memory[self.kernel.DEPTH])

    @property
    def solved(self) -> int:
        """What the last search made certain: `OPEN`, `RESULT` or `COUNT` of the kernel."""
        return int(self.memory[self.kernel.SOLVED])

    def stop(self) -> None:
        """End the search that is running, from any thread."""
        self.memory[self.kernel.STOP] = 1

    def weigh(
        self, board: Board, budget: Budget, *, positions: int, depth: int = 60, end: int = 0, slack: int = 0
    ) -> list[tuple[Cell, int]]:
        """Return the moves that came into question and what they are worth, the best first, of a board that has moves.

        With no more than `end` empty cells the game is counted out as far as the positions allow. The best is listed, and with
        `slack` also those that fall short of it by no more.
        """
        kernel, memory = self.kernel, self.memory
        haste = budget.spent
        memory[kernel.STOP] = 0
        memory[kernel.LIMIT] = min(positions, HASTE) if haste else positions
        sides = kernel.U(board.own & LOW), kernel.U(board.against & LOW)
        asked = (kernel.address(memory), kernel.address(self.weights), *sides, depth, end, slack)
        if haste or (budget.until is None and positions <= SHORT):
            kernel.think(*asked)
        else:
            watched(lambda: kernel.think(*asked), budget, self.stop)
        return self._found(board, slack)

    def _found(self, board: Board, slack: int) -> list[tuple[Cell, int]]:
        kernel, memory = self.kernel, self.memory
        found: list[tuple[Cell, int]] = []
        for nth in range(board.moves.bit_count()):
            cell, _, worth = (int(word) for word in memory[kernel.MOVES + nth * kernel.ENTRY :][: kernel.ENTRY])
            if not found or (slack and worth and worth - 2 * kernel.MOST >= found[0][1] - slack):
                found.append((CELLS[cell], worth - 2 * kernel.MOST))
        return found
