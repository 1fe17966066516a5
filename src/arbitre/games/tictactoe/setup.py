"""TicTacToe set up by hand: the marks tell whose turn it is."""

from arbitre.games.miniature import cloth, crosses, grid, rings
from arbitre.games.setup import Arrangement, Piece, Setup, spread_digits


def gather(laid: Arrangement) -> str:
    """Return the nine cells; the turn follows from them."""
    return laid.cells.replace(".", "0")


SETUP = Setup(
    3,
    cloth(3) + grid(3, 0.04),
    (Piece("1", "cross", "croix", crosses), Piece("2", "ring", "rond", rings)),
    (("crosses", "les croix"), ("rings", "les ronds")),
    spread_digits("012"),
    gather,
    lambda column, row: str(3 * row + column + 1),
)
