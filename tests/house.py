"""The games that tests go through: the house's, and those that engines and interfaces play, other packages' too."""

from arbitre.games import kernels
from arbitre.games.catalogue import listings
from arbitre.games.wires import wired

HOUSE = sorted(one.name for one in listings() if one.rules.startswith("arbitre."))
WIRED = sorted(one.name for one in wired())


def compiled() -> dict[str, str]:
    """Return the variable by which a program with a home of its own finds the engines that are compiled already."""
    kept = kernels.folder("reversi") if kernels.available() else None
    return {} if kept is None else {"ARBITRE_CACHE": str(kept.parents[1])}
