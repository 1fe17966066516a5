"""How often somebody may try: counters in memory, over a window that slides. Time is an argument; nothing else is asked.

The count of a window is that of its minute, hour … plus the share of the one before that the window still covers. What is
counted are keys: a name that is tried, or an address (of IPv6 the network: whoever has one address has 2⁶⁴ of them). Memory is
bounded: where too many keys come, those that were quiet the longest are forgotten.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from ipaddress import IPv6Address, ip_address, ip_network
from threading import Lock
from time import monotonic

from arbitre.errors import HasteError
from arbitre.reasons import Reason
from arbitre.values import value

MOST_KEYS = 100_000
MOST_ADDRESSES = 20_000
"""Addresses that are counted at a time; the one that was quiet longest is forgotten first."""


@value
class Limit:
    """So many within so many seconds."""

    most: int
    seconds: int


@value
class _Count:
    window: int
    now: int
    before: int


class Limits:
    """The counters of one process."""

    def __init__(self, limits: Mapping[str, Limit], most_keys: int = MOST_KEYS) -> None:
        self.limits = limits
        self._most_keys = most_keys
        self._counts: OrderedDict[tuple[str, str], _Count] = OrderedDict()
        self._lock = Lock()

    def take(self, kind: str, key: str, now: float) -> None:
        """Count an attempt; `HasteError` says how long to wait, and then nothing is counted."""
        with self._lock:
            wait = self._wait(kind, key, now)
            if wait > 0:
                raise HasteError("too many attempts: wait %(wait)s", wait, wait=_spoken(wait))
            self._add(kind, key, now)

    def look(self, kind: str, key: str, now: float) -> None:
        """Raise `HasteError` if an attempt would be one too many; count nothing."""
        with self._lock:
            wait = self._wait(kind, key, now)
        if wait > 0:
            raise HasteError("too many attempts: wait %(wait)s", wait, wait=_spoken(wait))

    def count(self, kind: str, key: str, now: float) -> None:
        """Count an attempt, however many there were."""
        with self._lock:
            self._add(kind, key, now)

    def share(self, kind: str, key: str, now: float) -> float:
        """Return how many times the limit was reached."""
        with self._lock:
            limit, count = self.limits[kind], self._current(kind, key, now)
        passed = min(limit.seconds, max(0.0, now - count.window * limit.seconds))
        return (count.now + count.before * (1 - passed / limit.seconds)) / limit.most

    def give_back(self, kind: str, key: str, now: float) -> None:
        """Take back one attempt that was counted: it turned out to be no guess."""
        with self._lock:
            count = self._current(kind, key, now)
            if count.now:
                self._counts[kind, key] = _Count(count.window, count.now - 1, count.before)

    def forgive(self, kind: str, key: str) -> None:
        """Forget somebody's attempts, because one succeeded."""
        with self._lock:
            self._counts.pop((kind, key), None)

    def _add(self, kind: str, key: str, now: float) -> None:
        count = self._current(kind, key, now)
        self._counts[kind, key] = _Count(count.window, count.now + 1, count.before)
        self._counts.move_to_end((kind, key))
        while len(self._counts) > self._most_keys:
            self._counts.popitem(last=False)

    def _current(self, kind: str, key: str, now: float) -> _Count:
        window = int(now // self.limits[kind].seconds)
        kept = self._counts.get((kind, key))
        if kept is None or kept.window < window - 1:
            return _Count(window, 0, 0)
        if kept.window == window - 1:
            return _Count(window, 0, kept.now)
        return kept

    def _wait(self, kind: str, key: str, now: float) -> float:
        limit = self.limits[kind]
        count = self._current(kind, key, now)
        passed = max(0.0, now - count.window * limit.seconds)  # a clock that was set back forgives nothing
        if count.now >= limit.most:
            # the whole window must pass, and then the share of it that is too many
            return limit.seconds - min(passed, limit.seconds) + limit.seconds * (1 - (limit.most - 1) / count.now)
        if count.now + count.before * (1 - passed / limit.seconds) <= limit.most - 1:
            return 0.0
        return limit.seconds * (1 - (limit.most - 1 - count.now) / count.before) - passed


def household(address: str) -> str:
    """Return what is counted as one visitor: an IPv4 address, or the 2^64 addresses that one IPv6 connection has."""
    try:
        found = ip_address(address)
    except ValueError:
        return "unknown"
    if isinstance(found, IPv6Address):
        return str(found.ipv4_mapped) if found.ipv4_mapped else str(ip_network((int(found), 64), strict=False))
    return str(found)


def neighbourhoods(address: str) -> tuple[str, ...]:
    """Return the larger networks in which an address lies, the widest first: whoever rents one has all of its addresses."""
    try:
        found = ip_address(household(address).removesuffix("/64"))
    except ValueError:
        return "unknown", "unknown"
    wide, near = (32, 48) if isinstance(found, IPv6Address) else (16, 24)
    return tuple(str(ip_network((int(found), bits), strict=False)) for bits in (wide, near))


def _spoken(seconds: float) -> Reason:
    if seconds < 120:
        return Reason("%(count)s seconds", count=max(1, round(seconds)))
    return Reason("%(count)s minutes", count=round(seconds / 60))


class Pace:
    """Counts what each address costs: so much a minute, with some in hand for a quick start."""

    def __init__(self, per_minute: float, hand: float | None = None, clock: Callable[[], float] = monotonic) -> None:
        self.rate = per_minute / 60
        self.hand = max(1.0, per_minute if hand is None else hand)
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def spend(self, who: str, cost: float = 1.0) -> float:
        """Take the cost from what an address has left; return how many seconds it must wait when there is not enough."""
        now = self._clock()
        left, since = self._left.pop(who, (self.hand, now))
        left = min(self.hand, left + (now - since) * self.rate)
        wait = 0.0 if left >= cost else (cost - left) / self.rate
        self._left[who] = (left if wait else left - cost, now)
        if len(self._left) > MOST_ADDRESSES:
            self._left.popitem(last=False)
        return wait

    def charge(self, who: str, cost: float) -> None:
        """Take the cost from what an address has left, down to nothing."""
        now = self._clock()
        left, since = self._left.pop(who, (self.hand, now))
        self._left[who] = (max(0.0, min(self.hand, left + (now - since) * self.rate) - cost), now)
