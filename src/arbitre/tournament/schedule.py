"""Who plays whom, when: a pure function of the format, the field and the results of finished rounds.

A tournament is a sequence of *rounds*. A round is a set of *pairings*, a pairing is one or more *games*, and each game is one
`Fixture` with a number that it keeps for ever: the match's identifier and seed come from it. Fixtures are numbered from 1 in the
order of rounds, tables and games, which is the order of their creation.

Results come in any order. A format sees only rounds that are finished to the last game, with their results in the order of the
fixtures; so what it drafts next cannot depend on which game happened to end first, and a tournament that was interrupted goes on
as it would have gone on.

Colours and start positions follow one rule in all formats. The games of two contestants alternate the seats, and the two games of
such a colour-reversed pair begin from the same position; then comes the next position, round after round, and after the last the
first again.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import ClassVar, Literal, NewType, TypeAlias

from arbitre.crypto.chain import derive
from arbitre.errors import TournamentError, shorten
from arbitre.reasons import Reason
from arbitre.referee.verdict import Termination, Verdict
from arbitre.tournament.faults import FAULTS
from arbitre.tournament.lots import shuffled
from arbitre.values import value

Contestant = NewType("Contestant", int)
"""Who takes part, counted from 0 in the order of the plan."""

MOST_CONTESTANTS = 2_000
MOST_FIXTURES = 2_000_000
"""A schedule is a list in memory; a plan beyond this is a mistake in a number."""


@value
class Field:
    """Everybody who takes part, and what their meetings are drawn from."""

    names: tuple[str, ...]
    seed: bytes
    starts: int = 1
    """How many start positions there are; the usual one is one of them, or the only one."""
    seeding: Literal["listed", "lot"] = "listed"
    """Whether the plan's order is the seeding, or lots are drawn for it."""

    def __post_init__(self) -> None:
        if not 2 <= len(self.names) <= MOST_CONTESTANTS:
            raise TournamentError(
                "a tournament has 2 to %(most_contestants)s contestants, not %(names)s",
                most_contestants=MOST_CONTESTANTS,
                names=len(self.names),
            )
        if len(set(self.names)) != len(self.names):
            twice = next(name for name in self.names if self.names.count(name) > 1)
            raise TournamentError("two contestants are called %(twice)r", twice=shorten(twice))
        if self.starts < 1:
            raise TournamentError("a tournament has at least one start position, not %(starts)s", starts=self.starts)

    @property
    def size(self) -> int:
        """How many take part."""
        return len(self.names)

    @property
    def contestants(self) -> tuple[Contestant, ...]:
        """Everybody, in the order of the plan."""
        return tuple(Contestant(index) for index in range(self.size))

    @property
    def ranking(self) -> tuple[Contestant, ...]:
        """Everybody, the first seed first."""
        return self.contestants if self.seeding == "listed" else shuffled(self.seed, "seeding", self.contestants)


@value
class Pairing:
    """Two who meet in a round, `first` on the first seat whenever the number of their earlier games is even."""

    first: Contestant
    second: Contestant
    games: int = 1
    start: int = 0
    """The number of the start position of their very first game; it may go past the last position, and then wraps around."""
    before: int = 0
    """How many games of this meeting were played in earlier rounds."""


@value
class Draft:
    """A round as the format wants it."""

    title: Reason
    pairings: tuple[Pairing, ...]
    byes: tuple[Contestant, ...] = ()
    """Who has nobody to play in this round."""


@value
class Fixture:
    """One game: who sits where, and from which position it begins."""

    number: int
    round: int
    table: int
    game: int
    """From 1 within the pairing."""
    seats: tuple[Contestant, Contestant]
    start: int


@value
class Round:
    """A draft with its fixtures, `number` from 1."""

    number: int
    draft: Draft
    fixtures: tuple[Fixture, ...]


@value
class Result:
    """How the match of one fixture ended; no scores where it was abandoned and is to be played again."""

    number: int
    scores: tuple[Fraction, ...] | None
    termination: Termination = Termination.RULES
    reason: Reason | None = None

    def broke(self, seat: int) -> bool:
        """Tell whether whoever sat there lost it by a fault."""
        return self.termination in FAULTS and self.scores is not None and self.scores[seat] == 0

    def works(self, seat: int) -> bool | None:
        """Tell whether it shows that a program on this seat works; None: who won so may not have said a word."""
        return True if self.termination is Termination.RULES else False if self.broke(seat) else None


Results: TypeAlias = Mapping[int, Result]
"""What is known so far, by the number of the fixture."""


def result_of(number: int, verdict: Verdict) -> Result:
    """Return the result that follows from the referee's verdict; what an external referee refused is an illegal move as well."""
    refused = verdict.termination is Termination.REFUSED
    return Result(number, verdict.scores, Termination.ILLEGAL_MOVE if refused else verdict.termination, verdict.reason)


@value
class RoundPlayed:
    """A round that is finished, with the scores of each of its fixtures by seat."""

    round: Round
    scores: tuple[tuple[Fraction, ...], ...]

    def tables(self) -> Iterator[tuple[Pairing, Fraction, Fraction]]:
        """Return each pairing with the points that its first and its second contestant made in this round."""
        points: dict[tuple[int, Contestant], Fraction] = {}
        for fixture, scores in zip(self.round.fixtures, self.scores, strict=True):
            for contestant, score in zip(fixture.seats, scores, strict=True):
                key = (fixture.table, contestant)
                points[key] = points.get(key, Fraction(0)) + score
        for table, pairing in enumerate(self.round.draft.pairings, start=1):
            yield pairing, points[table, pairing.first], points[table, pairing.second]


