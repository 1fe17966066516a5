"""Who takes part in a competition, for programs: enter, withdraw, vote, the Commits of a draw.

To enter or to vote twice is to do it once.
"""

import asyncio
from typing import Annotated

from litestar import delete, get, post
from litestar.params import JSONBody
from msgspec import Meta, Struct

from arbitre.site.accounts import Account
from arbitre.site.competitions import contests
from arbitre.site.competitions.entries import Entry, EntryId
from arbitre.site.engines import EngineId
from arbitre.site.tokens import Scope
from arbitre.web.api.common import After, Number, bearer, open_to_all, paged, reader, repeatable, with_token
from arbitre.web.api.competitions import Code
from arbitre.web.api.forms import Id, Page
from arbitre.web.dependencies import OurHouse, ThisVisit


class EntryForm(Struct):
    """Somebody who takes part."""

    id: int
    competition: int
    name: str
    neutral: str
    """What the plan and the records say for the name."""
    engine: int | None
    votes: int
    withdrawn: bool
    mine: bool


class Enter(Struct, forbid_unknown_fields=True):
    """Who enters: one of one's engines, or oneself where people compete."""

    engine: Id | None = None
    code: Annotated[str, Meta(max_length=64)] = ""
    commit: Annotated[str, Meta(max_length=4_096)] = ""
    """A Commit for the draw, in hexadecimal, where the contestants settle it."""


class Payload(Struct, forbid_unknown_fields=True):
    """A Commit or a Reveal, in hexadecimal."""

    payload: Annotated[str, Meta(min_length=2, max_length=4_096)]


def _entry(one: Entry, votes: int, account: Account | None) -> EntryForm:
    mine = account is not None and one.owner == account.id
    return EntryForm(one.id, one.competition, one.name, one.neutral, one.engine, votes, one.withdrawn is not None, mine)


@get("/api/competitions/{number:int}/entries", **open_to_all(410))
async def list_entries(house: OurHouse, visit: ThisVisit, number: Number, code: Code = "", after: After = 0) -> Page[EntryForm]:
    """List who takes part, with the votes for each, in the order of entering."""
    account = reader(visit)
    found = await contests.find(house, visit.person, number, code)
    kept = house.community.entries
    listed, votes = await asyncio.to_thread(lambda: (kept.of(found.id, withdrawn=True), kept.votes(found.id)))
    return paged(listed, lambda one: one.id, after, lambda one: _entry(one, votes.get(one.id, 0), account))


@post("/api/competitions/{number:int}/enter", status_code=200, **repeatable(Scope.COMPETE, 410))
async def enter_competition(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[Enter]) -> EntryForm:
    """Enter a competition: with an engine, or oneself, and a Commit for the draw where one is brought.

    To enter what is entered changes nothing.
    """
    account = bearer(visit)
    found = await contests.find(house, visit.person, number, data.code)
    engine = None if data.engine is None else EngineId(data.engine)
    made = await contests.enter(house, account, found, engine, data.code, data.commit)
    return _entry(made, 0, account)


@post("/api/entries/{number:int}/commit", status_code=200, **repeatable(Scope.COMPETE))
async def bring_commit(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[Payload]) -> EntryForm:
    """Bring a Commit for the draw, while entries are taken."""
    account = bearer(visit)
    entry = await contests.own_entry(house, account, number)
    await house.steward.commit(entry, data.payload)
    return _entry(entry, 0, account)


@post("/api/entries/{number:int}/reveal", status_code=200, **repeatable(Scope.COMPETE))
async def open_commit(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[Payload]) -> EntryForm:
    """Open one's Commit, when entries are closed."""
    account = bearer(visit)
    entry = await contests.own_entry(house, account, number)
    await house.steward.reveal(entry, data.payload)
    return _entry(entry, 0, account)


@post("/api/entries/{number:int}/withdraw", status_code=200, **repeatable(Scope.COMPETE))
async def withdraw_entry(house: OurHouse, visit: ThisVisit, number: Number) -> EntryForm:
    """Take an entry back: one's own, or any of a competition that one organises; what it has not played yet is not played."""
    account = bearer(visit)
    return _entry(await house.steward.withdraw(account, EntryId(number)), 0, account)


@post("/api/entries/{number:int}/vote", status_code=200, **repeatable(Scope.COMPETE, 410))
async def vote_for_entry(house: OurHouse, visit: ThisVisit, number: Number, code: Code = "") -> EntryForm:
    """Vote for a favourite, not for one's own; an earlier vote in the same competition moves."""
    account = bearer(visit)
    one, votes = await contests.vote(house, account, number, code)
    return _entry(one, votes, account)


@delete("/api/competitions/{number:int}/vote", status_code=204, **with_token(Scope.COMPETE, 410))
async def take_vote_back(house: OurHouse, visit: ThisVisit, number: Number, code: Code = "") -> None:
    """Take one's vote back, if there is one."""
    account = bearer(visit)
    found = await contests.find(house, visit.person, number, code)
    await asyncio.to_thread(house.community.entries.unvote, account, found.id)
