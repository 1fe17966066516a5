"""What pages show of a competition: standings, cross table, bracket, games and faults, under the names that people know.

It is made once for all who look, and again at most once a second while games end.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite
from time import monotonic
from typing import Any

from arbitre.errors import UnknownRecordError
from arbitre.records.store import Store
from arbitre.referee.verdict import read_verdict
from arbitre.site.competitions.competitions import Competition, CompetitionId, Stage
from arbitre.site.competitions.entries import Entry
from arbitre.site.competitions.runner import Steward
from arbitre.site.competitions.running import Held
from arbitre.tournament.charts import COURSE, NARROW, STRENGTH, WIDE, Chart, course_chart, ratings_chart
from arbitre.tournament.config import Entrant, Plan, read_kept_plan
from arbitre.tournament.ledger import FAULTS
from arbitre.tournament.schedule import Result, result_of
from arbitre.tournament.standings import Cell
from arbitre.tournament.summary import Summary, summarise
from arbitre.tournament.tables import elo_text, key_text, points_text
from arbitre.values import value
from arbitre.web.bracket import tree
from arbitre.web.sheets import Sheet
from arbitre.words import Words

FRESH_SECONDS = 1.0
MOST_KEPT = 64
"""Competitions of which what was made is kept."""

MOST_CROSSED = 40
"""A larger cross table cannot be read."""


def N_(text: str) -> str:  # noqa: N802 - the usual name: it marks words for the catalogue
    """Mark a text that is translated where it is shown."""
    return text


SHOWN = {
    STRENGTH: N_("Elo, 0 the mean of the field; the bars hold the truth 19 times in 20"),
    COURSE: N_("points above half of the games, over time"),
}
"""What the charts show, in words that the catalogue knows."""

TIES = {
    "direct": (N_("direct"), N_("Points against those with as many points")),
    "sonneborn": (N_("SB"), N_("Sonneborn-Berger: the points of whom one beat, and half of those of whom one drew with")),
    "buchholz": (N_("BH"), N_("Buchholz: the points of all whom one met")),
    "buchholz-cut": (N_("BH-1"), N_("Buchholz without the weakest")),
    "rate": (N_("rate"), N_("The share of the points that could be won")),
}
"""What the columns of tie-breaks are called, and what they say."""


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
    """Strength and course, each for a page and for a phone."""

    def charts_in(self, words: Words) -> list[tuple[str, str]]:
        """Return each chart for a page and for a phone, told in the visitor's language."""
        told = [one.svg(words(SHOWN[one.title])) for one in self.charts]
        return list(zip(told[::2], told[1::2], strict=True))

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
            "entry": self.entries[row.contestant],
            "points": points_text(row.points),
            "games": row.games,
            "wins": row.wins,
            "draws": row.draws,
            "losses": row.losses,
            "byes": row.byes,
            "reached": row.reached,
            "ties": [key_text(name, row.keys[at]) for at, name in enumerate(self.summary.standings.order) if name in TIES],
            "faults": sum(row.faults),
            "elo": elo_text(rating.elo) if self.summary.progress.entries else "",
            "error": f"{rating.error:.0f}" if self.summary.progress.entries else "",
            "above": "" if above is None else f"{above:.0%}",
        }

    @property
    def tie_heads(self) -> list[tuple[str, str]]:
        """What the columns of tie-breaks are called, and what they say."""
        return [TIES[name] for name in self.summary.standings.order if name in TIES]

    @property
    def cross(self) -> list[list[dict[str, Any] | None]] | None:
        """The cells of the cross table; None where it would be too large."""
        if len(self.summary.standings.rows) > MOST_CROSSED:
            return None
        met: dict[tuple[int, int], list[int]] = {}
        for entry in self.summary.progress.entries:
            one, other = entry.fixture.seats
            met.setdefault((one, other), []).append(entry.fixture.number)
            met.setdefault((other, one), []).append(entry.fixture.number)
        order = self.summary.standings.ranking
        return [
            [
                None if cell is None else self._cell(cell, met.get((row, column), []))
                for column, cell in zip(order, line, strict=True)
            ]
            for row, line in zip(order, self.summary.standings.cells, strict=True)
        ]

    def _cell(self, cell: Cell, games: list[int]) -> dict[str, Any]:
        return {
            "points": points_text(cell.points),
            "games": cell.games,
            "tone": "good" if 2 * cell.points > cell.games else "bad" if 2 * cell.points < cell.games else "",
            "href": f"/games/{self.games[games[0]]}" if len(games) == 1 else "",
        }

    @property
    def bracket(self) -> list[dict[str, Any]]:
        """The tree of a knockout."""
        return tree(self.summary)

    @property
    def rounds(self) -> list[dict[str, Any]]:
        """Every round with its games, the latest first."""
        done = {entry.fixture.number: entry for entry in self.summary.progress.entries}
        made = []
        for each in reversed(self.summary.progress.rounds):
            games = [
                {
                    "number": fixture.number,
                    "href": f"/games/{self.games[fixture.number]}" if fixture.number in self.games else "",
                    "names": [self.summary.name(one) for one in fixture.seats],
                    "scores": [points_text(score) for score in done[fixture.number].scores] if fixture.number in done else [],
                    "how": done[fixture.number].result.termination.value if fixture.number in done else "",
                    "live": fixture.number in self.live,
                    "again": [f"/games/{name}" for name in self.again.get(fixture.number, ())],
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
                        "name": self.games.get(entry.fixture.number, ""),
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
            if kept is not None and _fresh(kept, competition, count):
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
        results: dict[int, Result] = {}
        games: dict[int, str] = {}
        again: dict[int, tuple[str, ...]] = {}
        for row in self.store.matches(tournament=tournament):
            if row.fixture is not None:
                games[row.fixture] = row.name
                if row.verdict is not None:
                    found = result_of(row.fixture, read_verdict(row.verdict))
                    if found.scores is not None:
                        results[row.fixture] = found
                    else:
                        again[row.fixture] = (*again.get(row.fixture, ()), row.name)
        entries = await asyncio.to_thread(lambda: self.steward.community.entries.of(competition.id, withdrawn=True))
        known = {one.neutral: one for one in entries}
        seated = tuple(known[one.name] for one in plan.entrants)
        held = self.steward.held(competition.id)
        live = frozenset(held.live) if held is not None else frozenset()
        waiting = {} if held is None else _awaited(held)
        summary, charts = await asyncio.to_thread(_summary, plan, seated, results)
        return Board(summary, seated, games, again, live, waiting, charts)


def _awaited(held: Held) -> dict[int, Awaited]:
    found = {}
    for fixture in held.queue:
        if fixture.number in held.called:
            missing = set(held.waits_for(fixture))
            names = tuple(one.name for one in map(held.entry, fixture.seats) if one.owner in missing)
            found[fixture.number] = Awaited(names, held.until(fixture))
    return found


def _fresh(kept: tuple[int, float, Board], competition: Competition, count: int) -> bool:
    """Tell whether a board still shows how it stands; nobody looks again at one that is over, so that must be the last."""
    made, at, board = kept
    if competition.stage is Stage.RUNNING:
        return made == count or monotonic() - at < FRESH_SECONDS
    return board.summary.progress.over or (made == count and competition.stage is not Stage.OVER)


def _summary(plan: Plan, entries: Sequence[Entry], results: dict[int, Result]) -> tuple[Summary, tuple[Chart, ...]]:
    names = called(entries)
    shown = replace(plan, entrants=tuple(Entrant(name, one.neutral) for name, one in zip(names, entries, strict=True)))
    summary = summarise(shown, results)
    charts = tuple(draw(summary, paper) for draw in (ratings_chart, course_chart) for paper in (WIDE, NARROW)) if results else ()
    return summary, charts


def called(entries: Sequence[Entry]) -> list[str]:
    """Return what contestants are called, no two the same: two who erased their names still are two."""
    names = [one.name for one in entries]
    return [one.name if names.count(one.name) == 1 else f"{one.name} ({one.neutral})" for one in entries]


# ── for spreadsheets ───────────────────────────────────────────────────────────────────────────────────────────────

STANDING_HEADS = (
    N_("rank"), N_("name"), N_("identifier"), N_("points"), N_("games"), N_("Won"), N_("Drawn"), N_("Lost"), N_("byes"),
    N_("faults"), N_("elo"), N_("error"),
)  # fmt: skip
GAME_HEADS = (
    N_("match"), N_("round"), N_("first"), N_("second"), N_("score first"), N_("score second"), N_("end"), N_("reason"),
    N_("address"),
)  # fmt: skip


def standings_csv(board: Board, sheet: Sheet) -> str:
    """Return the standings as CSV."""

    def line(place: int) -> list[object]:
        row = board.summary.standings.rows[place]
        rating, entry = board.summary.strengths.ratings[row.contestant], board.entries[row.contestant]
        counts = (row.games, row.wins, row.draws, row.losses, row.byes, sum(row.faults))
        strength = [sheet.number(one) if row.games and isfinite(one) else "" for one in (round(rating.elo), round(rating.error))]
        return [row.rank, entry.name, entry.neutral, sheet.number(row.points), *counts, *strength]

    return sheet.text(STANDING_HEADS, map(line, range(len(board.summary.standings.rows))))


def games_csv(board: Board, public: str, sheet: Sheet) -> str:
    """Return the games as CSV."""
    rows = (
        [
            entry.fixture.number,
            entry.fixture.round,
            *(board.summary.name(one) for one in entry.fixture.seats),
            *map(sheet.number, entry.scores),
            sheet.words.of(entry.result.termination),
            sheet.words.of(entry.result.reason),
            f"{public}/games/{board.games[entry.fixture.number]}",
        ]
        for entry in board.summary.progress.entries
    )
    return sheet.text(GAME_HEADS, rows)
