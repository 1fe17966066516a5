"""BigTicTacToe judged: with the kernel of five in a row; without the extra `engines` in plain Python."""

from typing import Any, ClassVar

from arbitre.games import kernels
from arbitre.games.analysis import Analyst, PlainAnalyst
from arbitre.games.bigtictactoe.engine import MISSING, ROWS, Compiled, Windowed
from arbitre.games.bigtictactoe.rules import FULL, SLOTS, BigTicTacToe, Board, Cell
from arbitre.games.five.analysis import PARTS, Certified, FiveAnalyst
from arbitre.games.five.certificates import Sight
from arbitre.games.search import Insight
from arbitre.games.stones import chosen

OWN = ("arbitre.games.bigtictactoe:analysis.py", "arbitre.games.bigtictactoe:engine.py", "arbitre.games.bigtictactoe:rules.py")


class Rows(Certified):
    """Sees rows; where the most win nothing is certain before the end."""

    insight: ClassVar[type[Insight[Any, Any]]] = Windowed

    @property
    def certain(self) -> bool:
        """Whether the first row wins."""
        return isinstance(self.game, BigTicTacToe) and self.game.first

    def sight(self, state: Board) -> Sight:
        """Return where a mark makes five."""
        own, against = Windowed(self.game).found(state)
        wins, threats = (ROWS.completions(found, FULL ^ state.taken) for found in (own, against))
        return Sight(tuple(chosen(SLOTS, wins)), tuple(chosen(SLOTS, threats)))


class PlainBigTicTacToe(Rows, PlainAnalyst):
    """Judges by windows of five cells."""

    name = "bigtictactoe, plain"
    parts = ("arbitre.games:search.py", "arbitre.games:rows.py", *PARTS, *OWN)
    scale = 90
    depth = 6
    missing = MISSING


class DeepBigTicTacToe(FiveAnalyst, Rows):
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
