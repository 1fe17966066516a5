"""House players of TicTacToe: the last one is perfect."""

from functools import cache

from arbitre.games.game import FIRST, Outcome
from arbitre.games.search import Insight, Searcher
from arbitre.games.tictactoe.rules import LINES, Board, Cell, TicTacToe

RULES = TicTacToe()


@cache
def solved(board: Board) -> int:
    """Return what perfect play makes of a position for the side to move: 10 for a win, less the plies until then."""
    phase = RULES.phase(board)
    if isinstance(phase, Outcome):
        return 10 * (int(2 * phase.scores[board.mover]) - 1)
    worth = max(-solved(RULES.play(board, {board.mover: cell})) for cell in RULES.legal(board))
    return worth - (worth > 0) + (worth < 0)


class Lines(Insight[Board, Cell]):
    """Knows nothing but complete lines."""

    def worth(self, state: Board) -> int:  # noqa: ARG002 - what is not won may still be anything
        """Call every game even that is not over."""
        return 0


class Open(Lines):
    """Knows which lines can still be completed."""

    def worth(self, state: Board) -> int:
        """Count the lines that are open to the side to move, less those of the other."""
        own, foe = ("1", "2") if state.mover == FIRST else ("2", "1")
        lines = [{state.cells[cell - 1] for cell in line} for line in LINES]
        return sum((foe not in line) - (own not in line) for line in lines)


class Truth(Lines):
    """Knows all."""

    def worth(self, state: Board) -> int:
        """Tell what the position is worth, there are only 5,478."""
        return solved(state)


class Novice(Searcher):
    """Completes its own line, and likes cells where many lines are open to it; it does not see what the other is up to."""

    insight = Open
    depth = 1


class Amateur(Searcher):
    """Completes its own line or blocks the other's, but falls for a fork."""

    insight = Lines
    depth = 2


class Master(Searcher):
    """Never loses, and wins whatever can be won."""

    insight = Truth
    depth = 1


LEVELS = (Novice, Amateur, Master)
