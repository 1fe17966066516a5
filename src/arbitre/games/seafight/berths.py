"""Where the best player puts its ships: fleets are drawn by the product of their berths' weights.

The weights were found against a gunner who knows them (`tools/train seafight`), so that to have read them helps as little as may
be. What the board's symmetries make of a berth has the weight of that berth: the file has one line for each kind, its
size, its first cell, its direction and its weight.
"""

from functools import cache
from importlib.resources import files
from random import Random
from typing import NamedTuple

from arbitre.games.seafight.rules import BERTHS, SIDE, SIZES, Fleet, Ship

FILE = "berths.txt"

Berth = tuple[int, ...]
"""The cells of a ship, the least first."""


def images(berth: Berth) -> list[Berth]:
    """Return what the board's eight symmetries make of a berth."""
    last = SIDE - 1
    spots = [divmod(cell, SIDE) for cell in berth]
    turned = [
        [(abs(rows - row), abs(columns - column)) for row, column in some]
        for some in (spots, [(column, row) for row, column in spots])
        for rows in (0, last)
        for columns in (0, last)
    ]
    return [tuple(sorted(SIDE * row + column for row, column in some)) for some in turned]


def kind(berth: Berth) -> Berth:
    """Return the one berth that stands for all its images."""
    return min(images(berth))


def name(berth: Berth) -> str:
    """Return a berth as the file has it: size, first cell, direction."""
    return f"{len(berth)} {berth[0]} {'down' if berth[1] - berth[0] == SIDE else 'across'}"


class Harbour(NamedTuple):
    """The berths of one size, and their weights added up."""

    ships: tuple[Ship, ...]
    masks: tuple[int, ...]
    weights: tuple[int, ...]


@cache
def loaded() -> dict[int, Harbour]:
    """Return the weights of the package for every berth, by size."""
    lines = files(__package__).joinpath(FILE).read_text(encoding="ascii").splitlines()
    weights = {named: int(weight) for named, weight in (line.rsplit(maxsplit=1) for line in lines)}
    return {
        size: Harbour(
            tuple(ship for ship, _ in listed),
            tuple(mask for _, mask in listed),
            tuple(weights[name(kind(tuple(ship.cells)))] for ship, _ in listed),
        )
        for size, listed in BERTHS.items()
    }


def drawn(random: Random) -> Fleet:
    """Draw a fleet by the weights."""
    harbours = [loaded()[size] for size in SIZES]
    while True:
        taken = 0
        ships = []
        for harbour in harbours:
            (nth,) = random.choices(range(len(harbour.ships)), harbour.weights)
            if taken & harbour.masks[nth]:
                break  # the whole fleet is thrown away: mending it would favour some fleets over others
            taken |= harbour.masks[nth]
            ships.append(harbour.ships[nth])
        else:
            return Fleet(tuple(ships))
