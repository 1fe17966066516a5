"""TicTacToe, small: crosses, rings, and the line that won."""

from typing import Any

from arbitre.games.miniature import Miniature, board, cloth, crosses, grid, rings
from arbitre.games.tictactoe.rules import Board, line


def draw(game: Any, view: Board, before: Board | None) -> str:  # noqa: ARG001 - nine cells tell everything
    """Return the marks."""
    where = {mark: [(at % 3, at // 3) for at, cell in enumerate(view.cells) if cell == mark] for mark in "12"}
    won = line(view)
    struck = ""
    if won is not None:
        ends = [f"{(cell - 1) % 3} {(cell - 1) // 3}" for cell in (won[0], won[-1])]
        struck = f'<path class="struck" stroke-width=".09" d="M{ends[0]}L{ends[1]}"/>'
    return board(3, cloth(3), grid(3, 0.04), crosses(where["1"]), rings(where["2"]), struck)


MINIATURE = Miniature(draw, marks=("cross", "ring"))
