"""How many calls go on to one host at a time, and what becomes of the calls of one seat (spec: tournoyons, section 9).

A seat waits for a slot of its host before it asks, on nobody's clock; the call that is made then holds it until it is over. When
a question is answered the call may go on for a while: a program may still be busy in it. But not for long: whoever answers and
never hangs up would hold his host's slots against all others there.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from arbitre.tournoyons.gateway import is_gateway
from arbitre.tournoyons.trace import Fetched
from arbitre.transport.guard import read_url

FAREWELL_SECONDS = 2.0
"""How long the call of a question that is over may go on, or a call that tells the end."""

Call: TypeAlias = "asyncio.Task[Fetched]"


class Slots:
    """Counts the calls that go on to each host: whoever wants one more waits in line."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._taken: dict[str, int] = {}
        self._lines: dict[str, deque[asyncio.Future[None]]] = {}

    @property
    def idle(self) -> bool:
        """Whether no call goes on."""
        return not self._taken

    async def take(self, host: str) -> None:
        """Return when one more call to a host may be made."""
        taken = self._taken.get(host, 0)
        if taken < self.most:
            self._taken[host] = taken + 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._lines.setdefault(host, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give(host)  # it was our turn in the same moment
            raise

    def give(self, host: str) -> None:
        """Let the next in line make a call."""
        if self._taken[host] <= self.most and self._called(host):
            return
        self._taken[host] -= 1
        if not self._taken[host]:
            del self._taken[host]

    def resize(self, most: int) -> None:
        """Let another number of calls go on at a time; those that are too many come to their end."""
        self.most = most
        for host in tuple(self._lines):
            while self._taken.get(host, 0) < most and self._called(host):
                self._taken[host] = self._taken.get(host, 0) + 1

    def _called(self, host: str) -> bool:
        """Give the next in line its turn; tell whether there was one."""
        line = self._lines.get(host, deque())
        while line:
            turn = line.popleft()
            if not turn.done():
                turn.set_result(None)
                return True
        self._lines.pop(host, None)
        return False


class Outgoing:
    """The calls of one seat to its host."""

    def __init__(self, slots: Slots, url: str) -> None:
        self.host = host_of(url)
        self._slots = slots
        self._ready = False
        self._going: dict[Call, asyncio.TimerHandle | None] = {}

    @property
    def going(self) -> bool:
        """Whether a call goes on."""
        return bool(self._going)

    async def ready(self) -> None:
        """Wait until the host may be called once more."""
        if not self._ready:
            await self._slots.take(self.host)
            self._ready = True

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Hold the slot that was waited for, while a call goes on that nobody else waits for."""
        held, self._ready = self._ready, False
        try:
            yield
        finally:
            if held:
                self._slots.give(self.host)

    def call(self, made: Coroutine[Any, Any, Fetched], ended: Callable[[Call], None]) -> Call:
        """Let a call go on by itself, with the slot that was waited for; `ended` is told when it is over."""
        held, self._ready = self._ready, False

        def over(done: Call) -> None:
            bell = self._going.pop(done, None)
            if bell is not None:
                bell.cancel()
            if held:
                self._slots.give(self.host)
            ended(done)

        call = asyncio.get_running_loop().create_task(made)
        self._going[call] = None
        call.add_done_callback(over)
        return call

    def let_go(self, call: Call) -> None:
        """Give a call a little time to come to its end: its question is over."""
        if not call.done() and self._going.get(call) is None:
            self._going[call] = call.get_loop().call_later(FAREWELL_SECONDS, call.cancel)

    def leave(self) -> tuple[Call, ...]:
        """Give up the slot, and give every call that still goes on a little time to come to its end; return those calls."""
        if self._ready:
            self._ready = False
            self._slots.give(self.host)
        going = tuple(self._going)
        for call in going:
            self.let_go(call)
        return going


def host_of(text: str) -> str:
    """Return what calls are counted under: host and port of an address, or a school's gateway."""
    if is_gateway(text):
        return text.partition("/")[0]
    try:
        return read_url(text, encoded=True).authority
    except ValueError:
        return ""
