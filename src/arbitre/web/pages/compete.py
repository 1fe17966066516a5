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

from arbitre.crypto.chain import commitment
from arbitre.elections.lots import lot_terms
from arbitre.errors import ForbiddenError
from arbitre.games.labels import listing_for as listing
from arbitre.site.accounts import Account, Role
from arbitre.site.competitions.competitions import Competition, CompetitionId, Stage, trial_plan
from arbitre.site.competitions.draw import REVEAL_SECONDS, Draw, house_seed, read_draw
from arbitre.site.competitions.drawing import tournament_of
from arbitre.site.competitions.entries import Entry, EntryId
from arbitre.site.engines import EngineId
from arbitre.tournament.config import read_kept_plan
from arbitre.web.changes import changes
from arbitre.web.contests import Act, OwnGame, binders, find, own_games, steers
from arbitre.web.contests import steer as steer_it
from arbitre.web.given import Form, FromPath, FromQuery, OurHouse, ThisPerson, ThisVisit, Whole
from arbitre.web.house import House
from arbitre.web.options import told
from arbitre.web.played import judge_of
from arbitre.web.scoreboard import Board
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


def _mine(house: House, person: Account, competition: Competition, board: Board | None) -> list[OwnGame]:
    """Return somebody's games that are live or waiting."""
    return [] if board is None else own_games(house, person, competition.id)[:MOST_OWN]


# ── the page of one ────────────────────────────────────────────────────────────────────────────────────────────────


@get("/compete/{number:int}")
async def competition(house: OurHouse, visit: ThisVisit, number: FromPath[int], code: FromQuery[str] = "") -> Response[str]:
    """Show a competition."""
    return await _show(house, visit, await find(house, visit, number, code), code)


async def _show(house: House, visit: Visit, found: Competition, code: str, problem: str = "") -> Response[str]:
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

    seen = await asyncio.to_thread(look)
    board = await house.scoreboard.show(found)
    drawn = read_draw(found.proof)
    plan = await asyncio.to_thread(trial_plan, found.announcement.plan)
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
        mine=[one for one in seen["entries"] if by is not None and one.owner == by.id],
        own_games=[] if by is None else _mine(house, by, found, board),
        steers=steers(by, found),
        trouble=visit.words.of(house.steward.trouble(found.id)),
        drawn=drawn,
        proof=_proof(house, found, drawn),
        purpose=tournament_of(found.id),
        terms=lot_terms(tournament_of(found.id)),
        binders=binders(found, drawn, seen["entries"]),
        reveal_minutes=REVEAL_SECONDS // 60,
        code=code,
        query=f"?code={code}" if code else "",
        problem=problem,
        link=f"{house.settings.public}/compete/join/{found.code}",
        **seen,
    )


def _proof(house: House, found: Competition, drawn: Draw | None) -> dict[str, Any] | None:
    """Return what proves the draw: the commitment always, the seed when the last game is over."""
    if drawn is None:
        return None
    seed = house_seed(house.key, found.code)
    opened = found.stage is Stage.OVER
    return {
        "commitment": drawn.commitment,
        "seed": seed.hex() if opened else "",
        "holds": commitment(seed) == drawn.commitment,
        "order": [] if not drawn.transcript or found.tournament is None else _order(house, found.tournament),
    }


def _order(house: House, tournament: str) -> list[str]:
    return [one.name for one in read_kept_plan(house.store.tournament(tournament)[0]).entrants]


async def drawn_board(house: House, visit: Visit, number: int, code: str) -> Board:
    """Return how a competition stands that was drawn and that this visitor may see."""
    shown = await house.scoreboard.show(await find(house, visit, number, code))
    if shown is None:
        raise NotFoundException
    return shown


@get("/compete/{number:int}/board")
async def board(house: OurHouse, visit: ThisVisit, number: FromPath[int], code: FromQuery[str] = "") -> Response[str]:
    """Show how a competition stands, for a page that is open."""
    found = await find(house, visit, number, code)
    shown = await drawn_board(house, visit, number, code)
    return house.page(
        visit,
        "competition_board.html",
        competition=found,
        board=shown,
        own_games=[] if visit.person is None else _mine(house, visit.person, found, shown),
        code=code,
        query=f"?code={code}" if code else "",
    )


@get("/compete/{number:int}/events", media_type="text/event-stream")
async def events(house: OurHouse, visit: ThisVisit, number: FromPath[int], code: FromQuery[str] = "") -> Stream:
    """Tell a page when something has changed."""
    found = await find(house, visit, number, code)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return Stream(_stream(house, found.id), media_type="text/event-stream", headers=headers)


