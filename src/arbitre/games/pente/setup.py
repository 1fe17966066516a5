"""Pente set up by hand: stones, and whose turn it is; captured pairs stay as the position that was opened had them."""

from functools import partial

from arbitre.games.miniature import cloth, dots, grid
from arbitre.games.pente.rules import LETTERS, SIDE
from arbitre.games.setup import EMPTY, Arrangement, Piece, Setup, gather_digits, spread_digits


def laid(found: Arrangement) -> int:
    """Return how many stones were laid: those on the board, and two for each pair that was captured."""
    pairs = sum(int(count) for count in found.rest.split() if count.isdigit() and len(count) < 3)
    return SIDE * SIDE - found.cells.count(EMPTY) + 2 * pairs


SETUP = Setup(
    SIDE,
    f'{cloth(SIDE)}<g transform="translate(-.5 -.5)">{grid(SIDE + 1, 0.1)}</g>',
    (
        Piece("1", "white stone", "pierre blanche", partial(dots, kind="white", size=0.9)),
        Piece("2", "black stone", "pierre noire", partial(dots, kind="black", size=0.9)),
    ),
    (("White", "les Blancs"), ("Black", "les Noirs")),
    spread_digits("012"),
    gather_digits("012", laid),
    lambda column, row: LETTERS[column] + LETTERS[row],
)
