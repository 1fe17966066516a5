"""Competitions and classes for programs: announce, enter, withdraw, vote, steer, follow the standings; teach and join.

To enter or to vote twice is to do it once; a competition with the same title, game and organiser that is not over is announced
once. What the account may not do on the pages it may not do here.
"""

import asyncio
from typing import Annotated

from litestar import get, post
from litestar.exceptions import NotFoundException
from litestar.params import JSONBody, PathParameter, QueryParameter

from arbitre.community.accounts import Account, Role
from arbitre.community.classes import Class, ClassId
from arbitre.community.competitions import Announcement, Competition, CompetitionId, Stage
from arbitre.community.engines import EngineId
from arbitre.community.entries import Entry, EntryId
from arbitre.community.tokens import Scope
from arbitre.errors import ArenaError
from arbitre.protocol.trays import TRAYS
from arbitre.web.api.common import API, READS, WRITE, WRITES, bearer, reader
from arbitre.web.api.engines import engine_form
from arbitre.web.api.forms import (
    ClassForm,
    CompetitionForm,
    Enter,
    EntryForm,
    FixtureForm,
    Join,
    MemberForm,
    NewClass,
    NewCompetition,
    Page,
    ProgressForm,
    StandingForm,
    Steer,
)
from arbitre.web.given import OurHouse, ThisVisit
from arbitre.web.house import House

PAGE = 50
HOUR = 3_600

Number = Annotated[int, PathParameter(ge=1, le=2**53 - 1, description="its number")]
Code = Annotated[str, QueryParameter(max_length=64, description="the code of its link, where it is not listed")]


def _form(house: House, one: Competition, account: Account | None) -> CompetitionForm:
    said = one.announcement
    mine = account is not None and one.organiser == account.id
    url = f"{house.settings.public}/compete/{one.id}"
    return CompetitionForm(one.id, said.title, one.game, said.kind, one.stage.value, said.opens, said.begins, url, mine)


async def _find(house: House, account: Account | None, number: int, code: str = "") -> Competition:
    kept = house.community.competitions
    if code:
        found = await asyncio.to_thread(kept.linked, code)
        if found.id != number:
            raise NotFoundException
        return found
    return await asyncio.to_thread(kept.get, CompetitionId(number), account)


@get("/api/competitions", responses=READS, **API)
async def competitions(
    house: OurHouse,
    visit: ThisVisit,
    stage: Annotated[Stage | None, QueryParameter(description="only in this stage")] = None,
    game: Annotated[str, QueryParameter(max_length=60, description="only of this game")] = "",
    after: Annotated[int, QueryParameter(ge=0, le=2**53 - 1, description="go on behind this; 0 from the newest")] = 0,
) -> Page[CompetitionForm]:
    """List competitions, the newest first."""
    account = reader(visit)
    kept = house.community.competitions
    found = await asyncio.to_thread(
        lambda: kept.all(by=account, stage=stage, game=game or None, before=after or None, most=PAGE + 1)
    )
    shown = found[:PAGE]
    return Page([_form(house, one, account) for one in shown], shown[-1].id if len(found) > PAGE else None)


@post("/api/competitions", status_code=201, responses=WRITES, **WRITE)
async def announce(house: OurHouse, visit: ThisVisit, data: JSONBody[NewCompetition]) -> CompetitionForm:
    """Announce a competition; the account needs the role of an organiser."""
    account = bearer(visit, Scope.COMPETE)
    account.require(Role.ORGANISER)
    if data.game not in TRAYS:
        raise ArenaError(f"{data.game[:60]!r} is no game of competitions")
    now = house.community.database.now()
    plan: dict[str, object] = {
        "game": data.game,
        "format": data.format,
        "games": data.games,
        "clock": data.clock,
        "seeding": "lot",
    }
    if data.format == "swiss" and data.rounds:
        plan["rounds"] = data.rounds
    if data.game == "kriegspiel":
        plan["refusals"] = "any"
    begins = data.begins or now + HOUR
    said = Announcement(data.title, plan, max(data.opens, now), begins, data.about, data.kind, listed=data.listed, each=data.each)

    def once() -> Competition:
        for one in house.community.competitions.all(by=account, game=data.game):
            same = (one.organiser, one.announcement.title) == (account.id, data.title)
            if same and one.stage not in (Stage.OVER, Stage.CANCELLED):
                return one
        return house.steward.announce(account, said, data.draw)

    made = await asyncio.to_thread(once)
    house.steward.wake()
    return _form(house, made, account)


@get("/api/competitions/{number:int}", responses=READS, **API)
async def competition(house: OurHouse, visit: ThisVisit, number: Number, code: Code = "") -> CompetitionForm:
    """Return one competition."""
    account = reader(visit)
    return _form(house, await _find(house, account, number, code), account)


@get("/api/competitions/{number:int}/entries", responses=READS, **API)
async def entries(house: OurHouse, visit: ThisVisit, number: Number, code: Code = "") -> list[EntryForm]:
    """Return who takes part, with the votes for each."""
    account = reader(visit)
    found = await _find(house, account, number, code)
    kept = house.community.entries
    listed, votes = await asyncio.to_thread(lambda: (kept.of(found.id, withdrawn=True), kept.votes(found.id)))
    return [_entry(one, votes.get(one.id, 0), account) for one in listed]


def _entry(one: Entry, votes: int, account: Account | None) -> EntryForm:
    mine = account is not None and one.owner == account.id
    return EntryForm(one.id, one.name, one.engine, votes, one.withdrawn is not None, mine)


