"""Engines that dial in over a WebSocket: questions and answers on one line (the manual's page "Dial-in").

It adds no rule to the two doors of HTTP, `GET …/questions` and `POST …/answers`: it asks both in the program's name with the head
of its handshake, and passes back what they say. So the token, the gate's pace, the presence, the bounds and the other nodes are
the same whichever way a program comes. Each line of the stream is a message, a beat an empty one; each message of the program is
the body of an answer, and is told its status. Cookies are left out, and a page of another site is refused: only a token counts.
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from http import HTTPStatus
from typing import Any, TypeAlias

from arbitre.errors import ForbiddenError, UnknownError
from arbitre.web.security import Gate

Scope: TypeAlias = Any
Receive: TypeAlias = Callable[[], Awaitable[Any]]
Send: TypeAlias = Callable[[Any], Awaitable[None]]
Onward: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
Refuse: TypeAlias = Callable[[Scope, Receive, Send, Exception], Awaitable[None]]

QUESTIONS = re.compile(r"/api/engines/[^/]+/questions$")
AT_A_TIME = 16
"""Answers of one line that become durable together; the next message is read when one of them has."""
MOST_PAUSE = 5.0
"""So long a line is not read on which answers came too fast."""
ENDED, NOT_TEXT = 1001, 1003
"""Why a line is closed: there is nothing more to hear, or what came is not text."""
LEFT_OUT = re.compile(rb"sec-websocket-.*|upgrade|connection|cookie|origin|content-.*|transfer-encoding|idempotency-key")
"""Headers of the handshake that are not the program's word about what it asks."""


async def serve(scope: Scope, receive: Receive, send: Send, gate: Gate, onward: Onward, refuse: Refuse) -> None:
    """Answer one WebSocket, from its handshake to its end; behind the gate, `onward` answers the requests that it stands for."""

    async def answer(asked: Scope, receive: Receive, send: Send) -> None:
        if not QUESTIONS.fullmatch(scope["path"]):
            await refuse(asked, receive, send, UnknownError("a WebSocket is answered at /api/engines/me/questions alone"))
        elif any(name == b"origin" and text.decode("latin-1") != gate.origin for name, text in scope["headers"]):
            await refuse(asked, receive, send, ForbiddenError("a page of another site may not dial in"))
        else:
            await onward(asked, receive, send)

    async def ask(asked: Scope, receive: Receive, send: Send) -> None:
        await gate(asked, receive, send, answer)

    await _Line(scope, receive, send, ask).run()


class _Line:
    """One WebSocket: the stream that it hears, and the answers that it sends."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, ask: Onward) -> None:
        self._scope = scope
        self._receive = receive
        self._send = send
        self._ask = ask
        self._gone = False
        """Whether the program has hung up."""
        self._over = asyncio.Event()
        """Set when it has, or when there is nothing more to hear."""
        self._answering: asyncio.Task[None] | None = None
        self._rest = b""

    async def run(self) -> None:
        """Ask for the questions: what refuses that refuses the handshake."""
        await self._receive()  # that it connects
        asked = False

        async def receive() -> Any:
            nonlocal asked
            if asked:
                await self._over.wait()
                return {"type": "http.disconnect"}
            asked = True
            return {"type": "http.request", "body": b"", "more_body": False}

        try:
            await self._ask(self._request("GET", self._scope["path"]), receive, self._told)
            if self._answering is not None and not self._gone:
                await self._send({"type": "websocket.close", "code": ENDED})
        finally:
            if self._answering is not None:
                self._answering.cancel()
                with suppress(asyncio.CancelledError):
                    await self._answering

    def _request(self, method: str, path: str, body: bytes = b"") -> Scope:
        """Return a request of HTTP with the head of the handshake."""
        headers = [(name, text) for name, text in self._scope["headers"] if not LEFT_OUT.fullmatch(name)]
        if body:
            headers += [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        kept = {name: self._scope[name] for name in ("asgi", "http_version", "server", "client", "root_path")}
        scheme = "https" if self._scope["scheme"] == "wss" else "http"
        query = self._scope["query_string"] if method == "GET" else b""
        return kept | {
            "type": "http", "method": method, "scheme": scheme, "path": path, "raw_path": path.encode(), "query_string": query,
            "headers": headers, "state": {},
        }  # fmt: skip

    async def _told(self, message: Any) -> None:
        """Pass on what the stream says: its head opens the line, or refuses it; each of its lines is a message."""
        if message["type"] == "http.response.start" and message["status"] == HTTPStatus.OK:
            await self._send({"type": "websocket.accept"})
            self._answering = asyncio.ensure_future(self._answers())
        elif self._answering is None:
            await self._send(message | {"type": "websocket." + message["type"]})
        elif not self._gone:
            *lines, self._rest = (self._rest + message.get("body", b"")).split(b"\n")
            for line in lines:
                await self._say(line.decode())
            if not message.get("more_body", False):
                self._over.set()

    async def _say(self, text: str) -> None:
        with suppress(OSError):  # it has hung up meanwhile
            await self._send({"type": "websocket.send", "text": text})

    async def _answers(self) -> None:
        """Hear answers until the program hangs up: several may be on their way, and each is told what became of it."""
        room = asyncio.Semaphore(AT_A_TIME)

        async def answer(text: str) -> None:
            try:
                await self._answer(text)
            finally:
                room.release()

        try:
            async with asyncio.TaskGroup() as group:
                while (message := await self._receive())["type"] == "websocket.receive":
                    if message.get("text") is None:
                        await self._send({"type": "websocket.close", "code": NOT_TEXT})
                        return
                    await room.acquire()
                    group.create_task(answer(message["text"]))
        finally:
            self._gone = True
            self._over.set()

    async def _answer(self, text: str) -> None:
        """Send an answer in, and say what became of it; who is too fast is not heard for a while."""
        body, status, pause = text.encode("utf-8", "replace") or b" ", 0, 0.0
        said = b""

        async def receive() -> Any:
            return {"type": "http.request", "body": body, "more_body": False}

        async def told(message: Any) -> None:
            nonlocal status, pause, said
            if message["type"] == "http.response.start":
                status = message["status"]
                pause = next((float(wait) for name, wait in message["headers"] if name.lower() == b"retry-after"), 0.0)
            said += message.get("body", b"")

        await self._ask(self._request("POST", self._scope["path"].replace("/questions", "/answers"), body), receive, told)
        await self._say(json.dumps({"id": _named(text), "status": status, **_object(said)}, ensure_ascii=False))
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            await asyncio.sleep(min(pause, MOST_PAUSE))


def _object(said: bytes | str) -> dict[str, Any]:
    """Return what an answer of ours says, or what a program sent; nothing where it is no object."""
    try:
        found = json.loads(said)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _named(text: str) -> str:
    """Return which question a message answers, as far as it says so."""
    found = _object(text).get("id")
    return found[:64] if isinstance(found, str) else ""
