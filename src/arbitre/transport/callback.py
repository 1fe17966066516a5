"""Where engines call back (spec: tournoyons, sections 3 and 9): a bare ASGI application, and a small server to run it alone.

An address is `PUBLIC/answer/HANDLE/SECRET`. The handle finds the seat of a match that is being played; the secret, 128 bits, is
compared in constant time. There is no query string of ours: engines append theirs blindly. The site mounts the application, the
command line runs it in a `Listener`; both answer through `Receiver.answer`, which does no waiting, so an engine that calls back
from within our own call is answered at once.
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from hmac import compare_digest
from typing import Any, TypeAlias

from aiohttp import web

from arbitre.errors import HouseError
from arbitre.protocol.tournoyons import Reply

Hear: TypeAlias = Callable[[str], Reply]
"""Judges the query of a call to one seat's address."""

Send: TypeAlias = Callable[[dict[str, Any]], Awaitable[None]]
Receive: TypeAlias = Callable[[], Awaitable[dict[str, Any]]]

PREFIX = "/answer/"

MOST_PAST = 10_000
"""So many seats that have got up are remembered, to tell who is late from who is lost."""

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


class Listener:
    """A server for a receiver alone, for the command line."""

    def __init__(self, receiver: Receiver, host: str = "127.0.0.1", port: int = 0) -> None:
        self.receiver = receiver
        self.host = host
        self.port = port
        self._runner: web.ServerRunner | None = None

    async def start(self) -> None:
        """Listen; where no public address was set, it is the one listened on."""
        runner = web.ServerRunner(web.Server(self._handle, access_log=None), shutdown_timeout=FAREWELL_SECONDS)
        await runner.setup()
        try:
            site = web.TCPSite(runner, self.host, self.port)
            await site.start()
        except OSError as error:
            await runner.cleanup()
            raise HouseError(f"cannot listen for engines on {self.host}:{self.port}: {error.strerror or error}") from error
        self._runner = runner
        self.port = int(runner.addresses[0][1])
        if not self.receiver.public:
            host = f"[{self.host}]" if ":" in self.host else self.host
            self.receiver.public = f"http://{host}:{self.port}"

    async def stop(self) -> None:
        """Listen no more."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        reply = self.receiver.answer(request.method, request.path, request.rel_url.raw_query_string)
        return web.Response(text=f"{reply.text}\n", status=reply.status, headers=HEADERS)


async def _live(receive: Receive, send: Send) -> None:
    """Say yes to a server that starts and stops."""
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


def _same(one: str, two: str) -> bool:
    return compare_digest(one.encode("utf-8", "replace"), two.encode("utf-8", "replace"))
