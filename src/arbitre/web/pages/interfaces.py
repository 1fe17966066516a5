"""One's own interfaces: pages that show a game, registered and looked at (spec: tournoyons, sections 5, 7 and 9).

A page is fetched when it is registered. What is not there may be corrected, or kept as it is, marked broken; what it looks like
is for the tester to show, in a frame.
"""

import asyncio
import re
from time import time
from typing import Any

from litestar import Response, get, post
from litestar.response import Redirect

from arbitre.errors import ArbitreError, CommunityError, StoreError, UnfitError
from arbitre.reasons import Reason
from arbitre.site.accounts import Account
from arbitre.site.forms import check_name, check_url
from arbitre.site.interfaces import Interface, InterfaceId
from arbitre.tournoyons.tester import fetched_by_hand
from arbitre.values import value
from arbitre.web import boards
from arbitre.web.given import Form, FromPath, FromQuery, OurHouse, ThisPerson, ThisVisit
from arbitre.web.house import House
from arbitre.web.pages.programs import CHECK_SECONDS, own, status_of
from arbitre.web.pages.testers import call_out, told
from arbitre.web.played import choices, played
from arbitre.web.visit import Visit

SCRIPTED = re.compile(r"\bhref\s*=[\s\\\"']*javascript\s*:", re.IGNORECASE)
"""A link that runs a script, in the page or in a text from which a script makes it."""

LAME = "its links are javascript:, which browsers do not follow in a frame without an origin: let it keep its own origin"


@value
class Look:
    """What was seen at the address of an interface."""

    fault: Reason | None = None
    """What is wrong with it, nothing where a page is there."""
    scripted: bool = False
    """Whether it has links that run scripts."""

    def lame(self, own_origin: bool) -> bool:
        """Tell whether the page has links that are dead in the frame that it will have."""
        return self.scripted and not own_origin


async def looked_at(house: House, person: Account, url: str) -> Look:
    """Fetch the page of an interface."""
    boards.origin_of(url)
    if house.settings.secure and url.startswith("http://"):
        return Look(fault=Reason("this site is reached by https, and browsers show no http page within it"))
    way = await asyncio.to_thread(house.ways.for_person, person, url)
    trial = await fetched_by_hand(house.switchboard, url, CHECK_SECONDS, way=way)
    if trial.fault or trial.status != 200:
        return Look(fault=trial.fault or Reason("status %(status)s instead of 200", status=trial.status))
    fault = None if "<" in trial.body else Reason("there is no page at this address")
    return Look(fault=fault, scripted=bool(SCRIPTED.search(trial.body)))


@get("/program/interfaces")
async def interfaces_page(house: OurHouse, visit: ThisVisit, person: ThisPerson) -> Response[str]:
    """Show one's own interfaces."""
    found = await asyncio.to_thread(house.community.interfaces.of, person, retired=True)
    return house.page(visit, "engines.html", engines=found, kind="interface")


@get("/program/interfaces/new")
async def new_interface(house: OurHouse, visit: ThisVisit, person: ThisPerson, game: FromQuery[str] = "") -> Response[str]:  # noqa: ARG001
    """Show the form of a new interface."""
    return _interface_form(house, visit, {"game": game, "public": "yes"})


def _interface_form(house: House, visit: Visit, given: dict[str, str], **more: Any) -> Response[str]:
    context = {"problem": "", "fault": "", "interface": None, "status": 200, "saved": False, "lame": False} | more
    return house.page(visit, "interface.html", given=given, games=choices(house, visit.person, visit.language), **context)


