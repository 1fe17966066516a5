"""TicTacToe judged: all of it is known."""

from arbitre.games.analysis import HALF, OpenAnalyst, Puzzle, Weighed
from arbitre.games.riddles import counted, riddle
from arbitre.games.tictactoe.engine import solved
from arbitre.games.tictactoe.rules import Board

MOST = 7
"""Empty cells of a puzzle: with more, whoever knows the first two moves knows the answer."""


class TicTacToeAnalyst(OpenAnalyst):
    """Knows what perfect play makes of every position."""

    name = "tictactoe, solved"
    parts = ("arbitre.games.tictactoe:analysis.py", "arbitre.games.tictactoe:engine.py", "arbitre.games.tictactoe:rules.py")
    usual = 1
    puzzles = True

    def puzzle(self, state: Board) -> Puzzle | None:
        """Return the puzzle that a board is: every move counted out, and one alone keeps the best result."""
        if state.cells.count("0") > MOST:
            return None
        moves = {cell: self.game.play(state, {state.mover: cell}) for cell in self.game.legal(state)}
        return riddle(self.notation, state, {cell: -counted(self.game, after) for cell, after in moves.items()})

    def weigh(self, state: Board, nodes: int) -> Weighed:  # noqa: ARG002 - there is nothing to look for
        """Tell the truth."""
        worths = {cell: -solved(self.game.play(state, {state.mover: cell})) for cell in self.game.legal(state)}
        move = max(worths, key=lambda cell: worths[cell])
        won = (worths[move] > 0) - (worths[move] < 0)
        return Weighed(state.mover, HALF + HALF * won, None, move, solved=True)
