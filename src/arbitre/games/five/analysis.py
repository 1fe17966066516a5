"""Five in a row judged with the kernel: a game adds which rule it plays by and how its positions are read."""

from abc import abstractmethod
from typing import Any

from arbitre.games.analysis import ENDLESS, DeepAnalyst, Look

BUCKETS = 1 << 15
PARTS = (
    "arbitre.games:intrinsics.py",
    "arbitre.games.five:analysis.py",
    "arbitre.games.five:kernel.py",
    "arbitre.games.five:tables.py",
    "arbitre.games.five:thought.py",
)
"""What the figures of every game of five in a row follow from."""


class FiveAnalyst(DeepAnalyst):
    """Judges rows, and captures where there are any."""

    scale = 60
    usual = 50_000

    @abstractmethod
    def read(self, state: Any) -> tuple[str, Any]:
        """Return the name of the kernel's rule, and a position as the kernel's thought takes it."""

    @abstractmethod
    def cell(self, number: int) -> Any:
        """Return the move that a number stands for."""

    def look(self, state: Any, nodes: int, depth: int | None) -> Look:
        """Search with an empty memory."""
        from arbitre.games.five.thought import Thought  # noqa: PLC0415 - needs numpy, which is an extra

        rule, stones = self.read(state)
        thought = Thought(rule, BUCKETS)
        (number, worth), *_ = thought.weigh(stones, ENDLESS, positions=nodes, depth=depth or 60)
        sure = thought.solved or abs(worth) >= thought.kernel.SURE
        return Look(self.cell(number), thought.kernel.SURE if thought.solved else worth, thought.depth, sure)
