"""The draughts kernel in both its lives: compiled, and as plain Python in which a bad index raises."""

from functools import partial
from typing import Any

import pytest

from arbitre.games.draughts.rules import Board
from tests.games import lives

plain, compiled = partial(lives.plain, "draughts"), partial(lives.compiled, "draughts")
LIVES = pytest.mark.parametrize("life", [compiled, plain])


def side(kernel: Any, board: Board) -> tuple[Any, Any, Any, int]:
    """Return a board as the kernel takes it."""
    own, foes, kings, seat = board.side
    return kernel.U(own), kernel.U(foes), kernel.U(kings), int(seat)


def steps(kernel: Any, board: Board) -> list[tuple[int, int, int]]:
    """Return the moves that the kernel lists."""
    memory = kernel.memory_for(1)
    number = kernel.listing(kernel.address(memory), kernel.MOVES, *side(kernel, board))
    entries = [kernel.MOVES + nth * kernel.ENTRY for nth in range(number)]
    return [(int(memory[at]), int(memory[at + 1]), int(memory[at + 2])) for at in entries]


def leaves(kernel: Any, board: Board, depth: int) -> int:
    """Return what the kernel counts."""
    counted: int = kernel.perft(kernel.address(kernel.memory_for(1)), kernel.MOVES, *side(kernel, board), depth)
    return counted