@post("/program/interfaces")
async def register_interface(house: OurHouse, visit: ThisVisit, person: ThisPerson, data: Form) -> Response[Any]:
    """Register an interface whose page is there; one that is not is kept if that is wanted."""
    given = {key: text[:2_100] for key, text in data.items()}
    try:
        game = await asyncio.to_thread(played, house, data.get("game", ""), person)
        if game is None:
            raise UnfitError("game", "one that has interfaces")
        name, url = check_name(data.get("name", "")), check_url(data.get("url", ""))
        flags = {key: data.get(key) == "yes" for key in ("public", "own_origin", "anyway")}
        added, look = await register(house, visit, person, game=game.label, name=name, url=url, **flags)
    except StoreError:  # no fault of what was typed
        raise
    except (CommunityError, ArbitreError) as error:
        return _interface_form(house, visit, given, problem=told(visit, error), status=status_of(error))
    if added is None:
        return _interface_form(house, visit, given, fault=look.fault, lame=look.lame(flags["own_origin"]), status=422)
    hint = "?hint=links" if look.lame(added.own_origin) else ""
    return Redirect(f"/program/interfaces/{added.id}{hint}", status_code=303)


async def register(
    house: House, visit: Visit, person: Account, *, game: str, name: str, url: str, public: bool, own_origin: bool, anyway: bool
) -> tuple[Interface | None, Look]:
    """Register an interface whose page is there, or `anyway`, marked broken; return it and what was seen of the page."""
    house.community.limits.take("write", person.neutral, time())
    call_out(house, visit)
    look = await looked_at(house, person, url)
    if look.fault and not anyway:
        return None, look

    def add() -> Interface:
        made = house.community.interfaces.add(person, game=game, name=name, url=url, public=public, own_origin=own_origin)
        if look.fault:
            house.community.interfaces.broke(made.id, look.fault)
        return house.community.interfaces.find(made.id)

    return await asyncio.to_thread(add), look


async def _interface(house: House, person: Account, which: int) -> Interface:
    found = await asyncio.to_thread(house.community.interfaces.get, which, person)
    own(found, person)
    return found


def _interface_sheet(house: House, visit: Visit, found: Interface, **more: Any) -> Response[str]:
    ticked = {"public": found.public, "own_origin": found.own_origin}
    given = {"game": found.game, "name": found.name, "url": found.url} | {key: "yes" for key, on in ticked.items() if on}
    return _interface_form(house, visit, given, **{"interface": found} | more)


@get("/program/interfaces/{which:int}")
async def interface_page(
    house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int], hint: FromQuery[str] = ""
) -> Response[str]:
    """Show one of one's own interfaces."""
    found = await _interface(house, person, which)
    return _interface_sheet(house, visit, found, lame=hint == "links" and not found.own_origin)


@post("/program/interfaces/{which:int}")
async def edit_interface(
    house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int], data: Form
) -> Response[Any]:
    """Change one's own interface; its page is looked at again."""
    found = await _interface(house, person, which)
    interfaces = house.community.interfaces
    try:
        house.community.limits.take("write", person.neutral, time())
        call_out(house, visit)
        url = check_url(data.get("url", ""))
        look = await looked_at(house, person, url)
        await asyncio.to_thread(
            interfaces.edit,
            person,
            found.id,
            name=data.get("name", ""),
            url=url,
            public=data.get("public") == "yes",
            own_origin=data.get("own_origin") == "yes",
        )
    except CommunityError as error:
        return _interface_sheet(house, visit, found, problem=told(visit, error), status=status_of(error))
    await judged(house, found.id, look)
    changed = interfaces.find(found.id)
    return _interface_sheet(house, visit, changed, saved=True, lame=look.lame(changed.own_origin))


async def judged(house: House, which: InterfaceId, look: Look) -> None:
    """Keep what was seen of an interface's page."""
    interfaces = house.community.interfaces
    await asyncio.to_thread(interfaces.tried, which, look.fault)


@post("/program/interfaces/{which:int}/retire")
async def retire_interface(house: OurHouse, person: ThisPerson, which: FromPath[int]) -> Redirect:
    """Take one's own interface out of use."""
    await _interface(house, person, which)
    await asyncio.to_thread(house.community.interfaces.retire, person, InterfaceId(which))
    return Redirect("/program/interfaces", status_code=303)


ROUTES = (
    interfaces_page,
    new_interface,
    register_interface,
    interface_page,
    edit_interface,
    retire_interface,
)