@get("/api/competitions/{number:int}/progress", responses=READS, **API)
async def progress(house: OurHouse, visit: ThisVisit, number: Number, code: Code = "") -> ProgressForm:
    """Return the standings and the games that were begun."""
    found = await _find(house, reader(visit), number, code)
    board = await house.scoreboard.show(found)
    trouble = house.steward.trouble(found.id)
    if board is None:
        return ProgressForm(found.stage.value, [], [], trouble)
    rows = [
        StandingForm(row["rank"], row["entry"].id, row["entry"].name, str(row["points"]), row["games"]) for row in board.standings
    ]
    games = [FixtureForm(fixture, match, fixture in board.live) for fixture, match in sorted(board.games.items())]
    return ProgressForm(found.stage.value, rows, games, trouble)


@post("/api/competitions/{number:int}/enter", status_code=200, responses=WRITES, **WRITE)
async def enter(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[Enter]) -> EntryForm:
    """Enter an engine, or oneself; to enter what is entered changes nothing."""
    account = bearer(visit, Scope.COMPETE)
    found = await _find(house, account, number, data.code)
    kept = house.community.entries
    engine = None if data.engine is None else EngineId(data.engine)

    def once() -> Entry:
        for one in kept.of(found.id):
            if (one.owner, one.engine) == (account.id, engine):
                return one
        return kept.enter(account, found.id, engine, data.code)

    made = await asyncio.to_thread(once)
    house.steward.bell(found.id).ring()
    return _entry(made, 0, account)


@post("/api/entries/{number:int}/withdraw", status_code=200, responses=WRITES, **WRITE)
async def withdraw(house: OurHouse, visit: ThisVisit, number: Number) -> EntryForm:
    """Take an entry of one's own back; what it has not played yet is not played."""
    account = bearer(visit, Scope.COMPETE)
    return _entry(await house.steward.withdraw(account, EntryId(number)), 0, account)


@post("/api/entries/{number:int}/vote", status_code=200, responses=WRITES, **WRITE)
async def vote(house: OurHouse, visit: ThisVisit, number: Number) -> EntryForm:
    """Vote for a favourite, not for one's own; an earlier vote in the same competition moves."""
    account = bearer(visit, Scope.COMPETE)
    kept = house.community.entries

    def cast() -> tuple[Entry, int]:
        kept.vote(account, EntryId(number))
        one = kept.get(EntryId(number))
        return one, kept.votes(one.competition).get(one.id, 0)

    one, votes = await asyncio.to_thread(cast)
    return _entry(one, votes, account)


@post("/api/competitions/{number:int}/steer", status_code=200, responses=WRITES, **WRITE)
async def steer(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[Steer]) -> CompetitionForm:
    """Open the entries, begin the games, or call a competition of one's own off."""
    account = bearer(visit, Scope.COMPETE)
    found = await _find(house, account, number)
    kept = house.community.competitions
    if data.do == "open":
        await asyncio.to_thread(kept.open, account, found.id)
    elif data.do == "cancel":
        await asyncio.to_thread(kept.cancel, account, found.id)
    else:
        await house.steward.begin(account, found.id)
    house.steward.wake()
    return _form(house, await _find(house, account, number), account)


# ── classes ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _class(one: Class, account: Account) -> ClassForm:
    mine = one.teacher == account.id
    return ClassForm(one.id, one.name, mine, one.code if mine else None, one.expires if mine else None)


@get("/api/classes", responses=WRITES, **API)
async def classes(house: OurHouse, visit: ThisVisit) -> list[ClassForm]:
    """List the classes that one teaches or belongs to."""
    account = bearer(visit, Scope.READ)
    kept = house.community.classes
    found = await asyncio.to_thread(lambda: (*kept.taught_by(account), *kept.of(account)))
    return [_class(one, account) for one in dict.fromkeys(found)]


@post("/api/classes", status_code=201, responses=WRITES, **WRITE)
async def make_class(house: OurHouse, visit: ThisVisit, data: JSONBody[NewClass]) -> ClassForm:
    """Make a class; the account needs the role of a teacher. The same name makes the same class."""
    account = bearer(visit, Scope.TEACH)
    account.require(Role.TEACHER)
    kept = house.community.classes

    def once() -> Class:
        return next((one for one in kept.taught_by(account) if one.name == data.name), None) or kept.create(account, data.name)

    return _class(await asyncio.to_thread(once), account)


@post("/api/classes/join", status_code=200, responses=WRITES, **WRITE)
async def join(house: OurHouse, visit: ThisVisit, data: JSONBody[Join]) -> ClassForm:
    """Join a class with its code."""
    account = bearer(visit, Scope.PLAY)
    return _class(await asyncio.to_thread(house.community.classes.join, account, data.code), account)


@get("/api/classes/{number:int}/members", responses=WRITES, **API)
async def members(house: OurHouse, visit: ThisVisit, number: Number) -> list[MemberForm]:
    """List the members of a class with their engines, for its teacher."""
    account = bearer(visit, Scope.TEACH)
    kept = house.community

    def listed() -> list[MemberForm]:
        found = kept.classes.members(account, ClassId(number))
        return [
            MemberForm(one.account.name, one.joined, [engine_form(engine, account) for engine in kept.engines.of(one.account)])
            for one in found
        ]

    return await asyncio.to_thread(listed)


ROUTES = (
    competitions,
    announce,
    competition,
    entries,
    progress,
    enter,
    withdraw,
    vote,
    steer,
    classes,
    make_class,
    join,
    members,
)
