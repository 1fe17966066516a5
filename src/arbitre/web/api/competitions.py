"""Competitions for programs: announce and change, enter, withdraw, vote, steer.

To enter or to vote twice is to do it once; a competition with the same title, game and organiser that is not over is announced
once. What the account may not do on the pages it may not do here.
"""

import asyncio
from dataclasses import replace
from typing import Annotated

from litestar import delete, get, patch, post
from litestar.exceptions import HTTPException, NotFoundException
from litestar.params import JSONBody, QueryParameter

from arbitre.community.accounts import Account, Role
from arbitre.community.classes import ClassId
from arbitre.community.competitions import Announcement, Competition, CompetitionId, Kind, Stage
from arbitre.community.engines import EngineId
from arbitre.community.entries import Entry, EntryId
from arbitre.community.tokens import Scope
from arbitre.errors import ArenaError
from arbitre.rules.catalogue import game as find_game
from arbitre.rules.game import AnyGame
from arbitre.rules.labels import keys_of
from arbitre.web.api.common import API, PAGE, READS, WRITE, WRITES, After, Number, bearer, fetched, paged, reader
from arbitre.web.api.forms import (
    ChangedCompetition,
    ChangeForm,
    CompetitionForm,
    CompetitionTerms,
    Enter,
    EntryForm,
    NewCompetition,
    Page,
    Payload,
    Steer,
)
from arbitre.web.given import OurHouse, ThisVisit
from arbitre.web.house import House
from arbitre.web.options import check_playable
from arbitre.web.played import played, runs_referee

HOUR = 3_600

Code = Annotated[str, QueryParameter(max_length=64, description="the code of its link, where it is not listed")]


def _form(house: House, one: Competition, account: Account | None) -> CompetitionForm:
    said = one.announcement
    mine = account is not None and one.organiser == account.id
    return CompetitionForm(
        one.id,
        said.title,
        one.game,
        said.kind,
        one.stage.value,
        said.opens,
        said.begins,
        f"{house.settings.public}/compete/{one.id}",
        mine,
        said.about,
        said.access,
        said.klass,
        said.listed,
        said.each,
        dict(said.plan),
        said.patience,
        one.code if mine else None,
        runs_referee(house, one.game),
    )


async def find_competition(house: House, account: Account | None, number: int, code: str = "") -> Competition:
    """Return a competition that somebody may see: listed, his own, or with the code of its link."""
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
    after: After = 0,
) -> Page[CompetitionForm]:
    """List competitions, the newest first."""
    account = reader(visit)
    kept = house.community.competitions
    found = await asyncio.to_thread(
        lambda: kept.all(by=account, stage=stage, game=game or None, before=after or None, most=PAGE + 1)
    )
    return fetched(found, lambda one: one.id, lambda one: _form(house, one, account))


def _plan(game: AnyGame, data: CompetitionTerms) -> dict[str, object]:
    """Return the keys of the tournament's plan."""
    plan: dict[str, object] = keys_of(game) | {
        "format": data.format,
        "games": data.games,
        "clock": data.clock,
        "seeding": "listed" if data.format == "gauntlet" else "lot",
    }
    more: dict[str, object] = {"turns": data.turns, "refusals": data.refusals, "concurrency": data.concurrency}
    plan |= {key: number for key, number in more.items() if number}
    if data.format == "swiss" and data.rounds:
        plan["rounds"] = data.rounds
    if data.starts:
        plan["starts"] = list(data.starts)
    if game.name == "kriegspiel":
        plan["refusals"] = "any"  # there the umpire says no, and the game goes on
    return plan


def _said(game: AnyGame, kind: Kind, data: CompetitionTerms, opens: int, begins: int) -> Announcement:
    return Announcement(
        data.title,
        _plan(game, data),
        opens,
        begins,
        data.about,
        kind,
        data.access,
        None if data.klass is None else ClassId(data.klass),
        data.listed,
        data.each,
        data.patience,
    )


