"""The strong players of five in a row: a game adds which rule it plays by, and its levels."""

from abc import abstractmethod
from random import Random
from time import perf_counter
from typing import Any, ClassVar

from arbitre.games.engine import Budget, Clock, Engine, favourite
from arbitre.games.player import Position

OPENING, VARIETY = 4, 8
"""So many plies long, moves that fall short of the best by no more than this may be chosen, so that games differ."""
ENDLESS = 1 << 62
MOVES = 12
"""Among how many moves the time that is left is shared."""


class Deep(Engine[Any]):
    """A player that thinks with the kernel: a level says how far it looks."""

    positions: ClassVar[int]
    depth: ClassVar[int] = 60
    buckets: ClassVar[int] = 1 << 12
    """How many pairs of positions it remembers."""
    tireless: ClassVar[bool] = False
    """Whether it thinks as long as the clock lets it, where one runs."""

    def __init__(self, random: Random | None = None, clock: Clock = perf_counter) -> None:
        super().__init__(random, clock)
        self.thought: Any = None
        self.left: int | None = None
        """What the clock showed at the last move."""

    @staticmethod
    def prepare() -> None:
        """Compile what is not compiled yet, before a clock runs."""
        from arbitre.games.five.thought import prepare  # noqa: PLC0415 - needs numpy, which is an extra

        prepare()

    @staticmethod
    @abstractmethod
    def rule(game: Any) -> str:
        """Return the name of the kernel's rule by which a game is played."""

    @staticmethod
    @abstractmethod
    def stones(board: Any) -> Any:
        """Return a position as the kernel's thought takes it."""

    @staticmethod
    @abstractmethod
    def cell(number: int) -> Any:
        """Return the move that a number stands for."""

    def choose(self, position: Position, budget: Budget) -> Any:
        """Search; in the opening take any of the moves that are nearly as good as the best."""
        from arbitre.games.five.thought import Thought  # noqa: PLC0415

        if self.thought is None:
            self.thought = Thought(self.rule(position.game), self.buckets)
        stones = self.stones(position.view)
        slack = VARIETY if stones.turn <= OPENING else 0
        positions = self.positions
        if self.tireless and position.left is not None:
            positions = ENDLESS
            self._allot(position.left, budget)
        found = self.thought.weigh(stones, budget, positions=positions, depth=self.depth, slack=slack)
        return self.cell(favourite(dict(found), self.random, slack))

    def stop(self) -> None:
        """Let the search end."""
        if self.thought is not None:
            self.thought.stop()

    def _allot(self, left: int, budget: Budget) -> None:
        """Take a share of the time that is left, unless it is given anew for each move."""
        if self.left is None or left < self.left:
            budget.narrow(left / 1000 / MOVES)
        self.left = left
