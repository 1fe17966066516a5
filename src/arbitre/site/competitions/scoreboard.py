"""How a competition stands: standings, cross table, bracket, games and faults, under the names that people know.

It is made once for all who look, and again at most once a second while games end.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import monotonic
from typing import Any

from arbitre.errors import UnknownRecordError
from arbitre.records.store import Store
from arbitre.site.competitions.bracket import tree
from arbitre.site.competitions.competitions import Competition, CompetitionId, Stage
from arbitre.site.competitions.entries import Entry
from arbitre.site.competitions.runner import Steward
from arbitre.site.competitions.running import RunningCompetition
from arbitre.tournament.charts import NARROW, WIDE, Chart, course_chart, ratings_chart
from arbitre.tournament.config import Entrant, TournamentPlan, read_kept_plan
from arbitre.tournament.faults import FAULTS
from arbitre.tournament.fixtures import past
from arbitre.tournament.schedule import Fixture, Result, Round
from arbitre.tournament.standings import Cell, standings
from arbitre.tournament.summary import Summary, summarise
from arbitre.tournament.swiss import Swiss, default_rounds
from arbitre.tournament.tables import elo_text, key_text, points_text
from arbitre.values import value

FRESH_SECONDS = 1.0
MOST_KEPT = 64
"""Competitions of which what was made is kept."""

MOST_CROSSED = 40
"""A larger cross table cannot be read."""

TIES = ("direct", "sonneborn", "buchholz", "buchholz-cut", "rate")
"""Tie-breaks that are shown."""


@value
class Awaited:
    """Whom a game waits for."""

    names: tuple[str, ...]
    until: int
    """When they lose it; 0: never."""


@value
class Board:
    """A competition that was drawn, as it stands."""

    summary: Summary
    entries: tuple[Entry, ...]
    games: Mapping[int, str]
    """The match of each fixture that was begun."""
    again: Mapping[int, tuple[str, ...]]
    """Matches that the house had to abandon, so that the fixture is played again."""
    live: frozenset[int]
    waiting: Mapping[int, Awaited]
    """The games to which people were called who are not there."""
    charts: tuple[Chart, ...]
    """SVG, as the tournament code draws it: strength and course, each for a page and for a phone."""
    before: Mapping[int, int]
    """The rank that each contestant had before the round that is being played; empty in the first one."""

    def entry(self, contestant: int) -> Entry:
        """Return the entry of a contestant."""
        return self.entries[contestant]

    @property
    def standings(self) -> list[dict[str, Any]]:
        """The lines of the standings."""
        return [self._row(place) for place in range(len(self.summary.standings.rows))]

    def _row(self, place: int) -> dict[str, Any]:
        row = self.summary.standings.rows[place]
        rating = self.summary.strengths.ratings[row.contestant]
        above = self.summary.above_next(place)
        return {
            "rank": row.rank,
            "climbed": self.before.get(row.contestant, row.rank) - row.rank,
            "entry": self.entries[row.contestant],
            "points": points_text(row.points),
            "games": row.games,
            "wins": row.wins,
            "draws": row.draws,
            "losses": row.losses,
            "byes": row.byes,
            "reached": row.reached,
            "ties": [key_text(name, row.keys[self.summary.standings.order.index(name)]) for name in self.ties],
            "faults": sum(row.faults),
            "elo": elo_text(rating.elo) if self.summary.progress.entries else "",
            "error": f"{rating.error:.0f}" if self.summary.progress.entries else "",
            "above": "" if above is None else f"{above:.0%}",
        }

    @property
    def ties(self) -> list[str]:
        """The tie-breaks that have a column of their own."""
        return [name for name in self.summary.standings.order if name in TIES]

    @property
    def cross(self) -> list[list[dict[str, Any] | None]] | None:
        """The cells of the cross table; None where it would be too large."""
        if len(self.summary.standings.rows) > MOST_CROSSED:
            return None
        met: dict[tuple[int, int], list[dict[str, str]]] = {}
        for entry in self.summary.progress.entries:
            one, other = entry.fixture.seats
            for pair, score in zip(((one, other), (other, one)), entry.scores, strict=True):
                met.setdefault(pair, []).append({"match": self.games[entry.fixture.number], "points": points_text(score)})
        order = self.summary.standings.ranking
        return [
            [
                None if cell is None else self._cell(cell, met.get((row, column), []))
                for column, cell in zip(order, line, strict=True)
            ]
            for row, line in zip(order, self.summary.standings.cells, strict=True)
        ]

    def _cell(self, cell: Cell, games: list[dict[str, str]]) -> dict[str, Any]:
        return {
            "points": points_text(cell.points),
            "games": cell.games,
            "tone": cell.tone,
            "matches": games,
        }

    @property
    def meeting(self) -> frozenset[tuple[int, int]]:
        """The places in the standings of those who are playing each other now, both ways round."""
        place = {int(row.contestant): at for at, row in enumerate(self.summary.standings.rows)}
        fixtures = [one for each in self.summary.progress.rounds for one in each.fixtures if one.number in self.live]
        pairs = [(place[int(one.seats[0])], place[int(one.seats[1])]) for one in fixtures]
        return frozenset(pairs) | frozenset((other, one) for one, other in pairs)

    @property
    def bracket(self) -> list[dict[str, Any]]:
        """The tree of a knockout; each box with its games."""
        return tree(self.summary, self.games)

    @property
    def round(self) -> Round:
        """The round that is being played: the first with a game to come, or the last one."""
        return _round(self.summary)

    @property
    def planned(self) -> int:
        """How many rounds there will be, as far as that is known."""
        held, paired = self.summary.plan.format, len(self.summary.progress.rounds)
        if isinstance(held, Swiss):
            return max(paired, held.rounds or default_rounds(len(self.entries)))
        return paired

    def shown(self, most: int) -> tuple[Fixture, ...]:
        """Return the games of this round that have begun, and others that are live, in their order; if many, live ones first."""
        this = self.round.number
        rounds = self.summary.progress.rounds
        begun = [one for each in rounds for one in each.fixtures if one.number in self.games]
        found = [one for one in begun if one.round == this or one.number in self.live]
        chosen = sorted(found, key=lambda one: one.number not in self.live)[:most]
        return tuple(sorted(chosen, key=lambda one: one.number))

    @property
    def rounds(self) -> list[dict[str, Any]]:
        """Every round with its games, the latest first."""
        done = {entry.fixture.number: entry for entry in self.summary.progress.entries}
        made = []
        for each in reversed(self.summary.progress.rounds):
            games = [
                {
                    "number": fixture.number,
                    "match": self.games.get(fixture.number),
                    "names": [self.summary.name(one) for one in fixture.seats],
                    "scores": [points_text(score) for score in done[fixture.number].scores] if fixture.number in done else [],
                    "how": done[fixture.number].result.termination.value if fixture.number in done else "",
                    "live": fixture.number in self.live,
                    "again": self.again.get(fixture.number, ()),
                    "awaited": self.waiting.get(fixture.number),
                }
                for fixture in each.fixtures
            ]
            byes = [self.summary.name(one) for one in each.draft.byes]
            made.append({"title": each.draft.title, "number": each.number, "games": games, "byes": byes})
        return made

    @property
    def faults(self) -> list[dict[str, Any]]:
        """Every game that was lost by a fault, the latest first, and who did what."""
        made = []
        for entry in reversed(self.summary.progress.entries):
            if entry.result.termination in FAULTS:
                guilty = [{"entry": self.entries[one], "seat": entry.fixture.seats.index(one) + 1} for one in entry.culprits]
                made.append(
                    {
                        "kind": entry.result.termination.value,
                        "guilty": guilty,
                        "reason": entry.result.reason,
                        "match": self.games.get(entry.fixture.number, ""),
                        "number": entry.fixture.number,
                        "round": entry.fixture.round,
                    }
                )
        return made

    @property
    def faulty(self) -> list[dict[str, Any]]:
        """Everybody who lost games by a fault, the worst first, each with those games, the latest first."""
        found: dict[int, dict[str, Any]] = {}
        for fault in self.faults:
            for guilty in fault["guilty"]:
                one = found.setdefault(guilty["entry"].id, {"entry": guilty["entry"], "games": [], "kinds": Counter()})
                one["games"].append({**fault, "seat": guilty["seat"]})
                one["kinds"][fault["kind"]] += 1
        return sorted(found.values(), key=lambda one: (-len(one["games"]), one["entry"].name.casefold()))


class Scoreboard:
    """Makes boards, and keeps them while they are fresh."""

    def __init__(self, store: Store, steward: Steward) -> None:
        self.store = store
        self.steward = steward
        self._kept: dict[CompetitionId, tuple[int, float, Board]] = {}
        self._hands = asyncio.Lock()

    async def show(self, competition: Competition) -> Board | None:
        """Return how a competition stands; None before it is drawn."""
        if competition.tournament is None:
            return None
        async with self._hands:
            count = self.steward.bell(competition.id).count
            kept = self._kept.get(competition.id)
            if kept is not None and _fresh(kept, competition, count, held=self.steward.held(competition.id) is not None):
                return kept[2]
            try:
                board = await self._make(competition, competition.tournament)
            except UnknownRecordError:
                return None  # the draw is not made
            self._kept.pop(competition.id, None)
            self._kept[competition.id] = (count, monotonic(), board)
            if len(self._kept) > MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            return board

    async def _make(self, competition: Competition, tournament: str) -> Board:
        plan = read_kept_plan(self.store.tournament(tournament)[0])
        known = past(self.store.matches(tournament=tournament))
        games = {number: one.name for number, one in known.items()}
        again = {number: one.abandoned for number, one in known.items() if one.abandoned}
        results = {number: one.result for number, one in known.items() if one.result is not None}
        entries = await asyncio.to_thread(lambda: self.steward.community.entries.of(competition.id, withdrawn=True))
        named = {one.neutral: one for one in entries}
        seated = tuple(named[one.name] for one in plan.entrants)
        held = self.steward.held(competition.id)
        live = frozenset(held.live) if held is not None else frozenset(games) - frozenset(results)
        waiting = {} if held is None else _awaited(held)
        summary, charts, before = await asyncio.to_thread(_summary, plan, seated, results)
        return Board(summary, seated, games, again, live, waiting, charts, before)


def _awaited(held: RunningCompetition) -> dict[int, Awaited]:
    found = {}
    for fixture in held.queue:
        if fixture.number in held.called:
            missing = set(held.waits_for(fixture))
            names = tuple(one.name for one in map(held.entry, fixture.seats) if one.owner in missing)
            found[fixture.number] = Awaited(names, held.until(fixture))
    return found


def _fresh(kept: tuple[int, float, Board], competition: Competition, count: int, *, held: bool) -> bool:
    """Tell whether a board still shows how it stands; nobody looks again at one that is over, so that must be the last.

    The bell of one that is `held` at another node does not ring here.
    """
    made, at, board = kept
    if competition.stage is Stage.RUNNING:
        return (held and made == count) or monotonic() - at < FRESH_SECONDS
    return board.summary.progress.over or (made == count and competition.stage is not Stage.OVER)


def _summary(
    plan: TournamentPlan, entries: Sequence[Entry], results: dict[int, Result]
) -> tuple[Summary, tuple[Chart, ...], dict[int, int]]:
    names = called(entries)
    shown = replace(plan, entrants=tuple(Entrant(name, one.neutral) for name, one in zip(names, entries, strict=True)))
    summary = summarise(shown, results)
    charts = tuple(draw(summary, paper) for draw in (ratings_chart, course_chart) for paper in (WIDE, NARROW)) if results else ()
    return summary, charts, _ranks_before(summary)


def _round(summary: Summary) -> Round:
    reached = summary.progress
    return reached.rounds[reached.due[0].round - 1] if reached.due else reached.rounds[-1]


def _ranks_before(summary: Summary) -> dict[int, int]:
    """Return who had which rank before the round that is being played."""
    this, reached = _round(summary).number, summary.progress
    if this == 1:
        return {}
    entries = tuple(one for one in reached.entries if one.fixture.round < this)
    earlier = replace(reached, rounds=reached.rounds[: this - 1], entries=entries)
    return {int(row.contestant): row.rank for row in standings(summary.plan.schedule, earlier).rows}


def called(entries: Sequence[Entry]) -> list[str]:
    """Return what contestants are called, no two the same: two who erased their names still are two."""
    names = [one.name for one in entries]
    return [one.name if names.count(one.name) == 1 else f"{one.name} ({one.neutral})" for one in entries]
