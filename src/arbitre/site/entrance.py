"""How people come in: new accounts, new passwords, tokens for programs, and going for good (spec: tournoyons, section 9).

Whatever tries a password or a link is counted, and before its hash is computed, which is dear.
"""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from time import time

from arbitre.errors import ExpiredError, ForbiddenError, UnfitError
from arbitre.site.accounts import Account
from arbitre.site.caller import Caller
from arbitre.site.database import DAY
from arbitre.site.site import Site
from arbitre.site.tokens import Minted


async def register(site: Site, caller: Caller, name: str, password: str) -> Account:
    """Make an account, where the operator lets visitors make them."""
    if not site.settings.registration:
        raise ForbiddenError("on this site the operator makes the accounts")
    await asyncio.to_thread(site.community.accounts.judge, name, password)
    site.count("register", caller.household)
    return await site.hashed(site.community.accounts.create, name, password)


async def look_at_reset(site: Site, caller: Caller, token: str) -> Account:
    """Return whose password an operator's link changes."""
    with _counted_links(site, caller):
        return await asyncio.to_thread(site.community.accounts.look_at_reset, token)


async def reset(site: Site, caller: Caller, token: str, password: str) -> Account:
    """Set the password of whoever has an operator's link."""
    with _counted_links(site, caller):
        return await site.hashed(site.community.accounts.finish_reset, token, password)


@contextmanager
def _counted_links(site: Site, caller: Caller) -> Iterator[None]:
    """Count links that are wrong, and let nobody try many."""
    where = caller.household
    site.community.limits.look("code", where, time())
    try:
        yield
    except ExpiredError:
        site.count("code", where)
        raise


async def change_password(site: Site, person: Account, old: str, new: str) -> None:
    """Set another password; every session and every token ends."""
    site.count("confirm", person.neutral)
    await site.hashed(site.community.accounts.change_password, person, old, new)
    site.community.limits.forgive("confirm", person.neutral)


async def make_token(site: Site, person: Account, name: str, scopes: Iterable[str], days: int | None) -> Minted:
    """Make a token for a program, good for so many days, or until it is ended."""
    if days is not None and days < 1:
        raise UnfitError("expires", "within ten years")
    site.count("write", person.neutral)
    return await asyncio.to_thread(site.community.tokens.make, person, name, scopes, None if days is None else days * DAY)


async def erase(site: Site, person: Account, password: str) -> None:
    """Erase the account of who knows its password; games stay, under a neutral name."""
    site.count("confirm", person.neutral)
    await site.hashed(site.community.accounts.authenticate, person.name, password)
    await asyncio.to_thread(site.community.erasure.erase, person)
