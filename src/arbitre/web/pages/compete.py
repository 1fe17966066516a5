"""Compete: competitions announced, open, running and over; who enters, who is liked, how it stands (spec: tournoyons, section 7).

A competition that is not listed is there for whoever has its link, `/compete/join/…`; its page then carries the code along. To
look changes nothing; whatever changes something is a POST. The page of one that runs refreshes itself by a stream of events.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from json import dumps
from typing import Any, get_args

from litestar import Response, get, post
from litestar.exceptions import NotFoundException
from litestar.response import Redirect, Stream

from arbitre.elections.lots import lot_terms
from arbitre.games.labels import listing_for as listing
from arbitre.site.accounts import Account, Role
from arbitre.site.competitions import contests
from arbitre.site.competitions.coming import coming
from arbitre.site.competitions.competitions import Competition, CompetitionId, Stage, trial_plan
from arbitre.site.competitions.draw import REVEAL_SECONDS
from arbitre.site.competitions.entries import Entry, EntryId
from arbitre.site.competitions.scoreboard import Board
from arbitre.site.competitions.watching import changes
from arbitre.site.engines import EngineId
from arbitre.site.games import judge_of
from arbitre.web.dependencies import Form, FromPath, FromQuery, OurHouse, ThisPerson, ThisVisit, Whole, number_in
from arbitre.web.house import WebApp
from arbitre.web.options import told
from arbitre.web.scoreboard import TIES, awards_in, charts_in, coming_in
from arbitre.web.show import feed_of
from arbitre.web.smalls import BLANK
from arbitre.web.visit import Visit


def address(competition: Competition, code: str = "", more: str = "") -> str:
    """Return where the page of a competition is, with the code that was needed to see it."""
    return f"/compete/{competition.id}{more}" + (f"?code={code}" if code else "")


MOST_OWN = 50

# ── the list ───────────────────────────────────────────────────────────────────────────────────────────────────────


@get("/compete")
async def compete(house: OurHouse, visit: ThisVisit, before: Whole = 0) -> Response[str]:
    """Show what is announced, what takes entries, what runs, and what is over."""
    seen = house.community.competitions
    by = visit.person

    def look() -> dict[str, tuple[Competition, ...]]:
        found = {stage.value: seen.all(by=by, stage=stage) for stage in (Stage.RUNNING, Stage.OPEN, Stage.ANNOUNCED)}
        found["over"] = seen.all(by=by, stage=Stage.OVER, before=before or None, most=13)
        return found

    stages = await asyncio.to_thread(look)
    counts = await asyncio.to_thread(
        lambda: {one.id: len(house.community.entries.of(one.id)) for part in stages.values() for one in part}
    )
    over = stages.pop("over")
    return house.page(
        visit,
        "compete.html",
        stages=stages,
        over=over[:12],
        further=over[11].id if len(over) > 12 else 0,
        counts=counts,
        listing=listing,
        may_announce=visit.person is not None and visit.person.may(Role.ORGANISER),
    )


@get("/compete/join/{code:str}")
async def join(house: OurHouse, code: FromPath[str]) -> Redirect:
    """Lead whoever has the link to the page."""
    found = await asyncio.to_thread(house.community.competitions.linked, code)
    return Redirect(address(found, found.code), status_code=303)


@get("/compete/yours")
async def yours(house: OurHouse, visit: ThisVisit, person: ThisPerson) -> Response[str]:
    """Show the games that wait for somebody, and those that are being played."""
    entered = await asyncio.to_thread(house.community.entries.by, person)
    found: list[dict[str, Any]] = []
    for number in dict.fromkeys(one.competition for one in entered):
        competition = await asyncio.to_thread(house.community.competitions.find, number)
        board = await house.scoreboard.show(competition) if competition.stage is Stage.RUNNING else None
        mine = tuple(one for one in entered if one.competition == number)
        changes = await asyncio.to_thread(house.community.competitions.history, number)
        found.append(
            {
                "competition": competition,
                "games": _mine(house, person, competition, board),
                "entries": mine,
                "changes": [one for one in changes if one.at >= min(entry.created for entry in mine)],
            }
        )
    order = (Stage.RUNNING, Stage.OPEN, Stage.ANNOUNCED, Stage.CANCELLED, Stage.OVER)
    found.sort(key=lambda one: (not one["games"], order.index(one["competition"].stage)))
    return house.page(visit, "compete_yours.html", found=found, listing=listing)


def _mine(house: WebApp, person: Account, competition: Competition, board: Board | None) -> list[contests.OwnGame]:
    """Return somebody's games that are live or waiting."""
    return [] if board is None else contests.own_games(house, person, competition.id)[:MOST_OWN]


