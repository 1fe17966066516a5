"""BigTicTacToe on the wire: a hundred cells, and the alignments as gains (spec: tournoyons, sections 4, 5 and 8)."""

from arbitre.games.bigtictactoe import rules as bigtictactoe
from arbitre.games.game import FIRST, SECOND
from arbitre.games.screen import OpenScreen
from arbitre.games.wire import Cells
from arbitre.games.wires import Wire


class BigTicTacToeEngineWire(Cells):
    """A hundred cells; a player's gain is his alignments, run together."""

    def cell(self, at: int) -> str:
        """Return column letter and row digit."""
        return f"{'ABCDEFGHIJ'[at % 10]}{at // 10}"

    def gains(self, view: bigtictactoe.Board) -> tuple[str, str]:
        """Return the ends of the alignments."""
        one, two = (
            "".join(f"{line.head}{line.tail}" for line in bigtictactoe.alignments(view.marks(seat))) for seat in (FIRST, SECOND)
        )
        return one, two


LABELS = {
    "X": "cross",
    "O": "ring",
}
"""What its interface calls pieces and buttons, by their signs; translated by the page that tells them."""


class BigTicTacToeScreenWire(OpenScreen):
    """A hundred cells; what each player has aligned is his gain, and the interface draws the lines from it."""

    labels = LABELS


WIRE = Wire(BigTicTacToeEngineWire, BigTicTacToeScreenWire)
