"""What tested interfaces return: the last value of each test, kept for a short time and in memory alone.

A test has a token of 128 bits in its return address; whoever has not seen the page cannot write there, and what is written there
changes nothing but what that page shows.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from secrets import token_hex
from time import monotonic

MOST_TESTS = 2_000
"""So many tests are remembered; of more, the oldest is forgotten."""
LIFETIME = 3_600.0
LONGEST = 400
"""Characters that are kept of a value."""


class _Test:
    def __init__(self, born: float) -> None:
        self.born = born
        self.count = 0
        self.value = ""
        self.changed = asyncio.Event()


class Returned:
    """The tests of interfaces that go on."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._tests: OrderedDict[str, _Test] = OrderedDict()

    def open(self) -> str:
        """Begin a test; return its token."""
        now = self._clock()
        while self._tests and (len(self._tests) >= MOST_TESTS or now - next(iter(self._tests.values())).born > LIFETIME):
            self._tests.popitem(last=False)[1].changed.set()
        token = token_hex(16)
        self._tests[token] = _Test(now)
        return token

    def put(self, token: str, value: str) -> bool:
        """Take what an interface returned; False where no test has this token."""
        test = self._tests.get(token)
        if test is None or self._clock() - test.born > LIFETIME:
            return False
        test.count += 1
        test.value = value[:LONGEST]
        changed, test.changed = test.changed, asyncio.Event()
        changed.set()
        return True

    async def wait(self, token: str, after: int, seconds: float, closing: asyncio.Event) -> tuple[int, str] | None:
        """Return count and text of the last value when there have been more than `after`, when the time is up, or at closing."""
        test = self._tests.get(token)
        if test is None:
            return None
        if test.count <= after:
            waits = [asyncio.ensure_future(one.wait()) for one in (test.changed, closing)]
            try:
                await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for one in waits:
                    one.cancel()
        return test.count, test.value
