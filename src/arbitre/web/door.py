"""The door: how often a password may be tried, without letting a stranger lock somebody out (spec: tournoyons, section 9).

From one network few attempts are made at one name, and not many at all names together. Wrong attempts at a name from everywhere
slow later ones at it down, a few at a time, and never stop them: there is no number of guesses after which its owner has to stay
outside. A browser in which somebody has logged in before keeps a signed cookie that says so; it has a count of its own for that
name, and what others do does not touch it.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Awaitable, Callable
from secrets import token_urlsafe
from time import time

from arbitre.community.accounts import Account
from arbitre.community.limits import Limits, household, name_key
from arbitre.errors import HasteError, WrongPasswordError
from arbitre.web.visit import DEVICE_COOKIE, YEAR, Signer, Visit

MOST_NAMES = 8
"""Names that one browser is known for: the last ones."""
MOST_SLOWED = 4
"""Attempts at one name that are slowed down at a time; one more is asked to come back in a few seconds."""
LONGEST = 16.0
"""Seconds by which an attempt is slowed down at the most."""
SOON = 5.0
SHAPE = re.compile(r"[A-Za-z0-9_-]{22}(?:\.[0-9a-f]{40})+")
"""A cookie of a known browser: its number, and one mark for each name."""


class Door:
    """Where names and passwords are tried."""

    def __init__(self, limits: Limits, pause: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self.limits = limits
        self._pause = pause
        self._slowed: Counter[str] = Counter()

    async def knock(self, visit: Visit, name: str, check: Callable[[], Awaitable[Account]]) -> Account:
        """Return who this is, as `check` finds out; `HasteError` tells who tries too often how long to wait."""
        name = name_key(name)
        if device := known_device(visit.signer, visit.device, name):
            self.limits.take("log in on", f"{device} {name}", time())
            account = await check()
            self.limits.forgive("log in on", f"{device} {name}")
            return account
        address = household(visit.address)
        self.limits.take("log in from", address, time())
        self.limits.take("log in as", f"{name} {address}", time())
        await self._slow_down(name)
        try:
            account = await check()
        except WrongPasswordError:
            self.limits.count("wrong for", name, time())
            raise
        self.limits.give_back("log in from", address, time())  # a class sits behind one address
        self.limits.forgive("log in as", f"{name} {address}")
        return account

    async def _slow_down(self, name: str) -> None:
        seconds = slowness(self.limits.share("wrong for", name, time()))
        if not seconds:
            return
        if self._slowed[name] >= MOST_SLOWED:
            raise HasteError("too many are trying this name: wait a few seconds", SOON)
        self._slowed[name] += 1
        try:
            await self._pause(seconds)
        finally:
            self._slowed[name] -= 1
            if not self._slowed[name]:
                del self._slowed[name]


def slowness(share: float) -> float:
    """Return by how many seconds an attempt is slowed down where so many times the limit of wrong ones were made."""
    return 0.0 if share < 1 else min(LONGEST, 2.0 ** (min(share, 100.0) - 1))


# ── browsers that are known ────────────────────────────────────────────────────────────────────────────────────────


def known_device(signer: Signer, cookie: str, name: str) -> str:
    """Return which browser this is, empty where nobody of this name has logged in with it."""
    device, *marks = cookie.split(".")
    return device if any(signer.good("device", f"{device}\0{name}", mark) for mark in marks[:MOST_NAMES]) else ""


def remember_device(visit: Visit, name: str) -> None:
    """Let the browser know that somebody of this name has logged in with it."""
    name = name_key(name)
    device, *marks = visit.device.split(".") if SHAPE.fullmatch(visit.device) else (token_urlsafe(16),)
    mark = visit.signer.mark("device", f"{device}\0{name}")
    kept = [one for one in marks if one != mark][: MOST_NAMES - 1]
    visit.device = ".".join([device, mark, *kept])
    visit.keep(DEVICE_COOKIE, visit.device, YEAR)
