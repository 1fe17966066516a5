"""TicTacToe on the wire: nine cells, for interfaces with the winning line marked (spec: tournoyons, sections 4, 5 and 8)."""

from typing import Any

from arbitre.games.game import Seat
from arbitre.games.screen import NEITHER, OpenScreen, Pair
from arbitre.games.tictactoe import rules as tictactoe
from arbitre.games.wire import Cells
from arbitre.games.wires import Wire


class TicTacToeEngineWire(Cells):
    """Nine cells, 1 to 9."""

    marks = str.maketrans("34", "12")


LABELS = {
    "X": "cross",
    "O": "ring",
}
"""What its interface calls pieces and buttons, by their signs; translated by the page that tells them."""


class TicTacToeScreenWire(OpenScreen):
    """Nine cells, 3 and 4 on the winning line.

    With a winning line there is no last move: interfaces put the mark of a move on the tray that they got, over the winning one.
    """

    labels = LABELS

    def cells(self, view: tictactoe.Board, before: Any, asks: Seat | None) -> str:  # noqa: ARG002 - the line alone is marked
        """Return the cells, the winner's line marked."""
        line = tictactoe.line(view) or ()
        return "".join("34"[cell == "2"] if at in line else cell for at, cell in enumerate(view.cells, start=1))

    def moves(self, view: tictactoe.Board, before: Any) -> Pair:
        """Return the last move unless it won."""
        return NEITHER if tictactoe.line(view) else super().moves(view, before)


WIRE = Wire(TicTacToeEngineWire, TicTacToeScreenWire)
