"""Interfaces for programs: registered when their page is there, changed, retired; as engines are."""

import asyncio
from typing import Any, Literal

from litestar import delete, get, post, put
from litestar.params import JSONBody
from msgspec import Struct

from arbitre.reasons import N_
from arbitre.site import programs
from arbitre.site.interfaces import Interface, InterfaceId
from arbitre.site.tokens import Scope
from arbitre.site.trials import Look
from arbitre.web.api.common import After, Number, bearer, fetched, open_to_all, reader, repeatable, unfit, with_token
from arbitre.web.api.engines import Mine, OfGame, listed
from arbitre.web.api.forms import Coded, GameName, Name, Page, Url, coded
from arbitre.web.dependencies import OurHouse, ThisVisit
from arbitre.web.visit import Visit

LAME = N_("its links are javascript:, which browsers do not follow in a frame without an origin: let it keep its own origin")


class NewInterface(Struct, forbid_unknown_fields=True):
    """An interface to register."""

    game: GameName
    name: Name
    """Letters, digits, `_`, `-` and `.`; a letter or a digit at both ends."""
    url: Url
    public: bool = True
    """Whether others may choose it."""
    own_origin: bool = False
    """Whether its frame keeps the origin it came from, for pages that do not work without one."""
    anyway: bool = False
    """Keep it although no page was there when it was fetched; it is marked broken."""


class InterfaceForm(Struct):
    """A registered interface."""

    id: int
    game: str
    name: str
    url: str
    mine: bool
    state: Literal["ok", "broken"]
    own_origin: bool
    fault: str | None = None
    """What was wrong when its page was last fetched, in the caller's language; empty: nothing was."""
    hint: str | None = None
    """What its owner may want to change, when its page was just fetched."""
    why: Coded = None
    """What was wrong, as a code with its fields."""


def _interface(one: Interface, visit: Visit, look: Look | None = None) -> InterfaceForm:
    account, words = reader(visit), visit.words
    mine = account is not None and one.owner == account.id
    hint = words(LAME) if look is not None and look.lame(one.own_origin) else None
    shown = (words.of(one.fault), hint, coded(one.fault)) if mine else (None, hint, None)
    return InterfaceForm(one.id, one.game, one.name, one.url, mine, one.state, one.own_origin, *shown)


@get("/api/interfaces", **open_to_all())
async def list_interfaces(
    house: OurHouse, visit: ThisVisit, game: OfGame = "", mine: Mine = False, after: After = 0
) -> Page[InterfaceForm]:
    """List interfaces that one may choose, or one's own, the oldest first."""
    account = bearer(visit) if mine else reader(visit)
    found = await asyncio.to_thread(listed, house.community.interfaces, account, game, mine, after)
    return fetched(found, lambda one: one.id, lambda one: _interface(one, visit))


@get("/api/interfaces/{number:int}", **open_to_all())
async def get_interface(house: OurHouse, visit: ThisVisit, number: Number) -> InterfaceForm:
    """Return one interface."""
    return _interface(await asyncio.to_thread(house.community.interfaces.get, number, reader(visit)), visit)


@post("/api/interfaces", status_code=201, **repeatable(Scope.ENGINES, 422))
async def add_interface(house: OurHouse, visit: ThisVisit, data: JSONBody[NewInterface]) -> InterfaceForm:
    """Register an interface whose page is there."""
    made, look = await programs.register_interface(house, bearer(visit), game=data.game, anyway=data.anyway, **_wanted(data))
    if made is None:
        raise unfit("the page was fetched and is not registered: %(fault)s", fault=look.fault)
    return _interface(made, visit, look)


def _wanted(data: NewInterface) -> dict[str, Any]:
    return {"name": data.name, "url": data.url, "public": data.public, "own_origin": data.own_origin}


@put("/api/interfaces/{number:int}", **with_token(Scope.ENGINES))
async def change_interface(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[NewInterface]) -> InterfaceForm:
    """Change an interface of one's own, whose page is fetched again; its game stays."""
    changed, look = await programs.change_interface(house, bearer(visit), number, game=data.game, **_wanted(data))
    return _interface(changed, visit, look)


@delete("/api/interfaces/{number:int}", status_code=200, **with_token(Scope.ENGINES))
async def retire_interface(house: OurHouse, visit: ThisVisit, number: Number) -> InterfaceForm:
    """Retire an interface of one's own."""
    found = await asyncio.to_thread(house.community.interfaces.retire, bearer(visit), InterfaceId(number))
    return _interface(found, visit)
