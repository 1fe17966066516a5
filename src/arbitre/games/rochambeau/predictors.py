"""Players of rock, paper, scissors who learn the other: an ensemble of predictors, each weighed by how it does (spec: arcade, 5).

Signs are 0, 1, 2, and each beats the one before it. A *thrower* says a sign and then sees what both showed; whoever plays any
game of three signs can use one. The ensemble foretells the other's next sign from several kinds of evidence:

* **contexts**: how often each sign followed the last few signs of the other, of ours, of both, lately and in the long run;
* **echoes**: what came after the last time when history looked like now, for both sides: the other may be looking there too;
* **habits**: each side's favourite and least used sign, and the signs of the rounds before.

Echoes and habits guess one sign each, and what counts is how the other's sign lies *relative* to the guess: who plays to beat
what we are expected to do is found out as quickly as who simply repeats himself. All evidence is mixed by a logistic regression
that learns on line, and a second mixer asks whether the other has seen through the first. Standard library alone.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cache
from math import comb, erfc, exp, log, sqrt
from operator import mul
from random import Random

Counts = list[float]
"""Three numbers, one for each sign."""

CONTEXTS = ((4, 0), (3, 0), (2, 0), (1, 0), (0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (1, 1), (2, 2), (3, 3))
"""How many of the other's and of our last signs a context looks at."""

FARTHEST = 4
"""How far back any context looks."""

ECHOES = (3, 20)
"""How far back an echo may reach at most."""

FAVOURITES = (1.0, 0.95)
"""How fast the favourite sign is forgotten."""

LAGS = 2
FORGET = 0.9
"""How fast the worth of a guess is forgotten."""

SEEN_THROUGH = (0.8, 0.95)
"""How fast we forget how the other answered our plans: two views of it."""

LATELY = 0.7
"""How fast a context forgets in its short memory."""

LONGEST = 30.0
"""How many rounds a context remembers in its long memory."""

DOUBT = 1.0
"""What is added to every count, so that nothing is thought impossible."""

FIRST_WEIGHT, FIRST_RATE = 0.1, 0.01
SECOND_RATE = 0.02

NEAR = 0.05
"""Signs that promise nearly as much as the best, by so much less, are as good as it."""


def wins(one: int, two: int) -> int:
    """Return 1 where sign `one` beats sign `two`, -1 where it loses, else 0."""
    return (0, 1, -1)[(one - two) % 3]


class Thrower(ABC):
    """Whoever throws signs against one other, round after round."""

    def __init__(self, random: Random) -> None:
        self.random = random

    @abstractmethod
    def throw(self) -> int:
        """Choose a sign for the next round."""

    @abstractmethod
    def see(self, mine: int, theirs: int) -> None:
        """See what both showed."""


class Uniform(Thrower):
    """Every sign as likely as the other: nobody wins against it, and it wins against nobody."""

    def throw(self) -> int:
        """Choose any sign."""
        return self.random.randrange(3)

    def see(self, mine: int, theirs: int) -> None:
        """Learn nothing."""


class Habit(Thrower):
    """A beginner: stays with what won, else often plays what would have won the last round."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self._next = -1

    def throw(self) -> int:
        """Follow a habit two times out of three."""
        return self._next if self._next >= 0 and self.random.random() < 2 / 3 else self.random.randrange(3)

    def see(self, mine: int, theirs: int) -> None:
        """Form a habit."""
        self._next = mine if wins(mine, theirs) > 0 else (theirs + 1) % 3


class Pattern(Thrower):
    """A better player: counts what followed a round like the last one, and expects it again."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self._counts: dict[tuple[int, int], Counts] = {}
        self._last = (-1, -1)

    def throw(self) -> int:
        """Beat what is expected, three times out of four."""
        counts = self._counts.get(self._last)
        if counts is None or self.random.random() < 1 / 4:
            return self.random.randrange(3)
        return (counts.index(max(counts)) + 1) % 3

    def see(self, mine: int, theirs: int) -> None:
        """Count."""
        counts = self._counts.setdefault(self._last, [0.0, 0.0, 0.0])
        for sign in range(3):
            counts[sign] *= 0.9
        counts[theirs] += 1
        self._last = (mine, theirs)


