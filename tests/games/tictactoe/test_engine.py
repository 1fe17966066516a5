"""The best TicTacToe player of the house makes no mistake, whatever is played against it."""

from random import Random

import pytest

from arbitre.games.game import FIRST, SECOND, Outcome, Seat
from arbitre.games.tictactoe.engine import Master, solved
from arbitre.games.tictactoe.rules import Board, TicTacToe
from tests.games.arena import ask

GAME = TicTacToe()


@pytest.mark.parametrize("seat", [FIRST, SECOND])
def test_no_line_of_play_beats_the_master(seat: Seat) -> None:
    bot = Master(Random(1))
    seen: set[Board] = set()

    def visit(board: Board) -> None:
        phase = GAME.phase(board)
        if isinstance(phase, Outcome):
            assert phase.scores[seat] > 0
        elif board not in seen:
            seen.add(board)
            cells = [ask(GAME, bot, board, seat)] if board.mover == seat else GAME.legal(board)
            for cell in cells:
                visit(GAME.play(board, {board.mover: cell}))

    visit(GAME.start())


def test_the_master_wins_what_can_be_won() -> None:
    """From every position, with any luck: what perfect play makes of it, and never less."""
    for cells in ("100020000", "120000000", "102010002", "100000002", "121020010"):
        board = Board(cells)
        after = {ask(GAME, Master(Random(luck)), board, board.mover) for luck in range(6)}
        for cell in after:
            assert max(-1, min(1, -solved(GAME.play(board, {board.mover: cell})))) == max(-1, min(1, solved(board)))
