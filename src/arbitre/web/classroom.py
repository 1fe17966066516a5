"""What pages know of a class: its pupils with their engines, a competition ready to start, its results for a spreadsheet."""

import asyncio
import unicodedata
from collections.abc import Iterable, Sequence
from fractions import Fraction

from arbitre.errors import StageError
from arbitre.games.labels import title_of
from arbitre.reasons import Reason
from arbitre.referee.verdict import Termination
from arbitre.site.accounts import Account, AccountId
from arbitre.site.arena.traces import games_of, seats_of
from arbitre.site.classes import Class
from arbitre.site.competitions.competitions import Announcement, Competition, Stage
from arbitre.site.engines import Engine
from arbitre.tournament.swiss import default_rounds
from arbitre.values import value
from arbitre.web.contests import OwnGame, own_games, plan_keys
from arbitre.web.house import House
from arbitre.web.played import in_use
from arbitre.web.scoreboard import N_, Board
from arbitre.web.sheets import Sheet

CLOCK = "10s/move"
TOGETHER = 8
HOUR = 3_600
MOST_NEXT = 5

HEADS = (
    N_("class"), N_("competition"), N_("date"), N_("game"), N_("place"), N_("pupil"), N_("engine"), N_("points"), N_("games"),
    N_("Won"), N_("Drawn"), N_("Lost"), N_("byes"), N_("faults"), N_("last fault"),
)  # fmt: skip


@value
class Desk:
    """A pupil with all his engines."""

    pupil: Account
    joined: int
    engines: tuple[Engine, ...]

    @property
    def broken(self) -> int:
        """How many of them do not work."""
        return sum(one.state == "broken" for one in self.engines)


def desks(house: House, by: Account, klass: Class) -> tuple[Desk, ...]:
    """Return the pupils of a class with their engines, as its teacher sees them."""
    members = house.community.classes.members(by, klass.id)
    theirs: dict[AccountId, list[Engine]] = {one.account.id: [] for one in members}
    for engine in house.community.engines.owned_by(tuple(theirs)):
        theirs[engine.owner].append(engine)
    seated = (Desk(one.account, one.joined, tuple(theirs[one.account.id])) for one in members)
    return tuple(sorted(seated, key=lambda one: alphabetical(one.pupil.name)))


def alphabetical(name: str) -> str:
    """Return what names are sorted by: Élodie stands among the E."""
    apart = unicodedata.normalize("NFKD", name)
    return "".join(letter for letter in apart if not unicodedata.combining(letter)).casefold()


def last_games(house: House, engines: Iterable[Engine]) -> dict[int, tuple[str, int]]:
    """Return the last match of every engine that is broken, and its seat there: where one looks for what went wrong."""
    found = {}
    for engine in engines:
        for one in games_of(house.arena, engine.id, 1) if engine.state == "broken" else ():
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
    """Return how many rounds a class of so many plays."""
    return default_rounds(size) if size > 1 else 1


async def held(house: House, by: Account, klass: Class, game: str, title: str, begins: int) -> Competition:
    """Announce a Swiss for a class and enter everybody's engine; it begins now, or at its hour (0: now)."""
    table = await asyncio.to_thread(in_use, house, game)
    found = field(await asyncio.to_thread(desks, house, by, klass), table.label)
    if not begins and len(found) < 2:
        raise StageError("at least two pupils need an engine of this game")
    now = house.community.database.now()
    plan = plan_keys(table.rules, form="swiss", games=1, clock=CLOCK, concurrency=TOGETHER)
    said = Announcement(
        title.strip() or f"{klass.name}: {table.title or table.label}",
        plan,
        now,
        begins or now + HOUR,
        access="class",
        klass=klass.id,
        listed=False,
    )

    def enter() -> Competition:
        made = house.steward.announce(by, said)
        for pupil, engine in found:
            house.community.entries.enter(pupil, made.id, engine.id)
        return made

    made = await asyncio.to_thread(enter)
    if begins:
        house.steward.wake()
    else:
        await house.steward.begin(by, made.id)
    return made


def next_games(house: House, person: Account, found: Sequence[Competition]) -> list[OwnGame]:
    """Return somebody's games that are being played or to come, in the competitions of a class."""
    return [one for competition in found for one in own_games(house, person, competition.id)][:MOST_NEXT]


# ── results ────────────────────────────────────────────────────────────────────────────────────────────────────────


@value
class Line:
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

    def cells(self, klass: str, date: str, sheet: Sheet) -> tuple[object, ...]:
        """Return what a spreadsheet gets."""
        said, points = self.competition.announcement, sheet.number(self.points)
        game = title_of(self.competition.game, sheet.words.language)
        counts = (self.games, self.wins, self.draws, self.losses, self.byes, self.faults)
        return (
            klass, said.title, date, game, self.place, self.pupil, self.engine, points, *counts, sheet.words.of(self.fault),
        )  # fmt: skip


async def results(house: House, found: Sequence[Competition]) -> list[Line]:
    """Return how everybody did in competitions that run or are over, the newest first."""
    lines: list[Line] = []
    for competition in found:
        if competition.stage in (Stage.RUNNING, Stage.OVER) and (board := await house.scoreboard.show(competition)) is not None:
            lines += await asyncio.to_thread(_lines, house, competition, board)
    return lines


def _lines(house: House, competition: Competition, board: Board) -> list[Line]:
    owners = house.community.accounts.many([one.owner for one in board.entries])
    faults: dict[int, Reason] = {}
    for fault in reversed(board.faults):
        said = Reason("%(kind)s: %(reason)s", kind=Termination(fault["kind"]), reason=fault["reason"])
        faults |= {one["entry"].id: said for one in fault["guilty"]}
    made = []
    for row in board.summary.standings.rows:
        entry = board.entry(row.contestant)
        counts = (row.games, row.wins, row.draws, row.losses, row.byes, sum(row.faults))
        made.append(Line(competition, row.rank, owners[entry.owner], entry.name, row.points, *counts, faults.get(entry.id)))
    return made


def results_csv(klass: Class, lines: Sequence[Line], days: dict[int, str], sheet: Sheet) -> str:
    """Return the results of a class for a spreadsheet; `days` says when each competition was."""
    return sheet.text(HEADS, (one.cells(klass.name, days[one.competition.id], sheet) for one in lines))


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


def totals(lines: Sequence[Line]) -> list[Total]:
    """Return what everybody has come to, the best first."""
    found: dict[str, list[Line]] = {}
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
