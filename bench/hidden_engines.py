"""The engines of games with secrets, beside fixed yardsticks: what was best elsewhere, or what we aim at.

MasterMind: codes that the tree finds in ten thousand guesses, beside the best tree that we had read of, 20,566 guesses for all
codes. Seafight: the shots that fleets of the best level withstand from a gunner who knows the weights they are drawn by, beside
47; and fleets by chance that are sunk in a thousand shots, beside one in 44.
"""

from collections.abc import Iterator, Sequence
from random import Random

from arbitre.games.game import FIRST
from arbitre.games.mastermind.tree import loaded as tree
from arbitre.games.seafight.berths import drawn
from arbitre.games.seafight.berths import loaded as berths
from arbitre.games.seafight.engine import BOARD, CALM, Player, Waters, cells_of
from arbitre.games.seafight.rules import Fleet, Seafight
from bench.table import Row

FLEETS = 200
KNOWN, SHOTS, WITHSTOOD = 20_566, 44.0, 47.0
"""Guesses of the best tree known; shots to sink a fleet by chance, and that a fleet of ours should withstand."""


class Reader(Player):
    """A gunner who has read by which weights fleets are drawn."""

    def heat(self, known: Waters) -> Sequence[int]:
        """Count berths by their weights."""
        heat = [0] * BOARD
        free = known.open | known.hits
        for size in known.sizes:
            harbour = berths()[size]
            for berth, weight in zip(harbour.masks, harbour.weights, strict=True):
                if not berth & ~free and berth & known.open:
                    worth = weight * self.lure ** (berth & known.hits).bit_count()
                    for cell in cells_of(berth):
                        heat[cell] += worth
        return heat


def measure() -> Iterator[Row]:
    """Count guesses and shots."""
    lines = list(tree().lines())
    ours, theirs = (10_000 * len(lines) / guesses for guesses in (sum(lines), KNOWN))
    yield Row("MasterMind: codes found in ten thousand guesses", ours, "best known", theirs, 1.0, unit="")
    game = Seafight()
    start = game.view(game.start(), FIRST)
    fleets = [game.sample(start, Random(f"chance/{number}")) for number in range(FLEETS)]
    shots = [shots_for(fleet, Player(Random(number))) for number, fleet in enumerate(fleets) if isinstance(fleet, Fleet)]
    yield Row(
        "Seafight: fleets by chance sunk in a thousand shots", 1000 * FLEETS / sum(shots), "aim", 1000 / SHOTS, 1.0, unit=""
    )
    shots = [shots_for(drawn(Random(f"drawn/{number}")), Reader(Random(number))) for number in range(FLEETS)]
    yield Row(
        "Seafight: shots withstood from a gunner who knows the weights", sum(shots) / FLEETS, "aim", WITHSTOOD, 1.0, unit=""
    )


def shots_for(fleet: Fleet, gunner: Player) -> int:
    """Return how many shots a gunner needs to sink a fleet."""
    afloat = {sum(1 << cell for cell in ship.cells): ship.size for ship in fleet.ships}
    known = CALM
    for number in range(1, BOARD + 1):
        heat = gunner.heat(known)
        top = max(heat[cell] for cell in cells_of(known.open))
        shot = 1 << gunner.random.choice([cell for cell in cells_of(known.open) if heat[cell] == top])
        open_, hits = known.open & ~shot, known.hits
        for ship in [ship for ship in afloat if ship & shot]:
            hits |= shot
            if not ship & ~hits:
                hits &= ~ship
                del afloat[ship]
        if not afloat:
            return number
        known = Waters(open_, hits, tuple(afloat.values()))
    raise AssertionError("every fleet is sunk when all cells were shot at")
