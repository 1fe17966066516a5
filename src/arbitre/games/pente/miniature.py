"""Pente, small: stones on the lines, and the last one laid."""

from typing import Any

from arbitre.games.miniature import Miniature, board, cells, cloth, dots, grid, last, new
from arbitre.games.pente.rules import SIDE, Board


def draw(game: Any, view: Board, before: Board | None) -> str:  # noqa: ARG001 - no option changes the board
    """Return the stones; they lie on the lines, which run through the middle of our cells."""
    laid = None if before is None else new(view.first | view.second, before.first | before.second, SIDE, 1)
    lines = f'<g transform="translate(-.5 -.5)">{grid(SIDE + 1, 0.1)}</g>'
    one, two = (dots(cells(stones, SIDE, 1), kind, 0.9) for stones, kind in ((view.first, "white"), (view.second, "black")))
    return board(SIDE, cloth(SIDE), lines, one, two, last(laid))


def tally(view: Board) -> tuple[int, int]:
    """Return the captured pairs of both."""
    return view.pairs


MINIATURE = Miniature(draw, tally, ("white", "black"))
