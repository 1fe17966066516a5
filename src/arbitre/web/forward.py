"""Requests that belong to another node of the same site: passed on as they came, answered as they are answered there.

Nodes reach each other at their own addresses and share the site's secret. A request that is passed on says for whom, under a mark
that only they can make; whoever gets one believes it, and passes it on no further: where it belongs nowhere at the moment, or the
other node cannot be reached, it is answered by 503 with `Retry-After`. Whoever asks again does nothing twice: moves have tickets.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from httptools import HttpParserError, HttpResponseParser

from arbitre.web.visit import Signer

Send: TypeAlias = Callable[[Any], Awaitable[None]]

FOR, SEAL = b"x-arbitre-for", b"x-arbitre-seal"
"""For whom a node asks, and the mark that it is one of ours."""
OURS = "forward"
CONNECT_SECONDS = 2.0
LOOK_SECONDS = 1.0
"""How often it is looked whether a node that says nothing is still there."""
RETRY_SECONDS = 1
"""When who found nobody may come again: a node is taken over from within seconds."""
OCTETS = 65_536
"""Read at a time."""
MOST_PASSED = 1 << 23
"""Octets of a body that are passed on; handlers that take more than a form take less than that."""
HOPS = {b"connection", b"keep-alive", b"transfer-encoding", b"te", b"trailer", b"upgrade", b"expect", b"content-length"}
"""Headers that are between neighbours."""
LEFT_OUT = HOPS | {FOR, SEAL, b"x-forwarded-for", b"forwarded", b"x-real-ip"}
NOT_BACK = (HOPS | {b"date"}) - {b"content-length"}
"""Our own server says the date."""
STREAMS = (b"text/event-stream", b"application/x-ndjson")


def forwarded_for(signer: Signer, scope: Any) -> str | None:
    """Return the address for which one of our nodes asks; None where it is no node of ours that asks."""
    found: dict[bytes, str] = {name: text.decode("latin-1") for name, text in scope["headers"] if name in (FOR, SEAL)}
    if len(found) < 2 or not signer.good(OURS, _sealed(scope, found[FOR]), found[SEAL]):
        return None
    return found[FOR]


def _sealed(scope: Any, address: str) -> str:
    return f"{scope['method']} {_target(scope).decode('latin-1')}\n{address}"


def _target(scope: Any) -> bytes:
    path, query = scope.get("raw_path") or scope["path"].encode(), scope.get("query_string", b"")
    return bytes(path + b"?" + query if query else path)


class NodeAnswer:
    """What another node answers, as it comes."""

    def __init__(self, reader: asyncio.StreamReader, lives: Callable[[], bool]) -> None:
        self._reader = reader
        self._lives = lives
        self._parser = HttpResponseParser(self)
        self.headers: list[tuple[bytes, bytes]] = []
        self.begun = self.over = False
        self._body: list[bytes] = []

    async def next(self, gone: "asyncio.Task[None] | None" = None) -> None:
        """Read on; `ConnectionError` where half an answer is all, the other node is dead, or who asked has `gone`."""
        data = await self._read(gone)
        if data:
            self._parser.feed_data(data)
        elif not self.begun or any(name in (b"content-length", b"transfer-encoding") for name, _ in self.headers):
            raise ConnectionError
        else:
            self.over = True

    async def _read(self, gone: "asyncio.Task[None] | None") -> bytes:
        coming = asyncio.ensure_future(self._reader.read(OCTETS))
        waited = {coming} if gone is None else {coming, gone}
        try:
            while not coming.done():
                done, _ = await asyncio.wait(waited, timeout=LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                # a node that sleeps answers nothing and hangs up on nobody: it is waited for while it lives
                if gone in done or (not done and not self._lives()):
                    raise ConnectionError
            return coming.result()
        finally:
            coming.cancel()

    def on_header(self, name: bytes, text: bytes) -> None:
        """Take down a header."""
        self.headers.append((name.lower(), text))

    def on_headers_complete(self) -> None:
        """Take down that the head is whole."""
        self.begun = True

    def on_body(self, data: bytes) -> None:
        """Take down a part of the body."""
        self._body.append(data)

    def on_message_complete(self) -> None:
        """Take down that it is whole."""
        self.over = True

    @property
    def status(self) -> int:
        """The status of the answer."""
        return int(self._parser.get_status_code())

    @property
    def streams(self) -> bool:
        """Whether it goes on until somebody hangs up."""
        return any(name == b"content-type" and text.startswith(STREAMS) for name, text in self.headers)

    def taken(self) -> bytes:
        """Return what has come of the body since the last time."""
        said, self._body = b"".join(self._body), []
        return said


@asynccontextmanager
async def ask(scope: Any, body: bytes, address: str, signer: Signer, lives: Callable[[str], bool]) -> AsyncIterator[NodeAnswer]:
    """Ask the node at an address what was asked here; yield its answer when it has begun, and hang up."""
    if not address:
        raise ConnectionError
    async with asyncio.timeout(CONNECT_SECONDS):
        reader, writer = await _connected(address)
    try:
        writer.write(_head(scope, signer, len(body)) + body)
        await writer.drain()
        answer = NodeAnswer(reader, lambda: lives(address))
        while not answer.begun:
            await answer.next()
        yield answer
    except HttpParserError:
        raise ConnectionError from None
    finally:
        writer.close()


async def forward(
    scope: Any, receive: Any, send: Send, address: str, signer: Signer, lives: Callable[[str], bool] = lambda _: True
) -> None:
    """Pass a request on to the node at an address, and its answer back; an empty address is nobody's."""
    begun = False
    try:
        body = await _body(receive)
        async with ask(scope, body, address, signer, lives) as answer:
            kept = [(name, text) for name, text in answer.headers if name not in NOT_BACK]
            begun = True
            await send({"type": "http.response.start", "status": answer.status, "headers": kept})
            await _pass_back(answer, receive, send)
    except (OSError, TimeoutError):
        if begun:
            raise ConnectionError from None  # half an answer: the line is cut
        await _nobody(send)


