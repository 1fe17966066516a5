"""BigTicTacToe set up by hand: the marks tell whose turn it is."""

from arbitre.games.bigtictactoe.rules import SIDE
from arbitre.games.miniature import cloth, crosses, grid, rings
from arbitre.games.setup import Arrangement, Piece, Setup, spread_digits


def gather(laid: Arrangement) -> str:
    """Return the hundred cells; the turn follows from them."""
    return laid.cells.replace(".", "0")


SETUP = Setup(
    SIDE,
    cloth(SIDE) + grid(SIDE),
    (Piece("1", "cross", "croix", crosses), Piece("2", "ring", "rond", rings)),
    (("crosses", "les croix"), ("rings", "les ronds")),
    spread_digits("012"),
    gather,
    lambda column, row: f"{'ABCDEFGHIJ'[column]}{row}",
)
