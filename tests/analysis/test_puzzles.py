"""Puzzles: one move alone keeps the result, and whoever counts every move out by the rules finds the same."""

from functools import cache
from random import Random

from arbitre.analysis.work import puzzled
from arbitre.games.analysis import Effort, Puzzle, analyst_class
from arbitre.games.catalogue import game
from arbitre.games.game import Outcome, playout
from arbitre.games.notation import notation_of
from arbitre.games.reversi.rules import Board, Reversi
from tests.analysis.games import octets

TABLE = Reversi()


def truth(board: Board) -> int:
    """Return 1, 0 or -1 for the side to move with best play: without any bounds, by the rules alone."""
    phase = TABLE.phase(board)
    if isinstance(phase, Outcome):
        return int(2 * phase.scores[board.mover]) - 1
    return max(-truth(TABLE.play(board, {board.mover: cell})) for cell in TABLE.legal(board))


@cache
def found() -> Puzzle:
    """Return a puzzle of a random game that has one, of few empty cells: the truth is slow."""
    analyst = analyst_class("reversi")(TABLE, Effort(1))
    for seed in range(200):
        for step in playout(TABLE, Random(seed)):
            empty = 64 - (step.before.black | step.before.white).bit_count()
            if empty == 5 and (one := analyst.puzzle(step.before)) is not None:
                return one
    raise AssertionError("two hundred games without a puzzle")


def test_one_move_alone_keeps_the_result() -> None:
    one = found()
    notation = notation_of(TABLE)
    board = notation.read_state(one.position)
    results = {notation.write(cell): -truth(TABLE.play(board, {board.mover: cell})) for cell in TABLE.legal(board)}
    assert results == dict(one.results)
    best = max(results.values())
    assert [text for text, result in results.items() if result == best] == [one.move]
    assert len(results) >= 3


def test_a_game_without_one_gives_none() -> None:
    assert puzzled(octets("tictactoe")) is None
    assert analyst_class("reversi")(game("reversi"), Effort(1)).puzzle(TABLE.start()) is None
