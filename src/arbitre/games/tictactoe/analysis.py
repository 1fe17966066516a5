"""TicTacToe judged: all of it is known."""

from arbitre.games.analysis import HALF, OpenAnalyst, Weighed
from arbitre.games.tictactoe.engine import solved
from arbitre.games.tictactoe.rules import Board


class TicTacToeAnalyst(OpenAnalyst):
    """Knows what perfect play makes of every position."""

    name = "tictactoe, solved"
    parts = ("arbitre.games.tictactoe:analysis.py", "arbitre.games.tictactoe:engine.py", "arbitre.games.tictactoe:rules.py")
    usual = 1

    def weigh(self, state: Board, nodes: int) -> Weighed:  # noqa: ARG002 - there is nothing to look for
        """Tell the truth."""
        worths = {cell: -solved(self.game.play(state, {state.mover: cell})) for cell in self.game.legal(state)}
        move = max(worths, key=lambda cell: worths[cell])
        won = (worths[move] > 0) - (worths[move] < 0)
        return Weighed(state.mover, HALF + HALF * won, None, move, solved=True)
