"""House players of TicTacToe: the last one is perfect."""

from functools import cache

from arbitre.games.game import Outcome
from arbitre.games.search import Insight, Searcher
from arbitre.games.tictactoe.rules import Board, Cell, TicTacToe

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


class Truth(Lines):
    """Knows all."""

    def worth(self, state: Board) -> int:
        """Tell what the position is worth, there are only 5,478."""
        return solved(state)


class Novice(Searcher):
    """Completes its own line, and sees nothing else."""

    insight = Lines
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
