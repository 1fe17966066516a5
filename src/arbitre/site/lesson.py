"""A lesson without accounts: the code on the blackboard and a name are enough to bring an engine to a class.

Whoever joins so gets an account without a password, in which nobody logs in, a place in the class, and an engine that dials in,
with its token. A name that somebody of the class has is taken; one that only somebody elsewhere has gets a few letters behind it.
The teacher may turn this off (`Class.accounts_only`) and takes out of the class whom he will.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from time import time
from typing import TypeVar

from arbitre.errors import ExpiredError, ForbiddenError, NameTakenError, QuotaError, UnfitError
from arbitre.site.accounts import Account
from arbitre.site.arena.dialing import DIAL
from arbitre.site.arena.matches import ArenaMatch
from arbitre.site.caller import Caller
from arbitre.site.classes import Class
from arbitre.site.engines import Engine
from arbitre.site.forms import LONGEST_NAME, check_name, fold, new_code
from arbitre.site.games import in_use, played
from arbitre.site.seating import Chosen, Wish, begin
from arbitre.site.site import Site
from arbitre.values import value

T = TypeVar("T")

TAIL = 4
"""Letters behind a name that somebody elsewhere has."""


@value
class Pupil:
    """Somebody who came to a lesson with an engine."""

    klass: Class
    account: Account
    engine: Engine
    token: str
    """Shown this once."""


async def join(site: Site, caller: Caller, code: str, name: str, game: str) -> Pupil:
    """Join a class by its code and a name, with a new engine of a game; wrong codes are counted by address."""
    site.community.limits.look("join from", caller.household, time())
    try:
        klass = await asyncio.to_thread(site.community.classes.look, code)
    except ExpiredError:
        site.count("join from", caller.household)
        raise
    if klass.accounts_only:
        raise ForbiddenError("in this class everybody has an account: make one, and join with the code")
    name = check_name(name)
    table = await asyncio.to_thread(played, site, game, None)
    if table is None or table.added is not None:
        raise UnfitError("game", "one that engines by URL play")
    site.count("register", caller.household)
    return await asyncio.to_thread(_joined, site, klass, name, table.label)


def _joined(site: Site, klass: Class, name: str, game: str) -> Pupil:
    community = site.community
    teacher = community.accounts.get(klass.teacher)
    members = community.classes.members(teacher, klass.id)
    if fold(name) in {fold(one.account.name) for one in members}:
        raise NameTakenError("somebody of this class is called %(name)r: add a letter", name=name)
    if len(members) >= community.settings.members:
        raise QuotaError("%(most)s are the most a class may have", most=community.settings.members)
    account = named(name, community.accounts.create_pupil)
    community.classes.admit(teacher, klass.id, account)
    engine = named(account.name, lambda called: community.engines.add(account, game=game, name=called, url=DIAL, public=False))
    return Pupil(klass, account, engine, community.engines.mint(account, engine.id))


def named(name: str, make: Callable[[str], T]) -> T:
    """Return what is made under a name, or under one like it where somebody has it."""
    with suppress(NameTakenError):
        return make(name)
    return make(f"{name[: LONGEST_NAME - TAIL - 1]}-{new_code(TAIL).lower()}")


async def practise(site: Site, engine: Engine, level: int | None) -> ArenaMatch:
    """Begin a game of an engine that listens against the house, as its owner would: its program plays at once."""
    owner = await asyncio.to_thread(site.community.accounts.get, engine.owner)
    rules = await asyncio.to_thread(in_use, site, engine.game)
    seats = (Chosen("engine", engine.id), Chosen("house", level))
    return await begin(site, Caller(owner), Wish(rules.rules, seats, hidden=not engine.public, drawn=True))