async def _pass_back(answer: NodeAnswer, receive: Any, send: Send) -> None:
    """Pass back what comes until it ends, or until whoever follows a stream hangs up; who follows a cut one comes again."""
    gone = asyncio.ensure_future(_hung_up(receive)) if answer.streams else None
    try:
        await send({"type": "http.response.body", "body": answer.taken(), "more_body": not answer.over})
        while not answer.over:
            try:
                await answer.next(gone)
            except OSError:
                if gone is None:
                    raise
                answer.over = True
            await send({"type": "http.response.body", "body": answer.taken(), "more_body": not answer.over})
    finally:
        if gone is not None:
            gone.cancel()


async def _connected(address: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    parts = urlsplit(address)
    secure = parts.scheme == "https"
    port = parts.port or (443 if secure else 80)
    return await asyncio.open_connection(parts.hostname, port, ssl=ssl.create_default_context() if secure else None)


def _head(scope: Any, signer: Signer, length: int) -> bytes:
    address = scope["client"][0]
    lines = [scope["method"].encode() + b" " + _target(scope) + b" HTTP/1.1"]
    lines += [name + b": " + text for name, text in scope["headers"] if name not in LEFT_OUT]
    lines += [FOR + b": " + address.encode(), SEAL + b": " + signer.mark(OURS, _sealed(scope, address)).encode()]
    lines += [b"content-length: " + str(length).encode()] if length or scope["method"] not in ("GET", "HEAD") else []
    return b"\r\n".join([*lines, b"connection: close", b"", b""])


async def overheard(receive: Any) -> tuple[bytes, Any]:
    """Return the beginning of what a request says, and what tells all of it once more."""
    messages: list[Any] = []
    said = b""
    while True:
        messages.append(await receive())
        said += messages[-1].get("body", b"")
        if not messages[-1].get("more_body", False) or len(said) > OCTETS:
            break

    async def again() -> Any:
        return messages.pop(0) if messages else await receive()

    return said, again


async def _body(receive: Any) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise ConnectionError
        body += message.get("body", b"")
        if len(body) > MOST_PASSED:
            raise ConnectionError
        if not message.get("more_body", False):
            return bytes(body)


async def _hung_up(receive: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _nobody(send: Send) -> None:
    body = b"the node that sees to this cannot be reached now: ask again\n"
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"retry-after", str(RETRY_SECONDS).encode()),
    ]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": body})
