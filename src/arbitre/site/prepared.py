"""Accounts that a teacher prepares for a class: a list of names goes in, names with codes to print come out.

The code is the first password of its account: who has it logs in, and may choose another. The teacher resets accounts that were
made for the class, these and those of lessons, and nobody else's: whoever came with an account of his own is not the teacher's to
log in as. A code is shown once.
"""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from arbitre.errors import ForbiddenError, QuotaError, UnfitError, UnknownError, shorten
from arbitre.site.accounts import Account, AccountId, Role
from arbitre.site.classes import ClassId
from arbitre.site.forms import JOIN_LENGTH, MARKS, check_name, fold, new_code
from arbitre.site.lesson import named
from arbitre.site.site import Site

MOST_NAMES = 60
"""At a time."""


class Prepared(NamedTuple):
    """An account with its code, which is shown this once."""

    account: Account
    code: str


async def prepare(site: Site, teacher: Account, klass: int, names: Sequence[str]) -> tuple[Prepared, ...]:
    """Make an account in one's class for each name; one that somebody elsewhere has gets a few letters behind it."""
    found = await asyncio.to_thread(site.community.classes.taught, teacher, ClassId(klass))
    wanted = _names(names)
    members = await asyncio.to_thread(site.community.classes.members, teacher, found.id)
    if len(members) + len(wanted) > site.community.settings.members:
        raise QuotaError("%(most)s are the most a class may have", most=site.community.settings.members)
    here = {fold(one.account.name) for one in members}
    for one in wanted:
        if fold(one) in here:
            raise UnfitError("names", "somebody of this class is called %(name)r: add a letter", name=one)
    for _ in wanted:
        site.count("register", teacher.neutral)
    made = []
    for one in wanted:
        code = _code()
        account = await site.hashed(named, one, lambda name, code=code: site.community.accounts.create(name, code))
        await asyncio.to_thread(site.community.classes.admit, teacher, found.id, account)
        made.append(Prepared(account, code))
    return tuple(made)


async def reset(site: Site, teacher: Account, klass: int, pupil: int) -> Prepared:
    """Make a new code for an account that was made for one's class; its password, sessions and tokens end."""
    kept = site.community.classes
    found = await asyncio.to_thread(kept.taught, teacher, ClassId(klass))
    members = await asyncio.to_thread(kept.members, teacher, found.id)
    one = next((one for one in members if one.account.id == AccountId(pupil)), None)
    if one is None:
        raise UnknownError("there is no such member")
    if not one.made or one.account.role is not Role.PLAYER:
        raise ForbiddenError("this account was not made for the class: its owner, or the operator, sets its password")
    site.count("write", teacher.neutral)
    code = _code()
    await site.hashed(site.community.accounts.set_password, one.account, code)
    return Prepared(one.account, code)


def _code() -> str:
    """Return a code as it is typed: no capitals, no marks, nothing that looks like something else."""
    while len(set(code := new_code(JOIN_LENGTH).lower())) < 4:
        pass  # a password is not so easy
    return code


def _names(given: Sequence[str]) -> list[str]:
    """Return the names of accounts for names of people: `Emma D.` is `Emma-D`."""
    lines = [one.strip() for one in given if one.strip()]
    if not 1 <= len(lines) <= MOST_NAMES:
        raise UnfitError("names", "1 to %(most)s names, not %(given)s", most=MOST_NAMES, given=len(lines))
    found: dict[str, str] = {}
    for line in lines:
        try:
            name = check_name("-".join(line[:200].split()).strip(MARKS))
        except UnfitError as error:
            raise UnfitError("names", "%(name)r: %(why)s", name=shorten(line, 60), why=error.reason) from None
        if fold(name) in found:
            raise UnfitError("names", "%(name)r is there twice, or looks like another: add a letter", name=name)
        found[fold(name)] = name
    return list(found.values())
