"""Where engines call back (spec: tournoyons, sections 3 and 9): a bare ASGI application, and a small server to run it alone.

An address is `PUBLIC/answer/HANDLE/SECRET`. The handle finds the seat of a match that is being played; the secret, 128 bits, is
compared in constant time. There is no query string of ours: engines append theirs blindly. The site mounts the application, the
command line runs it in a `Listener`; both answer through `Receiver.answer`, which judges a call once, at the moment at which it
is heard. That an answer was accepted is said when it is durable, and no engine has a part in that: one that calls back from
within our own call waits for nobody but the disk.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from hmac import compare_digest
from http import HTTPStatus
from time import monotonic
from typing import Any, TypeAlias, cast
from urllib.parse import unquote

from httptools import HttpParserError, HttpParserInvalidURLError, HttpParserUpgrade, HttpRequestParser, parse_url

from arbitre.errors import HouseError, ProtocolError, refusal, shorten
from arbitre.reasons import Reason, declare
from arbitre.tournoyons.wire import Reply, read_query

Hear: TypeAlias = Callable[[str], "Reply | asyncio.Future[Reply]"]
"""Judges the query of a call to one seat's address, at once; the word that it was accepted may come later."""

Astray: TypeAlias = Callable[[str, Reply], None]
"""Is told of a call that was meant for a seat and is no answer, and of what was said to it."""

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

REASONS = declare(
    {
        "game-is-over": ("too late: the game is over", "trop tard : la partie est finie"),
        "earlier-game": (
            "this is the address of an earlier game: an answer goes to the Referee that came with its question",
            "c’est l’adresse d’une partie précédente : une réponse va au Referee venu avec sa question",
        ),
        "not-by-get": ("called back by %(method)s, only GET is a call back", "rappel par %(method)s, seul GET est un rappel"),
        "no-http": ("this is no HTTP: %(text)s", "ce n’est pas du HTTP : %(text)s"),
        "too-many-octets": ("more than %(most)s octets", "plus de %(most)s octets"),
        "no-address": ("this is no address", "ce n’est pas une adresse"),
    }
)

UNKNOWN = Reply(404, Reason("nobody-asked"))
OVER = Reply(410, Reason("game-is-over"))
STALE = Reply(410, Reason("earlier-game"))


