"""The sequential test: stop as soon as the games say which of two claims holds, and know how often that is wrong.

The claims are "the first contestant is `elo0` points stronger than the others" and "… `elo1` points". After each unit (a
colour-reversed pair of games where there are pairs, else one game) the log-likelihood ratio of the two is computed, each claim
taken at its best: the distribution of unit scores with the claimed mean that makes the results most likely (the generalised
sequential probability ratio test). At or above ln((1-β)/α) the second claim is accepted, at or below ln(β/(1-α)) the first. α
bounds how often the first is wrongly given up, β the second.

Units are taken in the order of their numbers, whatever finished first, and the test stops at the first unit that decides. What
was played beyond counts for nothing, so the verdict does not depend on how many games ran side by side.
"""

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum
from fractions import Fraction

from arbitre.errors import TournamentError
from arbitre.tournament.ledger import Unit, unit_scores, units
from arbitre.tournament.schedule import Contestant, Fixture, Results
from arbitre.tournament.statistics import expected
from arbitre.values import value

UNSEEN = 1e-3
"""Counted for each unit score that never occurred, so that no claim is impossible."""


class Decision(StrEnum):
    """What a sequential test says."""

    CONTINUE = "continue"
    """Not yet decided."""
    FIRST = "elo0"
    """The first claim is accepted."""
    SECOND = "elo1"
    """The second claim is accepted."""


@value
class Sprt:
    """The claims, and how often each may be given up wrongly."""

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not (-2000 <= self.elo0 < self.elo1 <= 2000):
            raise TournamentError(
                "elo0 must be less than elo1, both within ±2000, not %(elo0)s and %(elo1)s", elo0=self.elo0, elo1=self.elo1
            )
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise TournamentError(
                "alpha and beta lie between 0 and 0.5, not %(alpha)s and %(beta)s", alpha=self.alpha, beta=self.beta
            )

    @property
    def lower(self) -> float:
        """At or below this ratio the first claim is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """At or above this ratio the second claim is accepted."""
        return math.log((1 - self.beta) / self.alpha)

    def ratio(self, singles: Mapping[Fraction, int], pairs: Mapping[Fraction, int]) -> float:
        """Return the log-likelihood ratio; unit scores are points, 0 to 1 of singles and 0 to 2 of pairs."""
        s0, s1 = expected(self.elo0), expected(self.elo1)
        return _ratio(singles, 1, s0, s1) + _ratio(pairs, 2, s0, s1)

    def decide(self, ratio: float) -> Decision:
        """Return what this ratio means."""
        if ratio >= self.upper:
            return Decision.SECOND
        return Decision.FIRST if ratio <= self.lower else Decision.CONTINUE


def _ratio(counts: Mapping[Fraction, int], span: int, s0: float, s1: float) -> float:
    if not counts:
        return 0.0
    full = {Fraction(halves, 2): 0 for halves in range(2 * span + 1)} | dict(counts)
    scores = [float(score) / span for score in full]
    weights = [count or UNSEEN for count in full.values()]
    tilt0, tilt1 = _tilt(scores, weights, s0), _tilt(scores, weights, s1)
    return sum(
        weight * (math.log1p(tilt0 * (score - s0)) - math.log1p(tilt1 * (score - s1)))
        for score, weight in zip(scores, weights, strict=True)
    )


def _tilt(scores: Sequence[float], weights: Sequence[float], mean: float) -> float:
    """Return t with Σ w(a-s)/(1+t(a-s)) = 0: then w/(1+t(a-s)) is the likeliest law with mean s.

    The sum falls from +∞ to -∞ within the interval where all denominators are positive; halving finds the root, Newton's steps
    hasten it.
    """
    low, high = -1 / (max(scores) - mean), 1 / (mean - min(scores))
    tilt = 0.0
    for _ in range(200):
        value = slope = 0.0
        for score, weight in zip(scores, weights, strict=True):
            term = (score - mean) / (1 + tilt * (score - mean))
            value += weight * term
            slope -= weight * term * term
        if value > 0:
            low = tilt
        else:
            high = tilt
        step = tilt - value / slope
        step = step if low < step < high else (low + high) / 2
        if abs(step - tilt) <= 1e-13 * (1 + abs(tilt)):
            return step
        tilt = step
    return tilt


@value
class SprtState:
    """A sequential test on its way through the units of a tournament; `advance` gives the next value."""

    sprt: Sprt
    contestant: Contestant
    units: tuple[Unit, ...]
    heard: int = 0
    """How many units are judged."""
    singles: tuple[tuple[Fraction, int], ...] = ()
    pairs: tuple[tuple[Fraction, int], ...] = ()
    ratio: float = 0.0
    decision: Decision = Decision.CONTINUE

    @property
    def decided(self) -> bool:
        """Whether the test has stopped."""
        return self.decision is not Decision.CONTINUE

    @property
    def judged(self) -> frozenset[int]:
        """The numbers of the games on which the ratio rests."""
        return frozenset(fixture.number for unit in self.units[: self.heard] for fixture in unit)

    def advance(self, results: Results) -> "SprtState":
        """Return the test after all units that are finished, up to the first that is not or to the decision."""
        counts: tuple[dict[Fraction, int], ...] = ({}, dict(self.singles), dict(self.pairs))
        heard, ratio, decision = self.heard, self.ratio, self.decision
        while decision is Decision.CONTINUE and heard < len(self.units):
            scores = tuple(unit_scores(self.units[heard], results, self.contestant))
            if len(scores) < len(self.units[heard]):
                break
            total = sum(scores, Fraction(0))
            kind = counts[len(scores)]
            kind[total] = kind.get(total, 0) + 1
            heard += 1
            ratio = self.sprt.ratio(counts[1], counts[2])
            decision = self.sprt.decide(ratio)
        singles, pairs = tuple(sorted(counts[1].items())), tuple(sorted(counts[2].items()))
        return SprtState(self.sprt, self.contestant, self.units, heard, singles, pairs, ratio, decision)


def trial(sprt: Sprt, contestant: Contestant, fixtures: Sequence[Fixture]) -> SprtState:
    """Return the test of a contestant against everybody it meets, before any result."""
    return SprtState(sprt, contestant, units(fixtures, contestant))
