"""The trace: every exchange with an engine in one match, for its owner (spec: tournoyons, sections 1, 2 and 9).

Only asks that are over are there. A call can be repeated by hand: it then says `Game=TEST` and has no `Referee`, so whatever the
engine answers, it answers no match. In a game with secrets that still goes on, whoever sits at the same table waits for its end.
"""

from typing import Any

from litestar import Response, get, post

from arbitre.games.game import Seat
from arbitre.site import matches, trials
from arbitre.site.arena.matches import ArenaMatch
from arbitre.site.arena.plan import EngineSeat, RefereeSeat
from arbitre.site.arena.traces import PAGE, added_at, exchanges
from arbitre.tournoyons.tester import EngineTrial
from arbitre.web.dependencies import Form, FromPath, OurHouse, ThisPerson, ThisVisit, Whole, number_in
from arbitre.web.house import WebApp
from arbitre.web.lists import listing_of, names_of
from arbitre.web.visit import Visit


async def _page(
    house: WebApp,
    visit: Visit,
    sitting: ArenaMatch,
    engine: EngineSeat | RefereeSeat,
    seat: int,
    after: int,
    trial: EngineTrial | None = None,
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
    house: OurHouse,
    visit: ThisVisit,
    person: ThisPerson,  # noqa: ARG001 - who logs in
    name: FromPath[str],
    seat: FromPath[int],
    after: Whole = 0,
) -> Response[str]:
    """Show what was exchanged with the engine on a seat, counted from 0."""
    sitting, engine = await matches.trace(house, visit.caller, name, seat)
    return await _page(house, visit, sitting, engine, seat, after)


@post("/games/{name:str}/trace/{seat:int}", status_code=200)
async def repeat(
    house: OurHouse,
    visit: ThisVisit,
    person: ThisPerson,  # noqa: ARG001 - who logs in
    name: FromPath[str],
    seat: FromPath[int],
    data: Form,
) -> Response[Any]:
    """Make a call again, as a test, and show what comes of it."""
    sitting, engine = await matches.trace(house, visit.caller, name, seat)
    sequence = number_in(data.get("sequence", ""))
    trial = await trials.repeat(house, visit.caller, name, seat, sequence)
    return await _page(house, visit, sitting, engine, seat, max(0, sequence - 1 - PAGE // 2), trial, sequence)
