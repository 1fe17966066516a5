"""The site for its operator's programs: accounts, roles, locks, quotas, erasure, and what waits for what.

An operator's token needs the scope `operate`, which no other is given by itself. What cannot be undone wants the name again.
"""

import asyncio
from time import monotonic
from typing import Annotated

from litestar import get, post, put
from litestar.params import JSONBody, PathParameter, QueryParameter
from msgspec import Meta, Struct

from arbitre.site import operating
from arbitre.site.accounts import Account, AccountId, Role
from arbitre.site.tokens import Scope
from arbitre.web.api.common import PAGE, After, Number, fetched, operator, repeatable, with_token
from arbitre.web.api.forms import Page
from arbitre.web.dependencies import OurHouse, ThisVisit
from arbitre.web.house import WebApp
from arbitre.web.visit import Visit


class AccountForm(Struct):
    """An account."""

    id: int
    name: str
    neutral: str
    role: str
    created: int
    locked: str | None
    """Why it may not log in."""
    quota: int | None
    """How many engines it may have, where that is not as many as everybody."""


class NewAccount(Struct, forbid_unknown_fields=True):
    """An account to make for somebody."""

    name: Annotated[str, Meta(min_length=3, max_length=30)]
    role: Role = Role.PLAYER


class LinkForm(Struct):
    """An account, and the link by which its owner chooses a password, once."""

    account: AccountForm
    url: str


class NewRole(Struct, forbid_unknown_fields=True):
    """A role."""

    role: Role


class Lock(Struct, forbid_unknown_fields=True):
    """Why an account is locked; empty: it is not."""

    why: Annotated[str, Meta(max_length=200)]


class Quota(Struct, forbid_unknown_fields=True):
    """How many engines an account may have; null: as many as everybody."""

    engines: Annotated[int, Meta(ge=0, le=100_000)] | None


class Erase(Struct, forbid_unknown_fields=True):
    """The name of the account again, so that nobody is erased by a slip."""

    name: Annotated[str, Meta(min_length=1, max_length=60)]


class WaitingForm(Struct):
    """A match, and for how many seconds its question has been open."""

    match: str
    game: str
    seconds: int


class HostForm(Struct):
    """How the engines of one host answer."""

    host: str
    waiting: int
    answered: int
    failed: int
    mean_seconds: float
    longest_seconds: float


class ListenerForm(Struct):
    """A door beside the web's: where it is, or why it is not open."""

    name: str
    where: str
    why: str


class HouseForm(Struct):
    """What is waiting for what."""

    up_seconds: int
    requests_open: int
    playing: int
    called: int
    """Matches ever called here."""
    waiting: list[WaitingForm]
    """Those that wait longest."""
    hosts: list[HostForm]
    """The slowest first."""
    listeners: list[ListenerForm]
    store_octets: int
    free_octets: int


class NodeForm(Struct):
    """One process of those that share the database."""

    name: str
    incarnation: int
    alive: bool
    address: str
    """Where the others reach it."""
    silent_seconds: float | None
    """Since it was last heard, while it lives; after three another takes over."""
    leaving: bool
    """Whether it was asked to leave."""
    roles: list[str]
    """What it sees to for all."""
    matches: int
    """How many that are not over it sees to."""


class NodesForm(Struct):
    """All nodes, those that live first."""

    nodes: list[NodeForm]


def _form(one: Account) -> AccountForm:
    return AccountForm(one.id, one.name, one.neutral, one.role.value, one.created, one.banned, one.quota)


async def _one(house: WebApp, visit: Visit, number: int) -> Account:
    operator(visit)
    return await asyncio.to_thread(house.community.accounts.get, AccountId(number))


@get("/api/operator/accounts", **with_token(Scope.OPERATE))
async def list_accounts(
    house: OurHouse,
    visit: ThisVisit,
    search: Annotated[str, QueryParameter(max_length=60, description="part of a name")] = "",
    role: Annotated[Role | None, QueryParameter(description="only with this role")] = None,
    after: After = 0,
) -> Page[AccountForm]:
    """List accounts in the order of their making."""
    operator(visit)
    kept = house.community.accounts
    found = await asyncio.to_thread(lambda: kept.all(role=role, search=search, after=after, most=PAGE + 1))
    return fetched(found, lambda one: one.id, _form)


