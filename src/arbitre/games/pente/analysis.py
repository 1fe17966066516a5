"""Pente judged: with the kernel of five in a row; without the extra `engines` in plain Python."""

from typing import Any, ClassVar

from arbitre.games import kernels
from arbitre.games.analysis import Analyst, PlainAnalyst
from arbitre.games.five.analysis import PARTS, Certified, FiveAnalyst
from arbitre.games.five.certificates import Sight
from arbitre.games.pente.engine import MISSING, Compiled, Stones, Threat
from arbitre.games.pente.rules import SLOTS, Board, Cell
from arbitre.games.search import Insight
from arbitre.games.stones import chosen

OWN = ("arbitre.games.pente:analysis.py", "arbitre.games.pente:engine.py", "arbitre.games.pente:rules.py")


class Rows(Certified):
    """Sees rows and pairs."""

    insight: ClassVar[type[Insight[Any, Any]]] = Stones

    def sight(self, state: Board) -> Sight:
        """Return where a stone makes five, or takes the fifth pair."""
        threat = Threat(state)
        return Sight(tuple(chosen(SLOTS, threat.wins & state.open)), tuple(chosen(SLOTS, threat.threats & state.open)))


class PlainPente(Rows, PlainAnalyst):
    """Judges by windows of five cells."""

    name = "pente, plain"
    parts = ("arbitre.games:search.py", "arbitre.games:rows.py", *PARTS, *OWN)
    scale = 120
    depth = 6
    missing = MISSING


class DeepPente(FiveAnalyst, Rows):
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
