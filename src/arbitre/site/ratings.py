"""Ratings of a game: one number for everybody who met others in competitions and challenges, from all their games.

The games count in the order in which they were called, and the step is that of `tournament.rating`; so whatever ended first, the
same games give the same numbers. A game that was lost by a withdrawal before it began says nothing about strength and is left
out. Times are those of the records: milliseconds that a contestant thought, known where a clock ran.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction

from arbitre.errors import ArbitreError
from arbitre.games.labels import MARK, key_of
from arbitre.records.event import Kind
from arbitre.records.store import Store
from arbitre.referee.verdict import read_verdict
from arbitre.site.arena.matches import ArenaMatches
from arbitre.site.competitions.runner import WITHDREW
from arbitre.tournament.ledger import Entry
from arbitre.tournament.rating import FIRST_RATING, Ladder
from arbitre.tournament.schedule import Contestant, Fixture, result_of
from arbitre.values import value

MOST_POINTS = 400
"""Of one contestant's history; a longer one is thinned out."""

MOST_TIMED = 400
"""Games of which the times are looked at, the latest."""


@value
class Ranked:
    """One contestant of a ranking."""

    neutral: str
    rating: float
    games: int
    wins: int
    draws: int
    losses: int
    faults: int
    history: tuple[tuple[int, float], ...]
    """After which game of the ranking, from 1, which rating."""
    mean: int | None
    """Milliseconds to an answer, on the average."""


@value
class Ranking:
    """A ranking of one game, the first first."""

    game: str
    standings: tuple[Ranked, ...]
    met: dict[tuple[str, str], tuple[Fraction, int]]
    """What one made against another, and in how many games."""
    games: int


def ranking(store: Store, game: str) -> Ranking:
    """Return the ranking of a game, by its name or its label, from all that was played for it."""
    names: dict[str, Contestant] = {}
    ladder = Ladder({})
    letters: dict[str, Counter[str]] = defaultdict(Counter)
    faults: Counter[str] = Counter()
    history: dict[str, list[tuple[int, float]]] = defaultdict(list)
    met: dict[tuple[str, str], tuple[Fraction, int]] = {}
    timed: list[tuple[str, tuple[str, ...]]] = []
    count = 0
    for name, verdict, seated in ArenaMatches(store).rated(game, key_of(game)):
        found = read_verdict(verdict)
        if len(set(seated)) < 2 or found.scores is None or len(found.scores) != 2 or found.reason == WITHDREW:
            continue
        count += 1
        seats = tuple(names.setdefault(one, Contestant(len(names))) for one in seated)
        entry = Entry(Fixture(count, 1, 1, 1, (seats[0], seats[1]), 0), result_of(count, found))
        ladder = Ladder(ladder.hear(count, entry).standings, count + 1)
        timed.append((name, seated))
        for at, one in enumerate(seated):
            letters[one][entry.letter(seats[at])] += 1
            faults[one] += entry.result.broke(at)
            history[one].append((count, ladder.of(seats[at]).rating))
            pair = (one, seated[1 - at])
            points, games = met.get(pair, (Fraction(0), 0))
            met[pair] = (points + found.scores[at], games + 1)
    means = _means(store, timed[-MOST_TIMED:])
    made = [
        Ranked(
            one,
            ladder.of(which).rating,
            letters[one].total(),
            letters[one]["W"],
            letters[one]["D"],
            letters[one]["L"],
            faults[one],
            _thinned(history[one]),
            means.get(one),
        )
        for one, which in names.items()
    ]
    return Ranking(game, tuple(sorted(made, key=lambda one: (-one.rating, one.neutral))), met, count)


def rated_labels(store: Store) -> frozenset[str]:
    """Return the labels of the added games that somebody is rated in."""
    return frozenset(f"{MARK}{key}" for key in ArenaMatches(store).rated_keys())


def _thinned(points: Sequence[tuple[int, float]]) -> tuple[tuple[int, float], ...]:
    every = -(-len(points) // MOST_POINTS)
    return ((points[0][0] - 1, FIRST_RATING), *points[:-1:every], points[-1])


def _means(store: Store, games: Sequence[tuple[str, tuple[str, ...]]]) -> dict[str, int]:
    """Return the mean time to an answer of everybody who was timed."""
    spent: dict[str, list[int]] = defaultdict(list)
    for name, seated in games:
        try:
            for seat, taken in _times(store, name):
                if seat < len(seated):  # behind them sits the referee of an added game
                    spent[seated[seat]].append(taken)
        except (ArbitreError, IndexError):
            continue
    return {one: round(sum(times) / len(times)) for one, times in spent.items()}


def _times(store: Store, name: str) -> list[tuple[int, int]]:
    """Return seat and milliseconds of every answer of a match with a clock: match time is the players' own."""
    made: list[tuple[int, int]] = []
    turn, begun, latest = 0, 0, 0
    for event in store.events(name):
        if event.kind is Kind.SAID:
            if event.turn != turn:
                turn, begun = event.turn, latest
            made.append((event.seat, event.at - begun))
        latest = max(latest, event.at)
    return made if latest else []
