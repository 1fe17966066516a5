"""Knockout: who loses a tie is out; the last one left has won.

The bracket is the usual one: the seeds are placed so that the first two can only meet in the final, the first four only in the
semi-finals, and so on. Where the field is no power of two the first seeds have a bye in the first round.

A tie is `games` games. If both have the same points it is replayed, two more games with either colour at a time, at most
`replays` times, and then a lot drawn from the tournament's seed decides. All replays of a round are played when the round itself
is finished, as a round of their own. A lot also decides who begins a tie; further games alternate.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain

from arbitre.reasons import Reason
from arbitre.tournament.lots import lot
from arbitre.tournament.schedule import Contestant, Draft, Field, Format, Pairing, RoundPlayed, at_least, not_endless
from arbitre.values import value

REPLAY_GAMES = 2

FINAL = Reason("final")
TITLES = {1: FINAL, 2: Reason("semi-finals"), 4: Reason("quarter-finals")}


@value
class Tie:
    """Two who fight for one place in the next round, the higher place of the bracket first."""

    one: Contestant
    other: Contestant
    points: tuple[Fraction, Fraction] | None = None
    """None before any of it is played."""
    winner: Contestant | None = None
    by_lot: bool = False

    @property
    def loser(self) -> Contestant | None:
        """Who is out, when that is decided."""
        return None if self.winner is None else self.other if self.winner == self.one else self.one


@value
class BracketRound:
    """One round of the bracket."""

    title: Reason
    ties: tuple[Tie, ...]
    byes: tuple[Contestant, ...] = ()


@value
class Bracket:
    """How far a knockout has come, and what comes next."""

    stages: tuple[BracketRound, ...]
    due: Draft | None
    """The next round, none when all is decided."""


@value
class Knockout(Format):
    """Who loses is out."""

    name = "knockout"
    order = ("stage",)

    games: int = 2
    replays: int = 2
    third: bool = False
    """Whether the losers of the semi-finals play for the third place, alongside the final."""

    def __post_init__(self) -> None:
        at_least(1, self.games, "games")
        at_least(0, self.replays, "replays", 100)

    def check(self, field: Field) -> None:
        """Accept any field that does not play for ever."""
        not_endless(field.size * (self.games + REPLAY_GAMES * self.replays))

    def drafts(self, field: Field, past: tuple[RoundPlayed, ...]) -> tuple[Draft, ...]:
        """Return the next round of the bracket, or the replays of the last one."""
        due = self.bracket(field, past).due
        return () if due is None else (due,)

    def bracket(self, field: Field, past: tuple[RoundPlayed, ...]) -> Bracket:
        """Return the bracket after these rounds."""
        rounds = iter(past)
        stages: list[BracketRound] = []
        places = list(places_of(field))
        while len(places) > 1:
            ties, byes = _paired(places)
            losers = _losers(stages[-1]) if self.third and len(places) == 2 and stages else ()
            if len(losers) == 2:
                ties.append(Tie(*losers))
            title = TITLES.get(len(places) // 2, Reason("round of %(n)s", n=len(places)))
            fight = _Fight(self, field, len(stages), ties)
            due = fight.go(rounds)
            stages.append(BracketRound(title, fight.judged(), byes))
            if due is not None:
                replay, pairings = due
                named = Reason("%(title)s, replay %(n)s", title=title, n=replay) if replay else title
                return Bracket(tuple(stages), Draft(named, pairings, () if replay else byes))
            through = {tie.one: tie.winner for tie in stages[-1].ties}
            places = [one if one is None else through.get(one, one) for one, _ in _two(places)]
        return Bracket(tuple(stages), None)


class _Fight:
    """The ties of one stage while the finished rounds are gone through."""

    def __init__(self, knockout: Knockout, field: Field, stage: int, ties: list[Tie]) -> None:
        self.knockout = knockout
        self.field = field
        self.stage = stage
        self.ties = ties
        self.points = {tie.one: (Fraction(0), Fraction(0)) for tie in ties}
        self.level = ties
        """Those that are not decided."""
        self.played = 0

    def go(self, rounds: Iterator[RoundPlayed]) -> tuple[int, tuple[Pairing, ...]] | None:
        """Take the rounds of this stage; return the one that is missing, and which replay it is, if one is."""
        start = self.stage * ((self.knockout.games + REPLAY_GAMES * self.knockout.replays + 1) // 2)
        for replay in range(self.knockout.replays + 1):
            games = REPLAY_GAMES if replay else self.knockout.games
            played = next(rounds, None)
            if played is None:
                pairings = tuple(Pairing(*self._seats(tie), games, start, self.played) for tie in self.level)
                return replay, pairings
            for tie, (pairing, first, second) in zip(self.level, played.tables(), strict=True):
                mine, theirs = (first, second) if pairing.first == tie.one else (second, first)
                before = self.points[tie.one]
                self.points[tie.one] = (before[0] + mine, before[1] + theirs)
            self.played += games
            self.level = [tie for tie in self.level if self.points[tie.one][0] == self.points[tie.one][1]]
            if not self.level:
                return None
        self.level = []
        return None

    def judged(self) -> tuple[Tie, ...]:
        """Return the ties with their points and, where it is decided, the winner."""
        return tuple(map(self._judged, self.ties))

    def _judged(self, tie: Tie) -> Tie:
        one, other = self.points[tie.one]
        if tie in self.level:
            return Tie(tie.one, tie.other, (one, other) if self.played else None)
        if one != other:
            return Tie(tie.one, tie.other, (one, other), tie.one if one > other else tie.other)
        drawn = (tie.one, tie.other)[self._lot("tie", tie)]
        return Tie(tie.one, tie.other, (one, other), drawn, by_lot=True)

    def _seats(self, tie: Tie) -> tuple[Contestant, Contestant]:
        return (tie.other, tie.one) if self._lot("first seat", tie) else (tie.one, tie.other)

    def _lot(self, what: str, tie: Tie) -> int:
        return lot(self.field.seed, f"{what}/{self.stage}/{tie.one}/{tie.other}", 2)


def seed_order(size: int) -> tuple[int, ...]:
    """Return the seeds, from 0, in the places of a bracket of `size`, a power of two: each round's pairs have the same sum."""
    order = [0]
    while len(order) < size:
        double = 2 * len(order)
        order = list(chain.from_iterable((seed, double - 1 - seed) for seed in order))
    return tuple(order)


def places_of(field: Field) -> tuple[Contestant | None, ...]:
    """Return who stands where in the first round; None: nobody, so the neighbour has a bye."""
    seeds = field.ranking
    size = 1 << (field.size - 1).bit_length()
    return tuple(seeds[seed] if seed < field.size else None for seed in seed_order(size))


def _two(places: list[Contestant | None]) -> Iterator[tuple[Contestant | None, Contestant | None]]:
    return zip(places[::2], places[1::2], strict=True)


def _paired(places: list[Contestant | None]) -> tuple[list[Tie], tuple[Contestant, ...]]:
    ties, byes = [], []
    for one, other in _two(places):
        if one is not None and other is not None:
            ties.append(Tie(one, other))
        else:
            byes += [each for each in (one, other) if each is not None]
    return ties, tuple(byes)


def _losers(stage: BracketRound) -> tuple[Contestant, ...]:
    return tuple(loser for tie in stage.ties if (loser := tie.loser) is not None)
