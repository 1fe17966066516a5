"""The finished games of a tournament in the order of their numbers, and how they belong together.

Two games of the same two contestants with the seats exchanged, from the same start position, are a *pair*. Their scores are not
independent, since a position that favours a seat favours each of them once: statistics that know the pairs have smaller errors.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction

from arbitre.errors import TournamentError
from arbitre.games.game import DRAW
from arbitre.tournament.schedule import Contestant, Fixture, Result, Results, finished, scores_of
from arbitre.values import value


@value
class Entry:
    """One finished game."""

    fixture: Fixture
    result: Result

    @property
    def scores(self) -> tuple[Fraction, ...]:
        """The scores by seat."""
        return scores_of(self.result)

    def score(self, contestant: Contestant) -> Fraction:
        """Return what a contestant scored in it."""
        return self.scores[self.fixture.seats.index(contestant)]

    def opponent(self, contestant: Contestant) -> Contestant:
        """Return whom a contestant met in it."""
        first, second = self.fixture.seats
        return second if contestant == first else first

    def letter(self, contestant: Contestant) -> str:
        """Return W, D or L. A game that both lost, each by a fault, is a loss for either."""
        mine, theirs = self.score(contestant), self.score(self.opponent(contestant))
        return "W" if mine > theirs else "L" if mine < theirs or mine == 0 else "D"

    def share(self, contestant: Contestant) -> Fraction:
        """Return the score as evidence of strength: a game that both lost says nothing, so it counts half for either."""
        total = sum(self.scores)
        return self.score(contestant) / total if total else DRAW

    @property
    def culprits(self) -> tuple[Contestant, ...]:
        """Who lost it by a fault."""
        return tuple(who for seat, who in enumerate(self.fixture.seats) if self.result.broke(seat))


def entries(fixtures: Iterable[Fixture], results: Results) -> tuple[Entry, ...]:
    """Return the finished games in the order of their numbers."""
    made = []
    for fixture in fixtures:
        if finished(results, fixture):
            result = results[fixture.number]
            if any(not 0 <= score <= 1 for score in scores_of(result)):
                raise TournamentError(
                    "game %(number)s: a score is 0 to 1, not %(scores)s", number=fixture.number, scores=result.scores
                )
            made.append(Entry(fixture, result))
    return tuple(made)


Unit = tuple[Fixture, ...]
"""A colour-reversed pair of games, or a game without such a partner."""


def units(fixtures: Iterable[Fixture], contestant: Contestant) -> tuple[Unit, ...]:
    """Return the games of a contestant, pairs together, in the order of the last game of each."""
    made: list[Unit] = []
    alone: dict[Contestant, Fixture] = {}
    for fixture in fixtures:
        if contestant not in fixture.seats:
            continue
        other = fixture.seats[1] if fixture.seats[0] == contestant else fixture.seats[0]
        before = alone.pop(other, None)
        if before is not None and before.seats == fixture.seats[::-1] and before.start == fixture.start:
            made.append((before, fixture))
            continue
        if before is not None:
            made.append((before,))
        alone[other] = fixture
    made += [(fixture,) for fixture in alone.values()]
    return tuple(sorted(made, key=lambda unit: unit[-1].number))


def unit_scores(unit: Unit, results: Results, contestant: Contestant) -> Iterator[Fraction]:
    """Return what a contestant scored in those games of a unit that are finished."""
    return (entry.share(contestant) for entry in entries(unit, results))
