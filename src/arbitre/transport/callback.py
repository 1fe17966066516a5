"""Where engines call back (spec: tournoyons, sections 3 and 9): a bare ASGI application, and a small server to run it alone.

An address is `PUBLIC/answer/HANDLE/SECRET`. The handle finds the seat of a match that is being played; the secret, 128 bits, is
compared in constant time. There is no query string of ours: engines append theirs blindly. The site mounts the application, the
command line runs it in a `Listener`; both answer through `Receiver.answer`, which does no waiting, so an engine that calls back
from within our own call is answered at once.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from hmac import compare_digest
from http import HTTPStatus
from time import monotonic
from typing import Any, TypeAlias, cast
from urllib.parse import unquote

from httptools import HttpParserError, HttpParserInvalidURLError, HttpParserUpgrade, HttpRequestParser, parse_url

from arbitre.errors import HouseError, shorten
from arbitre.protocol.tournoyons import Reply

Hear: TypeAlias = Callable[[str], Reply]
"""Judges the query of a call to one seat's address."""

Send: TypeAlias = Callable[[dict[str, Any]], Awaitable[None]]
Receive: TypeAlias = Callable[[], Awaitable[dict[str, Any]]]

PREFIX = "/answer/"

MOST_PAST = 10_000
"""So many seats that have got up are remembered, to tell who is late from who is lost."""

MOST_CALLERS = 4_096
"""Connections that are open at a time; more are hung up on."""

MOST_ASKED = 65_536
"""Octets of one request, with whatever stands behind its head; an answer needs a few hundred."""

CALLER_SECONDS = 60.0
"""How long somebody who is connected may take for the next whole request."""

FAREWELL_SECONDS = 0.5
"""How long a server that stops waits for calls that are being answered."""

UNKNOWN = Reply(404, "nobody is asked at this address")
OVER = Reply(410, "too late: the game is over")
ONLY_GET = Reply(405, "an answer is a GET: Referee?Game=…&MoveId=…&Value=…")


