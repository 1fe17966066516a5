"""Puzzles: one move alone keeps the result, and whoever counts every move out by the rules finds the same."""

from functools import cache
from random import Random
from typing import Any

import pytest

from arbitre.analysis.work import puzzled
from arbitre.games.analysis import Effort, Goal, Puzzle, analyst_class
from arbitre.games.bigtictactoe.rules import BigTicTacToe
from arbitre.games.catalogue import game
from arbitre.games.five.certificates import won
from arbitre.games.game import AnyGame, Outcome, Seat, playout
from arbitre.games.notation import notation_of
from arbitre.games.reversi.rules import Board, Reversi
from arbitre.games.riddles import counted
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


def test_of_tictactoe_every_move_is_counted_out() -> None:
    table, one = game("tictactoe"), puzzled(octets("tictactoe"))
    assert one is not None
    notation = notation_of(table)
    board = notation.read_state(one.position)
    results = {notation.write(cell): -counted(table, table.play(board, {board.mover: cell})) for cell in table.legal(board)}
    assert results == dict(one.results)
    assert [text for text, result in results.items() if result == max(results.values())] == [one.move]


STONES = (
    "1000200000000000000000000000000000000000001200000000000000002111000000000000000012000000000000000122",
    "000000000000000002000000000000000001",
)
FOURS = {
    "bigtictactoe": "0100000000000001101000001222100002112020000122211000201120200000021200000010212000002100210000000000 37",
    "pente": "".join(STONES).ljust(361, "0") + " 0 0 16",
}


@pytest.mark.parametrize("name", ["bigtictactoe", pytest.param("pente", marks=pytest.mark.campaign)])
def test_of_five_in_a_row_one_move_alone_wins_by_fours(name: str) -> None:
    """By the rules alone: the right four wins however the other replies, and after each other four some reply holds."""
    table = BigTicTacToe(first=True) if name == "bigtictactoe" else game(name)
    notation = notation_of(table)
    board = notation.read_state(FOURS[name])
    one = analyst_class(name)(table, Effort(1)).puzzle(board)
    assert one is not None
    assert (one.goal, one.within) == (Goal.FOURS, 4)
    for text, result in one.results:
        after = table.play(board, {board.mover: notation.read(text, board)})
        assert wins_next(table, after, board.mover), "no four"
        assert forced(table, after, board.mover, one.within - 1) == bool(result)
    assert [text for text, result in one.results if result] == [one.move]


def wins_next(table: AnyGame, state: Any, seat: Seat) -> list[Any]:
    """Return where a seat would win if it were its turn: it is, after a move of the other elsewhere."""
    cells = list(table.legal(state))
    far = next(cell for cell in cells if not won(table, table.play(state, {state.mover: cell}), state.mover))
    then = table.play(state, {state.mover: far})
    return [cell for cell in cells if cell != far and won(table, table.play(then, {seat: cell}), seat)]


def forced(table: AnyGame, state: Any, seat: Seat, moves: int) -> bool:
    """Tell whether a seat wins with its next moves, each but the last a four, after every reply: by the rules alone."""
    for reply in table.legal(state):
        then = table.play(state, {state.mover: reply})
        if won(table, then, state.mover):
            return False
        if any(won(table, table.play(then, {seat: cell}), seat) for cell in table.legal(then)):
            continue
        if moves <= 1:
            return False
        nexts = [table.play(then, {seat: cell}) for cell in table.legal(then)]
        fours = (after for after in nexts if not wins_at_once(table, after) and wins_next(table, after, seat))
        if not any(forced(table, after, seat, moves - 1) for after in fours):
            return False
    return True


def wins_at_once(table: AnyGame, state: Any) -> bool:
    return any(won(table, table.play(state, {state.mover: cell}), state.mover) for cell in table.legal(state))


def test_of_draughts_one_move_alone_wins_soon() -> None:
    table = game("draughts")
    notation = notation_of(table)
    board = notation.read_state("B:W44:B2,3,4,25,26,29,32 94")
    one = analyst_class("draughts")(table, Effort(1)).puzzle(board)
    assert one is not None
    assert (one.goal, one.within, one.move) == (Goal.SOON, 2, "29-34")
    for text, result in one.results:
        after = table.play(board, {board.mover: notation.read(text, board)})
        replies = [table.play(after, {after.mover: reply}) for reply in table.legal(after)]
        assert bool(result) == all(wins_at_once(table, then) for then in replies)


def test_a_game_without_one_gives_none() -> None:
    assert analyst_class("bigtictactoe")(game("bigtictactoe"), Effort(1)).puzzle(game("bigtictactoe").start()) is None
    assert analyst_class("pente")(game("pente"), Effort(1)).puzzle(game("pente").start()) is None
    assert analyst_class("draughts")(game("draughts"), Effort(1)).puzzle(game("draughts").start()) is None
    assert analyst_class("reversi")(game("reversi"), Effort(1)).puzzle(TABLE.start()) is None