async def _stream(house: House, number: CompetitionId) -> AsyncIterator[bytes]:
    yield b"retry: 2000\n\n"
    async with aclosing(changes(house, number)) as told:
        async for change in told:
            if change is None:
                yield b": still here\n\n"
                continue
            stage, count = change
            yield f"id: {count}\ndata: {dumps({'stage': stage, 'count': count})}\n\n".encode()


# ── taking part ────────────────────────────────────────────────────────────────────────────────────────────────────


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else 0


@post("/compete/{number:int}/enter")
async def enter(house: OurHouse, visit: ThisVisit, person: ThisPerson, number: FromPath[int], data: Form) -> Redirect:
    """Enter one's engine, or oneself, with a Commit for the draw where one is brought."""
    code = data.get("code", "")[:100]
    found = await find(house, visit, number, code)
    engine = EngineId(_number(data.get("engine", ""))) if found.announcement.kind == "engines" else None
    entry = await asyncio.to_thread(house.community.entries.enter, person, found.id, engine, code)
    if data.get("commit"):
        await house.steward.commit(entry, data["commit"])
    house.steward.bell(found.id).ring()
    return Redirect(address(found, code), status_code=303)


async def _own_entry(house: House, person: Account, data: dict[str, str], number: int) -> Entry:
    """Return the entry that a form names, of this person and this competition."""
    entry = await asyncio.to_thread(house.community.entries.get, EntryId(_number(data.get("entry", ""))))
    if entry.competition != number or entry.owner != person.id:
        raise ForbiddenError("this entry is not yours")
    return entry


@post("/compete/{number:int}/commit")
async def commit(house: OurHouse, visit: ThisVisit, person: ThisPerson, number: FromPath[int], data: Form) -> Redirect:
    """Bring a Commit for the draw."""
    found = await find(house, visit, number, data.get("code", ""))
    await house.steward.commit(await _own_entry(house, person, data, number), data.get("commit", ""))
    return Redirect(address(found, data.get("code", "")), status_code=303)


@post("/compete/{number:int}/reveal")
async def reveal(house: OurHouse, visit: ThisVisit, person: ThisPerson, number: FromPath[int], data: Form) -> Redirect:
    """Open a Commit."""
    found = await find(house, visit, number, data.get("code", ""))
    await house.steward.reveal(await _own_entry(house, person, data, number), data.get("reveal", ""))
    return Redirect(address(found, data.get("code", "")), status_code=303)


@post("/compete/{number:int}/withdraw")
async def withdraw(house: OurHouse, visit: ThisVisit, person: ThisPerson, number: FromPath[int], data: Form) -> Redirect:
    """Take an entry out: its owner may, and the organiser."""
    found = await find(house, visit, number, data.get("code", ""))
    entry = await asyncio.to_thread(house.community.entries.get, EntryId(_number(data.get("entry", ""))))
    if entry.competition != found.id:
        raise NotFoundException
    await house.steward.withdraw(person, entry.id)
    return Redirect(address(found, data.get("code", "")), status_code=303)


@post("/compete/{number:int}/vote")
async def vote(house: OurHouse, visit: ThisVisit, person: ThisPerson, number: FromPath[int], data: Form) -> Redirect:
    """Vote for a favourite, or take the vote back."""
    found = await find(house, visit, number, data.get("code", ""))
    chosen = EntryId(_number(data.get("entry", "")))
    if not chosen:
        await asyncio.to_thread(house.community.entries.unvote, person, found.id)
    else:
        entry = await asyncio.to_thread(house.community.entries.get, chosen)
        if entry.competition != found.id:
            raise NotFoundException
        await asyncio.to_thread(house.community.entries.vote, person, chosen)
    return Redirect(address(found, data.get("code", "")) + "#entries", status_code=303)


@post("/compete/{number:int}/here")
async def here(house: OurHouse, visit: ThisVisit, person: ThisPerson, number: FromPath[int], data: Form) -> Redirect:
    """Say that one is there for a game."""
    found = await find(house, visit, number, data.get("code", ""))
    await house.steward.here(person, found.id, _number(data.get("game", "")))
    return Redirect(address(found, data.get("code", "")), status_code=303)


# ── steering ───────────────────────────────────────────────────────────────────────────────────────────────────────


@post("/compete/{number:int}/steer")
async def steer(house: OurHouse, visit: ThisVisit, person: ThisPerson, number: FromPath[int], data: Form) -> Response[Any]:
    """Open, begin, cancel or go on: the organiser may."""
    found = await find(house, visit, number)
    act = data.get("what", "")
    if act not in get_args(Act):
        raise NotFoundException
    await steer_it(house, person, found, act, data.get("why", ""))  # type: ignore[arg-type]
    return Redirect(address(found), status_code=303)


ROUTES = (
    compete, join, yours, competition, board, events, enter, commit, reveal, withdraw, vote, here, steer,
)  # fmt: skip
