"""Kriegspiel, small: fog over what its eye does not see, the pieces where it does."""

from typing import Any

import chess

from arbitre.games.kriegspiel.rules import Truth, View
from arbitre.games.kriegspiel.umpire import Men, men
from arbitre.games.miniature import Miniature, board, chequers

SIGNS = "♟♞♝♜♛♚"


def draw(game: Any, view: View, before: View | None) -> str:  # noqa: ARG001 - what moved is a secret
    """Return the pieces that are seen; where none is, nothing but the question."""
    if isinstance(view, Truth):
        return board(8, chequers(8), pieces(men(view.board, False), "black"), pieces(men(view.board, True), "white"))
    fog = '<path class="fog" d="M-.5-.5h8v8h-8z"/>'
    if view.seat is None:
        return board(8, chequers(8), fog, '<text class="unknown" x="3.5" y="4.9" font-size="4">?</text>')
    return board(8, chequers(8), fog, pieces(view.men, "black" if view.seat else "white"))


def pieces(own: Men, kind: str) -> str:
    """Return the pieces of one side, row by row."""
    rows = []
    for row in range(8):
        found = [(column, sign) for column in range(8) for sign, mask in zip(SIGNS, own[1:], strict=True)
                 if mask >> chess.square(column, 7 - row) & 1]  # fmt: skip
        if found:
            at = " ".join(str(column) for column, _ in found)
            rows.append(f'<text x="{at}" y="{row}.35">{"".join(sign for _, sign in found)}</text>')
    return f'<g class="men {kind}" font-size="1">{"".join(rows)}</g>' if rows else ""


MINIATURE = Miniature(draw, marks=("white", "black"))
