"""The strong engines of five in a row: their kernel beside the same search in C.

Positions searched per CPU second from positions of random games, by each of the three rules. The C program
(`bench/peers/five_search.c`) is the kernel's algorithm line by line with the same tables, compiled with `cc -O3 -march=native`;
it must see as many positions and come to the same worth. Of seven rounds in turns the best of each counts.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from arbitre.games import kernels
from arbitre.games.bigtictactoe.engine import Compiled as BigTicTacToePlayer
from arbitre.games.catalogue import game
from arbitre.games.five.tables import tables_for
from arbitre.games.five.thought import Stones, Thought
from arbitre.games.pente.engine import Compiled as PentePlayer
from bench.table import Row, best_of_both, compiled, in_c, rate

SECONDS = 0.4
BUCKETS = 1 << 16
TABLES: tuple[tuple[str, str, Any, Any, int], ...] = (
    ("BigTicTacToe, the first five", "FIRST", game("bigtictactoe", {"first": True}), BigTicTacToePlayer, 7),
    ("BigTicTacToe, the most fives", "MOST", game("bigtictactoe", {}), BigTicTacToePlayer, 6),
    ("Pente", "PAIRED", game("pente", {}), PentePlayer, 6),
)
"""A name, the kernel's rule, the game, who plays it, and how deep it is searched."""
PLIES = 12
"""How many plies are played at random, near the centre, before the search."""


def measure() -> Iterator[Row]:
    """Measure positions searched."""
    kernel = kernels.load("five")
    with TemporaryDirectory() as folder:
        program, data = compiled(Path(folder), "five_search"), Path(folder) / "tables"
        if program is None:
            return
        for name, rule, table, player, depth in TABLES:
            data.write_bytes(tables_for(kernel, getattr(kernel, rule)).tobytes())
            stones = player.stones(_state(table))
            found: list[tuple[int, int]] = []
            told = _told(kernel, stones)
            given = (SECONDS, getattr(kernel, rule), stones.side, stones.turn, stones.mover + 1, depth, BUCKETS, data, told)
            work = partial(_searched, rule, stones, depth, found)
            ours, theirs = best_of_both(partial(rate, work, SECONDS), partial(in_c, program, given, found))
            yield Row(f"positions searched, {name}", ours, "C", theirs, aim=0.8)


def _state(table: Any) -> Any:
    """Return a position after some random moves near the centre, in which nobody has captured."""
    random = Random(7)
    state = table.start()
    side = 19 if table.name == "pente" else 10
    for _ in range(PLIES):
        near = [cell for cell in table.legal(state) if abs(cell // side - side // 2) < 4 and abs(cell % side - side // 2) < 4]
        state = table.play(state, {state.mover: random.choice(near)})
    return state


def _told(kernel: Any, stones: Stones) -> str:
    """Return stones as the C program takes them."""

    def at(cell: int) -> int:
        row, column = divmod(cell, stones.side)
        return int((row + kernel.EDGE) * kernel.STRIDE + column + kernel.EDGE)

    listed = [(at(cell), 1) for cell in stones.first] + [(at(cell), 2) for cell in stones.second]
    return ",".join(f"{cell}:{colour}" for cell, colour in listed)


def _searched(rule: str, stones: Stones, depth: int, found: list[tuple[int, int]]) -> int:
    """Search once; return how many positions that were."""
    thought = Thought(rule, BUCKETS)
    kernel, memory = thought.kernel, thought.memory
    memory[kernel.LIMIT] = 1 << 62
    thought.set_up(stones)
    kernel.think(kernel.address(memory), kernel.address(thought.tables), stones.mover + 1, depth, 0)
    found.append((thought.positions, int(memory[kernel.MOVES + 1]) - 2 * kernel.WON))
    return found[-1][0]