@post("/api/competitions", status_code=201, responses=WRITES, **WRITE)
async def announce(house: OurHouse, visit: ThisVisit, data: JSONBody[NewCompetition]) -> CompetitionForm:
    """Announce a competition; the account needs the role of an organiser."""
    account = bearer(visit, Scope.COMPETE)
    account.require(Role.ORGANISER)
    table = await asyncio.to_thread(played, house, data.game, account)
    if table is None:
        raise ArenaError(f"{data.game[:60]!r} is no game of competitions")
    if table.added is not None and data.options:
        raise ArenaError(f"{table.title} has no options")
    game = table.rules if table.added is not None else find_game(data.game, data.options)
    check_playable(game)
    now = house.community.database.now()
    said = _said(game, data.kind, data, max(data.opens, now), data.begins or now + HOUR)

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
    return _form(house, await find_competition(house, account, number, code), account)


@patch("/api/competitions/{number:int}", responses=WRITES, **API)
async def change(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[ChangedCompetition]) -> CompetitionForm:
    """Announce a competition of one's own otherwise, while it is not running; game, kind and draw stay, and who has entered."""
    account = bearer(visit, Scope.COMPETE)
    found = await find_competition(house, account, number)
    said = _changed(found.announcement, data)
    changed = await asyncio.to_thread(house.community.competitions.change, account, found.id, said)
    house.steward.bell(found.id).ring()
    house.steward.wake()
    return _form(house, changed, account)


PLANNED = ("format", "rounds", "games", "clock", "turns", "refusals", "concurrency", "starts")
"""What is a key of the tournament's plan; the rest is of the announcement."""
SAID = ("title", "about", "access", "opens", "begins", "listed", "each", "patience")


def _changed(before: Announcement, data: ChangedCompetition) -> Announcement:
    """Return what is announced now: what is not sent stays as it was."""
    given = {key: one for key in (*PLANNED, *SAID) if (one := getattr(data, key)) is not None}
    plan = {**before.plan, **{key: given.pop(key) for key in PLANNED if key in given}}
    plan = {key: one for key, one in plan.items() if one or key in before.plan}
    access = given.get("access", before.access)
    klass = (before.klass if data.klass is None else ClassId(data.klass)) if access == "class" else None
    return replace(before, plan=plan, klass=klass, **given)


@get("/api/competitions/{number:int}/changes", responses=READS, **API)
async def changes(house: OurHouse, visit: ThisVisit, number: Number, code: Code = "", after: After = 0) -> Page[ChangeForm]:
    """List what was changed since the announcement, the newest first; `after` counts lines."""
    found = await find_competition(house, reader(visit), number, code)
    lines = list(enumerate(await asyncio.to_thread(house.community.competitions.history, found.id), start=1))
    return paged(lines, lambda one: one[0], after, lambda one: ChangeForm(one[1].at, one[1].field, one[1].before, one[1].after))


@post("/api/competitions/{number:int}/steer", status_code=200, responses=WRITES, **WRITE)
async def steer(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[Steer]) -> CompetitionForm:
    """Open the entries, begin the games, call a competition of one's own off, or let it go on after a fault of the house."""
    account = bearer(visit, Scope.COMPETE)
    found = await find_competition(house, account, number)
    kept = house.community.competitions
    if data.do == "open":
        await asyncio.to_thread(kept.open, account, found.id)
    elif data.do == "cancel":
        await asyncio.to_thread(kept.cancel, account, found.id, data.why)
    elif data.do == "again":
        await house.steward.again(account, found.id)
    else:
        await house.steward.begin(account, found.id)
    house.steward.bell(found.id).ring()
    house.steward.wake()
    return _form(house, await find_competition(house, account, number), account)


# ── entries ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _entry(one: Entry, votes: int, account: Account | None) -> EntryForm:
    mine = account is not None and one.owner == account.id
    return EntryForm(one.id, one.competition, one.name, one.neutral, one.engine, votes, one.withdrawn is not None, mine)


