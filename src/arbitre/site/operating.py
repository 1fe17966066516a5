"""What the operator does for others: accounts, new passwords without mail, locks, erasure; and what waits for what."""

import asyncio
from secrets import token_urlsafe
from shutil import disk_usage
from time import monotonic

from arbitre.errors import UnconfirmedError, UnknownError
from arbitre.records.nodes import Standing
from arbitre.site.accounts import Account, Role
from arbitre.site.arena.live import Live
from arbitre.site.site import Site
from arbitre.tournoyons.calls import Host
from arbitre.values import value

MOST_WAITING = 20
MOST_HOSTS = 50


async def make_account(site: Site, name: str, role: Role = Role.PLAYER) -> tuple[Account, str]:
    """Make an account for somebody; return it, and the link by which its owner chooses a password."""
    made = await site.hashed(site.community.accounts.create, name, token_urlsafe(24), role)
    return made, await reset_link(site, made)


async def reset_link(site: Site, account: Account) -> str:
    """Return a one-time link to a new password, to be handed to its owner; an earlier one ends."""
    return f"{site.settings.public}/reset/{await asyncio.to_thread(site.community.accounts.start_reset, account)}"


async def lock(site: Site, account: Account, why: str) -> Account:
    """Lock an account for a reason, or unlock it without one."""
    kept = site.community.accounts
    return await (asyncio.to_thread(kept.ban, account, why) if why.strip() else asyncio.to_thread(kept.unban, account))


async def erase(site: Site, account: Account, name: str) -> None:
    """Erase somebody's data; the name is said again, so that nobody is erased by a slip."""
    if name != account.name:
        raise UnconfirmedError("send the name of the account to erase its data")
    await asyncio.to_thread(site.community.erasure.erase, account)


@value
class NodeLoad:
    """A node, and how many matches it sees to."""

    standing: Standing
    matches: int
    here: bool
    """Whether it is the one that says so."""


async def node_loads(site: Site) -> tuple[NodeLoad, ...]:
    """Return all nodes that share the database, those that live first; none where nobody can share it."""
    if site.membership is None:
        return ()
    shares, name = await site.membership.shares(), site.membership.name
    return tuple(NodeLoad(one, shares.get(one.id, 0), one.id == name) for one in await site.membership.standings())


async def drain(site: Site, name: str) -> None:
    """Ask a node to hand everything over and leave; `UnknownError`."""
    if site.membership is None:
        raise UnknownError("this site is not kept in a database that several nodes share")
    await site.membership.dismiss(name)


@value
class Load:
    """What is waiting for what."""

    playing: int
    waiting: tuple[tuple[Live, int], ...]
    """The matches whose question has been open longest, and for how many seconds."""
    hosts: tuple[Host, ...]
    """How the engines of each host answer, the slowest first."""
    store_octets: int
    free_octets: int


def load(site: Site) -> Load:
    """Return what is waiting for what: matches, engines by how slow they are, the disk."""
    playing, now = site.arena.playing(), monotonic()
    oldest = sorted(playing, key=lambda live: live.asked_at)[:MOST_WAITING]
    return Load(
        len(playing),
        tuple((one, round(now - one.asked_at)) for one in oldest),
        tuple(site.switchboard.calls.hosts()[:MOST_HOSTS]),
        site.store.backend.octets(),
        disk_usage(site.settings.data).free,
    )
