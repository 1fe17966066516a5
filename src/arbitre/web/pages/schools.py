"""Ways into a school: the ranges that the operator allows a class, and the school's gateway (spec: tournoyons, sections 7 and 9).

The operator alone opens a range. A teacher names the gateway, which is called where that class may be called, and holds its key;
how to stand behind it is told to members of the class only, and what the school itself tells them besides.
"""

import asyncio
from typing import Any

from litestar import Response, get, post
from litestar.response import Redirect

from arbitre.errors import ArbitreError, UnfitError
from arbitre.site.accounts import Account, Role
from arbitre.site.classes import Class, ClassId
from arbitre.tournoyons.gateway import FRESH_SECONDS, SIGNATURE
from arbitre.web.dependencies import Form, FromPath, OurHouse, ThisPerson, ThisVisit
from arbitre.web.house import WebApp
from arbitre.web.pages.account import spoken
from arbitre.web.visit import Visit

LONGEST_RANGES = 4_000


@get("/teach/{which:int}/gateway")
async def gateway_page(house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int]) -> Response[str]:
    """Show members how to stand behind the gateway of their school, and its teacher where it is and its key."""
    return _gateway(house, visit, person, await asyncio.to_thread(house.community.classes.get, person, ClassId(which)))


def _gateway(house: WebApp, visit: Visit, person: Account, klass: Class, problem: str = "", status: int = 200) -> Response[str]:
    return house.page(
        visit,
        "gateway.html",
        status=status,
        klass=klass,
        steers=klass.run_by(person),
        signature=SIGNATURE,
        fresh=FRESH_SECONDS,
        sources=house.settings.sources,
        problem=problem,
    )


@post("/teach/{which:int}/gateway")
async def set_gateway(house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int], data: Form) -> Response[Any]:
    """Say where the gateway is, or make a new key for it: its teacher may."""
    found = await asyncio.to_thread(house.community.classes.taught, person, ClassId(which))
    classes = house.community.classes
    try:
        if data.get("what") == "key":
            await asyncio.to_thread(classes.renew_key, person, found.id)
        else:
            await asyncio.to_thread(classes.set_gateway, person, found.id, data.get("url", ""))
    except UnfitError as error:
        return _gateway(
            house, visit, person, found, visit.words("This is not an address: %(why)s", why=visit.words.of(error.why)), 400
        )
    return Redirect(f"/teach/{which}/gateway", status_code=303)


@post("/teach/{which:int}/words")
async def set_words(house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int], data: Form) -> Response[Any]:
    """Say what members of a class read about their school: its teacher may, and the operator."""
    found = await asyncio.to_thread(house.community.classes.taught, person, ClassId(which))
    try:
        await asyncio.to_thread(house.community.classes.set_words, person, found.id, data.get("words", ""))
    except UnfitError as error:
        return _gateway(
            house, visit, person, found, visit.words("This cannot be kept: %(why)s", why=visit.words.of(error.why)), 400
        )
    return Redirect(f"/teach/{which}/gateway#words", status_code=303)


# ── the operator ───────────────────────────────────────────────────────────────────────────────────────────────────


async def _classes(house: WebApp, visit: Visit, person: Account, problem: str = "", status: int = 200) -> Response[str]:
    def look() -> dict[str, Any]:
        found = house.community.classes.all(person)
        names = house.community.accounts.many([one.teacher for one in found])
        counts = {one.id: len(house.community.classes.members(person, one.id)) for one in found}
        return {"classes": found, "names": names, "counts": counts}

    seen = await asyncio.to_thread(look)
    everybody = [str(one) for one in house.switchboard.guard.allowed] if house.switchboard.guard else []
    return house.page(visit, "operator_classes.html", status=status, problem=problem, everybody=everybody, **seen)


@get("/operator/classes")
async def classes_page(house: OurHouse, visit: ThisVisit, person: ThisPerson) -> Response[str]:
    """Show every class with the ranges in which its engines may be called."""
    person.require(Role.OPERATOR)
    return await _classes(house, visit, person)


@post("/operator/classes/{which:int}/ranges")
async def set_ranges(house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int], data: Form) -> Response[Any]:
    """Say where engines of a class may be called beyond the public web."""
    person.require(Role.OPERATOR)
    ranges = data.get("ranges", "")[:LONGEST_RANGES].replace(",", " ").split()
    try:
        await asyncio.to_thread(house.community.classes.set_ranges, person, ClassId(which), ranges)
    except UnfitError as error:
        return await _classes(house, visit, person, _said(visit, error), 400)
    return Redirect("/operator/classes", status_code=303)


def _said(visit: Visit, error: ArbitreError) -> str:
    return visit.words.of(error.why) if isinstance(error, UnfitError) else spoken(visit, error)