class Receiver:
    """The seats that are open for answers; an ASGI application."""

    def __init__(self, public: str = "", *, late: Callable[[str, str], None] | None = None) -> None:
        self.public = public.rstrip("/")
        """The address under which engines reach us, as it was set: never taken from a request."""
        self.late = late
        """Is told the handle and the query of calls that come when their seat has got up."""
        self._seats: dict[str, tuple[str, Hear]] = {}
        self._past: OrderedDict[str, str] = OrderedDict()

    def open(self, handle: str, secret: str, hear: Hear) -> str:
        """Open the address of a seat and return it."""
        self._seats[handle] = (secret, hear)
        return self.address(handle, secret)

    def address(self, handle: str, secret: str) -> str:
        """Return the address of a seat, whether it is open or not."""
        if not self.public:
            raise HouseError("no address is set where engines could call back")
        return f"{self.public}{PREFIX}{handle}/{secret}"

    def close(self, handle: str) -> None:
        """Close the address of a seat; whoever calls it now is late."""
        secret, _ = self._seats.pop(handle, ("", None))
        if secret:
            self._past[handle] = secret
            if len(self._past) > MOST_PAST:
                self._past.popitem(last=False)

    def answer(self, method: str, path: str, query: str) -> Reply:
        """Judge a call by its path and query, as they came over the wire."""
        handle, _, given = path.removeprefix(PREFIX).partition("/")
        secret, hear = self._seats.get(handle, (self._past.get(handle, ""), None))
        if not path.startswith(PREFIX) or not secret or not _same(given.rstrip("/"), secret):
            return UNKNOWN
        if hear is None:
            if self.late is not None:
                self.late(handle, query)
            return OVER
        return hear(query) if method == "GET" else ONLY_GET

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request of an ASGI server."""
        if scope["type"] == "lifespan":
            await _live(receive, send)
            return
        if scope["type"] != "http":
            raise HouseError(f"only HTTP is answered here, not {scope['type']}")
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        query = scope.get("query_string", b"").decode("latin-1")
        reply = self.answer(scope["method"], path, query)
        headers = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
        await send({"type": "http.response.start", "status": reply.status, "headers": headers})
        await send({"type": "http.response.body", "body": f"{reply.text}\n".encode()})


HEADERS = {
    "Content-Type": "text/plain; charset=utf-8",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class Connection(asyncio.Protocol):
    """One connection of somebody who asks by bare requests; a server's own say what is answered."""

    end = ""
    """What stands behind every answer."""

    def __init__(self, server: "Server") -> None:
        self._server = server
        self._parser = HttpRequestParser(self)
        self._url = b""
        self._octets = 0
        self._since = monotonic()
        self._bell: asyncio.TimerHandle | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the transport, unless there are too many."""
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is one in all but name
        if len(self._server.callers) >= MOST_CALLERS or self._server.closed:
            self._transport.abort()
            return
        self._server.callers.add(self)
        self._bell = asyncio.get_running_loop().call_later(CALLER_SECONDS, self._look)

    def connection_lost(self, error: Exception | None) -> None:  # noqa: ARG002 - whatever it was
        """Forget it."""
        self._server.callers.discard(self)
        if self._bell is not None:
            self._bell.cancel()

    def _look(self) -> None:
        """Hang up on whoever has not asked anything whole for a while."""
        rest = CALLER_SECONDS - (monotonic() - self._since)
        if rest <= 0:
            self.cut()  # whoever has not read an answer by now will not
        else:
            self._bell = asyncio.get_running_loop().call_later(rest, self._look)

    def close(self) -> None:
        """Hang up when everything has gone out."""
        if self._transport is not None:
            self._transport.close()

    def cut(self) -> None:
        """Hang up now."""
        if self._transport is not None:
            self._transport.abort()

    def pause_writing(self) -> None:
        """Hear nothing more of somebody who asks and does not read what is answered."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.pause_reading()

    def resume_writing(self) -> None:
        """Hear on."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()

    def data_received(self, data: bytes) -> None:
        """Read on, within bounds."""
        self._octets += len(data)
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade:
            self.close()
        except HttpParserError as error:
            self._say(Reply(400, f"this is no HTTP: {shorten(str(error))}"), keep=False)
        if self._octets > MOST_ASKED:
            self._say(Reply(413, f"more than {MOST_ASKED} octets"), keep=False)

    def on_message_begin(self) -> None:
        """A new request."""
        self._url = b""

    def on_url(self, url: bytes) -> None:
        """Take the address, which may come in pieces."""
        self._url += url

    def on_message_complete(self) -> None:
        """Answer."""
        self._octets = 0
        self._since = monotonic()
        try:
            url = parse_url(self._url)
        except HttpParserInvalidURLError:
            self._say(Reply(400, "this is no address"), keep=False)
            return
        path, query = unquote((url.path or b"").decode("latin-1")), (url.query or b"").decode("latin-1")
        self._asked(self._parser.get_method().decode("latin-1"), path, query, keep=self._parser.should_keep_alive())

    def _asked(self, method: str, path: str, query: str, *, keep: bool) -> None:
        """Answer one request."""
        raise NotImplementedError

    def _say(self, reply: Reply, *, keep: bool) -> None:
        if self._transport is None or self._transport.is_closing():
            return
        body = f"{reply.text}{self.end}".encode()
        status = f"HTTP/1.1 {reply.status} {HTTPStatus(reply.status).phrase}\r\n{HEAD}"
        end = f"Content-Length: {len(body)}\r\n{'' if keep else CLOSES}\r\n"
        self._transport.write(f"{status}{end}".encode("latin-1") + body)
        if not keep:
            self._transport.close()


CLOSES = "Connection: close\r\n"
HEAD = "".join(f"{name}: {text}\r\n" for name, text in HEADERS.items())


class Server:
    """Listens on a port, and lets go of whoever is connected in good order when it stops."""

    what = "cannot listen on"

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        self.host = host
        self.port = port
        self.callers: set[Connection] = set()
        self.closed = False
        self._server: asyncio.Server | None = None

    def meet(self) -> Connection:
        """Return what talks with somebody who has come."""
        raise NotImplementedError

    async def start(self) -> None:
        """Listen."""
        loop = asyncio.get_running_loop()
        try:
            server = await loop.create_server(self.meet, self.host, self.port, backlog=1024)
        except OSError as error:
            raise HouseError(f"{self.what} {self.host}:{self.port}: {error.strerror or error}") from error
        self._server, self.closed = server, False
        self.port = int(server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Listen no more; what was answered goes out first."""
        if self._server is None:
            return
        self.closed = True
        self._server.close()
        self._server = None
        for caller in tuple(self.callers):
            caller.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(FAREWELL_SECONDS):
                while self.callers:
                    await asyncio.sleep(0.001)
        for caller in tuple(self.callers):
            caller.cut()
        await asyncio.sleep(0)  # whoever came in the last moment is hung up on in this round


class Caller(Connection):
    """Somebody who calls back: each request is answered at once."""

    end = "\n"

    def __init__(self, listener: "Listener") -> None:
        super().__init__(listener)
        self._receiver = listener.receiver

    def _asked(self, method: str, path: str, query: str, *, keep: bool) -> None:
        self._say(self._receiver.answer(method, path, query), keep=keep)


class Listener(Server):
    """A server for a receiver alone, for the command line."""

    what = "cannot listen for engines on"

    def __init__(self, receiver: Receiver, host: str = "127.0.0.1", port: int = 0) -> None:
        super().__init__(host, port)
        self.receiver = receiver

    def meet(self) -> Connection:
        """Return what hears somebody who calls back."""
        return Caller(self)

    async def start(self) -> None:
        """Listen; where no public address was set, it is the one listened on."""
        await super().start()
        if not self.receiver.public:
            host = f"[{self.host}]" if ":" in self.host else self.host
            self.receiver.public = f"http://{host}:{self.port}"


async def _live(receive: Receive, send: Send) -> None:
    """Say yes to a server that starts and stops."""
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


def _same(one: str, two: str) -> bool:
    return compare_digest(one.encode("utf-8", "replace"), two.encode("utf-8", "replace"))
