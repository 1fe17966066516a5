"""Boards of two kinds of stones as integers: what the games of five in a row share.

All stones of one kind are the bits of one integer. The first cell is the lowest bit, and rows are one bit further apart than the
board is wide: no bit is ever set in that gap, so a line that leaves the board meets an empty cell instead of the next row.
"""

from collections.abc import Iterator, Sequence
from itertools import compress
from typing import TypeVar

C = TypeVar("C")

FIVE = 5

TRUTH = bytes.maketrans(b"01", b"\0\1")


def bits(side: int) -> tuple[int, ...]:
    """Return the bit of each cell of a square board, in reading order."""
    return tuple(1 << row * (side + 1) + column for row in range(side) for column in range(side))


def slots(cells: Sequence[C], side: int) -> tuple[C, ...]:
    """Return which cell each bit stands for; what fills the gaps is never asked for."""
    return tuple(cells[row * side + min(column, side - 1)] for row in range(side) for column in range(side + 1))


def chosen(cells: Sequence[C], mask: int) -> Iterator[C]:
    """List those of the `slots` whose bit is set, in reading order: bits as truth values filter them at the speed of C."""
    return compress(cells, f"{mask:b}"[::-1].encode().translate(TRUTH))


def steps(side: int) -> tuple[int, int, int, int]:
    """Return how far it is to the next cell along a row, a column, and the diagonals down to the right and to the left."""
    return 1, side + 1, side + 2, side


def fives(stones: int, step: int) -> int:
    """Return the stones where five in a row begin, in the direction of `step`."""
    two = stones & stones >> step
    return two & two >> 2 * step & stones >> 4 * step


def aligned(stones: int, ways: tuple[int, ...]) -> int:
    """Return the stones that stand in five or more in a row, in any of the directions."""
    found = 0
    for step in ways:
        if begun := fives(stones, step):
            for cell in range(FIVE):
                found |= begun << cell * step
    return found


def overdue(stones: int, ways: tuple[int, ...]) -> bool:
    """Tell whether five in a row stood before the last of these stones was laid, whichever that was."""
    rows = aligned(stones, ways)
    while rows:
        last = rows & -rows
        if not aligned(stones ^ last, ways):
            return False
        rows ^= last
    return bool(aligned(stones, ways))
