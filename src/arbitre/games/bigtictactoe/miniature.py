"""BigTicTacToe, small: crosses and rings, and the last of them."""

from typing import Any

from arbitre.games.bigtictactoe.rules import SIDE, Board, count
from arbitre.games.miniature import Miniature, board, cells, cloth, crosses, grid, last, new, rings


def draw(game: Any, view: Board, before: Board | None) -> str:  # noqa: ARG001 - no option changes the board
    """Return the marks."""
    laid = None if before is None else new(view.taken, before.taken, SIDE, 1)
    return board(
        SIDE, cloth(SIDE), grid(SIDE), crosses(cells(view.first, SIDE, 1)), rings(cells(view.second, SIDE, 1)), last(laid)
    )


def tally(view: Board) -> tuple[int, int]:
    """Return the rows of five of both."""
    return count(view.first), count(view.second)


MINIATURE = Miniature(draw, tally, ("cross", "ring"))
