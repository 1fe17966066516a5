"""How often somebody may try: counters in memory, over a window that slides. Time is an argument; nothing else is asked.

The count of a window is that of its minute, hour … plus the share of the one before that the window still covers. What is
counted are keys: a name that is tried, or an address (of IPv6 the network: whoever has one address has 2⁶⁴ of them). Memory is
bounded: where too many keys come, those that were quiet the longest are forgotten.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from ipaddress import IPv6Address, ip_address, ip_network
from json import dumps, loads
from threading import Lock
from time import monotonic

from arbitre.errors import HasteError
from arbitre.reasons import Reason
from arbitre.values import value

HEARD_SECONDS = 1.0
"""Within so long other nodes have heard."""
QUIET_SECONDS = 120.0
"""A visitor who was quiet for so long is forgotten: by then he has everything in hand again."""
LITTLE = 0.02
"""The share of what one has in hand that other nodes are not told of."""
MOST_TOLD = 500
"""Visitors that other nodes are told of: those who spend most."""
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
                raise hasty(wait)
            self._add(kind, key, now)

    def look(self, kind: str, key: str, now: float) -> None:
        """Raise `HasteError` if an attempt would be one too many; count nothing."""
        with self._lock:
            wait = self._wait(kind, key, now)
        if wait > 0:
            raise hasty(wait)

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
        count = self._current(kind, key, now)
        return self.wait(kind, count.now, count.before, now - count.window * self.limits[kind].seconds)

    def wait(self, kind: str, taken: int, before: int, since: float) -> float:
        """Return for how many seconds an attempt is too many, so long after a window began in which so many were counted."""
        limit = self.limits[kind]
        count = _Count(0, taken, before)
        passed = max(0.0, since)  # a clock that was set back forgives nothing
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


def hasty(wait: float) -> HasteError:
    """Return the refusal of one attempt too many."""
    return HasteError("too many attempts: wait %(wait)s", wait, wait=_spoken(wait))


def _spoken(seconds: float) -> Reason:
    if seconds < 120:
        return Reason("%(count)s seconds", count=max(1, round(seconds)))
    return Reason("%(count)s minutes", count=round(seconds / 60))


class Spending:
    """What visitors spend at several nodes, each of which tells the others about once a second (`told`, `hear`).

    Until it has heard, each spends no more than its part of what it believes is left. What is told is the sum since a visitor
    came, so that nothing is lost with a beat that nobody read; visitors who are quiet are forgotten.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self.others = 0
        """How many other nodes there are."""
        self._clock = clock
        self._sums: OrderedDict[str, _Sum] = OrderedDict()
        self._heard: dict[tuple[str, str], float] = {}
        """What each node last said of each visitor."""
        self._charge: Callable[[str, float], None] = lambda _who, _cost: None
        self.least = 0.0
        """What nobody is told of, because it is little."""

    def share(self, pace: "Pace") -> None:
        """Let a pace count what is spent elsewhere too."""
        pace.spending, self._charge, self.least = self, pace.charge_here, pace.hand * LITTLE

    def note(self, who: str, cost: float) -> None:
        """Take down what was spent here."""
        now = self._clock()
        before = self._sums.pop(who, None) or _Sum(now)
        self._sums[who] = _Sum(before.since, before.total + cost, before.fresh + cost, now)
        if len(self._sums) > MOST_ADDRESSES:
            self._sums.popitem(last=False)

    def allows(self, who: str, cost: float, left: float) -> bool:
        """Tell whether a visitor may spend something here before the others have heard of it."""
        fresh = self._sums[who].fresh if who in self._sums else 0.0
        return not self.others or fresh + cost <= max(cost, (left + fresh) / (self.others + 1))

    def told(self) -> str:
        """Return what the others are to hear, and take down that they do."""
        quiet = self._clock() - QUIET_SECONDS
        while self._sums and next(iter(self._sums.values())).last < quiet:
            self._sums.popitem(last=False)
        much = [(who, one) for who, one in self._sums.items() if one.total >= self.least]
        self._sums.update({who: one.heard() for who, one in self._sums.items() if one.fresh})
        some = sorted(much, key=lambda pair: -pair[1].total)[:MOST_TOLD]
        return dumps({who: [round(one.since, 3), round(one.total, 1)] for who, one in some}) if some else ""

    def hear(self, told: Mapping[str, str]) -> None:
        """Charge what visitors have spent at other nodes since they last told."""
        self.others = len(told)
        heard: dict[tuple[str, str], float] = {}
        for node, text in told.items():
            for who, (since, total) in (loads(text) if text else {}).items():
                key = (node, f"{since} {who}")
                heard[key] = total
                if (more := total - self._heard.get(key, 0.0)) > 0:
                    self._charge(who, more)
        self._heard |= heard
        while len(self._heard) > MOST_ADDRESSES:
            del self._heard[next(iter(self._heard))]


@value
class _Sum:
    since: float
    total: float = 0.0
    fresh: float = 0.0
    """What the others have not heard of."""
    last: float = 0.0

    def heard(self) -> "_Sum":
        return _Sum(self.since, self.total, 0.0, self.last)


class Pace:
    """Counts what each address costs: so much a minute, with some in hand for a quick start."""

    def __init__(self, per_minute: float, hand: float | None = None, clock: Callable[[], float] = monotonic) -> None:
        self.rate = per_minute / 60
        self.hand = max(1.0, per_minute if hand is None else hand)
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self.spending: Spending | None = None
        """What is spent at all nodes, where there are several."""

    def spend(self, who: str, cost: float = 1.0) -> float:
        """Take the cost from what an address has left; return how many seconds it must wait when there is not enough."""
        now = self._clock()
        left, since = self._left.pop(who, (self.hand, now))
        left = min(self.hand, left + (now - since) * self.rate)
        wait = 0.0 if left >= cost else (cost - left) / self.rate
        if self.spending is not None and not wait:
            if self.spending.allows(who, cost, left):
                self.spending.note(who, cost)
            else:
                wait = HEARD_SECONDS
        self._left[who] = (left if wait else left - cost, now)
        if len(self._left) > MOST_ADDRESSES:
            self._left.popitem(last=False)
        return wait

    def charge(self, who: str, cost: float) -> None:
        """Take the cost from what an address has left, down to nothing."""
        if self.spending is not None:
            self.spending.note(who, cost)
        self.charge_here(who, cost)

    def charge_here(self, who: str, cost: float) -> None:
        """Do so, and tell no other node."""
        now = self._clock()
        left, since = self._left.pop(who, (self.hand, now))
        self._left[who] = (max(0.0, min(self.hand, left + (now - since) * self.rate) - cost), now)
