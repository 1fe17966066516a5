"""The kernel of five in a row in both its lives, and the games whose rules are its oracle."""

from functools import partial
from random import Random
from typing import Any

import pytest

from arbitre.games.bigtictactoe import rules as big
from arbitre.games.bigtictactoe.engine import Compiled as BigTicTacToePlayer
from arbitre.games.catalogue import game
from arbitre.games.five.engine import Deep
from arbitre.games.game import AnyGame, Outcome
from arbitre.games.pente import rules as pente
from arbitre.games.pente.engine import Compiled as PentePlayer
from arbitre.games.stones import chosen
from tests.games import lives

plain, compiled = partial(lives.plain, "five"), partial(lives.compiled, "five")
LIVES = pytest.mark.parametrize("life", [compiled, plain])

TABLES: dict[str, tuple[AnyGame, type[Deep], int]] = {
    "FIRST": (game("bigtictactoe", {"first": True}), BigTicTacToePlayer, big.SIDE),
    "MOST": (game("bigtictactoe", {}), BigTicTacToePlayer, big.SIDE),
    "PAIRED": (game("pente", {}), PentePlayer, pente.SIDE),
}
"""By the kernel's rule: the game, who plays it, and the side of the board."""
RULES = pytest.mark.parametrize("rule", TABLES)


class Laid:
    """A board of the kernel that moves are made on."""

    def __init__(self, kernel: Any, rule: str, state: Any) -> None:
        from arbitre.games.five.tables import tables_for  # noqa: PLC0415 - needs numpy
        from arbitre.games.five.thought import Thought  # noqa: PLC0415

        self.thought = Thought.__new__(Thought)
        self.thought.kernel, self.thought.rule = kernel, int(getattr(kernel, rule))
        self.thought.tables = tables_for(kernel, self.thought.rule)
        self.thought.memory = kernel.memory_for(1)
        self.kernel, self.memory = kernel, self.thought.memory
        _, player, self.side = TABLES[rule]
        self.thought.set_up(player.stones(state))
        self.given = kernel.address(self.memory), kernel.address(self.thought.tables)

    def at(self, cell: int) -> int:
        """Return the kernel's number of a cell."""
        row, column = divmod(cell, self.side)
        return int((row + self.kernel.EDGE) * self.kernel.STRIDE + column + self.kernel.EDGE)

    def put(self, cell: int, colour: int) -> int:
        """Make a move."""
        taken: int = self.kernel.put(*self.given, self.at(cell), colour)
        return taken

    def back(self, cell: int, colour: int, taken: int) -> None:
        """Take a move back."""
        self.kernel.back(*self.given, self.at(cell), colour, taken)

    def goals(self, colour: int) -> set[int]:
        """Return the cells where a stone wins at once."""
        kernel, memory = self.kernel, self.memory
        number = kernel.goals(self.given[0], colour, kernel.MOVES)
        return {int(memory[kernel.MOVES + nth * kernel.ENTRY]) for nth in range(number)}

    def state(self) -> list[int]:
        """Return everything that the kernel knows of the board."""
        kernel, memory = self.kernel, self.memory
        known: list[int] = [*memory[kernel.RULE : kernel.CAP].tolist(), *memory[kernel.PAIRS : kernel.MOVES].tolist()]
        return known


def course(rule: str, random: Random) -> list[tuple[Any, Any]]:
    """Return the states of a random game and the move made in each; stones lie near others, so that something happens."""
    table, _, side = TABLES[rule]
    state, found = table.start(), []
    while not isinstance(table.phase(state), Outcome):
        cells = list(table.legal(state))
        taken = {divmod(cell, side) for cell in occupied(rule, state)}
        near = [
            cell for cell in cells if any((cell // side + r, cell % side + c) in taken for r in (-1, 0, 1) for c in (-1, 0, 1))
        ]
        move = random.choice(near or cells)
        found.append((state, move))
        state = table.play(state, {state.mover: move})
    return [*found, (state, None)]


def occupied(rule: str, state: Any) -> list[int]:
    """Return the cells that are taken."""
    slots = pente.SLOTS if rule == "PAIRED" else big.SLOTS
    return list(chosen(slots, state.first | state.second))
