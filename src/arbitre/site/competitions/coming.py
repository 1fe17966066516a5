"""What comes next in a competition, and when: for its wall and its page.

What the terms say is exact: when entries are taken, when it begins, until when somebody is waited for, when the last clock of a
round has run out. Where clocks are by the move nothing bounds a round; then it is told from the games so far, and said to be so.
"""

from enum import StrEnum
from time import monotonic

from arbitre.site.arena.live import Live
from arbitre.site.competitions.competitions import Competition, Stage
from arbitre.site.competitions.draw import read_draw
from arbitre.site.competitions.scoreboard import Board
from arbitre.site.site import Site
from arbitre.tournament.schedule import Fixture
from arbitre.values import value

LEAST_GAMES = 3
"""From fewer than these nothing is told of how long a game takes."""


class Next(StrEnum):
    """What comes next."""

    ENTRIES = "entries"
    """Entries are taken."""
    BEGINS = "begins"
    """It is drawn, and the games start."""
    ARRIVAL = "arrival"
    """Whoever is waited for has come, or has lost."""
    ROUND = "round"
    """The round is over."""


@value
class Coming:
    """What comes next, in how many seconds."""

    what: Next
    seconds: int
    names: tuple[str, ...] = ()
    """Who is waited for."""
    exact: bool = True
    """Whether the terms say so; else it is judged by the games so far."""


def coming(site: Site, found: Competition, board: Board | None) -> Coming | None:
    """Return what comes next in a competition; None where nothing says when."""
    now, said = site.community.database.now(), found.announcement
    if found.stage is Stage.ANNOUNCED:
        return Coming(Next.ENTRIES, max(0, said.opens - now))
    if found.stage is Stage.OPEN:
        return Coming(Next.BEGINS, max(0, said.begins - now))
    if found.stage is not Stage.RUNNING or board is None:
        return None
    awaited = [one for one in board.waiting.values() if one.until]
    if awaited:
        first = min(awaited, key=lambda one: one.until)
        return Coming(Next.ARRIVAL, max(0, first.until - now), first.names)
    done = {entry.fixture.number for entry in board.summary.progress.entries}
    ahead = [one for one in board.round.fixtures if one.number not in done]
    return _bound(site, board, ahead) or _judged(found, board, len(ahead), now)


def _bound(site: Site, board: Board, ahead: list[Fixture]) -> Coming | None:
    """Return when the last clock of the round has run out; None where none bounds it, or a game has not begun."""
    clock = board.summary.plan.clock
    lives = [live for one in ahead if (live := site.arena.seen(board.games.get(one.number, ""))) is not None]
    if clock.kind != "game" or clock.increment or not lives or len(lives) < len(ahead):
        return None
    return Coming(Next.ROUND, round(max(map(_left, lives))))


def _left(live: Live) -> float:
    """Return how many seconds both clocks of a match have together."""
    scenes = live.scenes("spectator")
    left = scenes[-1].left if scenes else None
    return 0.0 if left is None or live.decided else max(0.0, sum(left) / 1000 - (monotonic() - live.asked_at))


def _judged(found: Competition, board: Board, ahead: int, now: int) -> Coming | None:
    """Return how long the round will take if it goes on as the games so far went."""
    drawn, done = read_draw(found.proof), len(board.summary.progress.entries)
    if drawn is None or not drawn.closed or done < LEAST_GAMES or not ahead:
        return None
    return Coming(Next.ROUND, max(1, round((now - drawn.closed) / done * ahead)), exact=False)
