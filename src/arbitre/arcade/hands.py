"""The machine's hands at the arcade, one for each level (spec: arcade, sections 4 and 5).

Facile follows a beginner's habits, Normal counts patterns. Difficile and Nightmare are the ensemble with a guard: whoever plays
them, and whatever he knows of them, wins at most half of the matches and the coin that they risk; whoever is predictable loses.
"""

from collections.abc import Callable, Sequence
from random import Random

from arbitre.arcade.side import Throw
from arbitre.arcade.terms import GOAL
from arbitre.arcade.wire import Sign
from arbitre.games.rochambeau.predictors import Guarded, Habit, Pattern, Thrower

DIFFICILE_COIN, NIGHTMARE_COIN = 0.1, 0.005
"""What each risks on its cleverness before that has won anything: one match in ten, one in two hundred."""


def difficile(random: Random) -> Thrower:
    """Return a player who takes a risk to find you out."""
    return Guarded(random, DIFFICILE_COIN, GOAL)


def nightmare(random: Random) -> Thrower:
    """Return the strongest player that nobody can expect to beat."""
    return Guarded(random, NIGHTMARE_COIN, GOAL)


THROWERS: dict[str, Callable[[Random], Thrower]] = {
    "Facile": Habit,
    "Normal": Pattern,
    "Difficile": difficile,
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
