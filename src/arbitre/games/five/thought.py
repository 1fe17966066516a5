"""A thought of the engines of five in a row: one call of the compiled search, in a thread of its own unless it is short.

The kernel holds no lock while it searches, so the caller's thread watches the clock and raises the flag that the search reads at
every position. Without a clock the search is measured in positions alone and gives the same answer each time.
"""

from collections.abc import Sequence
from typing import Any

from arbitre.games import kernels
from arbitre.games.engine import Budget, watched
from arbitre.games.five.tables import tables_for
from arbitre.values import value

NAME = "five"
HASTE = 1_000
"""Positions that even a player without time looks at."""
SHORT = 50_000
"""Positions that are searched so soon that nobody need be able to interrupt it."""


def prepare() -> Any:
    """Compile the kernel, unless that was done before; return it."""
    return kernels.load(NAME)


@value
class Stones:
    """A position of any game of five in a row: cells by number in reading order, of the first colour and of the second."""

    side: int
    first: Sequence[int]
    second: Sequence[int]
    turn: int
    mover: int
    """0 or 1: which colour is to move."""
    pairs: tuple[int, int] = (0, 0)


class Thought:
    """What one player remembers from move to move, and how it searches."""

    def __init__(self, rule: str, buckets: int) -> None:
        self.kernel = prepare()
        self.rule = int(getattr(self.kernel, rule))
        self.tables = tables_for(self.kernel, self.rule)
        self.memory = self.kernel.memory_for(buckets)

    @property
    def positions(self) -> int:
        """How many positions the last search saw."""
        return int(self.memory[self.kernel.NODES])

    @property
    def depth(self) -> int:
        """How many plies deep the last search was finished."""
        return int(self.memory[self.kernel.DEPTH])

    @property
    def solved(self) -> bool:
        """Whether the last search proved that its move wins."""
        return bool(self.memory[self.kernel.SOLVED])

    def stop(self) -> None:
        """End the search that is running, from any thread."""
        self.memory[self.kernel.STOP] = 1

    def set_up(self, stones: Stones) -> None:
        """Let the kernel see a position."""
        kernel, memory = self.kernel, self.memory
        listed = [(cell, 1) for cell in stones.first] + [(cell, 2) for cell in stones.second]
        for nth, (cell, colour) in enumerate(listed):
            row, column = divmod(cell, stones.side)
            at = kernel.MOVES + nth * kernel.ENTRY
            memory[at], memory[at + 1] = (row + kernel.EDGE) * kernel.STRIDE + column + kernel.EDGE, colour
        memory[kernel.PAIRS + 1], memory[kernel.PAIRS + 2] = stones.pairs
        addresses = kernel.address(memory), kernel.address(self.tables)
        kernel.begin(*addresses, self.rule, stones.side, len(listed), stones.turn)

    def weigh(self, stones: Stones, budget: Budget, *, positions: int, depth: int = 60, slack: int = 0) -> list[tuple[int, int]]:
        """Return the cells that came into question and what they are worth, the best first, of a game that goes on.

        The best is listed, and with `slack` also those that fall short of it by no more.
        """
        kernel, memory = self.kernel, self.memory
        haste = budget.spent
        memory[kernel.STOP] = 0
        memory[kernel.LIMIT] = min(positions, HASTE) if haste else positions
        self.set_up(stones)
        asked = (kernel.address(memory), kernel.address(self.tables), stones.mover + 1, depth, slack)
        found: list[int] = []
        if haste or (budget.until is None and positions <= SHORT):
            found.append(kernel.think(*asked))
        else:
            watched(lambda: found.append(kernel.think(*asked)), budget, self.stop)
        return self._found(found[0], stones.side, slack)

    def _found(self, moves: int, side: int, slack: int) -> list[tuple[int, int]]:
        kernel, memory = self.kernel, self.memory
        found: list[tuple[int, int]] = []
        for nth in range(moves):
            cell, worth = (int(word) for word in memory[kernel.MOVES + nth * kernel.ENTRY :][: kernel.ENTRY])
            if not found or (slack and worth and worth - 2 * kernel.WON >= found[0][1] - slack):
                row, column = divmod(cell, kernel.STRIDE)
                found.append(((row - kernel.EDGE) * side + column - kernel.EDGE, worth - 2 * kernel.WON))
        return found
