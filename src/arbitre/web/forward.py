"""Requests that belong to another node of the same site: passed on as they came, answered as they are answered there.

Nodes reach each other at their own addresses and share the site's secret. A request that is passed on says for whom, under a mark
that only they can make and that is good for a minute of the database's clock. Whoever gets one believes it, and passes it on no
further: where it belongs nowhere at the moment, or the other node cannot be reached, it is answered by 503 with `Retry-After`.
A node that sleeps is waited for while it lives; one whose machine is not heard, because a cable was cut, for four seconds.
Whoever asks again does nothing twice: moves have tickets. A mark that is not good is refused: who bears it is no visitor, and
what is passed on under it might go round for ever.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeAlias, TypeVar
from urllib.parse import urlsplit

from httptools import HttpParserError, HttpResponseParser

from arbitre.transport.sockets import miss
from arbitre.web.visit import Signer

Send: TypeAlias = Callable[[Any], Awaitable[None]]
T = TypeVar("T")

FOR, SEAL = b"x-arbitre-for", b"x-arbitre-seal"
"""For whom a node asks, and the mark that it is one of ours."""
OURS = "forward"
CONNECT_SECONDS = 2.0
LOOK_SECONDS = 1.0
"""How often it is looked whether a node that says nothing is still there."""
MARK_SECONDS = 60
"""How long a mark is good, by the clock that all nodes share."""
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
    """Return the address for which one of our nodes asks; None where no node asks, empty where somebody says so who is none."""
    found: list[tuple[bytes, str]] = [(name, text.decode("latin-1")) for name, text in scope["headers"] if name in (FOR, SEAL)]
    if not found:
        return None
    said = dict(found)
    if len(found) != 2 or len(said) != 2:
        return ""
    when, _, mark = said[SEAL].partition(".")
    good = signer.good(OURS, _sealed(scope, said[FOR], when), mark)  # so `when` is a number that we wrote
    return said[FOR] if good and abs(signer.now() - int(when)) <= MARK_SECONDS else ""


def _sealed(scope: Any, address: str, when: str) -> str:
    return f"{scope['method']} {_target(scope).decode('latin-1')}\n{address}\n{when}"


def _target(scope: Any) -> bytes:
    path, query = scope.get("raw_path") or scope["path"].encode(), scope.get("query_string", b"")
    return bytes(path + b"?" + query if query else path)


class NodeAnswer:
    """What another node answers, as it comes."""

    def __init__(self, reader: asyncio.StreamReader, lives: Callable[[], bool], *, headless: bool = False) -> None:
        self._reader = reader
        self._lives = lives
        self._headless = headless
        """Whether only the head was asked for: nothing comes behind it, whatever it says."""
        self._parser = HttpResponseParser(self)
        self.headers: list[tuple[bytes, bytes]] = []
        self.begun = self.over = False
        self._body: list[bytes] = []

    async def next(self, gone: "asyncio.Task[None] | None" = None) -> None:
        """Read on; `ConnectionError` where half an answer is all, the other node is dead, or who asked has `gone`."""
        data = await _while_it_lives(self._reader.read(OCTETS), self._lives, gone)
        if data:
            self._parser.feed_data(data)
        elif not self.begun or any(name in (b"content-length", b"transfer-encoding") for name, _ in self.headers):
            raise ConnectionError
        else:
            self.over = True

    def on_header(self, name: bytes, text: bytes) -> None:
        """Take down a header."""
        self.headers.append((name.lower(), text))

    def on_headers_complete(self) -> None:
        """Take down that the head is whole."""
        self.begun, self.over = True, self._headless

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


async def _while_it_lives(what: Awaitable[T], lives: Callable[[], bool], gone: "asyncio.Task[None] | None" = None) -> T:
    """Wait for another node; `ConnectionError` where it is dead, or who asked has `gone`."""
    coming = asyncio.ensure_future(what)
    waited: set[asyncio.Future[Any]] = {coming} if gone is None else {coming, gone}
    try:
        while not coming.done():
            done, _ = await asyncio.wait(waited, timeout=LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            # a node that sleeps reads and answers nothing, and hangs up on nobody: it is waited for while it lives
            if gone in done or (not done and not lives()):
                raise ConnectionError
        return coming.result()
    finally:
        coming.cancel()


@asynccontextmanager
async def ask(scope: Any, body: bytes, address: str, signer: Signer, lives: Callable[[str], bool]) -> AsyncIterator[NodeAnswer]:
    """Ask the node at an address what was asked here; yield its answer when it has begun, and hang up."""
    if not address:
        raise ConnectionError
    async with asyncio.timeout(CONNECT_SECONDS):
        reader, writer = await _connected(address)
    try:
        writer.write(_head(scope, signer, len(body)) + body)
        await _while_it_lives(writer.drain(), lambda: lives(address))
        answer = NodeAnswer(reader, lambda: lives(address), headless=scope["method"] == "HEAD")
        while not answer.begun:
            await answer.next()
        yield answer
    except HttpParserError:
        raise ConnectionError from None
    finally:
        writer.transport.abort()  # nothing that is still to be sent is worth waiting for


async def forward(
    scope: Any, receive: Any, send: Send, address: str, signer: Signer, lives: Callable[[str], bool] = lambda _: True
) -> None:
    """Pass a request on to the node at an address, and its answer back; an empty address is nobody's."""
    begun = False
    try:
        body = await _body(receive)
        if body is None:
            await refuse(send, 413, b"this is more than a node passes on")
            return
        async with ask(scope, body, address, signer, lives) as answer:
            kept = [(name, text) for name, text in answer.headers if name not in NOT_BACK]
            begun = True
            await send({"type": "http.response.start", "status": answer.status, "headers": kept})
            await _pass_back(answer, receive, send)
    except (OSError, TimeoutError):
        if begun:
            raise ConnectionError from None  # half an answer: the line is cut
        again = (b"retry-after", str(RETRY_SECONDS).encode())
        await refuse(send, 503, b"the node that sees to this cannot be reached now: ask again", again)


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
    reader, writer = await asyncio.open_connection(parts.hostname, port, ssl=ssl.create_default_context() if secure else None)
    miss(writer.get_extra_info("socket"))
    return reader, writer


def _head(scope: Any, signer: Signer, length: int) -> bytes:
    address, when = scope["client"][0], str(int(signer.now()))
    lines = [scope["method"].encode() + b" " + _target(scope) + b" HTTP/1.1"]
    lines += [name + b": " + text for name, text in scope["headers"] if name not in LEFT_OUT]
    mark = signer.mark(OURS, _sealed(scope, address, when))
    lines += [FOR + b": " + address.encode(), SEAL + f": {when}.{mark}".encode()]
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


async def _body(receive: Any) -> bytes | None:
    """Return what a request says; None where it is too much."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise ConnectionError
        body += message.get("body", b"")
        if len(body) > MOST_PASSED:
            return None
        if not message.get("more_body", False):
            return bytes(body)


async def _hung_up(receive: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def refuse(send: Send, status: int, why: bytes, *more: tuple[bytes, bytes]) -> None:
    """Answer a request that is not passed on."""
    body = why + b"\n"
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode()), *more]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