@get("/api/competitions/{number:int}/entries", responses=READS, **API)
async def entries(house: OurHouse, visit: ThisVisit, number: Number, code: Code = "", after: After = 0) -> Page[EntryForm]:
    """List who takes part, with the votes for each, in the order of entering."""
    account = reader(visit)
    found = await find_competition(house, account, number, code)
    kept = house.community.entries
    listed, votes = await asyncio.to_thread(lambda: (kept.of(found.id, withdrawn=True), kept.votes(found.id)))
    return paged(listed, lambda one: one.id, after, lambda one: _entry(one, votes.get(one.id, 0), account))


@post("/api/competitions/{number:int}/enter", status_code=200, responses=WRITES, **WRITE)
async def enter(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[Enter]) -> EntryForm:
    """Enter an engine, or oneself, with a Commit for the draw where one is brought; to enter what is entered changes nothing."""
    account = bearer(visit, Scope.COMPETE)
    found = await find_competition(house, account, number, data.code)
    kept = house.community.entries
    engine = None if data.engine is None else EngineId(data.engine)

    def once() -> Entry:
        for one in kept.of(found.id):
            if (one.owner, one.engine) == (account.id, engine):
                return one
        return kept.enter(account, found.id, engine, data.code)

    made = await asyncio.to_thread(once)
    if data.commit:
        await house.steward.commit(made, data.commit)
    house.steward.bell(found.id).ring()
    return _entry(made, 0, account)


async def _own_entry(house: House, account: Account, number: int) -> Entry:
    found = await asyncio.to_thread(house.community.entries.get, EntryId(number))
    if found.owner != account.id:
        raise HTTPException("this entry is not yours", status_code=403)
    return found


@post("/api/entries/{number:int}/commit", status_code=200, responses=WRITES, **WRITE)
async def commit(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[Payload]) -> EntryForm:
    """Bring a Commit for the draw, while entries are taken."""
    account = bearer(visit, Scope.COMPETE)
    entry = await _own_entry(house, account, number)
    await house.steward.commit(entry, data.payload)
    return _entry(entry, 0, account)


@post("/api/entries/{number:int}/reveal", status_code=200, responses=WRITES, **WRITE)
async def reveal(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[Payload]) -> EntryForm:
    """Open one's Commit, when entries are closed."""
    account = bearer(visit, Scope.COMPETE)
    entry = await _own_entry(house, account, number)
    await house.steward.reveal(entry, data.payload)
    return _entry(entry, 0, account)


@post("/api/entries/{number:int}/withdraw", status_code=200, responses=WRITES, **WRITE)
async def withdraw(house: OurHouse, visit: ThisVisit, number: Number) -> EntryForm:
    """Take an entry back: one's own, or any of a competition that one organises; what it has not played yet is not played."""
    account = bearer(visit, Scope.COMPETE)
    return _entry(await house.steward.withdraw(account, EntryId(number)), 0, account)


@post("/api/entries/{number:int}/vote", status_code=200, responses=WRITES, **WRITE)
async def vote(house: OurHouse, visit: ThisVisit, number: Number, code: Code = "") -> EntryForm:
    """Vote for a favourite, not for one's own; an earlier vote in the same competition moves."""
    account = bearer(visit, Scope.COMPETE)
    kept = house.community.entries
    await find_competition(house, account, (await asyncio.to_thread(kept.get, EntryId(number))).competition, code)

    def cast() -> tuple[Entry, int]:
        kept.vote(account, EntryId(number))
        one = kept.get(EntryId(number))
        return one, kept.votes(one.competition).get(one.id, 0)

    one, votes = await asyncio.to_thread(cast)
    return _entry(one, votes, account)


@delete("/api/competitions/{number:int}/vote", status_code=204, responses=WRITES, **API)
async def unvote(house: OurHouse, visit: ThisVisit, number: Number, code: Code = "") -> None:
    """Take one's vote back, if there is one."""
    account = bearer(visit, Scope.COMPETE)
    found = await find_competition(house, account, number, code)
    await asyncio.to_thread(house.community.entries.unvote, account, found.id)


ROUTES = (
    competitions,
    announce,
    competition,
    change,
    changes,
    steer,
    entries,
    enter,
    commit,
    reveal,
    withdraw,
    vote,
    unvote,
)
