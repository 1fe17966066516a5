"""The operator's page: accounts with their roles, quotas, locks, new passwords without mail, and erasure of a person's data."""

import asyncio
from time import monotonic
from typing import Any

from litestar import Response, get, post
from litestar.response import Redirect

from arbitre.errors import CommunityError, UnconfirmedError, UnfitError, shorten
from arbitre.site import operating
from arbitre.site.accounts import PAGE, Account, AccountId, Role
from arbitre.web.dependencies import Form, FromPath, FromQuery, OurHouse, ThisPerson, ThisVisit, number_in
from arbitre.web.house import WebApp
from arbitre.web.lists import cards
from arbitre.web.pages.account import again
from arbitre.web.visit import Visit


async def _list(house: WebApp, visit: Visit, search: str = "", after: int = 0, **more: Any) -> Response[str]:
    community = house.community
    accounts = await asyncio.to_thread(lambda: community.accounts.all(search=search, after=after))
    engines = await asyncio.to_thread(community.engines.counts, [one.id for one in accounts])
    onward = accounts[-1].id if len(accounts) == PAGE else 0
    context: dict[str, Any] = {
        "accounts": accounts,
        "engines": engines,
        "usual": community.database.settings.engines,
        "roles": list(Role),
        "search": search,
        "onward": onward,
        "link": "",
        "whose": "",
    }
    context |= more
    if "error" in context:
        return again(house, visit, "operator.html", context.pop("error"), **context)
    return house.page(visit, "operator.html", problem="", **context)


async def _one(house: WebApp, person: Account, which: int) -> Account:
    person.require(Role.OPERATOR)
    return await asyncio.to_thread(house.community.accounts.get, AccountId(which))


def _back(which: int) -> Redirect:
    return Redirect(f"/operator?after={max(0, which - 1)}", status_code=303)


@get("/operator")
async def operator_page(
    house: OurHouse, visit: ThisVisit, person: ThisPerson, search: FromQuery[str] = "", after: FromQuery[str] = ""
) -> Response[str]:
    """Show the accounts."""
    person.require(Role.OPERATOR)
    return await _list(house, visit, search[:60], number_in(after, 0))


@post("/operator/accounts")
async def add_account(house: OurHouse, visit: ThisVisit, person: ThisPerson, data: Form) -> Response[str]:
    """Make an account for somebody, and show the link by which he chooses his password."""
    person.require(Role.OPERATOR)
    try:
        made, link = await operating.make_account(house, data.get("name", ""))
    except CommunityError as error:
        return await _list(house, visit, error=error)
    return await _list(house, visit, link=link, whose=made.name)


@post("/operator/accounts/{which:int}/reset")
async def reset_password(house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int]) -> Response[str]:
    """Show a one-time link to a new password, to be handed to its owner."""
    account = await _one(house, person, which)
    return await _list(house, visit, link=await operating.reset_link(house, account), whose=account.name)


@post("/operator/accounts/{which:int}/role")
async def set_role(house: OurHouse, person: ThisPerson, which: FromPath[int], data: Form) -> Redirect:
    """Give a role."""
    account = await _one(house, person, which)
    try:
        role = Role(data.get("role", ""))
    except ValueError:
        raise UnfitError("role", "one of %(role)s", role=", ".join(Role)) from None
    await asyncio.to_thread(house.community.accounts.set_role, account, role)
    return _back(which)


@post("/operator/accounts/{which:int}/quota")
async def set_quota(house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int], data: Form) -> Response[Any]:
    """Say how many engines an account may have; nothing: as many as everybody."""
    account = await _one(house, person, which)
    text = data.get("engines", "").strip()
    try:
        if text and not (text.isascii() and text.isdigit() and len(text) < 10):
            raise UnfitError("quota", "a whole number, or nothing for as many as everybody, not %(text)r", text=shorten(text))
        await asyncio.to_thread(house.community.accounts.set_quota, account, int(text) if text else None)
    except CommunityError as error:
        return await _list(house, visit, error=error)
    return _back(which)


@post("/operator/accounts/{which:int}/lock")
async def lock(house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int], data: Form) -> Response[Any]:
    """Lock an account for a reason, or unlock it without one."""
    account = await _one(house, person, which)
    try:
        await operating.lock(house, account, data.get("why", ""))
    except CommunityError as error:
        return await _list(house, visit, error=error)
    return _back(which)


@post("/operator/accounts/{which:int}/erase")
async def erase(house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int], data: Form) -> Response[Any]:
    """Erase somebody's data; the name is typed again, so that nobody is erased by a slip."""
    account = await _one(house, person, which)
    try:
        await operating.erase(house, account, data.get("name", ""))
    except UnconfirmedError:
        return await _list(house, visit, error=UnfitError("erase", "type the name %(name)r to erase its data", name=account.name))
    except CommunityError as error:
        return await _list(house, visit, error=error)
    return _back(which)


@get("/operator/house")
async def house_page(house: OurHouse, visit: ThisVisit, person: ThisPerson) -> Response[str]:
    """Show what is waiting for what: matches, engines by how slow they are, listeners, the disk."""
    person.require(Role.OPERATOR)
    load = await asyncio.to_thread(operating.load, house)
    waiting = await cards(house, tuple(live.sitting for live, _ in load.waiting), visit.words)
    return house.page(
        visit,
        "house.html",
        tally=house.tally,
        up=round(monotonic() - house.tally.begun),
        playing=load.playing,
        called=house.arena.count,
        waiting=list(zip(waiting, (seconds for _, seconds in load.waiting), strict=True)),
        hosts=load.hosts,
        held=[(one, visit.words.of(house.steward.trouble(one.competition.id))) for one in house.steward.all()],
        listeners=house.listeners,
        megabytes=load.store_octets / 1e6,
        free=load.free_octets / 1e6,
        limits=house.community.database.settings,
        nodes=await operating.node_loads(house),
    )


@post("/operator/nodes/drain")
async def drain_node(house: OurHouse, person: ThisPerson, data: Form) -> Redirect:
    """Ask a node to hand everything over to the others and leave."""
    person.require(Role.OPERATOR)
    await operating.drain(house, data.get("node", "")[:60])
    return Redirect("/operator/house", status_code=303)
