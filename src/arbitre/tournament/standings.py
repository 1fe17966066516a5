"""Standings and cross table: who is where, and what everybody made against everybody.

Standings count every finished game, of unfinished rounds too. The order is that of the format (`Format.order`, explained in
`arbitre.tournament.tiebreaks`); it depends on the results alone, not on the order in which they came.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from arbitre.reasons import Reason
from arbitre.tournament.faults import FAULTS
from arbitre.tournament.ledger import Entry
from arbitre.tournament.lots import shuffled
from arbitre.tournament.progress import Progress
from arbitre.tournament.schedule import Contestant, Schedule
from arbitre.tournament.tiebreaks import Sums
from arbitre.values import value


@value
class Row:
    """One contestant's line."""

    rank: int
    contestant: Contestant
    name: str
    points: Fraction
    games: int
    wins: int
    draws: int
    losses: int
    byes: int
    firsts: int
    """Games on the first seat."""
    keys: tuple[Fraction | None, ...]
    """What the line is sorted by, in the order of `Standings.order`; None where a criterion does not apply."""
    faults: tuple[int, ...]
    """Games lost otherwise than by play, in the order of `FAULTS`."""
    reached: Reason | None = None
    """How far a knockout was survived."""


@value
class Cell:
    """What one contestant made against another."""

    points: Fraction
    games: int

    @property
    def tone(self) -> Literal["won", "more", "even", "less", "lost"]:
        """Say in one word what it is: all points, more than half of them, half, less, or none."""
        if self.points in (0, self.games):
            return "won" if self.points else "lost"
        return "even" if 2 * self.points == self.games else "more" if 2 * self.points > self.games else "less"


@value
class Standings:
    """Everybody's line, the first first."""

    order: tuple[str, ...]
    rows: tuple[Row, ...]
    cells: tuple[tuple[Cell | None, ...], ...]
    """The cross table: who stands in a row against who stands in a column, both in the order of `rows`; None: never met."""

    @property
    def ranking(self) -> tuple[Contestant, ...]:
        """The contestants, the first first."""
        return tuple(row.contestant for row in self.rows)


def standings(schedule: Schedule, progress: Progress) -> Standings:
    """Return the standings of a tournament that has come so far."""
    sums = Sums(schedule, progress.rounds, progress.entries)
    order = schedule.format.order
    groups, keys = ranked(order, sums, shuffled(schedule.field.seed, "standings", schedule.field.contestants))
    faults = _faults(progress.entries)
    rows: list[Row] = []
    for group in groups:
        rank = len(rows) + 1
        for one in group:
            letters = sums.letters[one]
            rows.append(
                Row(
                    rank=rank,
                    contestant=one,
                    name=schedule.field.names[one],
                    points=sums.points[one],
                    games=sums.games(one),
                    wins=letters["W"],
                    draws=letters["D"],
                    losses=letters["L"],
                    byes=sums.byes[one],
                    firsts=sums.firsts[one],
                    keys=tuple(keys[one]),
                    faults=tuple(faults.get((one, fault), 0) for fault in FAULTS),
                    reached=sums.reached.get(one),
                )
            )
    return Standings(order, tuple(rows), _cross(sums, [row.contestant for row in rows]))


def ranked(
    order: Sequence[str], sums: Sums, everybody: Sequence[Contestant]
) -> tuple[list[list[Contestant]], dict[Contestant, list[Fraction | None]]]:
    """Return the groups of those who share a rank, the best first, and what each was sorted by."""
    groups = [list(everybody)]
    keys: dict[Contestant, list[Fraction | None]] = {one: [] for one in everybody}
    for name in order:
        criterion = sums.criterion(name)
        split: list[list[Contestant]] = []
        for group in groups:
            measured = criterion(group)
            for one in group:
                keys[one].append(measured[one])
            levels = sorted(set(measured.values()), key=lambda level: level or 0, reverse=True)
            split += [[one for one in group if measured[one] == level] for level in levels]
        groups = split
    return groups, keys


def _faults(entries: Sequence[Entry]) -> dict[tuple[Contestant, str], int]:
    counted: dict[tuple[Contestant, str], int] = {}
    for entry in entries:
        for one in entry.culprits:
            key = (one, entry.result.termination)
            counted[key] = counted.get(key, 0) + 1
    return counted


def _cross(sums: Sums, ranking: Sequence[Contestant]) -> tuple[tuple[Cell | None, ...], ...]:
    def cell(one: Contestant, other: Contestant) -> Cell | None:
        scores = sums.met[one].get(other)
        return Cell(sum(scores, Fraction(0)), len(scores)) if scores else None

    return tuple(tuple(cell(one, other) for other in ranking) for one in ranking)
