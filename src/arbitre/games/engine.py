"""What all house engines share: a budget of time, and a move said in text.

An engine is measured by depth, positions or samples, never by seconds: without a clock its move is a function of what it has
seen and of its `Random`, so a tournament of engines can be played again to the same result. Where a clock runs, the budget of a
move is a part of the time that is left, and an engine whose budget is spent says the best it has found so far.
"""

from abc import abstractmethod
from collections.abc import Callable
from random import Random
from threading import Thread
from time import perf_counter
from typing import Any, ClassVar, Generic, TypeVar

from arbitre.games.player import Bot, Position

M = TypeVar("M")

Clock = Callable[[], float]

SHARE = 0.25
"""How much of the time that is left one move may take: whether more time comes after the move is not known."""
MARGIN = 0.02
"""Seconds that are never planned with: the way to the referee, and the work between two looks at the clock."""


class Budget:
    """The time for one move; without a clock it is never spent."""

    def __init__(self, left: int | None, clock: Clock = perf_counter) -> None:
        self.clock = clock
        self.begun = 0.0 if left is None else clock()
        self.until = None if left is None else self.begun + max(0.0, SHARE * left / 1000 - MARGIN)

    def narrow(self, seconds: float) -> None:
        """Take no more than so many seconds, where a clock runs."""
        if self.until is not None:
            self.until = min(self.until, self.begun + max(0.0, seconds))

    @property
    def spent(self) -> bool:
        """Whether it is time to answer."""
        return self.until is not None and self.clock() >= self.until


LOOK = 0.004
"""Seconds between two looks at the clock."""


def watched(search: Callable[[], object], budget: Budget, stop: Callable[[], None]) -> None:
    """Search in another thread until it is done or the budget is spent; `stop` ends a search that goes on."""
    thread = Thread(target=search, daemon=True)
    thread.start()
    try:
        thread.join(LOOK)
        while thread.is_alive() and not budget.spent:
            thread.join(LOOK)
    finally:
        stop()
        thread.join()


class Engine(Bot, Generic[M]):
    """A house player: chooses a move as a value of the rules."""

    def __init__(self, random: Random | None = None, clock: Clock = perf_counter) -> None:
        super().__init__(random)
        self.clock = clock

    def move(self, position: Position) -> str:
        """Say the chosen move."""
        return position.notation.write(self.choose(position, Budget(position.left, self.clock)))

    @abstractmethod
    def choose(self, position: Position, budget: Budget) -> M:
        """Choose a legal move, as soon as may be when the budget is spent."""


ENDLESS = 1 << 62
"""Positions that nobody ever looks at."""


class Deep(Engine[M]):
    """A player that thinks with a compiled kernel: a level says how far it looks."""

    positions: ClassVar[int]
    buckets: ClassVar[int] = 1 << 12
    """How many pairs of positions it remembers."""
    tireless: ClassVar[bool] = False
    """Whether it thinks as long as the clock lets it, where one runs."""

    thought: Any = None
    """The game's call of the kernel."""
    left: int | None = None
    """What the clock showed at the last move."""

    def allotted(self, position: Position, moves: int, budget: Budget) -> int:
        """Return how many positions it may look at.

        Where a clock runs, a tireless one shares the time that is left among the moves to come, unless the clock has shown that
        time is given anew for each.
        """
        if not self.tireless or position.left is None:
            return self.positions
        if self.left is None or position.left < self.left:
            budget.narrow(position.left / 1000 / moves)
        self.left = position.left
        return ENDLESS

    def stop(self) -> None:
        """Let the search end."""
        if self.thought is not None:
            self.thought.stop()


def favourite(worths: dict[M, Any], random: Random, slack: float = 0) -> M:
    """Return one of the moves of the highest worth, or of those that fall short of it by `slack` at most."""
    top = max(worths.values())
    return random.choice([move for move, worth in worths.items() if worth >= top - slack])
