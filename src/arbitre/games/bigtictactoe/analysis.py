"""BigTicTacToe judged: with the kernel of five in a row; without the extra `engines` in plain Python."""

from typing import Any

from arbitre.games import kernels
from arbitre.games.analysis import Analyst, PlainAnalyst
from arbitre.games.bigtictactoe.engine import MISSING, Compiled, Windowed
from arbitre.games.bigtictactoe.rules import Board, Cell
from arbitre.games.five.analysis import PARTS, FiveAnalyst

OWN = ("arbitre.games.bigtictactoe:analysis.py", "arbitre.games.bigtictactoe:engine.py", "arbitre.games.bigtictactoe:rules.py")


class PlainBigTicTacToe(PlainAnalyst):
    """Judges by windows of five cells."""

    name = "bigtictactoe, plain"
    parts = ("arbitre.games:search.py", "arbitre.games:rows.py", *OWN)
    insight = Windowed
    scale = 90
    depth = 6
    missing = MISSING


class DeepBigTicTacToe(FiveAnalyst):
    """Judges with the kernel."""

    name = "bigtictactoe, compiled"
    parts = (*PARTS, *OWN)

    def read(self, state: Board) -> tuple[str, Any]:
        """Return the rule and the stones."""
        return Compiled.rule(self.game), Compiled.stones(state)  # type: ignore[arg-type]

    def cell(self, number: int) -> Cell:
        """Return a cell."""
        return Compiled.cell(number)


def analyst() -> type[Analyst]:
    """Return the better analyst that is here."""
    return DeepBigTicTacToe if kernels.available() else PlainBigTicTacToe
