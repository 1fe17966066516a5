"""`/mcp`: agents at the site itself, each with a personal token as programs have them (`arbitre.agents`).

What an agent asks becomes requests of the interface for programs, made within this process under the agent's own token, past the
same gate: nothing is allowed here that is not allowed there. The SDK is loaded when the first agent comes, and each request is
answered by itself.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from arbitre.agents.tools import Asks
from arbitre.errors import SiteError, shorten

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

Application: TypeAlias = Callable[[Any, Any, Any], Awaitable[None]]

AGENTS = "/mcp"
PASSED_ON = (b"authorization", b"accept-language")


class Agents:
    """The door of a site for agents."""

    def __init__(self, site: Application) -> None:
        self._site = site
        self._manager: StreamableHTTPSessionManager | None = None
        self._opening = asyncio.Lock()
        self._closing = asyncio.Event()
        self._open: asyncio.Task[None] | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request of an agent; `ImportError` where the SDK is not installed."""
        async with self._opening:
            if self._manager is None:
                self._manager = await self._begun()
        await self._manager.handle_request(scope, receive, send)

    async def _begun(self) -> "StreamableHTTPSessionManager":
        await asyncio.to_thread(import_module, "arbitre.agents.server")  # it takes seconds, in which nobody else is to wait
        from arbitre.agents.server import make_server, manager_of  # noqa: PLC0415 - in an extra

        manager = manager_of(make_server(lambda request: asking(self._site, request.scope)))
        ready = asyncio.Event()

        async def held() -> None:
            async with manager.run():
                ready.set()
                await self._closing.wait()

        self._open = asyncio.create_task(held())
        await ready.wait()
        return manager

    async def close(self) -> None:
        """Let agents go."""
        self._closing.set()
        if self._open is not None:
            await self._open


@asynccontextmanager
async def agents_at(site: Application) -> AsyncIterator[Agents]:
    """Open the door of a site for agents, and close it behind the last."""
    found = Agents(site)
    try:
        yield found
    finally:
        await found.close()


def asking(site: Application, scope: Any) -> Asks:
    """Return who asks the interface for programs on behalf of an agent whose request is at hand."""
    headers = [(name, text) for name, text in scope["headers"] if name in PASSED_ON]

    async def asks(method: str, path: str, body: object = None, key: str = "") -> Any:
        said = b"" if body is None else json.dumps(body).encode()
        bare, _, query = path.partition("?")
        more = [(b"content-type", b"application/json"), (b"content-length", str(len(said)).encode())] if said else []
        more += [(b"idempotency-key", key.encode())] if key else []
        asked = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": scope["scheme"], "method": method,
            "path": bare, "raw_path": bare.encode(), "root_path": "", "query_string": query.encode(),
            "headers": [*headers, (b"accept", b"application/json"), *more],
            "client": scope["client"], "server": scope["server"], "state": {},
        }  # fmt: skip
        return _read(*await _exchange(site, asked, said))

    return asks


async def _exchange(site: Application, scope: dict[str, Any], body: bytes) -> tuple[int, str, bytes]:
    """Make one request within this process; return its status, what kind of answer it is, and the answer."""
    status, kind, answer = 500, "", bytearray()
    sent = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receive() -> Any:
        found = next(sent, None)
        return {"type": "http.disconnect"} if found is None else found

    async def send(message: Any) -> None:
        nonlocal status, kind
        if message["type"] == "http.response.start":
            status = message["status"]
            kind = dict(message["headers"]).get(b"content-type", b"").decode("latin-1")
        else:
            answer.extend(message.get("body", b""))

    await site(scope, receive, send)
    return status, kind, bytes(answer)


def _read(status: int, kind: str, answer: bytes) -> Any:
    text = answer.decode("utf-8", "replace")
    found = json.loads(text) if kind.startswith("application/json") and text else text
    if status >= 400:
        why = found.get("error", "") if isinstance(found, dict) else shorten(text)
        raise SiteError("%(status)s: %(why)s", status, status=status, why=why)
    return found
