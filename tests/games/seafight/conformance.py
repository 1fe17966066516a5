"""Seafight hides two fleets, but for the ships that are sunk, until the end."""

from collections.abc import Iterator
from random import Random

from arbitre.games.game import Eye, Outcome, Seat, other
from arbitre.games.seafight.rules import BERTHS, Fleet, Sea, Seafight, Ship, judged

PRESETS: list[dict[str, object]] = [{}]


def resample(game: Seafight, state: Sea, eye: Eye, random: Random) -> Sea:
    """Return the same sea with other fleets that `eye` does not know, such as all shots would have fared on alike."""
    if state.fleets is None or isinstance(game.phase(state), Outcome):
        return state
    fleets = list(state.fleets)
    for seat in (Seat(0), Seat(1)):
        if seat != eye:
            fleets[seat] = another(fleets[seat], state.shots[other(seat)], random)
    return Sea((fleets[0], fleets[1]), state.shots)


def another(fleet: Fleet, marks: str, random: Random) -> Fleet:
    """Return some fleet with the same sunk ships, a part of a ship on every hit and none on the water that was hit."""
    afloat = [ship.size for ship in fleet.ships if ship not in fleet.sunk.ships]
    closed = sum(1 << cell for cell, mark in enumerate(marks) if mark in "13")
    hits = sum(1 << cell for cell, mark in enumerate(marks) if mark == "2")
    ships = next(berths(tuple(afloat), closed, hits, random))
    return judged(Fleet((*fleet.sunk.ships, *ships)), marks)[0]


def berths(sizes: tuple[int, ...], closed: int, hits: int, random: Random) -> Iterator[tuple[Ship, ...]]:
    """Find places for ships of these sizes that cover all hits, none with all its cells hit, in random order."""
    if not sizes:
        if not hits:
            yield ()
        return
    wanted = hits & -hits
    places = [
        (size, ship, cells)
        for size in sorted(set(sizes))
        for ship, cells in BERTHS[size]
        if not cells & closed and cells & wanted == wanted and cells & ~hits
    ]
    random.shuffle(places)
    for size, ship, cells in places:
        rest = list(sizes)
        rest.remove(size)
        for found in berths(tuple(rest), closed | cells, hits & ~cells, random):
            yield (ship, *found)
