"""House players of Seafight: from one who shoots where he likes to one who shoots by probability.

A cell is worth a shot as often as a ship can lie there: the *berths* of all ships afloat that fit the marks are counted, cell by
cell. To draw whole fleets that fit, ship after ship, was tried and sinks a fleet no sooner (45 shots on average against 44).
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from arbitre.games.engine import Budget, Engine, favourite
from arbitre.games.game import other
from arbitre.games.player import Position
from arbitre.games.seafight.berths import drawn
from arbitre.games.seafight.rules import BERTHS, SIDE, SIZES, Cell, Fleet, Sight
from arbitre.values import value

BOARD = SIDE * SIDE
MASKS = {size: tuple(cells for _, cells in berths) for size, berths in BERTHS.items()}
"""The berths of each size as bit masks."""


def cells_of(mask: int) -> Iterator[Cell]:
    """List the cells of a mask."""
    while mask:
        yield Cell((mask & -mask).bit_length() - 1)
        mask &= mask - 1


def mask_of(marks: str, kinds: str) -> int:
    """Return the cells that bear one of some marks."""
    return sum(1 << cell for cell, mark in enumerate(marks) if mark in kinds)


def around(cell: int) -> int:
    """Return the four neighbours of a cell."""
    row, column = divmod(cell, SIDE)
    near = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return sum(1 << SIDE * y + x for y, x in near if 0 <= y < SIDE and 0 <= x < SIDE)


@value
class Waters:
    """What a player knows of the other's waters."""

    open: int = (1 << BOARD) - 1
    """Cells that were not shot at."""
    hits: int = 0
    """Hits on ships that are not sunk."""
    sizes: tuple[int, ...] = SIZES
    """The ships afloat."""

    def berths(self, size: int) -> list[int]:
        """Return where a ship of this size can lie: not in the water that was hit, not on a sunk ship, and not itself sunk."""
        free = self.open | self.hits
        return [cells for cells in MASKS[size] if not cells & ~free and cells & self.open]


CALM = Waters()


def waters(position: Position) -> Waters:
    """Return what the marks and the sunk ships tell."""
    sight: Sight = position.view
    marks = sight.shots[position.seat]
    sizes = list(SIZES)
    for ship in sight.sunk[other(position.seat)].ships:
        sizes.remove(ship.size)
    return Waters(mask_of(marks, "0"), mask_of(marks, "2"), tuple(sizes))


class Gunner(Engine[Fleet | Cell]):
    """Shoots next to a hit, or else anywhere."""

    slips: ClassVar[float] = 0.0
    """How likely it shoots anywhere though it knows better, where no hit draws it."""

    def choose(self, position: Position, budget: Budget) -> Fleet | Cell:  # noqa: ARG002 - it does not think long
        """Place any fleet; shoot where it seems best."""
        if position.view.turn == 1:
            return self.place(position)
        known = waters(position)
        if self.slips and not known.hits and self.random.random() < self.slips:
            return self.random.choice([*cells_of(known.open)])
        heat = self.heat(known)
        return favourite({cell: heat[cell] for cell in cells_of(known.open)}, self.random)

    def place(self, position: Position) -> Fleet:
        """Choose a fleet."""
        fleet: Fleet = position.game.sample(position.view, self.random)
        return fleet

    def heat(self, known: Waters) -> Sequence[int]:
        """Return how much each cell of the board is worth a shot."""
        near = 0
        for hit in cells_of(known.hits):
            near |= around(hit)
        return [near >> cell & 1 for cell in range(BOARD)]


class Novice(Gunner):
    """Shoots next to a hit, or else anywhere."""


class Amateur(Gunner):
    """Shoots along the line of two hits, and elsewhere mostly at every second cell, for no ship is shorter than two."""

    slips = 0.25

    def heat(self, known: Waters) -> Sequence[int]:
        """Add to the neighbours of hits what lies in their line, and the cells of one colour of a chequerboard."""
        heat = [4 * near for near in super().heat(known)]
        for hit in cells_of(known.hits):
            for step in (1, SIDE):
                for ahead in (hit + step, hit - step):
                    if 0 <= ahead < BOARD and known.hits >> ahead & 1 and around(hit) >> ahead & 1:
                        back = 2 * hit - ahead
                        if 0 <= back < BOARD and around(hit) >> back & 1:
                            heat[back] += 4
        return [one + (cell // SIDE + cell % SIDE) % 2 for cell, one in enumerate(heat)]


class Player(Gunner):
    """Counts for each cell the berths of each ship afloat that cover it, those across hits many times; it is careless."""

    slips = 0.35
    lure: ClassVar[int] = 20
    """How many times more a berth counts for each hit that it covers."""

    def heat(self, known: Waters) -> Sequence[int]:
        """Count berths, ship by ship."""
        heat = [0] * BOARD
        for size in known.sizes:
            for berth in known.berths(size):
                weight = self.lure ** (berth & known.hits).bit_count()
                for cell in cells_of(berth):
                    heat[cell] += weight
        return heat


class Admiral(Player):
    """Shoots like that without a slip, and hides its own fleet where even who knows how it hides finds it late."""

    slips = 0.0

    def place(self, position: Position) -> Fleet:  # noqa: ARG002 - all fleets are of the same ships
        """Draw a fleet by the weights that were found against such a gunner."""
        return drawn(self.random)


LEVELS = (Novice, Amateur, Player, Admiral)
