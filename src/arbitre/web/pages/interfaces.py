"""One's own interfaces: pages that show a game, registered and looked at (spec: tournoyons, sections 5, 7 and 9).

A page is fetched when it is registered. What is not there may be corrected, or kept as it is, marked broken; what it looks like
is for the tester to show, in a frame.
"""

import asyncio
from typing import Any

from litestar import Response, get, post
from litestar.response import Redirect

from arbitre.errors import ArbitreError, CommunityError, StoreError
from arbitre.site import programs
from arbitre.site.games import choices
from arbitre.site.interfaces import Interface
from arbitre.web.dependencies import Form, FromPath, FromQuery, OurHouse, ThisPerson, ThisVisit
from arbitre.web.house import WebApp
from arbitre.web.pages.testers import status_of, told
from arbitre.web.visit import Visit


@get("/program/interfaces")
async def interfaces_page(house: OurHouse, visit: ThisVisit, person: ThisPerson) -> Response[str]:
    """Show one's own interfaces."""
    found = await asyncio.to_thread(house.community.interfaces.of, person, retired=True)
    return house.page(visit, "engines.html", engines=found, kind="interface")


@get("/program/interfaces/new")
async def new_interface(house: OurHouse, visit: ThisVisit, person: ThisPerson, game: FromQuery[str] = "") -> Response[str]:  # noqa: ARG001
    """Show the form of a new interface."""
    return _interface_form(house, visit, {"game": game, "public": "yes"})


def _interface_form(house: WebApp, visit: Visit, given: dict[str, str], **more: Any) -> Response[str]:
    context = {"problem": "", "fault": "", "interface": None, "status": 200, "saved": False, "lame": False} | more
    return house.page(visit, "interface.html", given=given, games=choices(house, visit.person, visit.language), **context)


@post("/program/interfaces")
async def register_interface(house: OurHouse, visit: ThisVisit, person: ThisPerson, data: Form) -> Response[Any]:
    """Register an interface whose page is there; one that is not is kept if that is wanted."""
    given = {key: text[:2_100] for key, text in data.items()}
    try:
        wanted = _wanted(data)
        added, look = await programs.register_interface(
            house, person, game=data.get("game", ""), anyway=data.get("anyway") == "yes", **wanted
        )
    except StoreError:  # no fault of what was typed
        raise
    except (CommunityError, ArbitreError) as error:
        return _interface_form(house, visit, given, problem=told(visit, error), status=status_of(error))
    if added is None:
        return _interface_form(house, visit, given, fault=look.fault, lame=look.lame(wanted["own_origin"]), status=422)
    hint = "?hint=links" if look.lame(added.own_origin) else ""
    return Redirect(f"/program/interfaces/{added.id}{hint}", status_code=303)


def _wanted(data: dict[str, str]) -> dict[str, Any]:
    """Return what a form says of an interface."""
    texts = {key: data.get(key, "") for key in ("name", "url")}
    return texts | {key: data.get(key) == "yes" for key in ("public", "own_origin")}


def _interface_sheet(house: WebApp, visit: Visit, found: Interface, **more: Any) -> Response[str]:
    ticked = {"public": found.public, "own_origin": found.own_origin}
    given = {"game": found.game, "name": found.name, "url": found.url} | {key: "yes" for key, on in ticked.items() if on}
    return _interface_form(house, visit, given, **{"interface": found} | more)


@get("/program/interfaces/{which:int}")
async def interface_page(
    house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int], hint: FromQuery[str] = ""
) -> Response[str]:
    """Show one of one's own interfaces."""
    found = await asyncio.to_thread(house.community.interfaces.own, which, person)
    return _interface_sheet(house, visit, found, lame=hint == "links" and not found.own_origin)


@post("/program/interfaces/{which:int}")
async def edit_interface(
    house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int], data: Form
) -> Response[Any]:
    """Change one's own interface; its page is looked at again."""
    found = await asyncio.to_thread(house.community.interfaces.own, which, person)
    try:
        changed, look = await programs.change_interface(house, person, which, **_wanted(data))
    except CommunityError as error:
        return _interface_sheet(house, visit, found, problem=told(visit, error), status=status_of(error))
    return _interface_sheet(house, visit, changed, saved=True, lame=look.lame(changed.own_origin))


@post("/program/interfaces/{which:int}/retire")
async def retire_interface(house: OurHouse, person: ThisPerson, which: FromPath[int]) -> Redirect:
    """Take one's own interface out of use."""
    await asyncio.to_thread(house.community.interfaces.retire, person, which)
    return Redirect("/program/interfaces", status_code=303)
