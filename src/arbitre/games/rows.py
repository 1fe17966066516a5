"""What the players of five in a row see: every five cells in line that can still become a row.

A *window* is five cells in line. One that holds stones of one side only can still become a row of that side, and the more stones
it holds the sooner. All windows of a direction are counted at once: the stones of each of the five cells are added, bit by bit,
for the whole board.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arbitre.games.stones import chosen, fives

Windows = tuple[int, int, int, int]
"""The first cells of the windows that hold exactly one, two, three and four stones of one side, and none of the other."""


def windows(own: int, against: int, step: int, starts: int) -> Windows:
    """Count the windows of `own` in the direction of `step`; `starts` are the first cells of all windows of the board."""
    two = against | against >> step
    starts &= ~(two | two >> 2 * step | against >> 4 * step)
    b, c, d, e = own >> step, own >> 2 * step, own >> 3 * step, own >> 4 * step
    three, pair = own ^ b ^ c, d ^ e
    ones = three ^ pair
    # The carries of the three additions above, each worth two.
    x, y, z = own & b | c & (own ^ b), d & e, three & pair
    twos = x ^ y ^ z
    fours = (x & y | z & (x ^ y)) & starts
    few = starts & ~fours
    return few & ones & ~twos, few & twos & ~ones, few & ones & twos, fours & ~ones


def total(found: Iterable[Windows], worth: Sequence[int]) -> int:
    """Add up the worth of windows, `worth` of one with one, two, three, four stones."""
    ones, twos, threes, fours = worth
    return sum(
        one.bit_count() * ones + two.bit_count() * twos + three.bit_count() * threes + four.bit_count() * fours
        for one, two, three, four in found
    )


class Rows:
    """The windows of a square board."""

    def __init__(self, slots: Sequence[Any], steps: Sequence[int], full: int) -> None:
        self.slots = slots
        self.ways = tuple((step, fives(full, step)) for step in steps)

    def of(self, own: int, against: int) -> tuple[Windows, ...]:
        """Return the windows of one side, direction by direction."""
        return tuple([windows(own, against, step, starts) for step, starts in self.ways])

    def completions(self, found: Sequence[Windows], empty: int) -> int:
        """Return the cells where a fifth stone makes a row."""
        cells = 0
        for (step, _), (_, _, _, four) in zip(self.ways, found, strict=True):
            if four:
                two = four | four << step
                cells |= two | two << 2 * step | four << 4 * step
        return cells & empty

    def heat(self, sides: Iterable[tuple[Sequence[Windows], Sequence[int]]]) -> list[int]:
        """Return what the windows through each cell weigh, digit by digit: bit `n` of a cell's heat is its bit in integer `n`.

        `sides` are windows with the place of the digit to which one of each kind adds: the weights are powers of two.
        """
        heat = [0] * 24
        for found, places in sides:
            for (step, _), counted in zip(self.ways, found, strict=True):
                for starts, place in zip(counted, places, strict=True):
                    if starts:
                        for cell in range(5):
                            warm(heat, starts << cell * step, place)
        return heat

    def hottest(self, heat: Sequence[int], cells: int, most: int) -> list[Any]:
        """List the hottest of some cells, the hottest first."""
        found: list[Any] = []
        for group in descending(heat, cells):
            found += chosen(self.slots, group)
            if len(found) >= most:
                break
        return found[:most]


def warm(heat: list[int], cells: int, place: int) -> None:
    """Add one to the digit `place` of each of `cells`, and carry."""
    while cells:
        heat[place], cells = heat[place] ^ cells, heat[place] & cells
        place += 1


def descending(heat: Sequence[int], cells: int) -> Iterator[int]:
    """List groups of cells of equal heat, the hottest first."""
    groups = [(cells, len(heat))]
    while groups:
        cells, place = groups.pop()
        while place and not heat[place - 1] & cells:
            place -= 1
        if not place or not cells & (cells - 1):
            yield cells
            continue
        hot = heat[place - 1] & cells
        if hot != cells:
            groups.append((cells ^ hot, place - 1))
        groups.append((hot, place - 1))