@get("/api/operator/accounts/{number:int}", **with_token(Scope.OPERATE))
async def get_account(house: OurHouse, visit: ThisVisit, number: Number) -> AccountForm:
    """Return one account."""
    return _form(await _one(house, visit, number))


@post("/api/operator/accounts", status_code=201, **repeatable(Scope.OPERATE))
async def make_account(house: OurHouse, visit: ThisVisit, data: JSONBody[NewAccount]) -> LinkForm:
    """Make an account for somebody, with the link by which he chooses his password."""
    operator(visit)
    made, link = await operating.make_account(house, data.name, data.role)
    return LinkForm(_form(made), link)


@post("/api/operator/accounts/{number:int}/reset", status_code=200, **repeatable(Scope.OPERATE))
async def reset_password(house: OurHouse, visit: ThisVisit, number: Number) -> LinkForm:
    """Make a one-time link to a new password, to be handed to its owner; an earlier one ends."""
    found = await _one(house, visit, number)
    return LinkForm(_form(found), await operating.reset_link(house, found))


@put("/api/operator/accounts/{number:int}/role", **with_token(Scope.OPERATE))
async def set_role(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[NewRole]) -> AccountForm:
    """Give a role; the last operator keeps his."""
    found = await _one(house, visit, number)
    return _form(await asyncio.to_thread(house.community.accounts.set_role, found, data.role))


@put("/api/operator/accounts/{number:int}/lock", **with_token(Scope.OPERATE))
async def lock_account(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[Lock]) -> AccountForm:
    """Lock an account for a reason, or unlock it without one; a locked one's sessions and tokens end."""
    return _form(await operating.lock(house, await _one(house, visit, number), data.why))


@put("/api/operator/accounts/{number:int}/quota", **with_token(Scope.OPERATE))
async def set_quota(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[Quota]) -> AccountForm:
    """Say how many engines an account may have."""
    found = await _one(house, visit, number)
    return _form(await asyncio.to_thread(house.community.accounts.set_quota, found, data.engines))


@post("/api/operator/accounts/{number:int}/erase", status_code=204, **repeatable(Scope.OPERATE))
async def erase_account(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[Erase]) -> None:
    """Erase somebody's data; games stay, under a neutral name."""
    await operating.erase(house, await _one(house, visit, number), data.name)


@get("/api/operator/nodes", **with_token(Scope.OPERATE))
async def list_nodes(house: OurHouse, visit: ThisVisit) -> NodesForm:
    """Return the nodes that share the database, their leases and their roles; none where nobody can share it."""
    operator(visit)
    return NodesForm([_node(one) for one in await operating.node_loads(house)])


@post("/api/operator/nodes/{name:str}/drain", status_code=204, **repeatable(Scope.OPERATE))
async def drain_node(
    house: OurHouse, visit: ThisVisit, name: Annotated[str, PathParameter(max_length=60, description="the name of the node")]
) -> None:
    """Ask a node to hand everything over to the others and leave, as SIGTERM does."""
    operator(visit)
    await operating.drain(house, name)


def _node(one: operating.NodeLoad) -> NodeForm:
    found = one.standing
    silent = None if found.silent is None else round(found.silent, 3)
    roles = list(found.roles)
    return NodeForm(found.id, found.incarnation, found.alive, found.address, silent, found.dismissed, roles, one.matches)


@get("/api/operator/house", **with_token(Scope.OPERATE))
async def get_house(house: OurHouse, visit: ThisVisit) -> HouseForm:
    """Return what is waiting for what: matches, engines by how slow they are, listeners, the disk."""
    operator(visit)
    load = await asyncio.to_thread(operating.load, house)
    return HouseForm(
        round(monotonic() - house.tally.begun),
        house.tally.open,
        load.playing,
        house.arena.count,
        [WaitingForm(one.name, one.sitting.plan.game.name, seconds) for one, seconds in load.waiting],
        [
            HostForm(one.name, one.waiting, one.answered, one.failed, round(one.mean, 3), round(one.longest, 3))
            for one in load.hosts
        ],
        [ListenerForm(one.name, one.where, visit.words.of(one.why)) for one in house.listeners],
        load.store_octets,
        load.free_octets,
    )
