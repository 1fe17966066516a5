"""The strong players of five in a row: a game adds which rule it plays by, and its levels."""

from abc import abstractmethod
from typing import Any, ClassVar

from arbitre.games import engine
from arbitre.games.engine import Budget, favourite
from arbitre.games.player import Position

OPENING, VARIETY = 4, 8
"""So many plies long, moves that fall short of the best by no more than this may be chosen, so that games differ."""
MOVES = 12
"""Among how many moves the time that is left is shared."""


class Deep(engine.Deep[Any]):
    """A player that thinks with the kernel of five in a row."""

    depth: ClassVar[int] = 60

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
        positions = self.allotted(position, MOVES, budget)
        found = self.thought.weigh(stones, budget, positions=positions, depth=self.depth, slack=slack)
        return self.cell(favourite(dict(found), self.random, slack))
