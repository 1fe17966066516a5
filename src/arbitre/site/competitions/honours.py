"""What is said on the podium of a competition that is over: kind awards, and how many of its records were verified.

Both follow from the records and the standings alone. They are worked out once, beside everything else; who looks while that goes
on waits a little, and sees them the next time otherwise.
"""

import asyncio
from collections.abc import Iterator
from enum import StrEnum

from arbitre.records.event import Kind
from arbitre.referee.verdict import Termination
from arbitre.referee.verify import Proof
from arbitre.site import proofs
from arbitre.site.competitions.competitions import Competition, CompetitionId, Stage
from arbitre.site.competitions.scoreboard import Board
from arbitre.site.site import Site
from arbitre.tournament.ledger import Entry
from arbitre.values import value

WAIT_SECONDS = 4.0
MOST_KEPT = 64
MOST_GAMES = 2_000
"""Larger competitions are verified by who wants to, with what they hand out."""


class Feat(StrEnum):
    """For what somebody is honoured."""

    QUICKEST = "quickest"
    """Won a game by the rules in the fewest moves."""
    LONGEST = "longest"
    """Played the game with the most moves."""
    SURPRISE = "surprise"
    """Beat somebody who came in furthest above."""
    FLAWLESS = "flawless"
    """Played the most games without a fault, of those not honoured otherwise."""


@value
class Award:
    """One of them: who, against whom (None: everybody), and the number that tells it: moves, places or games."""

    feat: Feat
    contestant: int
    against: int | None
    number: int
    match: str
    """Where it happened; empty where in no single match."""


@value
class Honours:
    """What is said on a podium."""

    awards: tuple[Award, ...]
    verified: int
    records: int


class Honoured:
    """Finds honours, and keeps the last of them."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._kept: dict[CompetitionId, asyncio.Task[Honours | None]] = {}

    async def show(self, competition: Competition, board: Board | None) -> Honours | None:
        """Return the honours of a competition; None while it goes on, and while they are not yet known."""
        if competition.stage is not Stage.OVER or board is None or len(board.games) > MOST_GAMES:
            return None
        found = self._kept.get(competition.id)
        if found is None or (found.done() and (found.cancelled() or found.exception() or found.result() is None)):
            found = asyncio.create_task(asyncio.to_thread(honours, self._site, board), name="honours")
            self._kept.pop(competition.id, None)
            self._kept[competition.id] = found
            if len(self._kept) > MOST_KEPT:
                del self._kept[next(iter(self._kept))]
        await asyncio.wait([found], timeout=WAIT_SECONDS)
        return found.result() if found.done() else None


def honours(site: Site, board: Board) -> Honours | None:
    """Return what is said on the podium; None where a record is not sealed yet."""
    moves, good = {}, 0
    entries = board.summary.progress.entries
    for entry in entries:
        record = site.store.record(board.games[entry.fixture.number])
        if record.seal is None:
            return None
        moves[entry.fixture.number] = sum(event.kind is Kind.SAID for event in record.events)
        good += proofs.finding(site, record).standing in (Proof.VERIFIED, Proof.ATTESTED)
    return Honours(tuple(_awards(board, moves)), good, len(entries))


def _awards(board: Board, moves: dict[int, int]) -> Iterator[Award]:
    rank = {int(row.contestant): row.rank for row in board.summary.standings.rows}
    fair = [one for one in board.summary.progress.entries if one.result.termination is Termination.RULES]
    won = [one for one in fair if len(set(one.scores)) > 1]
    honoured = set()

    def award(feat: Feat, entry: Entry, number: int, who: int) -> Award:
        honoured.add(who)
        other = next(int(one) for one in entry.fixture.seats if int(one) != who)
        return Award(feat, who, other, number, board.games[entry.fixture.number])

    if won:
        quick = min(won, key=lambda one: moves[one.fixture.number])
        yield award(Feat.QUICKEST, quick, moves[quick.fixture.number], _winner(quick))
    if len(fair) > 1:
        long = max(fair, key=lambda one: moves[one.fixture.number])
        yield award(Feat.LONGEST, long, moves[long.fixture.number], _winner(long))
    climbs = {one.fixture.number: rank[_winner(one)] - rank[_loser(one)] for one in won}
    if climbs and max(climbs.values()) > 0:
        odd = max(won, key=lambda one: climbs[one.fixture.number])
        yield award(Feat.SURPRISE, odd, climbs[odd.fixture.number], _winner(odd))
    rows = [
        row for row in board.summary.standings.rows if int(row.contestant) not in honoured and row.games and not sum(row.faults)
    ]
    if rows:
        clean = max(rows, key=lambda row: (row.games, row.rank))
        yield Award(Feat.FLAWLESS, int(clean.contestant), None, clean.games, "")


def _winner(entry: Entry) -> int:
    """Return who had more, or the first."""
    return int(max(entry.fixture.seats, key=entry.score))


def _loser(entry: Entry) -> int:
    return int(min(entry.fixture.seats, key=entry.score))