class Format(ABC):
    """The way a tournament is held; the fields of the value are its options."""

    __slots__ = ()

    name: ClassVar[str]
    """As the plan writes it."""
    games: int
    """How many games a pairing has."""
    order: ClassVar[tuple[str, ...]]
    """What the standings are sorted by, first things first; see `arbitre.tournament.tiebreaks`."""

    @abstractmethod
    def drafts(self, field: Field, past: tuple[RoundPlayed, ...]) -> tuple[Draft, ...]:
        """Return the rounds that can be drafted when exactly those of `past` are finished; none when all is played."""

    @abstractmethod
    def check(self, field: Field) -> None:
        """Raise `TournamentError` unless this field can be paired."""

    @property
    def bye(self) -> Fraction:
        """The points of a round without an opponent."""
        return Fraction(0)


def at_least(least: int, number: int, what: str, most: int = 1_000_000) -> None:
    """Raise `TournamentError` unless a number of the plan lies within its bounds."""
    if not least <= number <= most:
        raise TournamentError(
            "key %(what)r: a number from %(least)s to %(most)s, not %(number)s", what=what, least=least, most=most, number=number
        )


def not_endless(games: int) -> None:
    """Raise `TournamentError` for more games than anybody means to play."""
    if games > MOST_FIXTURES:
        raise TournamentError(
            "that would be %(games)s games; a tournament has at most %(most_fixtures)s", games=games, most_fixtures=MOST_FIXTURES
        )


@value
class Schedule:
    """A format with its field: tells for any results what is to be played."""

    format: Format
    field: Field

    def __post_init__(self) -> None:
        self.format.check(self.field)

    def rounds(self, results: Results) -> tuple[Round, ...]:
        """Return every round that is known, finished or not.

        Ask again when all fixtures that you know have a result: earlier there is nothing new. Results of fixtures that the
        schedule does not know raise `TournamentError`: they belong to another tournament.
        """
        return self.course(results)[0]

    def course(self, results: Results) -> tuple[tuple[Round, ...], bool]:
        """Return every round that is known, and whether there are no more."""
        rounds, over = self._course(results)
        known = sum(len(each.fixtures) for each in rounds)
        stranger = next((number for number in results if not 1 <= number <= known), None)
        if stranger is not None:
            raise TournamentError(
                "a result of game %(stranger)s, but only games 1 to %(known)s are paired so far", stranger=stranger, known=known
            )
        return rounds, over

    def fixtures(self, results: Results) -> tuple[Fixture, ...]:
        """Return every fixture that is known, in the order of numbers."""
        return tuple(fixture for each in self.rounds(results) for fixture in each.fixtures)

    def due(self, results: Results) -> tuple[Fixture, ...]:
        """Return what can be played now, in the order in which it should be begun."""
        return tuple(fixture for fixture in self.fixtures(results) if not finished(results, fixture))

    def over(self, results: Results) -> bool:
        """Tell whether everything is played."""
        return self.course(results)[1]

    def secret(self, number: int, attempt: int = 1) -> bytes:
        """Return the secret seed of a match: another one for each attempt, since an abandoned match may have shown its own."""
        return derive(self.field.seed, f"tournament/match/{number}/{attempt}")

    def _course(self, results: Results) -> tuple[tuple[Round, ...], bool]:
        rounds: list[Round] = []
        past: tuple[RoundPlayed, ...] = ()
        number = 1
        while True:
            drafts = self.format.drafts(self.field, past)
            if not drafts:
                return tuple(rounds), True
            for draft in drafts:
                rounds.append(_round(draft, len(rounds) + 1, number, self.field.starts))
                number += len(rounds[-1].fixtures)
            new = rounds[len(past) :]
            if not all(finished(results, fixture) for each in new for fixture in each.fixtures):
                return tuple(rounds), False
            past += tuple(_played(each, results) for each in new)


def finished(results: Results, fixture: Fixture) -> bool:
    """Tell whether a fixture has a result; an abandoned match has none."""
    result = results.get(fixture.number)
    return result is not None and result.scores is not None


def past_of(rounds: Sequence[Round], results: Results) -> tuple[RoundPlayed, ...]:
    """Return the rounds that are finished, up to the first that is not."""
    past: list[RoundPlayed] = []
    for each in rounds:
        if not all(finished(results, fixture) for fixture in each.fixtures):
            break
        past.append(_played(each, results))
    return tuple(past)


def _played(each: Round, results: Results) -> RoundPlayed:
    return RoundPlayed(each, tuple(scores_of(results[fixture.number]) for fixture in each.fixtures))


def scores_of(result: Result) -> tuple[Fraction, ...]:
    """Return the scores of a result that has them."""
    if result.scores is None or len(result.scores) != 2:
        raise TournamentError(
            "game %(number)s: a result has two scores, not %(scores)s", number=result.number, scores=result.scores
        )
    return result.scores


def _round(draft: Draft, which: int, number: int, starts: int) -> Round:
    fixtures = []
    for table, pairing in enumerate(draft.pairings, start=1):
        for game in range(pairing.games):
            so_far = pairing.before + game
            seats = (pairing.first, pairing.second) if so_far % 2 == 0 else (pairing.second, pairing.first)
            start = (pairing.start + so_far // 2) % starts
            fixtures.append(Fixture(number, which, table, game + 1, seats, start))
            number += 1
    return Round(which, draft, tuple(fixtures))
