"""Tournaments without players: the results come from a function, in any order."""

from collections.abc import Callable
from fractions import Fraction
from random import Random

from arbitre.reasons import Reason
from arbitre.referee.verdict import Termination
from arbitre.tournament.schedule import Contestant, Field, Fixture, Format, Result, Schedule

Judge = Callable[[Fixture], tuple[Fraction, Fraction]]

WON = (Fraction(1), Fraction(0))
LOST = (Fraction(0), Fraction(1))
DRAWN = (Fraction(1, 2), Fraction(1, 2))


def field(size: int, seed: int = 0, starts: int = 1) -> Field:
    return Field(tuple(f"player {number}" for number in range(1, size + 1)), seed.to_bytes(32, "big"), starts)


def schedule(format: Format, size: int, seed: int = 0, starts: int = 1) -> Schedule:  # noqa: A002
    return Schedule(format, field(size, seed, starts))


def chance(seed: int) -> Judge:
    """Results that depend on the number of the fixture and the seed alone, as those of deterministic players do."""
    return lambda fixture: Random(f"{seed}/{fixture.number}").choice((WON, DRAWN, LOST))


def all_drawn(fixture: Fixture) -> tuple[Fraction, Fraction]:
    return DRAWN


def lower_wins(fixture: Fixture) -> tuple[Fraction, Fraction]:
    return WON if fixture.seats[0] < fixture.seats[1] else LOST


def result(fixture: Fixture, judge: Judge) -> Result:
    return Result(fixture.number, judge(fixture))


def played(tournament: Schedule, judge: Judge) -> dict[int, Result]:
    """Return all results of a tournament that is played without interruption, in the order of numbers."""
    results: dict[int, Result] = {}
    while due := tournament.due(results):
        results |= {fixture.number: result(fixture, judge) for fixture in due}
    return results


def abandoned(fixture: Fixture) -> Result:
    return Result(fixture.number, None, Termination.ABANDONED, Reason("quoted", text="the disk is full"))


def meetings(fixtures: tuple[Fixture, ...]) -> dict[tuple[Contestant, Contestant], int]:
    """Return how often each has sat on the first seat against each."""
    counts: dict[tuple[Contestant, Contestant], int] = {}
    for fixture in fixtures:
        counts[fixture.seats] = counts.get(fixture.seats, 0) + 1
    return counts


def lean(fixtures: tuple[Fixture, ...], contestant: Contestant) -> int:
    """Return games on the first seat less games on the second."""
    return sum(1 if fixture.seats[0] == contestant else -1 for fixture in fixtures if contestant in fixture.seats)