# ── the ensemble ───────────────────────────────────────────────────────────────────────────────────────────────────


class Mixer:
    """Mixes opinions about the next sign; the weights follow the gradient of the logarithmic loss.

    An opinion is two numbers: the logarithms of how much likelier signs 0 and 1 are than sign 2. No opinion is 0 and 0.
    """

    def __init__(self, weights: list[float], rate: float) -> None:
        self.weights = weights
        self.rate = rate
        self.odds: list[float] = [1 / 3, 1 / 3, 1 / 3]
        self._zeros: list[float] = []
        self._ones: list[float] = []

    def mix(self, zeros: list[float], ones: list[float]) -> list[float]:
        """Return the probability of each sign."""
        self._zeros, self._ones = zeros, ones
        z0, z1 = sum(map(mul, self.weights, zeros)), sum(map(mul, self.weights, ones))
        top = max(z0, z1, 0.0)
        e0, e1, e2 = exp(z0 - top), exp(z1 - top), exp(-top)
        total = e0 + e1 + e2
        self.odds = [e0 / total, e1 / total, e2 / total]
        return self.odds

    def learn(self, sign: int) -> None:
        """Move the weights towards those that would have foreseen this sign."""
        zero, one = self.rate * ((sign == 0) - self.odds[0]), self.rate * ((sign == 1) - self.odds[1])
        self.weights = [w + zero * a + one * b for w, a, b in zip(self.weights, self._zeros, self._ones, strict=True)]


class Ensemble(Thrower):
    """Foretells the other's next sign from everything above, and beats it; luck chooses where signs promise nearly the same.

    Without luck its signs would follow from the other's, and one list of signs that beats it once would beat it always.
    """

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self._theirs = bytearray()
        self._mine = bytearray()
        self._both = bytearray()
        self._tables: list[dict[bytes, Counts]] = [{} for _ in CONTEXTS]
        guesses = 6 * len(ECHOES) + 4 * len(FAVOURITES) + 2 * LAGS
        self._worth: list[Counts] = [[0.0, 0.0, 0.0] for _ in range(guesses)]
        self._favourites: list[list[Counts]] = [[[0.0, 0.0, 0.0] for _ in FAVOURITES] for _ in range(2)]
        self._first = Mixer([FIRST_WEIGHT] * (2 * len(CONTEXTS) + guesses), FIRST_RATE)
        self._second = Mixer([1.0, 0.0, 0.0], SECOND_RATE)
        self._seen_through: list[Counts] = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
        self._plan = 0
        self._touched: list[Counts] = []
        self._guesses: list[int] = []

    def throw(self) -> int:
        """Beat what is expected."""
        return self.random.choice(_good(self.foretell()))

    def foretell(self) -> list[float]:
        """Return how likely each of the other's signs is; to be called once a round."""
        zeros: list[float] = []
        ones: list[float] = []
        self._touched = self._contexts()
        for c0, c1, c2, s0, s1, s2 in self._touched:
            long, short = c2 + DOUBT, s2 + DOUBT
            zeros += (log((c0 + DOUBT) / long), log((s0 + DOUBT) / short))
            ones += (log((c1 + DOUBT) / long), log((s1 + DOUBT) / short))
        self._guesses = [*self._echoes(), *self._habits()]
        _opine(self._worth, self._guesses, zeros, ones)
        odds = self._first.mix(zeros, ones)
        self._plan = _best(odds)
        last = odds[2] + 1e-6
        zeros, ones = [log((odds[0] + 1e-6) / last)], [log((odds[1] + 1e-6) / last)]
        _opine(self._seen_through, [self._plan, self._plan], zeros, ones)
        return self._second.mix(zeros, ones)

    def see(self, mine: int, theirs: int) -> None:
        """Learn from a round."""
        self._first.learn(theirs)
        self._second.learn(theirs)
        for counts in self._touched:
            _remember(counts, theirs)
        for counts, guess in zip(self._worth, self._guesses, strict=True):
            if guess >= 0:
                _fade(counts, FORGET, (theirs - guess) % 3)
        for counts, keep in zip(self._seen_through, SEEN_THROUGH, strict=True):
            _fade(counts, keep, (theirs - self._plan) % 3)
        for views, sign in zip(self._favourites, (theirs, mine), strict=True):
            for counts, keep in zip(views, FAVOURITES, strict=True):
                _fade(counts, keep, sign)
        self._theirs.append(theirs)
        self._mine.append(mine)
        self._both.append(3 * theirs + mine)

    def _contexts(self) -> list[Counts]:
        """Return the counts of every context that we are in: three of the long memory, three of the short one."""
        theirs, mine = self._theirs[-FARTHEST:], self._mine[-FARTHEST:]
        length = len(theirs)
        found = []
        for (far, near), table in zip(CONTEXTS, self._tables, strict=True):
            key = bytes(theirs[max(length - far, 0) :] + mine[max(length - near, 0) :])
            counts = table.get(key)
            if counts is None:
                counts = table[key] = [0.0] * 6
            found.append(counts)
        return found

    def _echoes(self) -> Iterator[int]:
        """Guess what came after the last time when the end of a history was the same: their sign, and ours."""
        length = len(self._theirs)
        for history in (self._theirs, self._mine, self._both):
            for longest in ECHOES:
                after = _echo(history, longest) if length > 1 else -1
                yield self._theirs[after] if after >= 0 else -1
                yield self._mine[after] if after >= 0 else -1

    def _habits(self) -> Iterator[int]:
        """Guess favourites, what is due, and the last signs again."""
        length = len(self._theirs)
        for views in self._favourites:
            for counts in views:
                yield counts.index(max(counts)) if length else -1
                yield counts.index(min(counts)) if length else -1
        for lag in range(1, LAGS + 1):
            yield self._theirs[-lag] if length >= lag else -1
            yield self._mine[-lag] if length >= lag else -1


