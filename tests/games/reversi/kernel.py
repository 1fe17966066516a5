"""The Reversi kernel in both its lives: compiled, and as plain Python in which a bad index raises."""

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import pytest

from arbitre.games.reversi.rules import LOW, PASS, Board, Cell, Reversi
from tests.games import lives

RULES = Reversi()


plain, compiled = partial(lives.plain, "reversi"), partial(lives.compiled, "reversi")
LIVES = pytest.mark.parametrize("life", [compiled, plain])


def discs(kernel: Any, board: Board) -> tuple[Any, Any]:
    """Return a board as the kernel takes it."""
    return kernel.U(board.own & LOW), kernel.U(board.against & LOW)


def after(board: Board, cell: Cell) -> Board:
    """Return the board after a move."""
    return RULES.play(board, {board.mover: cell})


def course(random: Random) -> Iterator[Board]:
    """Yield the boards of a random game, the last one included."""
    board = RULES.start()
    while not board.stuck:
        yield board
        board = after(board, random.choice(list(RULES.legal(board))))
    yield board


def empties(board: Board) -> int:
    """Return how many cells are empty."""
    return 64 - (board.own & LOW).bit_count() - (board.against & LOW).bit_count()


def late(random: Random, empty: int) -> Board:
    """Return a board of a random game with so many empty cells, and with moves."""
    while True:
        for board in course(random):
            if empties(board) == empty and board.moves:
                return board


def counted(board: Board) -> int:
    """Return by how many discs the side to move wins, by the rules alone."""
    if board.stuck:
        return (board.own & LOW).bit_count() - (board.against & LOW).bit_count()
    moves = list(RULES.legal(board)) if board.moves else [PASS]
    return max(-counted(after(board, move)) for move in moves)
