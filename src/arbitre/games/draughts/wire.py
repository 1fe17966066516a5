"""Draughts on the wire: fifty squares, seen from the side of who looks (spec: tournoyons, section 8)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from arbitre.games.draughts import rules as draughts
from arbitre.games.draughts.moves import BIT
from arbitre.games.draughts.notation import write_fen
from arbitre.games.game import SECOND, Eye, Seat
from arbitre.games.notation import read_cells
from arbitre.games.screen import OpenScreen, Shown
from arbitre.games.wire import INIT, Earlier, EngineWire, Received
from arbitre.games.wires import Wire


class DraughtsEngineWire(EngineWire):
    """Fifty squares: 1 and 2 the men of white and black, 3 and 4 their kings."""

    marks: ClassVar[Mapping[int, int] | None] = {}

    def write(self, view: draughts.Board, seat: Seat) -> str:  # noqa: ARG002 - both see the same
        """Return the squares 1 to 50."""
        return "".join(
            "0" if not bit & (view.white | view.black) else "12"[bool(bit & view.black)] if not bit & view.kings else
            "34"[bool(bit & view.black)]
            for bit in BIT[1:]
        )  # fmt: skip

    def last(self, before: Any, view: Any, seat: Seat) -> str | None:  # noqa: ARG002 - both see the same
        """Return the move that leads from one board to the other."""
        if before is None:
            return None
        found = [move for move in before.moves if before.after(move) == view]
        return str(found[0]) if found else None

    def read(self, wire: Received, earlier: Earlier | None) -> draughts.Board:  # noqa: ARG002 - the board says it all
        """Return the board on the wire's turn."""
        if wire.tray == INIT:
            return draughts.Draughts().start()
        cells = read_cells(wire.tray, wire.tray, 50, "01234")
        white, black, kings = (
            sum(bit for bit, cell in zip(BIT[1:], cells, strict=True) if cell in those) for those in ("13", "24", "34")
        )
        fen = write_fen(draughts.Board(white, black, kings, wire.turn))
        board: draughts.Board = self.notation.read_state(f"{fen} {wire.turn}")
        return board


LABELS = {
    "⛀": "white man",
    "⛂": "black man",
    "⛁": "crowned white man",
    "⛃": "crowned black man",
}
"""What its interface calls pieces and buttons, by their signs; translated by the page that tells them."""


class DraughtsScreenWire(OpenScreen):
    """Fifty squares, as engines get them; the second player looks from his own side."""

    labels = LABELS

    def show(self, view: Any, eye: Eye, *, before: Any = None, asks: Seat | None = None) -> Shown:
        """Return the board from the side of who looks."""
        return replace(super().show(view, eye, before=before, asks=asks), side=SECOND if eye == SECOND else None)


WIRE = Wire(DraughtsEngineWire, DraughtsScreenWire)
