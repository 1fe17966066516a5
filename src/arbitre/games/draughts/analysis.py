"""Draughts judged: by a compiled search with small endings solved; without the extra `engines` in plain Python."""

from arbitre.games import kernels
from arbitre.games.analysis import ENDLESS, Analyst, DeepAnalyst, Goal, Look, OpenAnalyst, PlainAnalyst, Puzzle, Weighed
from arbitre.games.draughts.engine import MAN, MISSING, Men
from arbitre.games.draughts.rules import Board, Draughts
from arbitre.games.riddles import Soon, TooManyError, riddle
from arbitre.reasons import Reason

BUCKETS = 1 << 15
SURE = 1_000
"""Within so much of a victory, one is certain."""


WITHIN = (2, 3)
"""Moves within which a puzzle is won, the fewest first."""
MOST = 4_000
"""Positions that are gone through for a puzzle."""


class Riddles(OpenAnalyst):
    """Makes puzzles of victories that are near."""

    puzzles = True

    def puzzle(self, state: Board) -> Puzzle | None:
        """Return the puzzle that a board is: one move alone wins within so many, and not at once."""
        for within in WITHIN:
            try:
                results = Soon(self.game, MOST).results(state, within)
            except TooManyError:
                return None
            if any(results.values()):
                return riddle(self.notation, state, results, Goal.SOON, within)
        return None


class PlainDraughts(PlainAnalyst, Riddles):
    """Judges by men, kings and where they stand."""

    unit = Reason("men")
    name = "draughts, plain"
    parts = (
        "arbitre.games:search.py",
        "arbitre.games.draughts:analysis.py",
        "arbitre.games.draughts:engine.py",
        "arbitre.games.draughts:moves.py",
        "arbitre.games.draughts:rules.py",
    )
    insight = Men
    scale = 3 * MAN // 2
    grain = MAN
    missing = MISSING


class DeepDraughts(DeepAnalyst, Riddles):
    """Judges with the kernel."""

    unit = Reason("men")
    name = "draughts, compiled"
    parts = (
        "arbitre.games:intrinsics.py",
        "arbitre.games.draughts:analysis.py",
        "arbitre.games.draughts:engine.py",
        "arbitre.games.draughts:kernel.py",
        "arbitre.games.draughts:moves.py",
        "arbitre.games.draughts:rules.py",
        "arbitre.games.draughts:thought.py",
    )
    scale = 3 * MAN // 2
    grain = MAN

    def weigh(self, state: Board, nodes: int) -> Weighed:
        """Search; in plain Python where there are more captures than the kernel has room for, which no game comes to."""
        if self._found(state, 1, 1):
            return super().weigh(state, nodes)
        return PlainDraughts(self.game, self.effort).weigh(state, min(nodes, PlainDraughts.usual))

    def look(self, state: Board, nodes: int, depth: int | None) -> Look:
        """Search with an empty memory."""
        found = self._found(state, nodes, depth or 99)
        if found is None:
            raise AssertionError("the first look found moves")
        return found

    def _found(self, state: Board, nodes: int, depth: int) -> Look | None:
        from arbitre.games.draughts.thought import Thought  # noqa: PLC0415 - needs numpy, which is an extra

        thought = Thought(BUCKETS)
        plies = self.game.plies if isinstance(self.game, Draughts) else 100
        listed = thought.weigh(state, plies, ENDLESS, positions=nodes, depth=depth)
        if not listed:
            return None
        move, worth = listed[0]
        return Look(move, worth, thought.depth, abs(worth) >= thought.kernel.WON - SURE)


def analyst() -> type[Analyst]:
    """Return the better analyst that is here."""
    return DeepDraughts if kernels.available() else PlainDraughts
