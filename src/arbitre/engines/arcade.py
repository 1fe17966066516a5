"""The machine's hands at the arcade, one for each level (spec: arcade, sections 4 and 5).

Facile follows a beginner's habits, Normal counts patterns, Difficile is the whole ensemble. Nightmare is the ensemble with a
guard: whoever plays it, and whatever he knows of it, can expect to win no more than `STAKE` points in `RENEWED` rounds, and
everybody who is a little predictable loses.
"""

from collections.abc import Callable, Sequence
from random import Random

from arbitre.engines.predictors import Ensemble, Guarded, Habit, Pattern, Thrower
from arbitre.protocol.arcade_side import Throw
from arbitre.protocol.arcade_wire import Sign

STAKE = 3
"""Points that Nightmare risks on its own cleverness."""

RENEWED = 100
"""Rounds after which it may risk as much again; few matches are longer."""

LEAST = 0.1
"""What an advice must promise to be followed at Nightmare."""


def nightmare(random: Random) -> Thrower:
    """Return the strongest player that nobody can expect to exploit."""
    return Guarded(random, STAKE, RENEWED, LEAST)


THROWERS: dict[str, Callable[[Random], Thrower]] = {
    "Facile": Habit,
    "Normal": Pattern,
    "Difficile": Ensemble,
    "Nightmare": nightmare,
}


class Machine:
    """A thrower as a hand of the arcade."""

    def __init__(self, thrower: Thrower) -> None:
        self.thrower = thrower
        self._seen = 0

    def throw(self, past: Sequence[Throw]) -> Sign:
        """Choose the sign of the next round."""
        for mine, theirs in past[self._seen :]:
            self.thrower.see(mine - 1, theirs - 1)
        self._seen = len(past)
        return Sign(self.thrower.throw() + 1)


def hand_of(level: str, random: Random) -> Machine:
    """Return the machine's hand at a level."""
    return Machine(THROWERS[level](random))
