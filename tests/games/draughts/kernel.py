"""The draughts kernel in both its lives: compiled, and as plain Python in which a bad index raises."""

from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

import arbitre.games.kernels
from arbitre.games.draughts.rules import Board

SOURCE = Path(arbitre.games.kernels.__file__).parent / "draughts" / "kernel.py"


@cache
def plain() -> Any:
    """Return the kernel as plain Python."""
    pytest.importorskip("numpy")
    spec = spec_from_file_location("tests.plain_draughts_kernel", SOURCE)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARBITRE_PLAIN", "1")
        spec.loader.exec_module(module)
    assert module.PLAIN
    return module


def compiled() -> Any:
    """Return the kernel as numba makes it."""
    pytest.importorskip("numba")
    return arbitre.games.kernels.load("draughts")


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
