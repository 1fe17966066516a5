"""Reversi judged: by trained patterns, the ending counted out; without the extra `engines` in plain Python."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from arbitre.errors import AnalysisError
from arbitre.games import kernels
from arbitre.games.analysis import (
    ENDLESS,
    HALF,
    Analyst,
    Certificate,
    Course,
    DeepAnalyst,
    Judgement,
    Look,
    OpenAnalyst,
    PlainAnalyst,
    Puzzle,
)
from arbitre.games.reversi.certificates import COUNTED, LONGEST, check_proof, count, counted, empties, prove, riddle
from arbitre.games.reversi.engine import MISSING, Freedom
from arbitre.games.reversi.rules import Board, Cell
from arbitre.reasons import Reason

BUCKETS = 1 << 15
ENDINGS = ((5_000, 8), (50_000, 10), (500_000, 13), (5_000_000, 16))
"""With fewer nodes than the first number, the game is counted out from so many empty cells on."""
DEEPEST = 20


class Certified(OpenAnalyst):
    """Proves how the game would have ended with best play, from the first ply on where that is certain and short enough."""

    puzzles = True
    longest: ClassVar[int]
    """With more empty cells nothing is certified."""

    def puzzle(self, state: Board) -> Puzzle | None:
        """Return the puzzle that a board is."""
        return riddle(self.game, self.notation, state)

    @abstractmethod
    def exact(self, board: Board) -> tuple[Cell, int]:
        """Return the best move of a board with few empty cells, and the discs that it leads to."""

    def certify(self, course: Course, judgements: Sequence[Judgement]) -> tuple[Certificate, ...]:
        """Return one proof, of the first position that is short enough."""
        for at, ply in enumerate(course):
            if empties(ply.before) <= self.longest and ply.before.moves and judgements[at].solved:
                discs = self.exact(ply.before)[1]
                proof = prove(self.game, self.notation, ply.before, discs, lambda board: self.exact(board)[0])
                return () if proof is None else (Certificate(at, proof),)
        return ()

    def check(self, course: Course, judgements: Sequence[Judgement], certificate: Certificate) -> None:
        """Go through both trees, and compare what they prove with the share that is said."""
        board: Board = course[certificate.ply].before
        if empties(board) > LONGEST:
            raise AnalysisError("so many empty cells are not certified: %(cells)s", cells=empties(board))
        discs = check_proof(self.game, self.notation, board, certificate.proof)
        if judgements[certificate.ply].best != HALF + HALF * ((discs > 0) - (discs < 0)):
            raise AnalysisError("the certificate proves %(discs)s discs, and the analysis says otherwise", discs=discs)


class PlainReversi(PlainAnalyst, Certified):
    """Judges by moves, corners and the frontier."""

    unit = None
    name = "reversi, plain"
    parts = (
        "arbitre.games:search.py",
        "arbitre.games.reversi:analysis.py",
        "arbitre.games.reversi:certificates.py",
        "arbitre.games.reversi:engine.py",
        "arbitre.games.reversi:rules.py",
    )
    insight = Freedom
    scale = 90
    missing = MISSING
    longest = COUNTED + 2

    def exact(self, board: Board) -> tuple[Cell, int]:
        """Count the rest out by the rules."""
        return counted(self.game, board), count(self.game, board)


class DeepReversi(DeepAnalyst, Certified):
    """Judges by trained patterns."""

    unit = Reason("discs")
    name = "reversi, compiled"
    parts = (
        "arbitre.games:intrinsics.py",
        "arbitre.games.reversi:analysis.py",
        "arbitre.games.reversi:certificates.py",
        "arbitre.games.reversi:kernel.py",
        "arbitre.games.reversi:thought.py",
        "arbitre.games.reversi:weights.py",
        "arbitre.games.reversi:weights.xz",
        "arbitre.games.reversi:rules.py",
    )
    scale = 8 * 16
    grain = 16
    longest = LONGEST

    def look(self, state: Board, nodes: int, depth: int | None) -> Look:
        """Search; without a depth, count out the last cells if there are few."""
        from arbitre.games.reversi.thought import Thought  # noqa: PLC0415 - needs numpy, which is an extra

        thought = Thought(BUCKETS)
        end = next((cells for most, cells in ENDINGS if nodes < most), DEEPEST) if depth is None else 0
        (move, worth), *_ = thought.weigh(state, ENDLESS, positions=nodes, depth=depth or 60, end=end)
        kernel = thought.kernel
        return Look(move, worth, thought.depth, thought.solved != kernel.OPEN, thought.solved == kernel.COUNT)

    def exact(self, board: Board) -> tuple[Cell, int]:
        """Count the rest out with the kernel."""
        found = self.look(board, 10_000_000, None)
        return found.move, found.worth // 16


def analyst() -> type[Analyst]:
    """Return the better analyst that is here."""
    return DeepReversi if kernels.available() else PlainReversi