def _opine(worth: list[Counts], guesses: list[int], zeros: list[float], ones: list[float]) -> None:
    """Turn counts of where signs lay relative to a guess into opinions about the signs themselves."""
    for (c0, c1, c2), guess in zip(worth, guesses, strict=True):
        if guess == 0:
            zeros.append(log((c0 + DOUBT) / (c2 + DOUBT)))
            ones.append(log((c1 + DOUBT) / (c2 + DOUBT)))
        elif guess == 1:
            zeros.append(log((c2 + DOUBT) / (c1 + DOUBT)))
            ones.append(log((c0 + DOUBT) / (c1 + DOUBT)))
        elif guess == 2:
            zeros.append(log((c1 + DOUBT) / (c0 + DOUBT)))
            ones.append(log((c2 + DOUBT) / (c0 + DOUBT)))
        else:
            zeros.append(0.0)
            ones.append(0.0)


def _edges(odds: list[float]) -> list[float]:
    """Return what each sign is expected to score against these odds."""
    return [odds[2] - odds[1], odds[0] - odds[2], odds[1] - odds[0]]


def _best(odds: list[float]) -> int:
    """Return the sign that scores best against these odds."""
    edges = _edges(odds)
    return edges.index(max(edges))


def _good(odds: list[float]) -> list[int]:
    """Return the signs that score best against these odds, or nearly so."""
    edges = _edges(odds)
    least = max(edges) - NEAR
    return [sign for sign in range(3) if edges[sign] >= least]


def _echo(history: bytearray, longest: int) -> int:
    """Return where history went on after the longest end of it that was there before, or -1; found by halving."""
    length = len(history)
    low, high, after = 0, min(longest, length - 1), -1
    while low < high:
        middle = (low + high + 1) // 2
        at = history.rfind(history[length - middle :], 0, length - 1)
        if at < 0:
            high = middle - 1
        else:
            low, after = middle, at + middle
    return after


