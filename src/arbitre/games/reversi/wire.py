"""Reversi on the wire: 64 cells, turning discs and open cells for interfaces (spec: tournoyons, sections 4, 5 and 8)."""

from typing import Any

from arbitre.games.game import FIRST, Seat
from arbitre.games.reversi import rules as reversi
from arbitre.games.screen import OpenScreen, Phrase
from arbitre.games.wire import INIT, Cells, Earlier, Received
from arbitre.games.wires import Wire


class ReversiEngineWire(Cells):
    """64 cells, 3 black and 4 white; a player without a move says XX."""

    marks = str.maketrans("1278", "0034")

    def cell(self, at: int) -> str:
        """Return column letter and row digit."""
        return f"{'ABCDEFGH'[at % 8]}{at // 8 + 1}"

    def last(self, before: Any, view: Any, seat: Seat) -> str | None:
        """Return the cell that was filled, or the pass where none was."""
        cell = Cells.last(self, before, view, seat)
        return "XX" if cell is None and before is not None and before.turn == view.turn - 1 else cell

    def read(self, wire: Received, earlier: Earlier | None) -> Any:  # noqa: ARG002 - the board says it all
        """Return the board; passes leave no trace on it, so the turn is the wire's."""
        return self.game.start() if wire.tray == INIT else self.notation.read_state(f"{wire.tray} {wire.turn}")


LABELS = {
    "●": "black disc",
    "○": "white disc",
    "turn": "{cell} would turn one disc",
    "turns": "{cell} would turn {count} discs",
}
"""What its interface calls pieces and buttons, by their signs; translated by the page that tells them."""


class ReversiScreenWire(OpenScreen):
    """64 cells, 1 and 2 where a person may play, 7 and 8 discs that turn black and white."""

    labels = LABELS

    def cells(self, view: reversi.Board, before: reversi.Board | None, asks: Seat | None) -> str:
        """Return the discs, those that the last move turned and, for a person, the moves."""
        turned = (0, 0) if before is None else (before.white & view.black, before.black & view.white)
        marked = (*turned, view.black, view.white, view.moves if asks is not None else 0)
        codes = "7834" + ("1" if asks == FIRST else "2")
        return "".join(
            next((code for code, cells in zip(codes, marked, strict=True) if cells >> at & 1), "0") for at in range(64)
        )

    def legend(self, view: reversi.Board, before: reversi.Board | None, asks: Seat | None) -> Phrase | None:
        """Return who has passed, or the label of the control with which a person without a move passes."""
        if asks is not None and not view.moves:
            return Phrase.I_PASS
        if "XX" not in self.moves(view, before):
            return None
        return Phrase.WHITE_PASSES if view.mover == FIRST else Phrase.BLACK_PASSES


WIRE = Wire(ReversiEngineWire, ReversiScreenWire)
