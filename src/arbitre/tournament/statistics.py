"""What results say about strength: Elo difference with error bars, and the likelihood of superiority.

Elo is the logistic scale on which 400 points are odds of ten to one: a player D points stronger is expected to score
1 / (1 + 10^(-D/400)) a game, draws counting half.

A `Sample` holds scores in units: single games, or colour-reversed pairs of games. Units are taken as independent, games within
a pair are not. With single games this is the usual trinomial estimate from wins, draws and losses, with pairs the pentanomial
one.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction

from arbitre.values import value

Z95 = 1.959963984540054
"""95 % of a normal distribution lie within so many standard deviations."""

SCALE = 400 / math.log(10)
"""Elo points of one unit of log-odds."""


def expected(elo: float) -> float:
    """Return the score to be expected of a player who is so many points stronger."""
    if elo < 0:
        return 1 - expected(-elo)
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float:
    """Return the difference at which this score is to be expected; infinite for 0 and 1."""
    if score <= 0:
        return -math.inf
    return math.inf if score >= 1 else SCALE * math.log(score / (1 - score))


@value
class Sample:
    """Scores of one side: so many units (`count`) of so many games (`span`) in which it made so many points (`total`)."""

    units: tuple[tuple[int, Fraction, int], ...]

    @property
    def games(self) -> int:
        """How many games there are."""
        return sum(span * count for span, _, count in self.units)

    @property
    def mean(self) -> float:
        """The score a game."""
        return float(sum(total * count for _, total, count in self.units) / self.games)

    def deviation(self, about: float) -> float:
        """Return the standard error of the mean, if the true score a game is `about`."""
        squares = sum(count * (float(total) - span * about) ** 2 for span, total, count in self.units)
        return math.sqrt(squares) / self.games

    def reversed(self) -> "Sample":
        """Return the same games from the other side."""
        return Sample(tuple(sorted((span, span - total, count) for span, total, count in self.units)))


def sample(units: Iterable[Sequence[Fraction]]) -> Sample:
    """Return the sample of these units, each the scores of its games."""
    counts = Counter((len(unit), sum(unit, Fraction(0))) for unit in units if unit)
    return Sample(tuple(sorted((span, total, count) for (span, total), count in counts.items())))


@value
class Estimate:
    """An Elo difference with its 95 % interval; the ends may be infinite."""

    elo: float
    low: float
    high: float
    games: int

    @property
    def margin(self) -> float:
        """Half the width of the interval, for `elo ± margin`."""
        return (self.high - self.low) / 2


def difference(scores: Sample) -> Estimate | None:
    """Return by how much this side is stronger; None without games.

    The interval is the normal one on the scale of scores. Where all units are alike the spread cannot be measured; then the bound
    is the least likely share of other results that would still be missed by so many units once in forty times.
    """
    games = scores.games
    if not games:
        return None
    mean = scores.mean
    error = scores.deviation(mean)
    if error > 0:
        low, high = mean - Z95 * error, mean + Z95 * error
    else:
        unseen = 1 - 0.025 ** (1 / sum(count for _, _, count in scores.units))
        low, high = mean - unseen * mean, mean + unseen * (1 - mean)
    return Estimate(elo_of(mean), elo_of(low), elo_of(high), games)


def superiority(scores: Sample) -> float:
    """Return the likelihood that this side is the stronger one: ½ without evidence.

    The score is measured against the spread that equals would show; for single games that is the usual
    Φ((wins - losses) / √(wins + losses)).
    """
    if not scores.games:
        return 0.5
    error = scores.deviation(0.5)
    return normal((scores.mean - 0.5) / error) if error else 0.5


def normal(x: float) -> float:
    """Return the distribution function of the standard normal law."""
    return 0.5 * math.erfc(-x / math.sqrt(2))
