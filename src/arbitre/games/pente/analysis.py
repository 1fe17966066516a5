"""Pente judged: with the kernel of five in a row; without the extra `engines` in plain Python."""

from typing import Any

from arbitre.games import kernels
from arbitre.games.analysis import Analyst, PlainAnalyst
from arbitre.games.five.analysis import PARTS, FiveAnalyst
from arbitre.games.pente.engine import MISSING, Compiled, Stones
from arbitre.games.pente.rules import Board, Cell

OWN = ("arbitre.games.pente:analysis.py", "arbitre.games.pente:engine.py", "arbitre.games.pente:rules.py")


class PlainPente(PlainAnalyst):
    """Judges by windows of five cells."""

    name = "pente, plain"
    parts = ("arbitre.games:search.py", "arbitre.games:rows.py", *OWN)
    insight = Stones
    scale = 120
    depth = 6
    missing = MISSING


class DeepPente(FiveAnalyst):
    """Judges with the kernel."""

    name = "pente, compiled"
    parts = (*PARTS, *OWN)

    def read(self, state: Board) -> tuple[str, Any]:
        """Return the rule and the stones."""
        return Compiled.rule(self.game), Compiled.stones(state)

    def cell(self, number: int) -> Cell:
        """Return a cell."""
        return Compiled.cell(number)


def analyst() -> type[Analyst]:
    """Return the better analyst that is here."""
    return DeepPente if kernels.available() else PlainPente
