"""Reversi, small: two colours of discs, and the last one laid."""

from typing import Any

from arbitre.games.miniature import Miniature, board, cells, cloth, dots, grid, last, new
from arbitre.games.reversi.rules import Board


def draw(game: Any, view: Board, before: Board | None) -> str:  # noqa: ARG001 - no option changes the board
    """Return the discs."""
    laid = None if before is None else new(view.black | view.white, before.black | before.white, 8)
    return board(8, cloth(8), grid(8), dots(cells(view.black, 8), "black"), dots(cells(view.white, 8), "white"), last(laid))


def tally(view: Board) -> tuple[int, int]:
    """Return the discs of both."""
    return view.black.bit_count(), view.white.bit_count()


MINIATURE = Miniature(draw, tally, ("black", "white"))
