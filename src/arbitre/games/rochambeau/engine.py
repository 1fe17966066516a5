"""House players of Rochambeau: they remember the rounds of the match and predict what the others will show.

Against someone who throws dice nothing helps and nothing hurts. Against anyone else a *hunch* does: it finds the last time when
the rounds before were like the last rounds now, and expects the same to follow. A hunch may be turned around: what would the
other expect of me, and what would he show then? The best player has many hunches and follows the one that would have won most of
late, or throws dice when none would have.
"""

from collections.abc import Sequence
from itertools import product
from random import Random
from time import perf_counter

from arbitre.games.engine import Budget, Clock, Engine
from arbitre.games.game import Seat
from arbitre.games.player import Position
from arbitre.games.rochambeau.rules import Rochambeau, Sign, Standing, scores

Round = tuple[Sign | None, ...]
"""What every seat showed."""

PAST = 200
"""Rounds that are remembered."""
CROWD = 8
"""In a larger crowd only so many of the others are watched."""
FADES = 0.9
"""What a success is worth one round later."""


def expected(past: Sequence[Round], whom: Seat, also: Seat | None, length: int) -> Sign | None:
    """Expect of `whom` what followed the last time when he, and `also`, had shown the same for `length` rounds; None if never."""
    if also is None:
        shown: list[object] = [one[whom] for one in past]
    else:
        shown = [(one[whom], one[also]) for one in past]
    now = shown[len(shown) - length :]
    for at in range(len(shown) - 1, length - 1, -1):
        if shown[at - length : at] == now:
            return past[at][whom]
    return None


class Watcher(Engine[Sign]):
    """Remembers rounds; what it makes of them is a matter of its level."""

    def __init__(self, random: Random | None = None, clock: Clock = perf_counter) -> None:
        super().__init__(random, clock)
        self.past: list[Round] = []
        self.heard = 0

    def choose(self, position: Position, budget: Budget) -> Sign:
        """Take down the last round if it is new, and show a sign."""
        standing: Standing = position.view
        if standing.played > self.heard and standing.shown:
            self.heard = standing.played
            self.learn(standing.shown, position)
            self.past = [*self.past[1 - PAST :], standing.shown]
        sign = self.guess(position, budget)
        if sign is None:
            sign = Sign(self.random.randrange(signs(position)))
        return sign

    def learn(self, shown: Round, position: Position) -> None:
        """Take a round to heart that is not yet in the past."""

    def guess(self, position: Position, budget: Budget) -> Sign | None:
        """Return the sign to show, None for any."""
        raise NotImplementedError

    def others(self, position: Position) -> list[Seat]:
        """Return whom to watch."""
        return [seat for seat in sorted(position.view.inside) if seat != position.seat][:CROWD]


def signs(position: Position) -> int:
    """Return how many signs there are."""
    game = position.game
    assert isinstance(game, Rochambeau)  # noqa: S101 - an engine plays its own game
    return game.states


def reply(shown: Sequence[Sign], states: int) -> Sign | None:
    """Return a sign that does best against some others, None against none: the one before a sign beats it."""
    worths = {Sign((sign - 1) % states): 0 for sign in shown}
    for mine in worths:
        worths[mine] = scores((mine, *shown))[0]
    return max(worths, key=lambda sign: worths[sign], default=None)


class Novice(Watcher):
    """Keeps a sign that did not lose; else shows what would have won, mostly."""

    def guess(self, position: Position, budget: Budget) -> Sign | None:  # noqa: ARG002 - it does not think long
        """Repeat or reply to the last round."""
        if not self.past or self.random.randrange(4) == 0:
            return None
        last = self.past[-1]
        mine = last[position.seat]
        theirs = [sign for seat in self.others(position) if (sign := last[seat]) is not None]
        if mine is None or scores((mine, *theirs))[0] < 0:
            return reply(theirs, signs(position))
        return mine


class Amateur(Watcher):
    """Expects that after two equal signs the same follows as the last time."""

    def guess(self, position: Position, budget: Budget) -> Sign | None:  # noqa: ARG002 - it does not think long
        """Reply to what is expected."""
        foreseen = [expected(self.past, seat, position.seat, 1) for seat in self.others(position)]
        return reply([sign for sign in foreseen if sign is not None], signs(position))


Hunch = tuple[int, bool, bool]
"""How many rounds must be alike, whether both players' signs or one's, and whether it is turned around."""

HUNCHES: tuple[Hunch, ...] = tuple(product((0, 1, 2, 3, 5), (True, False), (True, False)))


class Master(Watcher):
    """Follows the hunch that would have won most of late."""

    def __init__(self, random: Random | None = None, clock: Clock = perf_counter) -> None:
        super().__init__(random, clock)
        self.success: dict[Hunch, float] = dict.fromkeys(HUNCHES, 0.0)
        self.said: dict[Hunch, Sign | None] = {}

    def learn(self, shown: Round, position: Position) -> None:
        """See which hunches would have won."""
        theirs = [sign for seat, sign in enumerate(shown) if seat != position.seat and sign is not None]
        for hunch, sign in self.said.items():
            score = 0 if sign is None else scores((sign, *theirs))[0]
            self.success[hunch] = FADES * self.success[hunch] + (score > 0) - (score < 0)

    def guess(self, position: Position, budget: Budget) -> Sign | None:
        """Follow the best hunch, if it is better than none."""
        others = self.others(position)
        self.said = {}
        for hunch in HUNCHES:
            if budget.spent:
                break
            self.said[hunch] = self.hunch(hunch, others, position)
        best = max(self.said, key=lambda hunch: self.success[hunch], default=None)
        return self.said[best] if best is not None and self.success[best] > 0 else None

    def hunch(self, hunch: Hunch, others: Sequence[Seat], position: Position) -> Sign | None:
        """Return the sign that a hunch would show."""
        length, both, turned = hunch
        states = signs(position)
        foreseen = []
        for seat in others:
            whom, also = (position.seat, seat) if turned else (seat, position.seat)
            sign = expected(self.past, whom, also if both else None, length)
            if sign is not None:
                foreseen.append(Sign((sign - 1) % states) if turned else sign)
        return reply(foreseen, states)


LEVELS = (Novice, Amateur, Master)
