"""The trace: every exchange with an engine in one match, for its owner (spec: tournoyons, sections 1, 2 and 9).

Only asks that are over are there. A call can be repeated by hand: it then says `Game=TEST` and has no `Referee`, so whatever the
engine answers, it answers no match. In a game with secrets that still goes on, whoever sits at the same table waits for its end.
"""

import asyncio
from typing import Any

from litestar import Response, get, post
from litestar.exceptions import NotFoundException, PermissionDeniedException

from arbitre.errors import UnknownError
from arbitre.games.game import Seat
from arbitre.site.accounts import Account, Role
from arbitre.site.arena.matches import Sitting
from arbitre.site.arena.plan import Engine, Referee
from arbitre.site.arena.traces import PAGE, added_at, engine_at, exchange, exchanges
from arbitre.site.registered import Registered
from arbitre.tournoyons.tester import Trial, fetched_by_hand, harmless
from arbitre.web.given import Form, FromPath, OurHouse, ThisPerson, ThisVisit, Whole
from arbitre.web.house import House
from arbitre.web.lists import listing_of, names_of
from arbitre.web.pages.account import number
from arbitre.web.pages.games import find, seats_of
from arbitre.web.pages.testers import call_out
from arbitre.web.visit import Visit

REPEAT_SECONDS = 10


async def allowed(house: House, visit: Visit, person: Account, name: str, seat: int) -> tuple[Sitting, Engine | Referee]:
    """Return the match and the engine whose trace this person may see; who may not learns nothing about it."""
    sitting = await find(house, visit, name)
    engine = engine_at(sitting, seat)
    judge = added_at(sitting, seat)
    things: Registered[Any] = house.community.engines if judge is None else house.community.added
    try:
        owner = (await asyncio.to_thread(things.find, (judge or engine).number)).owner
    except UnknownError:
        owner = None
    if owner != person.id and not person.may(Role.OPERATOR):
        raise PermissionDeniedException(visit.words("Only the owner of an engine sees what was exchanged with it."))
    if sitting.plan.game.hides and sitting.state != "over" and seats_of(visit, sitting.plan):
        raise PermissionDeniedException(
            visit.words("You sit at this table, and the game has secrets: the trace opens when it is over.")
        )
    return sitting, engine


async def _page(
    house: House,
    visit: Visit,
    sitting: Sitting,
    engine: Engine | Referee,
    seat: int,
    after: int,
    trial: Trial | None = None,
    repeated: int = 0,
) -> Response[str]:
    judge = added_at(sitting, seat)
    found = exchanges(house.arena, sitting.name, Seat(seat), after)
    names = await names_of(house, sitting.plan, visit.words)
    return house.page(
        visit,
        "trace.html",
        sitting=sitting,
        called=names[seat],
        kind="engines" if judge is None else "added",
        number=(judge or engine).number,
        seat=seat,
        title=listing_of(sitting.plan.game).called(visit.language),
        exchanges=found,
        more=found[-1].sequence if len(found) == PAGE else 0,
        after=after,
        trial=trial,
        repeated=repeated,
    )


@get("/games/{name:str}/trace/{seat:int}")
async def trace(
    house: OurHouse, visit: ThisVisit, person: ThisPerson, name: FromPath[str], seat: FromPath[int], after: Whole = 0
) -> Response[str]:
    """Show what was exchanged with the engine on a seat, counted from 0."""
    sitting, engine = await allowed(house, visit, person, name, seat)
    return await _page(house, visit, sitting, engine, seat, after)


@post("/games/{name:str}/trace/{seat:int}", status_code=200)
async def repeat(
    house: OurHouse, visit: ThisVisit, person: ThisPerson, name: FromPath[str], seat: FromPath[int], data: Form
) -> Response[Any]:
    """Make a call again, as a test, and show what comes of it."""
    sitting, engine = await allowed(house, visit, person, name, seat)
    sequence = number(data.get("sequence", ""))
    again = exchange(house.arena, name, Seat(seat), sequence)
    if not again.ours:
        raise NotFoundException
    call_out(house, visit)
    way = await asyncio.to_thread(house.ways.to_engine, engine.number, engine.url)
    trial = await fetched_by_hand(house.switchboard, harmless(again.text), REPEAT_SECONDS, way=way)
    return await _page(house, visit, sitting, engine, seat, max(0, sequence - 1 - PAGE // 2), trial, sequence)


ROUTES = (trace, repeat)
