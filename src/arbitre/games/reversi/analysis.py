"""Reversi judged: by trained patterns, the ending counted out; without the extra `engines` in plain Python."""

from arbitre.games import kernels
from arbitre.games.analysis import ENDLESS, Analyst, DeepAnalyst, Look, PlainAnalyst
from arbitre.games.reversi.engine import MISSING, Freedom
from arbitre.games.reversi.rules import LOW, Board
from arbitre.reasons import Reason

BUCKETS = 1 << 15
ENDINGS = ((5_000, 8), (50_000, 10), (500_000, 13), (5_000_000, 16))
"""With fewer nodes than the first number, the game is counted out from so many empty cells on."""
LONGEST = 20


def empties(board: Board) -> int:
    """Return how many cells are empty."""
    return 64 - (board.own & LOW).bit_count() - (board.against & LOW).bit_count()


class PlainReversi(PlainAnalyst):
    """Judges by moves, corners and the frontier."""

    unit = None
    name = "reversi, plain"
    parts = (
        "arbitre.games:search.py",
        "arbitre.games.reversi:analysis.py",
        "arbitre.games.reversi:engine.py",
        "arbitre.games.reversi:rules.py",
    )
    insight = Freedom
    scale = 90
    missing = MISSING


class DeepReversi(DeepAnalyst):
    """Judges by trained patterns."""

    unit = Reason("discs")
    name = "reversi, compiled"
    parts = (
        "arbitre.games:intrinsics.py",
        "arbitre.games.reversi:analysis.py",
        "arbitre.games.reversi:kernel.py",
        "arbitre.games.reversi:thought.py",
        "arbitre.games.reversi:weights.py",
        "arbitre.games.reversi:weights.xz",
        "arbitre.games.reversi:rules.py",
    )
    scale = 8 * 16
    grain = 16

    def look(self, state: Board, nodes: int, depth: int | None) -> Look:
        """Search; without a depth, count out the last cells if there are few."""
        from arbitre.games.reversi.thought import Thought  # noqa: PLC0415 - needs numpy, which is an extra

        thought = Thought(BUCKETS)
        end = next((cells for most, cells in ENDINGS if nodes < most), LONGEST) if depth is None else 0
        (move, worth), *_ = thought.weigh(state, ENDLESS, positions=nodes, depth=depth or 60, end=end)
        kernel = thought.kernel
        return Look(move, worth, thought.depth, thought.solved != kernel.OPEN, thought.solved == kernel.COUNT)


def analyst() -> type[Analyst]:
    """Return the better analyst that is here."""
    return DeepReversi if kernels.available() else PlainReversi
