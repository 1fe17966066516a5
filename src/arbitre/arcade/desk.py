"""The arcade without a socket: visitors who hand their lines in one request at a time, and fetch what they are told.

A browser speaks the same lines as everybody (spec: arcade, section 1); only what carries them differs. To the arcade such a
visitor is a connection like any other, with the same limits of time, and it hangs up when it says so, or when nobody has
listened for a while: browsers reconnect after a breath, and a breath is no forfeit. Visitors are bounded in number, altogether
and for each browser, and so is what is kept for each.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress
from secrets import token_urlsafe
from time import monotonic
from typing import NamedTuple

from arbitre.arcade.fame import Fame, hall_of_fame
from arbitre.arcade.server import Arcade, Visit
from arbitre.errors import HasteError, UnfitError, UnknownError
from arbitre.reasons import Reason

MOST_CALLERS = 400
MOST_OF_ONE = 8
"""Visits of one browser that are open at a time."""
MOST_OF_ADDRESS = 100
"""Visits from one address: a school has one for all its pupils."""

MOST_KEPT = 256
"""Lines that are kept for somebody who does not fetch them; in a match each side waits for the other long before."""

MOST_HANDED_IN = 32_768
"""Octets of one request: four lines as long as a line may be."""

GRACE_SECONDS = 15.0
"""How long nobody may listen before a visitor is gone."""

BEAT_SECONDS = 10.0
"""How often a quiet stream says that it is still there."""

FAME_SECONDS = 10.0
"""How long a list of the best is shown before it is made anew."""


class Told(NamedTuple):
    """A line to a visitor; `number` counts from 1."""

    number: int
    line: str


class Caller(asyncio.Transport):
    """One visitor at the desk: what the arcade takes for its socket."""

    def __init__(self, arcade: Arcade, guest: str, address: str) -> None:
        super().__init__()
        self.token = token_urlsafe(18)
        self.guest = guest
        self.address = address
        self.over = False
        """Whether either side has hung up; what was said before can still be fetched."""
        self._kept: deque[Told] = deque(maxlen=MOST_KEPT)
        self._count = 0
        self._taken = 0
        self._reading = True
        self._news = asyncio.Event()
        self._listeners = 0
        self._leaving: asyncio.TimerHandle | None = None
        self._visit = Visit(arcade)
        self._visit.connection_made(self)
        self._unheard()

    # ── the arcade's end ───────────────────────────────────────────────────────────────────────────────────────────

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Keep lines until they are fetched: the arcade writes whole ones."""
        for line in bytes(data).decode("ascii").splitlines():
            self._count += 1
            self._kept.append(Told(self._count, line))
        self._rouse()

    def is_closing(self) -> bool:
        """Tell whether somebody has hung up."""
        return self.over

    def close(self) -> None:
        """Hang up, for the arcade."""
        if not self.over:
            self.over = True
            asyncio.get_running_loop().call_soon(self._visit.connection_lost, None)
            self._rouse()

    def pause_reading(self) -> None:
        """Take no more lines for a while."""
        self._reading = False

    def resume_reading(self) -> None:
        """Take lines again."""
        self._reading = True

    # ── the visitor's end ──────────────────────────────────────────────────────────────────────────────────────────

    def hand_in(self, text: str, number: int = 0) -> None:
        """Take lines of the visitor; a request with a number that was taken before is the same one, sent again."""
        if len(text) > MOST_HANDED_IN:
            raise UnfitError("lines", "at most %(most_handed_in)s characters at a time", most_handed_in=MOST_HANDED_IN)
        if not self._reading:
            raise HasteError("the table has not heard your last lines yet", 1)
        if not self.over and (not number or number > self._taken):
            self._taken = max(number, self._taken)
            ended = text if text.endswith("\n") else f"{text}\n"
            self._visit.data_received(ended.encode("ascii", "backslashreplace"))

    def hang_up(self) -> None:
        """Leave: a match that is not over is forfeited."""
        self._leaving = None
        if not self.over:
            self.over = True
            self._visit.connection_lost(None)
            self._rouse()

    def dismiss(self, why: Reason) -> None:
        """Send the visitor home because the house cannot go on: nobody loses."""
        if not self.over:
            self._visit.abandon(why)

    async def listen(self, after: int) -> AsyncIterator[Told | None]:
        """Return the lines behind number `after` as they come, None now and then, until somebody hangs up."""
        self._listeners += 1
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None
        try:
            while True:
                self._news.clear()
                for told in [one for one in self._kept if one.number > after]:
                    after = told.number
                    yield told
                if self.over and after >= self._count:
                    return
                if after < self._count:
                    continue
                with suppress(TimeoutError):
                    async with asyncio.timeout(BEAT_SECONDS):
                        await self._news.wait()
                        continue
                yield None
        finally:
            self._listeners -= 1
            self._unheard()

    def _unheard(self) -> None:
        if not self._listeners and not self.over:
            self._leaving = asyncio.get_running_loop().call_later(GRACE_SECONDS, self.hang_up)

    def _rouse(self) -> None:
        self._news.set()


class Desk:
    """All visitors without a socket."""

    def __init__(self, arcade: Arcade) -> None:
        self.arcade = arcade
        self._callers: dict[str, Caller] = {}
        self._famous: tuple[float, list[Fame]] | None = None

    def open(self, guest: str, address: str = "") -> Caller:
        """Let the browser of a guest in."""
        self._tidy()
        if sum(one.guest == guest for one in self._callers.values()) >= MOST_OF_ONE:
            raise HasteError("this browser plays many matches already: end one first", 5)
        crowd = sum(one.address == address for one in self._callers.values())
        if len(self._callers) >= MOST_CALLERS or crowd >= MOST_OF_ADDRESS:
            raise HasteError("the arcade is full: come back later", 30)
        caller = Caller(self.arcade, guest, address)
        self._callers[caller.token] = caller
        return caller

    def find(self, token: str, guest: str) -> Caller:
        """Return a visitor of this browser."""
        caller = self._callers.get(token)
        if caller is None or caller.guest != guest:
            raise UnknownError("this visit to the arcade is over")
        return caller

    def _tidy(self) -> None:
        """Forget who has left: whoever still fetches last words holds the visit itself."""
        self._callers = {token: one for token, one in self._callers.items() if not one.over}

    async def fame(self) -> list[Fame]:
        """Return the best victories over the machine."""
        store = self.arcade.store
        if store is None:
            return []
        if self._famous is None or monotonic() - self._famous[0] > FAME_SECONDS:
            self._famous = (monotonic(), await asyncio.to_thread(hall_of_fame, store))
        return self._famous[1]
