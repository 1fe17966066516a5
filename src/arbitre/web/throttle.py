"""The door: how often a password may be tried, without letting a stranger lock somebody out (spec: tournoyons, section 9).

From one network few attempts are made at one name, and not many at all names together. When many wrong ones were made at a name,
further ones from everywhere stand in one line, a pause apart, so that guesses at a name have a highest rate however many guess.
The line is shared by network: each has one place in it, and the next is whose network has tried that name least. So whoever has
the password and comes from another network stands before those who guess, and takes the place of one of them where the line is
full. Who is sent away has tried nothing, and nothing is counted. A browser in which somebody has logged in before keeps a signed
cookie that says so; it has a count of its own for that name, stands in no line, and what others do does not touch it.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from secrets import token_urlsafe
from time import time
from typing import TypeAlias, TypeVar

from arbitre.errors import HasteError, WrongPasswordError
from arbitre.site.limits import name_key
from arbitre.transport.limits import Limits, household, neighbourhoods
from arbitre.web.visit import DEVICE_COOKIE, YEAR, Signer, Visit

T = TypeVar("T")

MOST_NAMES = 8
"""Names that one browser is known for: the last ones."""
PLACES = 4
"""Attempts at one name that stand in line at a time, and turns after which one that was always passed is sent away."""
LONGEST = 4.0
"""Seconds between two attempts at one name at the most."""
SOON = 5.0
SHAPE = re.compile(r"[A-Za-z0-9_-]{22}(?:\.[0-9a-f]{40})+")
"""A cookie of a known browser: its number, and one mark for each name."""

Rank: TypeAlias = tuple[float, ...]
"""How much a name was tried from the neighbourhoods of a network, the widest first, and from itself; the smaller goes first."""

Counted: TypeAlias = tuple[tuple[str, str], ...]
"""What an attempt counts for: kinds and keys of `Limits`."""


@dataclass(slots=True, eq=False)
class _Waiting:
    """An attempt in line."""

    network: str
    rank: Rank
    turn: asyncio.Future[None]
    passed: int = 0
    """How many went before it since it came."""

    def send_away(self) -> None:
        if not self.turn.done():
            self.turn.set_exception(_crowded())


class Line:
    """The attempts at one name that wait for their turn, in the order of their coming."""

    def __init__(self) -> None:
        self.waiting: list[_Waiting] = []

    def enter(self, network: str, rank: Rank) -> asyncio.Future[None]:
        """Return the turn of an attempt; `HasteError` if its network stands here already, or if all who do come first."""
        if any(one.network == network for one in self.waiting):
            raise _crowded()
        if len(self.waiting) >= PLACES:
            last = max(reversed(self.waiting), key=_rank)
            if rank >= last.rank:
                raise _crowded()
            self.waiting.remove(last)
            last.send_away()
        entered = _Waiting(network, rank, asyncio.get_running_loop().create_future())
        self.waiting.append(entered)
        return entered.turn

    def call(self) -> None:
        """Give the next one its turn, and send away who was passed too often."""
        called = min(self.waiting, key=_rank)
        self.waiting.remove(called)
        if not called.turn.done():
            called.turn.set_result(None)
        for one in self.waiting:
            one.passed += 1
            if one.passed >= PLACES:
                one.send_away()
        self.waiting = [one for one in self.waiting if one.passed < PLACES]


def _rank(one: _Waiting) -> Rank:
    return one.rank


def _crowded() -> HasteError:
    return HasteError("too many are trying this name: wait a few seconds", SOON)


class Door:
    """Where names and passwords are tried."""

    def __init__(self, limits: Limits, pause: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self.limits = limits
        self._pause = pause
        self._lines: dict[str, Line] = {}
        self._calling: set[asyncio.Task[None]] = set()

    async def knock(self, visit: Visit, name: str, check: Callable[[], Awaitable[T]]) -> T:
        """Return what the password opens, as `check` finds out; `HasteError` tells who tries too often how long to wait."""
        name = name_key(name)
        if device := known_device(visit.signer, visit.device, name):
            return await self._try((("log in on", f"{device} {name}"),), (), check)
        address = household(visit.address)
        limited = ("log in from", address), ("log in as", f"{name} {address}")
        near = tuple(("wrong near", f"{name} {network}") for network in neighbourhoods(visit.address))
        self._look(limited)
        await self._stand_in_line(name, address, (*near, limited[1]))
        return await self._try(limited, (("wrong for", name), *near), check)

    def _look(self, limited: Counted) -> None:
        for kind, key in limited:
            self.limits.look(kind, key, time())

    async def _try(self, limited: Counted, more: Counted, check: Callable[[], Awaitable[T]]) -> T:
        """Count an attempt while it is made, so that none that run at the same time are overlooked; keep only a wrong one."""
        self._look(limited)
        for kind, key in limited + more:
            self.limits.count(kind, key, time())
        try:
            found = await check()
        except WrongPasswordError:
            raise
        except BaseException:
            self._uncount(limited + more)
            raise
        self._uncount(limited + more)
        for kind, key in limited:
            if kind != "log in from":  # his own attempts are forgiven, not those of all who share his address
                self.limits.forgive(kind, key)
        return found

    def _uncount(self, counted: Counted) -> None:
        """Take back what was no guess: the password was right (a class sits behind one address), or nobody looked at it."""
        for kind, key in counted:
            self.limits.give_back(kind, key, time())

    async def _stand_in_line(self, name: str, address: str, ranked: Counted) -> None:
        """Wait for one's turn, if so many wrong attempts were made at this name that there is a line."""
        if not self._slowness(name):
            return
        line = self._lines.get(name)
        if line is None:
            line = self._lines[name] = Line()
            calling = asyncio.create_task(self._call(name, line))
            self._calling.add(calling)
            calling.add_done_callback(self._calling.discard)
        await line.enter(address, tuple(self.limits.share(kind, key, time()) for kind, key in ranked))

    async def _call(self, name: str, line: Line) -> None:
        """Call one after the other, a pause apart, until nobody has come for as long as a pause."""
        try:
            while line.waiting:
                line.call()
                await self._pause(self._slowness(name))
        finally:
            del self._lines[name]
            for one in line.waiting:
                one.send_away()

    def _slowness(self, name: str) -> float:
        return slowness(self.limits.share("wrong for", name, time()))


def slowness(share: float) -> float:
    """Return how many seconds lie between two attempts where so many times the limit of wrong ones were made."""
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
