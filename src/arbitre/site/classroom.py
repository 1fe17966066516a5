"""A class at work: who joins it, its pupils with their engines, a competition ready to start, its results."""

import asyncio
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from fractions import Fraction
from time import time

from arbitre.errors import ArenaError, ExpiredError, ForbiddenError, StageError, UnconfirmedError, shorten
from arbitre.reasons import Reason
from arbitre.referee.verdict import Termination
from arbitre.site.accounts import Account, AccountId, Role
from arbitre.site.arena.matches import ArenaMatch
from arbitre.site.arena.plan import EngineSeat
from arbitre.site.arena.traces import games_of, seats_of
from arbitre.site.caller import Caller
from arbitre.site.classes import Class, ClassId
from arbitre.site.competitions.competitions import Competition, Stage
from arbitre.site.competitions.contests import OwnGame, Terms, own_games
from arbitre.site.competitions.scoreboard import Board
from arbitre.site.engines import Engine
from arbitre.site.games import played
from arbitre.site.site import Site
from arbitre.tournament.config import FEW
from arbitre.tournament.swiss import default_rounds
from arbitre.values import value

CLOCK = "10s/move"
TOGETHER = 8
HOUR = 3_600
MOST_NEXT = 5


async def join(site: Site, caller: Caller, code: str) -> Class:
    """Join a class with its code; wrong ones are counted, by address and by account."""
    if caller.account is None:
        raise ForbiddenError("only members join a class")
    keys = (("join from", caller.household), ("join", caller.account.neutral))
    for kind, key in keys:
        site.community.limits.look(kind, key, time())
    try:
        return await asyncio.to_thread(site.community.classes.join, caller.account, code)
    except ExpiredError:
        for kind, key in keys:
            site.count(kind, key)
        raise


def make(site: Site, by: Account, name: str) -> Class:
    """Make a class; the same name makes the same class."""
    by.require(Role.TEACHER)
    kept = site.community.classes
    return next((one for one in kept.taught_by(by) if one.name == name), None) or kept.create(by, name)


def renew_code(site: Site, by: Account, number: int, seconds: int) -> Class:
    """Make a new join code, good for so many seconds, as far as the operator lets codes live."""
    seconds = min(seconds, site.community.settings.join_seconds)
    return site.community.classes.renew_code(by, ClassId(number), seconds)


def end(site: Site, by: Account, number: int, name: str) -> None:
    """End one's class; its name is said again. Pupils, engines and competitions stay."""
    if name.strip() != site.community.classes.taught(by, ClassId(number)).name:
        raise UnconfirmedError("send the name of the class to end it")
    site.community.classes.end(by, ClassId(number))


@value
class Desk:
    """A pupil with all his engines."""

    pupil: Account
    joined: int
    engines: tuple[Engine, ...]
    made: bool = False
    """Whether the account was made for this class, so that its teacher may reset it."""

    @property
    def broken(self) -> int:
        """How many of them do not work."""
        return sum(one.state == "broken" for one in self.engines)


def desks(site: Site, by: Account, klass: Class) -> tuple[Desk, ...]:
    """Return the pupils of a class with their engines, as its teacher sees them."""
    members = site.community.classes.members(by, klass.id)
    theirs: dict[AccountId, list[Engine]] = {one.account.id: [] for one in members}
    for engine in site.community.engines.owned_by(tuple(theirs)):
        theirs[engine.owner].append(engine)
    seated = (Desk(one.account, one.joined, tuple(theirs[one.account.id]), one.made) for one in members)
    return tuple(sorted(seated, key=lambda one: alphabetical(one.pupil.name)))


class DeskState(StrEnum):
    """What a teacher sees of a desk first."""

    BROKEN = "broken"
    """An engine does not work."""
    PLAYING = "playing"
    READY = "ready"
    """An engine waits for a game."""
    AWAY = "away"
    """Engines that dial in, and none is there."""
    WRITING = "writing"
    """No engine yet."""


def state_of(desk: Desk, playing: bool, present: Collection[int]) -> DeskState:
    """Return how a desk stands; `present` are the engines that dial in and are there."""
    if desk.broken:
        return DeskState.BROKEN
    if playing:
        return DeskState.PLAYING
    if any(not one.dials or one.id in present for one in desk.engines):
        return DeskState.READY
    return DeskState.AWAY if desk.engines else DeskState.WRITING


def games_now(site: Site, found: Sequence[Desk]) -> dict[AccountId, ArenaMatch]:
    """Return the newest match that is being played by an engine of each pupil."""
    owners = {int(engine.id): desk.pupil.id for desk in found for engine in desk.engines}
    going: dict[AccountId, ArenaMatch] = {}
    for live in site.arena.playing():
        for sitter in live.sitting.plan.sitters:
            if isinstance(sitter, EngineSeat) and sitter.number in owners:
                going.setdefault(owners[sitter.number], live.sitting)
    return going


def alphabetical(name: str) -> str:
    """Return what names are sorted by: Élodie stands among the E."""
    apart = unicodedata.normalize("NFKD", name)
    return "".join(letter for letter in apart if not unicodedata.combining(letter)).casefold()


