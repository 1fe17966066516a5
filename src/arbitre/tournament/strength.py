"""The strength of a whole field at once: the ratings that make the results most likely.

The model is Bradley and Terry's: i beats j with odds exp(θᵢ - θⱼ), a draw being half a win for either. To keep ratings finite
where somebody won or lost everything, each contestant is also given one drawn game against a contestant of average strength.
With it the likelihood has one summit, and Newton's steps find it; the curvature there gives the errors.

Ratings are shown on the Elo scale, with 0 the mean of the field, and errors are those of the distance from that mean. Draws are
less scattered than the model believes, so where games are often drawn the errors are on the safe side.
"""

import math
from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from operator import mul

from arbitre.tournament.ledger import Entry
from arbitre.tournament.schedule import Contestant
from arbitre.tournament.statistics import SCALE, Z95, normal
from arbitre.values import value

PRIOR = 1.0
"""Drawn games against the average that each contestant is given."""

Matrix = list[list[float]]


@value
class Rating:
    """A contestant's distance from the mean of the field in Elo, and half the width of its 95 % interval."""

    contestant: Contestant
    elo: float
    error: float
    games: int


@value
class Meeting:
    """All games of two contestants: how many, and the score of the first."""

    one: int
    other: int
    games: int
    score: float


@value
class Strengths:
    """The ratings of a field by contestant, and what is needed to compare two of them."""

    ratings: tuple[Rating, ...]
    root: Matrix
    """Of the curvature at the summit, see `cholesky`."""

    def superiority(self, one: Contestant, other: Contestant) -> float:
        """Return the likelihood that one contestant is stronger than another, from all games of the field."""
        apart = [0.0] * len(self.ratings)
        apart[one], apart[other] = 1.0, -1.0
        across = solve(self.root, apart)
        error = math.sqrt(max(across[one] - across[other], 1e-30))
        return normal((self.ratings[one].elo - self.ratings[other].elo) / SCALE / error)


def strengths(size: int, entries: Iterable[Entry]) -> Strengths:
    """Return the rating of each of `size` contestants."""
    met: dict[tuple[Contestant, Contestant], list[Fraction]] = defaultdict(list)
    for entry in entries:
        low, high = sorted(entry.fixture.seats)
        met[low, high].append(entry.share(low))
    meetings = [Meeting(one, other, len(shares), float(sum(shares))) for (one, other), shares in sorted(met.items())]
    theta = summit(size, meetings)
    root = cholesky(_curvature(theta, meetings))
    errors = spread(root)
    middle = math.fsum(theta) / size
    games = [0] * size
    for meeting in meetings:
        games[meeting.one] += meeting.games
        games[meeting.other] += meeting.games
    ratings = (Rating(Contestant(at), SCALE * (theta[at] - middle), SCALE * Z95 * errors[at], games[at]) for at in range(size))
    return Strengths(tuple(ratings), root)


def summit(size: int, meetings: list[Meeting]) -> list[float]:
    """Return the likeliest strengths, in log-odds."""
    theta = [0.0] * size
    height = _likelihood(theta, meetings)
    for _ in range(200):
        slope = _slope(theta, meetings)
        step = solve(cholesky(_curvature(theta, meetings)), slope)
        length = 1.0
        while True:
            tried = [at + length * by for at, by in zip(theta, step, strict=True)]
            reached = _likelihood(tried, meetings)
            if reached >= height or length < 1e-6:
                break
            length /= 2
        theta, height = tried, reached
        if max(map(abs, step)) < 1e-9:
            break
    return theta


def _odds(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else 1 - 1 / (1 + math.exp(x))


def _log_odds(x: float) -> float:
    return -math.log1p(math.exp(-x)) if x >= 0 else x - math.log1p(math.exp(x))


def _likelihood(theta: list[float], meetings: list[Meeting]) -> float:
    played = (
        meeting.score * _log_odds(theta[meeting.one] - theta[meeting.other])
        + (meeting.games - meeting.score) * _log_odds(theta[meeting.other] - theta[meeting.one])
        for meeting in meetings
    )
    return math.fsum(played) + PRIOR / 2 * math.fsum(_log_odds(at) + _log_odds(-at) for at in theta)


def _slope(theta: list[float], meetings: list[Meeting]) -> list[float]:
    slope = [PRIOR * (0.5 - _odds(at)) for at in theta]
    for meeting in meetings:
        excess = meeting.score - meeting.games * _odds(theta[meeting.one] - theta[meeting.other])
        slope[meeting.one] += excess
        slope[meeting.other] -= excess
    return slope


def _curvature(theta: list[float], meetings: list[Meeting]) -> Matrix:
    """Return minus the second derivatives of the likelihood: positive definite, thanks to the prior."""
    size = len(theta)
    bend: Matrix = [[0.0] * size for _ in range(size)]
    for at, x in enumerate(theta):
        bend[at][at] = PRIOR * _odds(x) * _odds(-x)
    for meeting in meetings:
        one, other = meeting.one, meeting.other
        x = theta[one] - theta[other]
        weight = meeting.games * _odds(x) * _odds(-x)
        bend[one][one] += weight
        bend[other][other] += weight
        bend[one][other] -= weight
        bend[other][one] -= weight
    return bend


def spread(root: Matrix) -> list[float]:
    """Return the standard error of each strength about the mean of all, from the root of the curvature."""
    size = len(root)
    sums = solve(root, [1.0] * size)
    all_of_it = math.fsum(sums)
    return [
        math.sqrt(max(0.0, own - 2 * row / size + all_of_it / size**2))
        for own, row in zip(_inverse_diagonal(root), sums, strict=True)
    ]


# ── symmetric positive matrices ────────────────────────────────────────────────────────────────────────────────────


def cholesky(matrix: Matrix) -> Matrix:
    """Return the lower triangle L, row by row, with L·Lᵀ the matrix."""
    rows: Matrix = []
    for at, given in enumerate(matrix):
        row: list[float] = []
        for before in range(at):
            other = rows[before]
            row.append((given[before] - sum(map(mul, row, other))) / other[before])
        row.append(math.sqrt(given[at] - sum(map(mul, row, row))))
        rows.append(row)
    return rows


def solve(root: Matrix, right: list[float]) -> list[float]:
    """Return x with L·Lᵀ·x = right."""
    half: list[float] = []
    for row, wanted in zip(root, right, strict=True):
        half.append((wanted - sum(map(mul, row, half))) / row[-1])
    size = len(root)
    x = [0.0] * size
    for at in range(size - 1, -1, -1):
        x[at] = half[at] / root[at][at]
        for below, factor in enumerate(root[at][:at]):
            half[below] -= factor * x[at]
    return x


def _inverse_diagonal(root: Matrix) -> list[float]:
    """Return the diagonal of the inverse of L·Lᵀ: the squared columns of the inverse of L."""
    size = len(root)
    diagonal = []
    for at in range(size):
        column = [1 / root[at][at]]
        for below in range(at + 1, size):
            row = root[below]
            column.append(-sum(map(mul, row[at:below], column)) / row[below])
        diagonal.append(sum(map(mul, column, column)))
    return diagonal
