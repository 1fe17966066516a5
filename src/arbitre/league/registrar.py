"""The registrar of the draughts league (spec: draughts, section 3): hears reports, answers one line, closes.

A reporter is the address of the connection. The answer is given as soon as 256 octets are there, and more are ignored; else when
the reporter has ended its sending, or has been silent for two seconds: what is missing is then taken for zeros. Nothing is
answered before what it rests on is durable; reports that arrive together share one commit.

Behind a balancer of TCP the address of the connection is the balancer's. Those that are named (`proxies`) must say with a header
of the PROXY protocol for whom they speak, within two seconds; of nobody else is one believed. Who speaks for nobody is hung up
on.

Slow and silent reporters cost a socket for a few seconds and nothing else. One address, or one IPv6 network, can hold only a part
of all sockets, so that nobody shuts the others out.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from ipaddress import IPv6Network
from socket import socket
from time import time
from typing import cast
from zoneinfo import ZoneInfo

from arbitre.errors import ProtocolError, StoreError
from arbitre.league.ledger import Ledger, networks, release
from arbitre.league.report import SIZE, Address, Answer, Word, mapped
from arbitre.transport.guard import Network, among
from arbitre.transport.proxied import read_header
from arbitre.transport.sockets import plenty_of_files

SILENCE = 2.0
"""After so many seconds without an octet a report is taken to be complete."""
LONGEST = 30.0
"""No reporter is listened to for longer, however slowly it drips."""
GLANCE = 0.02
"""Seconds for a last look: where the house itself was held up, what had arrived meanwhile is read before silence is found."""
LINGER = 1.0
"""How long a socket with unread octets stays after the answer: closed at once, it could take the answer with it."""
MOST_CALLS = 8_192
"""Sockets at a time."""
AT_ONCE = 16
"""Reports judged in one turn of the loop; each takes about a millisecond."""
SHARE = 4
"""One network (`arbitre.league.ledger.networks`) holds at most one in so many of them."""

log = logging.getLogger(__name__)

Told = Callable[[Address, Answer], None]


def today(zone: ZoneInfo, clock: Callable[[], float] = time) -> str:
    """Return the day in the league's time zone."""
    return datetime.fromtimestamp(clock(), zone).date().isoformat()