def last_games(site: Site, engines: Iterable[Engine]) -> dict[int, tuple[str, int]]:
    """Return the last match of every engine that is broken, and its seat there: where one looks for what went wrong."""
    found = {}
    for engine in engines:
        for one in games_of(site.arena, engine.id, 1) if engine.state == "broken" else ():
            found[int(engine.id)] = (one.name, int((*seats_of(one, engine.id), 0)[0]))
    return found


# ── a competition in three clicks ──────────────────────────────────────────────────────────────────────────────────


def field(found: Sequence[Desk], game: str) -> tuple[tuple[Account, Engine], ...]:
    """Return who would play: of each pupil the newest engine of the game, one that works before one that does not."""
    chosen = []
    for desk in found:
        engines = [one for one in desk.engines if one.game == game]
        if engines:
            chosen.append((desk.pupil, max(engines, key=lambda one: (one.state == "ok", one.id))))
    return tuple(chosen)


def rounds(size: int) -> int:
    """Return how many rounds a class of so many plays; 0: so few that all meet twice."""
    return default_rounds(size) if size > FEW else 0


async def held(site: Site, by: Account, klass: Class, game: str, title: str, begins: int) -> Competition:
    """Announce what fits a class and enter everybody's engine; it begins now, or at its hour (0: now)."""
    table = await asyncio.to_thread(played, site, game, by)
    if table is None:
        raise ArenaError("%(game)r is no game of competitions", game=shorten(game, 60))
    found = field(await asyncio.to_thread(desks, site, by, klass), table.label)
    if not begins and len(found) < 2:
        raise StageError("at least two pupils need an engine of this game")
    terms = Terms(
        table.rules,
        title.strip() or f"{klass.name} – {table.title or table.label}",
        games=1,
        clock=CLOCK,
        concurrency=TOGETHER,
        access="class",
        klass=klass.id,
        begins=begins,
        listed=False,
    )
    said = terms.said(site.community.database.now())

    def enter() -> Competition:
        made = site.steward.announce(by, said)
        for pupil, engine in found:
            site.community.entries.enter(pupil, made.id, engine.id)
        return made

    made = await asyncio.to_thread(enter)
    if begins:
        site.steward.wake()
    else:
        await site.steward.begin(by, made.id)
    return made


def next_games(site: Site, person: Account, found: Sequence[Competition]) -> list[OwnGame]:
    """Return somebody's games that are being played or to come, in the competitions of a class."""
    return [one for competition in found for one in own_games(site, person, competition.id)][:MOST_NEXT]


# ── results ────────────────────────────────────────────────────────────────────────────────────────────────────────


@value
class PupilResult:
    """How one engine did in one competition of a class."""

    competition: Competition
    place: int
    pupil: str
    engine: str
    points: Fraction
    games: int
    wins: int
    draws: int
    losses: int
    byes: int
    faults: int
    fault: Reason | None
    """The last thing it did wrong, in words."""


async def results(site: Site, found: Sequence[Competition]) -> list[PupilResult]:
    """Return how everybody did in competitions that run or are over, the newest first."""
    lines: list[PupilResult] = []
    for competition in found:
        if competition.stage in (Stage.RUNNING, Stage.OVER) and (board := await site.scoreboard.show(competition)) is not None:
            lines += await asyncio.to_thread(_lines, site, competition, board)
    return lines


def _lines(site: Site, competition: Competition, board: Board) -> list[PupilResult]:
    owners = site.community.accounts.many([one.owner for one in board.entries])
    faults: dict[int, Reason] = {}
    for fault in reversed(board.faults):
        said = Reason("%(kind)s: %(reason)s", kind=Termination(fault["kind"]), reason=fault["reason"])
        faults |= {one["entry"].id: said for one in fault["guilty"]}
    made = []
    for row in board.summary.standings.rows:
        entry = board.entry(row.contestant)
        counts = (row.games, row.wins, row.draws, row.losses, row.byes, sum(row.faults))
        fault = faults.get(entry.id)
        made.append(PupilResult(competition, row.rank, owners[entry.owner], entry.name, row.points, *counts, fault))
    return made


@value
class Total:
    """What one pupil has come to in all competitions of a class."""

    pupil: str
    competitions: int
    points: Fraction
    games: int
    faults: int
    fault: Reason | None
    """The last of them, in words."""


def totals(lines: Sequence[PupilResult]) -> list[Total]:
    """Return what everybody has come to, the best first."""
    found: dict[str, list[PupilResult]] = {}
    for line in lines:
        found.setdefault(line.pupil, []).append(line)
    made = [
        Total(
            pupil,
            len({one.competition.id for one in theirs}),
            sum((one.points for one in theirs), Fraction()),
            sum(one.games for one in theirs),
            sum(one.faults for one in theirs),
            next((one.fault for one in theirs if one.fault), None),
        )
        for pupil, theirs in found.items()
    ]
    return sorted(made, key=lambda one: (-one.points, alphabetical(one.pupil)))
