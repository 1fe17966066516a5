"""The wire of the site, below the gate: what a connection may cost before there is a request that the gate could judge.

The server reads heads of requests without a limit of time, and with one of its two parsers without a limit of size. Here a head
is bounded in octets and seconds, a body in seconds (its octets are the application's affair), and one household has so many
connections on which no request has come yet; trusted proxies, who speak for many, have any number. A household may be a whole
school: one more is let in at once, and the line that has waited longest without a word is hung up instead.

Whoever vanishes without a word, a laptop that is shut, never hangs up. A line on which what we said is not received for so many
seconds is cut, where the system can do that: every stream has a beat, so it is found within two of them. On a WebSocket the other
side's program itself is asked for a sign of life.
"""

import asyncio
import socket
from collections.abc import Iterable
from contextlib import suppress
from ipaddress import ip_address
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol
from uvicorn.protocols.websockets.wsproto_impl import WSProtocol

from arbitre.transport.guard import Network, among
from arbitre.transport.limits import household

MOST_HEAD = 65_536
"""Octets of a request's first line and headers."""
HEAD_SECONDS = 20.0
"""From the connection, or from the first octet of a later request, to the end of its head."""
BODY_SECONDS = 120.0
MOST_UNREAD = 1 << 24
"""Octets that are passed over of a body that was refused, so that its sender may read why."""
UNHEARD_SECONDS = 10.0
"""So long the other side's machine may take to receive what was sent to it."""
MOST_SILENT = 256
"""Connections of one household on which no request has come yet."""
MOST_MESSAGE = 262_144
"""Octets of one message on a WebSocket: as many as a form has."""
SIGN_SECONDS = 10.0
"""So often a WebSocket is asked for a sign of life, and so long the sign may take."""


def options(proxies: Iterable[Network] = ()) -> dict[str, Any]:
    """Return what a server is to know of its connections."""
    return {
        "http": wire(proxies),
        "ws": SocketWire,
        "ws_max_size": MOST_MESSAGE,
        "ws_per_message_deflate": False,  # nothing small becomes large here
        "ws_ping_interval": SIGN_SECONDS,
        "ws_ping_timeout": SIGN_SECONDS,
        "access_log": False,
        "server_header": False,
        "proxy_headers": False,
    }


class SocketWire(WSProtocol):
    """A WebSocket that is not read while its other side does not read: each of its pings is answered, and would wait here."""

    def pause_writing(self) -> None:
        """Stop reading too."""
        super().pause_writing()
        self.transport.pause_reading()

    def resume_writing(self) -> None:
        """Read on, unless a message waits."""
        super().resume_writing()
        if not self.read_paused and not self.transport.is_closing():
            self.transport.resume_reading()

    async def receive(self) -> Any:
        """Return the next message; that it was taken is no reason to read on."""
        message = await super().receive()
        if not self.writable.is_set():
            self.transport.pause_reading()
        return message


def wire(proxies: Iterable[Network] = ()) -> type[asyncio.Protocol]:
    """Return the protocol of a server's connections, with counters of its own."""
    trusted = tuple(proxies)
    silent: dict[str, dict[Any, None]] = {}
    """The connections of each household on which no request has come, the oldest first."""

    class Wire(AutoHTTPProtocol):  # type: ignore[misc, valid-type] # whichever parser is installed
        """A connection that is not waited for without end."""

        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self._octets = 0
            self._bell: asyncio.TimerHandle | None = None
            self._household = ""
            self._handed_on = False
            """Whether it is a WebSocket now, and none of ours."""

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            _cut_where_unheard(transport)
            who = str((transport.get_extra_info("peername") or ("",))[0])
            if not _speaks_for_many(who, trusted):
                self._household = household(who)
                waiting = silent.setdefault(self._household, {})
                waiting[self] = None
                if len(waiting) > MOST_SILENT:
                    next((one for one in waiting if not one._octets), next(iter(waiting)))._make_room()
            self._ring_in(HEAD_SECONDS)

        def data_received(self, data: bytes) -> None:
            before = self.cycle
            in_body = before is not None and before.more_body and not before.response_complete
            super().data_received(data)
            if self._handed_on:
                return
            if self.cycle is not before:
                self._octets = 0
                self._spoken()
                self._ring_in(BODY_SECONDS if self.cycle.more_body else None)
            elif in_body:
                if not before.more_body:
                    self._ring_in(None)
            else:
                self._octets += len(data)
                unread = before is not None and before.more_body  # the body of what was refused before it had come
                if self._octets > (MOST_UNREAD if unread else MOST_HEAD):
                    self._refuse(b"431 Request Header Fields Too Large")
                elif self._bell is None:
                    self._ring_in(HEAD_SECONDS)

        def handle_websocket_upgrade(self, *request: Any) -> None:
            self._handed_on = True
            self._ring_in(None)
            self._spoken()
            super().handle_websocket_upgrade(*request)

        def connection_lost(self, exc: Exception | None) -> None:
            self._ring_in(None)
            self._spoken()
            super().connection_lost(exc)

        def _spoken(self) -> None:
            """Take down that a request has come, or never will."""
            if self._household:
                waiting = silent[self._household]
                del waiting[self]
                if not waiting:
                    del silent[self._household]
                self._household = ""

        def _make_room(self) -> None:
            """Hang up: somebody else of this household is at the door."""
            self._ring_in(None)
            self._spoken()
            self.transport.close()

        def _ring_in(self, seconds: float | None) -> None:
            if self._bell is not None:
                self._bell.cancel()
            self._bell = None if seconds is None else self.loop.call_later(seconds, self._refuse, b"408 Request Timeout")

        def _refuse(self, why: bytes) -> None:
            self._ring_in(None)
            if not self.transport.is_closing():
                if self.cycle is None:
                    self.transport.write(b"HTTP/1.1 " + why + b"\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
                self.transport.close()

    return Wire


def _cut_where_unheard(transport: Any) -> None:
    """Let the system cut a line whose other end receives nothing any more."""
    line, option = transport.get_extra_info("socket"), getattr(socket, "TCP_USER_TIMEOUT", None)
    if line is not None and option is not None:
        with suppress(OSError):  # a line that is gone already
            line.setsockopt(socket.IPPROTO_TCP, option, int(UNHEARD_SECONDS * 1000))


def _speaks_for_many(address: str, proxies: tuple[Network, ...]) -> bool:
    try:
        return among(ip_address(address), proxies)
    except ValueError:
        return False
