"""Everything there is to tell about a tournament at one moment, as one value that tables, report and `--json` are made from."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import field
from fractions import Fraction
from typing import Any

from arbitre.reasons import Reason, plain
from arbitre.tournament.config import TournamentPlan
from arbitre.tournament.faults import FAULTS
from arbitre.tournament.knockout import Bracket, Knockout
from arbitre.tournament.ledger import Entry, unit_scores, units
from arbitre.tournament.progress import Progress, progress
from arbitre.tournament.schedule import Contestant, Results, past_of
from arbitre.tournament.standings import Row, Standings, standings
from arbitre.tournament.statistics import Sample, difference, sample, superiority
from arbitre.tournament.strength import Strengths, strengths
from arbitre.tournament.usage import Usage
from arbitre.values import value


@value
class Summary:
    """A tournament as it stands."""

    plan: TournamentPlan
    progress: Progress
    standings: Standings
    strengths: Strengths
    notes: Mapping[str, str]
    """What the report is to say besides: date, place, program."""
    usage: Mapping[Contestant, Usage] = field(default_factory=dict)
    """What the games took of each, where records were looked at."""

    def name(self, contestant: Contestant) -> str:
        """Return what a contestant is called."""
        return self.plan.entrants[contestant].name

    def against(self, contestant: Contestant) -> Sample:
        """Return all scores of a contestant, colour-reversed pairs together."""
        results = {entry.fixture.number: entry.result for entry in self.progress.entries}
        played = [entry.fixture for entry in self.progress.entries]
        return sample(tuple(unit_scores(unit, results, contestant)) for unit in units(played, contestant))

    def terminations(self) -> Counter[str]:
        """Return how often games ended in which way."""
        return Counter(entry.result.termination.value for entry in self.progress.entries)

    def bracket(self) -> Bracket | None:
        """Return the bracket of a knockout."""
        held = self.plan.format
        if not isinstance(held, Knockout):
            return None
        results = {entry.fixture.number: entry.result for entry in self.progress.entries}
        return held.bracket(self.plan.schedule.field, past_of(self.progress.rounds, results))

    def above_next(self, place: int) -> float | None:
        """Return the likelihood that who stands at a place, from 0, is stronger than who stands at the next."""
        ranking = self.standings.ranking
        if place + 1 >= len(ranking) or not self.progress.entries:
            return None
        return self.strengths.superiority(ranking[place], ranking[place + 1])

    @property
    def state(self) -> Reason:
        """How far it has come."""
        played, total = len(self.progress.entries), self.progress.total
        if self.progress.trial is not None and self.progress.trial.decided:
            return Reason("stopped by the sequential test after %(played)s games", played=played)
        if self.progress.over:
            return Reason("finished, %(played)s games", played=played)
        title = self.progress.rounds[self.progress.due[0].round - 1].draft.title
        return Reason("%(title)s, %(played)s of %(total)s games", title=title, played=played, total=total)


def summarise(
    plan: TournamentPlan,
    results: Results,
    notes: Mapping[str, str] | None = None,
    usage: Mapping[Contestant, Usage] | None = None,
) -> Summary:
    """Return everything there is to tell about a tournament with these results."""
    schedule = plan.schedule
    reached = progress(schedule, results, plan.sprt)
    strong = strengths(schedule.field.size, reached.entries)
    return Summary(plan, reached, standings(schedule, reached), strong, dict(notes or {}), dict(usage or {}))


# ── as plain values ────────────────────────────────────────────────────────────────────────────────────────────────


def to_json(summary: Summary) -> dict[str, Any]:
    """Return the summary as plain values that JSON can write; the seed is left out while games are still to be played."""
    plan = summary.plan.fields()
    if not summary.progress.over:
        del plan["seed"]
    return {
        "plan": plan,
        "notes": dict(summary.notes),
        "over": summary.progress.over,
        "played": len(summary.progress.entries),
        "known": summary.progress.total,
        "standings": [_row(summary, place, row) for place, row in enumerate(summary.standings.rows)],
        "cross": [
            [None if cell is None else {"points": number(cell.points), "games": cell.games} for cell in line]
            for line in summary.standings.cells
        ],
        "rounds": [
            {
                "number": each.number,
                "title": str(each.draft.title),
                "byes": [summary.name(idle) for idle in each.draft.byes],
                "games": [fixture.number for fixture in each.fixtures],
            }
            for each in summary.progress.rounds
        ],
        "games": [_game(summary, entry) for entry in summary.progress.entries],
        "terminations": dict(sorted(summary.terminations().items())),
        "sprt": _trial(summary),
    }


def number(amount: Fraction) -> int | float:
    """Return points as JSON writes them."""
    return int(amount) if amount.denominator == 1 else float(amount)


def _finite(amount: float) -> float | None:
    return round(amount, 3) if math.isfinite(amount) else None


def _row(summary: Summary, place: int, row: Row) -> dict[str, Any]:
    rating = summary.strengths.ratings[row.contestant]
    scores = summary.against(row.contestant)
    estimate = difference(scores)
    above = summary.above_next(place)
    return {
        "rank": row.rank,
        "name": row.name,
        "player": summary.plan.entrants[row.contestant].player,
        "points": number(row.points),
        "games": row.games,
        "wins": row.wins,
        "draws": row.draws,
        "losses": row.losses,
        "byes": row.byes,
        "first_seat": row.firsts,
        "sorted_by": {
            name: None if key is None else number(key) for name, key in zip(summary.standings.order, row.keys, strict=True)
        },
        "reached": str(row.reached or ""),
        **({"usage": summary.usage[row.contestant].fields()} if row.contestant in summary.usage else {}),
        "faults": {fault.value: count for fault, count in zip(FAULTS, row.faults, strict=True) if count},
        "elo": _finite(rating.elo),
        "elo_error": _finite(rating.error),
        "superiority_over_next": None if above is None else _finite(above),
        "against_field": None
        if estimate is None
        else {
            "elo": _finite(estimate.elo),
            "low": _finite(estimate.low),
            "high": _finite(estimate.high),
            "superiority": _finite(superiority(scores)),
        },
    }


def _game(summary: Summary, entry: Entry) -> dict[str, Any]:
    fixture = entry.fixture
    return {
        "number": fixture.number,
        "round": fixture.round,
        "table": fixture.table,
        "game": fixture.game,
        "start": fixture.start,
        "seats": [summary.name(one) for one in fixture.seats],
        "scores": [number(score) for score in entry.scores],
        "termination": entry.result.termination.value,
        "reason": None if entry.result.reason is None else plain(entry.result.reason),
    }


def _trial(summary: Summary) -> dict[str, Any] | None:
    trial = summary.progress.trial
    if trial is None:
        return None
    return {
        "elo0": trial.sprt.elo0,
        "elo1": trial.sprt.elo1,
        "ratio": _finite(trial.ratio),
        "lower": _finite(trial.sprt.lower),
        "upper": _finite(trial.sprt.upper),
        "units": trial.heard,
        "decision": trial.decision.value,
    }
