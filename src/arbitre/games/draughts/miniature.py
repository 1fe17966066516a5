"""Draughts, small: men, and kings with a golden heart."""

from typing import Any

from arbitre.games.draughts.moves import numbers
from arbitre.games.draughts.rules import Board
from arbitre.games.miniature import Miniature, Place, board, chequers, dots, last


def places(squares: int) -> list[Place]:
    """Return where the squares of a set lie on the whole board."""
    return [(2 * ((n - 1) % 5) + 1 - (n - 1) // 5 % 2, (n - 1) // 5) for n in numbers(squares)]


def draw(game: Any, view: Board, before: Board | None) -> str:  # noqa: ARG001 - no option changes the board
    """Return the pieces; those of one side stand apart, so none is a run."""
    moved = [] if before is None else places((view.white | view.black) & ~(before.white | before.black))
    return board(
        10,
        chequers(10),
        dots(places(view.white), "white"),
        dots(places(view.black), "black"),
        dots(places(view.kings), "crown", 0.34),
        last(moved[0] if len(moved) == 1 else None),
    )


def tally(view: Board) -> tuple[int, int]:
    """Return the pieces of both."""
    return view.white.bit_count(), view.black.bit_count()


MINIATURE = Miniature(draw, tally, ("white", "black"))
