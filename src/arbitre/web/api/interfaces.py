"""Interfaces for programs: registered when their page is there, changed, retired; as engines are."""

import asyncio
from time import time
from typing import Literal

from litestar import delete, get, post, put
from litestar.exceptions import HTTPException
from litestar.params import JSONBody
from msgspec import Struct

from arbitre.errors import UnfitError
from arbitre.site.accounts import Account
from arbitre.site.forms import check_name, check_url
from arbitre.site.interfaces import Interface, InterfaceId
from arbitre.site.tokens import Scope
from arbitre.web.api.common import After, Number, bearer, fetched, open_to_all, reader, repeatable, unfit, with_token
from arbitre.web.api.engines import Mine, OfGame, listed
from arbitre.web.api.forms import GameName, Name, Page, Url
from arbitre.web.given import OurHouse, ThisVisit
from arbitre.web.pages.interfaces import LAME, Look, judged, looked_at, register
from arbitre.web.pages.testers import call_out
from arbitre.web.played import played as game_of


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
    hint: str | None = None
    """What its owner may want to change, when its page was just fetched."""


def _interface(one: Interface, account: Account | None, look: Look | None = None) -> InterfaceForm:
    mine = account is not None and one.owner == account.id
    hint = LAME if look is not None and look.lame(one.own_origin) else None
    return InterfaceForm(
        one.id, one.game, one.name, one.url, mine, one.state, one.own_origin, str(one.fault or "") if mine else None, hint
    )


@get("/api/interfaces", **open_to_all())
async def list_interfaces(
    house: OurHouse, visit: ThisVisit, game: OfGame = "", mine: Mine = False, after: After = 0
) -> Page[InterfaceForm]:
    """List interfaces that one may choose, or one's own, the oldest first."""
    account = bearer(visit) if mine else reader(visit)
    found = await asyncio.to_thread(listed, house.community.interfaces, account, game, mine, after)
    return fetched(found, lambda one: one.id, lambda one: _interface(one, account))


@get("/api/interfaces/{number:int}", **open_to_all())
async def get_interface(house: OurHouse, visit: ThisVisit, number: Number) -> InterfaceForm:
    """Return one interface."""
    account = reader(visit)
    return _interface(await asyncio.to_thread(house.community.interfaces.get, number, account), account)


@post("/api/interfaces", status_code=201, **repeatable(Scope.ENGINES, 422))
async def add_interface(house: OurHouse, visit: ThisVisit, data: JSONBody[NewInterface]) -> InterfaceForm:
    """Register an interface whose page is there."""
    account = bearer(visit)
    kept = house.community.interfaces
    if await asyncio.to_thread(game_of, house, data.game, account) is None:
        raise UnfitError("game", "one that has interfaces")
    name, url = check_name(data.name), check_url(data.url)
    for one in await asyncio.to_thread(kept.of, account):
        if (one.game, one.name, one.url, one.public, one.own_origin) == (data.game, name, url, data.public, data.own_origin):
            return _interface(one, account)
    flags = {"public": data.public, "own_origin": data.own_origin, "anyway": data.anyway}
    made, look = await register(house, visit, account, game=data.game, name=name, url=url, **flags)
    if made is None:
        raise unfit(f"the page was fetched and is not registered: {look.fault}")
    return _interface(made, account, look)


@put("/api/interfaces/{number:int}", **with_token(Scope.ENGINES))
async def change_interface(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[NewInterface]) -> InterfaceForm:
    """Change an interface of one's own, whose page is fetched again; its game stays."""
    account = bearer(visit)
    kept = house.community.interfaces
    if (await asyncio.to_thread(kept.get, number, account)).game != data.game:
        raise HTTPException("an interface keeps its game; register another", status_code=409)
    house.community.limits.take("write", account.neutral, time())
    call_out(house, visit)
    url = check_url(data.url)
    changed = await asyncio.to_thread(
        lambda: kept.edit(account, InterfaceId(number), name=data.name, url=url, public=data.public, own_origin=data.own_origin)
    )
    look = await looked_at(house, account, url)
    await judged(house, changed.id, look)
    return _interface(await asyncio.to_thread(kept.find, number), account, look)


@delete("/api/interfaces/{number:int}", status_code=200, **with_token(Scope.ENGINES))
async def retire_interface(house: OurHouse, visit: ThisVisit, number: Number) -> InterfaceForm:
    """Retire an interface of one's own."""
    account = bearer(visit)
    found = await asyncio.to_thread(house.community.interfaces.retire, account, InterfaceId(number))
    return _interface(found, account)


ROUTES = (list_interfaces, get_interface, add_interface, change_interface, retire_interface)
