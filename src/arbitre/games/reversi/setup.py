"""Reversi set up by hand: discs, and whose turn it is; where the discs tell another turn, somebody has passed."""

from functools import partial

from arbitre.games.miniature import cloth, dots, grid
from arbitre.games.setup import EMPTY, Arrangement, Piece, Setup, gather_digits, spread_digits


def laid(found: Arrangement) -> int:
    """Return how many discs were laid behind the first four."""
    return max(0, 64 - found.cells.count(EMPTY) - 4)


SETUP = Setup(
    8,
    cloth(8) + grid(8),
    (
        Piece("1", "black disc", "pion noir", partial(dots, kind="black")),
        Piece("2", "white disc", "pion blanc", partial(dots, kind="white")),
    ),
    (("Black", "les Noirs"), ("White", "les Blancs")),
    spread_digits("034"),
    gather_digits("034", laid),
    lambda column, row: f"{'ABCDEFGH'[column]}{row + 1}",
)