class Receiver:
    """The seats that are open for answers; an ASGI application."""

    def __init__(self, public: str = "", *, late: Callable[[str, str], None] | None = None) -> None:
        self.public = public.rstrip("/")
        """The address under which engines reach us, as it was set: never taken from a request."""
        self.late = late
        """Is told the handle and the query of calls that come when their seat has got up."""
        self.away: Callable[[], Reason | None] = lambda: None
        """Says why nothing can be accepted though games are not over; empty while it can."""
        self._seats: dict[str, tuple[str, Hear]] = {}
        self._past: OrderedDict[str, str] = OrderedDict()
        self._games: dict[str, Astray] = {}
        self._named: dict[str, str] = {}
        """The `Game` of a seat by its handle: whoever calls elsewhere and says it meant this seat."""

    def open(self, handle: str, secret: str, hear: Hear, *, game: str = "", astray: Astray | None = None) -> str:
        """Open the address of a seat and return it; `astray` is told of calls that name its `Game` and are no answers."""
        self._seats[handle] = (secret, hear)
        if game and astray is not None:
            self._named[handle], self._games[game] = game, astray
        return self.address(handle, secret)

    def address(self, handle: str, secret: str) -> str:
        """Return the address of a seat, whether it is open or not."""
        if not self.public:
            raise HouseError("no address is set where engines could call back")
        return f"{self.public}{PREFIX}{handle}/{secret}"

    def close(self, handle: str) -> None:
        """Close the address of a seat; whoever calls it now is late."""
        secret, _ = self._seats.pop(handle, ("", None))
        self._games.pop(self._named.pop(handle, ""), None)
        if secret:
            self._past[handle] = secret
            if len(self._past) > MOST_PAST:
                self._past.popitem(last=False)

    def over(self) -> Reply:
        """Return what is said to somebody whose game does not go on."""
        return Reply(503, why) if (why := self.away()) is not None else OVER

    def answer(self, method: str, path: str, query: str) -> "Reply | asyncio.Future[Reply]":
        """Judge a call by its path and query, as they came over the wire."""
        handle, _, given = path.removeprefix(PREFIX).partition("/")
        secret, hear = self._seats.get(handle, (self._past.get(handle, ""), None))
        if not path.startswith(PREFIX) or not secret or not _same(given.rstrip("/"), secret):
            self._strayed(_game_in(query), query, UNKNOWN)
            return UNKNOWN
        if self.away() is not None:
            return self.over()
        if method != "GET":
            reply = Reply(405, Reason("not-by-get", method=shorten(method, 20)))
            self._strayed(self._named.get(handle, ""), f"{shorten(method, 20)} {query}".rstrip(), reply)
            return reply
        if hear is None:
            if self.late is not None:
                self.late(handle, query)
            return STALE if self._strayed(_game_in(query), query, STALE) else OVER
        return hear(query)

    def _strayed(self, game: str, query: str, reply: Reply) -> bool:
        """Tell the seat that a call meant, if it meant one."""
        astray = self._games.get(game)
        if astray is not None:
            astray(query, reply)
        return astray is not None

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request of an ASGI server."""
        if scope["type"] == "lifespan":
            await _live(receive, send)
            return
        if scope["type"] != "http":
            raise HouseError("only HTTP is answered here, not %(scope)s", scope=scope["type"])
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        query = scope.get("query_string", b"").decode("latin-1")
        found = self.answer(scope["method"], path, query)
        reply = found if isinstance(found, Reply) else await found
        headers = [(name.encode(), value.encode()) for name, value in (HEADERS | _allowed(reply)).items()]
        await send({"type": "http.response.start", "status": reply.status, "headers": headers})
        await send({"type": "http.response.body", "body": f"{reply.text}\n".encode()})


HEADERS = {
    "Content-Type": "text/plain; charset=utf-8",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class Connection(asyncio.Protocol):
    """One connection of somebody who asks by bare requests: each is judged at once, and answered in the order in which they came.

    While something waits to be answered nothing more is read, and nobody is hung up on.
    """

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
        self._unsaid: deque[tuple[Reply | asyncio.Future[Reply], bool, bool]] = deque()
        """What is not answered yet, the first of it because it is not durable, and whether the line is kept behind it."""
        self._choked = self._deaf = False

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
        if self._unsaid:  # it is our turn, however long that takes
            self._bell = asyncio.get_running_loop().call_later(CALLER_SECONDS, self._look)
        elif rest <= 0:
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
        self._choked = True
        self._listen()

    def resume_writing(self) -> None:
        """Hear on."""
        self._choked = False
        self._listen()

    def _listen(self) -> None:
        """Hear on, unless something waits to be answered, or to be read."""
        deaf = self._choked or bool(self._unsaid)
        if self._transport is not None and not self._transport.is_closing() and deaf != self._deaf:
            self._deaf = deaf
            self._transport.pause_reading() if deaf else self._transport.resume_reading()

    def data_received(self, data: bytes) -> None:
        """Read on, within bounds."""
        self._octets += len(data)
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade:
            self.close()
        except HttpParserError as error:
            self._say(Reply(400, Reason("no-http", text=shorten(str(error)))), keep=False)
        if self._octets > MOST_ASKED:
            self._say(Reply(413, Reason("too-many-octets", most=MOST_ASKED)), keep=False)

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
            self._say(Reply(400, Reason("no-address")), keep=False)
            return
        path, query = unquote((url.path or b"").decode("latin-1")), (url.query or b"").decode("latin-1")
        reply = self._asked(self._parser.get_method().decode("latin-1"), path, query)
        self._unsaid.append((reply, self._parser.should_keep_alive(), self._parser.get_method() == b"HEAD"))
        if len(self._unsaid) == 1:
            self._go_on()

    def _asked(self, method: str, path: str, query: str) -> "Reply | asyncio.Future[Reply]":
        """Return the answer to one request, or what it will come from."""
        raise NotImplementedError

    def _go_on(self, _: "asyncio.Future[Reply] | None" = None) -> None:
        """Answer what can be answered by now."""
        while self._unsaid:
            reply, keep, headless = self._unsaid[0]
            if isinstance(reply, asyncio.Future):
                if not reply.done():
                    reply.add_done_callback(self._go_on)
                    break
                if reply.cancelled():  # the server stops
                    self.close()
                    return
                reply = reply.result()
            self._unsaid.popleft()
            self._since = monotonic()
            self._say(reply, keep=keep, headless=headless)
        self._listen()

    def _say(self, reply: Reply, *, keep: bool, headless: bool = False) -> None:
        if self._transport is None or self._transport.is_closing():
            return
        body = f"{reply.text}{self.end}".encode()
        status = f"HTTP/1.1 {reply.status} {HTTPStatus(reply.status).phrase}\r\n{HEAD}"
        status += "".join(f"{name}: {text}\r\n" for name, text in _allowed(reply).items())
        end = f"Content-Length: {len(body)}\r\n{'' if keep else CLOSES}\r\n"
        self._transport.write(f"{status}{end}".encode("latin-1") + (b"" if headless else body))
        if not keep:
            self._transport.close()


CLOSES = "Connection: close\r\n"
HEAD = "".join(f"{name}: {text}\r\n" for name, text in HEADERS.items())


class Server:
    """Listens on a port, and lets go of whoever is connected in good order when it stops."""

    what = Reason("cannot listen on")

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
            raise HouseError(
                "%(what)s %(host)s:%(port)s: %(strerror)s",
                what=self.what,
                host=self.host,
                port=self.port,
                strerror=refusal(error),
            ) from error
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
    """Somebody who calls back; the word that an answer was accepted waits until it is durable."""

    end = "\n"

    def __init__(self, listener: "Listener") -> None:
        super().__init__(listener)
        self._receiver = listener.receiver

    def _asked(self, method: str, path: str, query: str) -> "Reply | asyncio.Future[Reply]":
        return self._receiver.answer(method, path, query)


class Listener(Server):
    """A server for a receiver alone, for the command line."""

    what = Reason("cannot listen for engines on")

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


def _game_in(query: str) -> str:
    """Return the `Game` that a call names, nothing where it names none."""
    with suppress(ProtocolError):
        return read_query(query).get("Game", "")
    return ""


def _allowed(reply: Reply) -> dict[str, str]:
    """Return what a refused method is told besides, as HTTP wants it, and who comes while nothing can be kept."""
    return {405: {"Allow": "GET"}, 503: {"Retry-After": "1"}}.get(reply.status, {})


def _same(one: str, two: str) -> bool:
    return compare_digest(one.encode("utf-8", "replace"), two.encode("utf-8", "replace"))