def _fade(counts: Counts, keep: float, sign: int) -> None:
    """Forget a little, and count a sign."""
    counts[0] *= keep
    counts[1] *= keep
    counts[2] *= keep
    counts[sign] += 1.0


def _remember(counts: Counts, sign: int) -> None:
    """Count a sign in the long memory, which is bounded, and in the short one."""
    counts[sign] += 1.0
    total = counts[0] + counts[1] + counts[2]
    if total > LONGEST:
        keep = LONGEST / total
        counts[0] *= keep
        counts[1] *= keep
        counts[2] *= keep
    counts[3] *= LATELY
    counts[4] *= LATELY
    counts[5] *= LATELY
    counts[3 + sign] += 1.0


# ── caution ────────────────────────────────────────────────────────────────────────────────────────────────────


COUNTED = 1_000
"""Of more tosses the bell curve stands for the count: the two agree to a thousandth of a percent there."""


@cache
def swing(mine: int, theirs: int, goal: int) -> float:
    """Return by how much the next point changes the chances in a race to a goal, between two whom luck alone decides."""
    return (chances(mine + 1, theirs, goal) - chances(mine, theirs + 1, goal)) / 2


@cache
def chances(mine: int, theirs: int, goal: int) -> float:
    """Return how likely the first wins a race to a goal from this score, where every point is a toss.

    If both went on to the last point there could be, the first would win it with as many tosses as are missing, or more.
    """
    if goal in (mine, theirs):
        return float(mine == goal)
    missing, tosses = goal - mine, 2 * goal - mine - theirs - 1
    if tosses > COUNTED:
        return erfc((2 * missing - 1 - tosses) / sqrt(2 * tosses)) / 2
    ways = term = comb(tosses, missing)
    for heads in range(missing, tosses):
        term = term * (tosses - heads) // (heads + 1)
        ways += term
    return ways / (1 << tosses)


class Guarded(Thrower):
    """Plays uniformly, and stakes on the ensemble's advice only what that advice has won in this race, and a first coin.

    The *purse* counts chances of winning the race. In a round advice is followed with a probability s, so small that the purse
    outlives the worst answer; then s times the worth of the point goes into the purse or out of it, as the advice was right or
    wrong, whether it was followed in fact or not. All else is uniform play, which changes nobody's chances. So the chances of
    winning are at every moment those of luck and what the purse has gained, and since it never loses more than its coin, **nobody
    wins more than half of the races and the coin**, whatever he knows of us but our luck.

    How much of the purse is staked follows the odds, as with a gambler who wants his purse to grow as fast as it can (Kelly).
    """

    def __init__(self, random: Random, coin: float, goal: int) -> None:
        super().__init__(random)
        self.ensemble = Ensemble(random)
        self.goal = goal
        self.purse = coin
        self.scores = (0, 0)
        self.advice = 0
        self.stake = 0.0
        """How likely the advice is followed in this round."""

    def throw(self) -> int:
        """Follow the advice, or nobody."""
        odds = self.ensemble.foretell()
        self.advice = _best(odds)
        won, lost = odds[(self.advice - 1) % 3], odds[(self.advice + 1) % 3]
        part = (won - lost) / (won + lost)
        self.stake = min(part * self.purse / swing(*self.scores, self.goal), 1.0)
        return self.advice if self.random.random() < self.stake else self.random.randrange(3)

    def see(self, mine: int, theirs: int) -> None:
        """Keep the books; a race that is over is followed by another one, with what is in the purse."""
        self.ensemble.see(mine, theirs)
        self.purse += self.stake * swing(*self.scores, self.goal) * wins(self.advice, theirs)
        result = wins(mine, theirs)
        scores = (self.scores[0] + (result > 0), self.scores[1] + (result < 0))
        self.scores = (0, 0) if self.goal in scores else scores