class Registrar:
    """Answers reports."""

    def __init__(
        self,
        ledger: Ledger,
        day: Callable[[], str],
        told: Told | None = None,
        silence: float = SILENCE,
        proxies: tuple[Network, ...] = (),
    ) -> None:
        self.proxies = proxies
        """Balancers that say for whom they speak."""
        self.ledger = ledger
        self.day = day
        self.told = told
        self.silence = silence
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Is given the error when the store can keep nothing any more."""
        self.calls: set[_Call] = set()
        self.held: Counter[IPv6Network] = Counter()
        self._turn = asyncio.Semaphore(AT_ONCE)
        self.most = min(MOST_CALLS, plenty_of_files() - 64)

    async def answer(self, data: bytes, reporter: Address) -> Answer:
        """Judge a report; return when everything that the answer rests on is durable."""
        try:
            async with self._turn:
                answer = self.ledger.hear(data, reporter, self.day())
                await asyncio.sleep(0)  # whoever else this loop serves has a turn, pages of the site too
            if answer.word not in (Word.IMPOSSIBLE, Word.UNKNOWN):
                await self.ledger.store.durable()
        except StoreError as error:
            if not self.failed.done():
                self.failed.set_exception(error)
            return Answer(Word.UNKNOWN)
        except Exception:
            log.exception("a report from %s", reporter)
            return Answer(Word.UNKNOWN)
        self._tell(reporter, answer)
        return answer

    def _tell(self, reporter: Address, answer: Answer) -> None:
        """Tell the house; whatever comes of it, the reporter is answered."""
        try:
            if self.told is not None:
                self.told(reporter, answer)
        except Exception:
            log.exception("telling of a report from %s", reporter)

    async def serve(self, sockets: list[socket]) -> None:
        """Answer until cancelled, or until the store fails."""
        loop = asyncio.get_running_loop()
        servers = [await loop.create_server(lambda: _Call(self), sock=one, backlog=4_096) for one in sockets]
        try:
            await self.failed
        finally:
            for server in servers:
                server.close()
            for call in tuple(self.calls):
                call.hang_up()
            if self.failed.done() and not self.failed.cancelled():
                self.failed.exception()

    def room_for(self, reporter: Address) -> bool:
        """Tell whether one more socket of this address can be held."""
        share = max(1, self.most // SHARE)
        return len(self.calls) < self.most and all(self.held[network] < share for network in networks(reporter))


class _Call(asyncio.Protocol):
    """One connection of a reporter."""

    def __init__(self, registrar: Registrar) -> None:
        self.registrar = registrar
        self.reporter: Address | None = None
        """Whose connection it is; None before a balancer has said so."""
        self.header = bytearray()
        """What a balancer has said so far."""
        self.data = bytearray()
        self.answering: asyncio.Task[None] | None = None
        self.answered = False
        self.ended = False
        self.loop = asyncio.get_running_loop()
        self.transport: asyncio.Transport
        self.timer: asyncio.TimerHandle | None = None
        self.last_heard = self.begun = self.loop.time()
        self.glanced = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        try:
            peer = mapped(transport.get_extra_info("peername")[0])
        except (ValueError, TypeError):
            self.transport.abort()
            return
        if not among(peer, self.registrar.proxies):
            self._enter(peer)
        elif len(self.registrar.calls) >= self.registrar.most:
            self.transport.abort()
        else:
            self.registrar.calls.add(self)
            self.timer = self.loop.call_later(self.registrar.silence, self.transport.abort)

    def _enter(self, reporter: Address) -> None:
        """Begin to listen to a reporter, if there is room for him."""
        if not self.registrar.room_for(reporter):
            self.transport.abort()
            return
        self.reporter = reporter
        self.registrar.calls.add(self)
        self.registrar.held.update(networks(reporter))
        self.timer = self.loop.call_later(min(self.registrar.silence, LONGEST), self._look)

    def _introduced(self, data: bytes) -> bytes:
        """Hear for whom a balancer speaks; return what the reporter says behind it."""
        self.header += data
        try:
            found = read_header(bytes(self.header))
            if found is None:
                return b""
            reporter = mapped(found.address)
        except (ProtocolError, ValueError) as error:
            log.info("a balancer is hung up on: %s", error)
            self.transport.abort()
            return b""
        self._stop_timer()
        self.registrar.calls.discard(self)
        self._enter(reporter)
        return bytes(self.header[found.octets :])

    def data_received(self, data: bytes) -> None:
        if self.answering is not None or self.transport.is_closing():
            return
        if self.reporter is None:
            data = self._introduced(data)
            if self.reporter is None:
                return
        self.last_heard = self.loop.time()
        self.glanced = False
        self.data += data[: SIZE - len(self.data)]
        if len(self.data) == SIZE:
            self._complete()

    def eof_received(self) -> bool:
        self.ended = True
        if self.reporter is None:
            self.transport.abort()
        elif self.answered:
            self.transport.close()
        else:
            self._complete()
        return True

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature
        self._stop_timer()
        if self in self.registrar.calls:
            self.registrar.calls.remove(self)
            if self.reporter is not None:
                release(self.registrar.held, self.reporter)

    def hang_up(self) -> None:
        """Close without an answer."""
        if self.answering is not None:
            self.answering.cancel()
        self.transport.abort()

    def _look(self) -> None:
        """See whether the silence has lasted long enough; one timer a call, however many octets come one by one."""
        now = self.loop.time()
        due = min(self.last_heard + self.registrar.silence, self.begun + LONGEST)
        if now < due:
            self.timer = self.loop.call_later(due - now, self._look)
        elif not self.glanced:
            self.glanced = True
            self.timer = self.loop.call_later(GLANCE, self._look)
        else:
            self._complete()

    def _complete(self) -> None:
        if self.answering is None:
            self._stop_timer()
            self.answering = self.loop.create_task(self._answer())

    async def _answer(self) -> None:
        if self.reporter is None:
            return
        answer = await self.registrar.answer(bytes(self.data), self.reporter)
        self.answered = True
        if self.transport.is_closing():
            return
        self.transport.write(answer.octets())
        if self.ended:
            self.transport.close()
            return
        with suppress(OSError):
            self.transport.write_eof()
        self.timer = self.loop.call_later(LINGER, self.transport.abort)

    def _stop_timer(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