# ── the page of one ────────────────────────────────────────────────────────────────────────────────────────────────


@get("/compete/{number:int}")
async def competition(house: OurHouse, visit: ThisVisit, number: FromPath[int], code: FromQuery[str] = "") -> Response[str]:
    """Show a competition."""
    return await _show(house, visit, await contests.find(house, visit.person, number, code), code)


async def _show(house: WebApp, visit: Visit, found: Competition, code: str, problem: str = "") -> Response[str]:
    by, community = visit.person, house.community

    def look() -> dict[str, Any]:
        entries = community.entries.of(found.id)
        engines = () if by is None else tuple(one for one in community.engines.of(by) if one.game == found.game)
        owners = {one.owner for one in entries}
        known = owners | {found.organiser}
        return {
            "entries": entries,
            "judge": judge_of(house, found.game, owners),
            "owners": community.accounts.many(sorted(known)),
            "votes": community.entries.votes(found.id),
            "voted": None if by is None else community.entries.vote_of(by, found.id),
            "engines": [one for one in engines if one.id not in {entry.engine for entry in entries}],
            "changes": community.competitions.history(found.id),
        }

    count = house.steward.bell(found.id).count  # before the board is made: what happens meanwhile is told by the stream
    seen = await asyncio.to_thread(look)
    board = await house.scoreboard.show(found)
    proof = await asyncio.to_thread(contests.draw_proof, house, found)
    plan = await asyncio.to_thread(trial_plan, found.announcement.plan)
    version, boards = await feed_of(house, found, visit.words).boards() if found.stage is Stage.RUNNING else (0, [])
    return house.page(
        visit,
        "competition.html",
        status=400 if problem else 200,
        competition=found,
        said=found.announcement,
        listing=listing(found.game),
        plan=plan,
        rules=told(plan.game, visit.words),
        board=board,
        honours=await house.honoured.show(found, board),
        boards=boards,
        version=version,
        count=count,
        following=found.stage is Stage.RUNNING and board is not None,
        coming=coming_in(visit.words, coming(house, found, board)),
        blank=BLANK,
        charts_in=charts_in,
        awards_in=awards_in,
        ties=TIES,
        mine=[one for one in seen["entries"] if by is not None and one.owner == by.id],
        own_games=[] if by is None else _mine(house, by, found, board),
        steers=contests.steers(by, found),
        trouble=visit.words.of(house.steward.trouble(found.id)),
        drawn=None if proof is None else proof.draw,
        proof=proof,
        terms=None if proof is None else lot_terms(proof.purpose),
        reveal_minutes=REVEAL_SECONDS // 60,
        code=code,
        query=f"?code={code}" if code else "",
        problem=problem,
        link=f"{house.settings.public}/compete/join/{found.code}",
        **seen,
    )


@get("/compete/{number:int}/board")
async def board(house: OurHouse, visit: ThisVisit, number: FromPath[int], code: FromQuery[str] = "") -> Response[str]:
    """Show how a competition stands, for a page that is open."""
    found = await contests.find(house, visit.person, number, code)
    shown = await contests.board(house, found)
    _, boards = await feed_of(house, found, visit.words).boards() if found.stage is Stage.RUNNING else (0, [])
    return house.page(
        visit,
        "competition_board.html",
        competition=found,
        board=shown,
        honours=await house.honoured.show(found, shown),
        boards=boards,
        coming=coming_in(visit.words, coming(house, found, shown)),
        charts_in=charts_in,
        awards_in=awards_in,
        ties=TIES,
        own_games=[] if visit.person is None else _mine(house, visit.person, found, shown),
        code=code,
        query=f"?code={code}" if code else "",
    )


@get("/compete/{number:int}/events", media_type="text/event-stream")
async def events(house: OurHouse, visit: ThisVisit, number: FromPath[int], code: FromQuery[str] = "") -> Stream:
    """Tell a page when something has changed."""
    found = await contests.find(house, visit.person, number, code)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return Stream(_stream(house, found.id), media_type="text/event-stream", headers=headers)


