"""Pente on the wire: 361 cells, and the captured pairs as gains (spec: tournoyons, sections 4, 5 and 8)."""

from typing import Any

from arbitre.errors import PositionError
from arbitre.games.game import FIRST, SECOND, Seat
from arbitre.games.pente import rules as pente
from arbitre.games.screen import OpenScreen
from arbitre.games.stones import aligned
from arbitre.games.wire import INIT, Cells, Earlier, Received, digits
from arbitre.games.wires import Wire


class PenteEngineWire(Cells):
    """361 cells; a player's gain is his captured pairs."""

    marks = str.maketrans("34569", "12000")

    def cell(self, at: int) -> str:
        """Return the letters of column and row."""
        letters = "ABCDEFGHIJKLMNOPQRS"
        return letters[at % 19] + letters[at // 19]

    def gains(self, view: Any) -> tuple[str, str]:
        """Return the captured pairs."""
        return str(view.pairs[0]), str(view.pairs[1])

    def compose(self, text: str, seat: Seat) -> Any:
        """Return a position composed by hand; stones tell the turn, so a tray without a captured pair may be a turn late."""
        cells = text.translate(self.marks)
        turn = sum(cell != "0" for cell in cells) + 1
        if not (text.isascii() and text.isdigit()):
            return super().compose(text, seat)
        return self.read(Received(seat, turn + (turn + seat + 1) % 2, cells), None)

    def read(self, wire: Received, earlier: Earlier | None) -> Any:  # noqa: ARG002 - the board says it all
        """Return the board; the turn is what the stones tell if that is this seat's, for a game may begin from a photograph."""
        if wire.tray == INIT:
            return self.game.start()
        text = f"{wire.tray} {digits(wire.gains[0])} {digits(wire.gains[1])}"
        try:
            board = self.notation.read_state(text)
        except PositionError:
            board = None
        return board if board is not None and board.mover == wire.seat else self.notation.read_state(f"{text} {wire.turn}")


LABELS = {
    "○": "white stone",
    "●": "black stone",
}
"""What its interface calls pieces and buttons, by their signs; translated by the page that tells them."""


class PenteScreenWire(OpenScreen):
    """361 cells, 3 and 4 in a winning row, 5 and 6 being taken, 9 where a person may not play."""

    labels = LABELS

    def cells(self, view: pente.Board, before: pente.Board | None, asks: Seat | None) -> str:
        """Return the board with the winner's row, the stones of the pairs just taken, and the cells that are barred now."""
        found = []
        rows = [aligned(view.stones(seat), pente.STEPS) for seat in (FIRST, SECOND)]
        gone = [0 if before is None else before.stones(seat) & ~view.stones(seat) for seat in (FIRST, SECOND)]
        barred = 0 if asks is None else pente.FULL ^ (view.first | view.second | view.open)
        for bit in pente.BITS:
            marked = (rows[0], rows[1], gone[0], gone[1], view.first, view.second, barred)
            found.append(next((code for code, cells in zip("3456129", marked, strict=True) if cells & bit), "0"))
        return "".join(found)


WIRE = Wire(PenteEngineWire, PenteScreenWire)
