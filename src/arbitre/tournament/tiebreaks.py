"""What standings are sorted by, each criterion by its name.

===============  =====================================================================================================
`points`         scores of all games, and the points of byes
`rate`           points of games by number of games: where not everybody plays equally often
`stage`          how far one came in a knockout
`direct`         points in the games among those who are still tied, if each two of them met equally often
`sonneborn`      for every game its score times the points of the opponent (Sonneborn-Berger)
`buchholz`       the points of all opponents, one for each pairing; a bye is an opponent with none
`buchholz-cut`   the same without the weakest opponent
`wins`           games won
===============  =====================================================================================================

Whoever is tied in all criteria of the format shares the rank; a lot from the tournament's seed decides who is listed first.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from arbitre.reasons import Reason
from arbitre.tournament.knockout import FINAL, Knockout
from arbitre.tournament.ledger import Entry
from arbitre.tournament.schedule import Contestant, Round, Schedule, past_of

Criterion = Callable[[Sequence[Contestant]], Mapping[Contestant, Fraction | None]]
"""Gives each of those who are still tied a number, the more the better; or nobody one, where it does not apply."""


class Sums:
    """Everything that the criteria are made of, added up once."""

    def __init__(self, schedule: Schedule, rounds: Sequence[Round], entries: Sequence[Entry]) -> None:
        everybody = schedule.field.contestants
        self.letters: dict[Contestant, Counter[str]] = {one: Counter() for one in everybody}
        self.scored = dict.fromkeys(everybody, Fraction(0))
        self.byes = dict.fromkeys(everybody, 0)
        self.firsts = dict.fromkeys(everybody, 0)
        self.met: dict[Contestant, dict[Contestant, list[Fraction]]] = {one: defaultdict(list) for one in everybody}
        self.opponents: dict[Contestant, list[Contestant | None]] = {one: [] for one in everybody}
        self._add_games(entries)
        for each in rounds:
            for idle in each.draft.byes:
                self.byes[idle] += 1
                self.opponents[idle].append(None)
        self.points = {one: self.scored[one] + self.byes[one] * schedule.format.bye for one in everybody}
        self.stages, self.reached = _stages(schedule, rounds, entries)

    def _add_games(self, entries: Sequence[Entry]) -> None:
        tables = set()
        for entry in entries:
            fixture = entry.fixture
            self.firsts[fixture.seats[0]] += 1
            for one in fixture.seats:
                other = entry.opponent(one)
                self.letters[one][entry.letter(one)] += 1
                self.scored[one] += entry.score(one)
                self.met[one][other].append(entry.score(one))
                if (fixture.round, fixture.table, one) not in tables:
                    tables.add((fixture.round, fixture.table, one))
                    self.opponents[one].append(other)

    def games(self, one: Contestant) -> int:
        """Return how many games a contestant has finished."""
        return self.letters[one].total()

    def criterion(self, name: str) -> Criterion:
        """Return a criterion by name."""
        if name == "direct":
            return self._direct
        each: dict[str, Callable[[Contestant], Fraction]] = {
            "points": self.points.__getitem__,
            "rate": lambda one: self.scored[one] / self.games(one) if self.games(one) else Fraction(0),
            "stage": lambda one: Fraction(self.stages.get(one, 0)),
            "sonneborn": self._sonneborn,
            "buchholz": lambda one: sum(self._opposition(one), Fraction(0)),
            "buchholz-cut": lambda one: sum(sorted(self._opposition(one))[1:], Fraction(0)),
            "wins": lambda one: Fraction(self.letters[one]["W"]),
        }
        measure = each[name]
        return lambda tied: {one: measure(one) for one in tied}

    def _direct(self, tied: Sequence[Contestant]) -> Mapping[Contestant, Fraction | None]:
        meetings = {len(self.met[one].get(other, ())) for one in tied for other in tied if one < other}
        if len(meetings) != 1 or 0 in meetings:
            return dict.fromkeys(tied)
        return {one: sum((score for other in tied for score in self.met[one].get(other, ())), Fraction(0)) for one in tied}

    def _sonneborn(self, one: Contestant) -> Fraction:
        return sum((sum(scores) * self.points[other] for other, scores in self.met[one].items()), Fraction(0))

    def _opposition(self, one: Contestant) -> list[Fraction]:
        return [Fraction(0) if other is None else self.points[other] for other in self.opponents[one]]


def _stages(
    schedule: Schedule, rounds: Sequence[Round], entries: Sequence[Entry]
) -> tuple[dict[Contestant, int], dict[Contestant, Reason]]:
    """Return for a knockout how far everybody came, as a number and in words; nothing for other formats.

    Even numbers are stages; who is still in is half a stage above those who are out, and so is the winner of the third place.
    """
    numbers: dict[Contestant, int] = {}
    words: dict[Contestant, Reason] = {}
    if not isinstance(schedule.format, Knockout):
        return numbers, words
    past = past_of(rounds, {entry.fixture.number: entry.result for entry in entries})
    for at, stage in enumerate(schedule.format.bracket(schedule.field, past).stages):
        for one in stage.byes:
            numbers[one], words[one] = 2 * at + 1, stage.title
        for place, tie in enumerate(stage.ties):
            third = stage.title == FINAL and place == 1
            for one in (tie.one, tie.other):
                if third:
                    numbers[one] = 2 * (at - 1) + (tie.winner == one)
                    won = tie.winner == one
                    words[one] = Reason("third" if won else "fourth" if tie.winner is not None else "for the third place")
                else:
                    numbers[one] = 2 * at + (2 if tie.winner == one else tie.winner is None)
                    words[one] = Reason("winner") if tie.winner == one and stage.title == FINAL else stage.title
    return numbers, words
