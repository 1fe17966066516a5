"""The games that tests go through: the house's, and those that engines and interfaces play, other packages' too."""

from arbitre.games.catalogue import listings
from arbitre.games.wires import wired

HOUSE = sorted(one.name for one in listings() if one.rules.startswith("arbitre."))
WIRED = sorted(one.name for one in wired())