async def _stream(house: WebApp, number: CompetitionId) -> AsyncIterator[bytes]:
    yield b"retry: 2000\n\n"
    async with aclosing(changes(house, number)) as told:
        async for change in told:
            if change is None:
                yield b": still here\n\n"
                continue
            stage, count = change
            yield f"id: {count}\ndata: {dumps({'stage': stage, 'count': count})}\n\n".encode()


# ── taking part ────────────────────────────────────────────────────────────────────────────────────────────────────


@post("/compete/{number:int}/enter")
async def enter(house: OurHouse, visit: ThisVisit, person: ThisPerson, number: FromPath[int], data: Form) -> Redirect:
    """Enter one's engine, or oneself, with a Commit for the draw where one is brought."""
    code = data.get("code", "")[:100]
    found = await contests.find(house, visit.person, number, code)
    engine = EngineId(number_in(data.get("engine", ""), 0)) if found.announcement.kind == "engines" else None
    await contests.enter(house, person, found, engine, code, data.get("commit", ""))
    return Redirect(address(found, code), status_code=303)


async def _entry(house: WebApp, found: Competition, data: dict[str, str]) -> Entry:
    """Return the entry of a competition that a form names."""
    entry = await asyncio.to_thread(house.community.entries.get, EntryId(number_in(data.get("entry", ""), 0)))
    if entry.competition != found.id:
        raise NotFoundException
    return entry


@post("/compete/{number:int}/commit")
async def commit(house: OurHouse, visit: ThisVisit, person: ThisPerson, number: FromPath[int], data: Form) -> Redirect:
    """Bring a Commit for the draw."""
    found = await contests.find(house, visit.person, number, data.get("code", ""))
    entry = await contests.own_entry(house, person, number_in(data.get("entry", ""), 0), found.id)
    await house.steward.commit(entry, data.get("commit", ""))
    return Redirect(address(found, data.get("code", "")), status_code=303)


@post("/compete/{number:int}/reveal")
async def reveal(house: OurHouse, visit: ThisVisit, person: ThisPerson, number: FromPath[int], data: Form) -> Redirect:
    """Open a Commit."""
    found = await contests.find(house, visit.person, number, data.get("code", ""))
    entry = await contests.own_entry(house, person, number_in(data.get("entry", ""), 0), found.id)
    await house.steward.reveal(entry, data.get("reveal", ""))
    return Redirect(address(found, data.get("code", "")), status_code=303)


@post("/compete/{number:int}/withdraw")
async def withdraw(house: OurHouse, visit: ThisVisit, person: ThisPerson, number: FromPath[int], data: Form) -> Redirect:
    """Take an entry out: its owner may, and the organiser."""
    found = await contests.find(house, visit.person, number, data.get("code", ""))
    await house.steward.withdraw(person, (await _entry(house, found, data)).id)
    return Redirect(address(found, data.get("code", "")), status_code=303)


@post("/compete/{number:int}/vote")
async def vote(house: OurHouse, visit: ThisVisit, person: ThisPerson, number: FromPath[int], data: Form) -> Redirect:
    """Vote for a favourite, or take the vote back."""
    found = await contests.find(house, visit.person, number, data.get("code", ""))
    if number_in(data.get("entry", ""), 0):
        await contests.vote(house, person, (await _entry(house, found, data)).id, data.get("code", ""))
    else:
        await asyncio.to_thread(house.community.entries.unvote, person, found.id)
    return Redirect(address(found, data.get("code", "")) + "#entries", status_code=303)


@post("/compete/{number:int}/here")
async def here(house: OurHouse, visit: ThisVisit, person: ThisPerson, number: FromPath[int], data: Form) -> Redirect:
    """Say that one is there for a game."""
    found = await contests.find(house, visit.person, number, data.get("code", ""))
    await house.steward.here(person, found.id, number_in(data.get("game", ""), 0), signs=visit.caller.signs)
    return Redirect(address(found, data.get("code", "")), status_code=303)


# ── steering ───────────────────────────────────────────────────────────────────────────────────────────────────────


@post("/compete/{number:int}/steer")
async def steer(house: OurHouse, person: ThisPerson, number: FromPath[int], data: Form) -> Response[Any]:
    """Open, begin, cancel or go on: the organiser may."""
    act = data.get("what", "")
    if act not in get_args(contests.Act):
        raise NotFoundException
    found = await contests.steer(house, person, number, act, data.get("why", ""))  # type: ignore[arg-type]
    return Redirect(address(found), status_code=303)
