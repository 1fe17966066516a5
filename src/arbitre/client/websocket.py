"""A wire whose questions come over a WebSocket, and on which the answers go back: one line instead of a request for each.

`WebSocketWire` is a `Wire` to whoever uses it. While the line is open, answers go over it and what becomes of each comes back;
while it is not, they are sent as requests. A line that is cut is opened again by whoever reads it.
"""

import json
import queue
import socket
import threading
from collections.abc import Generator
from typing import Any, Self

from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    CloseConnection,
    Event,
    Message,
    Ping,
    RejectConnection,
    RejectData,
    Request,
    TextMessage,
)
from wsproto.utilities import ProtocolError

from arbitre.client.wire import LONGEST_LINE, SECONDS, Wire
from arbitre.errors import SiteError, shorten

OCTETS = 1 << 16
ANSWERS = "/answers"


class _Line:
    """One open WebSocket: read by one thread, written by any."""

    def __init__(self, connected: socket.socket, opening: Request, longest: int) -> None:
        self._socket = connected
        self._connection = WSConnection(ConnectionType.CLIENT)
        self._lock = threading.Lock()
        self._longest = longest
        self._waiting: dict[str, queue.SimpleQueue[dict[str, Any] | None]] = {}
        self._send(opening)

    def _send(self, event: Event) -> None:
        with self._lock:
            self._socket.sendall(self._connection.send(event))

    def events(self) -> Generator[Event, None, None]:
        """Yield what comes, until the line is cut."""
        try:
            while data := self._socket.recv(OCTETS):
                with self._lock:
                    self._connection.receive_data(data)
                    found = list(self._connection.events())
                yield from found
        except ProtocolError as error:
            raise ConnectionError(str(error)) from None
        raise ConnectionError("closed")

    def objects(self, silence: float) -> Generator[dict[str, Any], None, None]:
        """Yield the questions; what became of an answer goes to who waits for it."""
        text, refused, status = "", b"", 0
        for event in self.events():
            if isinstance(event, AcceptConnection):
                self._socket.settimeout(silence)
            elif isinstance(event, RejectConnection):
                status = event.status_code
            elif isinstance(event, RejectData):
                refused += event.data
                if event.body_finished or len(refused) > LONGEST_LINE:
                    raise _refusal(status, refused)
            elif isinstance(event, Ping):
                self._send(event.response())
            elif isinstance(event, CloseConnection):
                return
            elif isinstance(event, TextMessage):
                text += event.data
                if len(text) > self._longest:
                    raise ConnectionError
                if event.message_finished:
                    whole, text = text, ""
                    found = json.loads(whole) if whole else {}
                    if "what" in found:
                        yield found
                    elif "status" in found:
                        self._hand(found)

    def _hand(self, receipt: dict[str, Any]) -> None:
        with self._lock:
            waiting = self._waiting.pop(str(receipt.get("id")), None)
        if waiting is not None:
            waiting.put(receipt)

    def answer(self, body: dict[str, str]) -> dict[str, Any] | None:
        """Send an answer, and return what became of it; None where the line is cut before that is known."""
        waiting: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        try:
            with self._lock:
                self._waiting[body["id"]] = waiting
                self._socket.sendall(self._connection.send(Message(data=json.dumps(body))))
            return waiting.get(timeout=SECONDS)
        except (OSError, ProtocolError, queue.Empty):
            return None

    def cut(self) -> None:
        """Hang up, and tell all who wait."""
        self._socket.close()
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        for one in waiting.values():
            one.put(None)


class WebSocketWire(Wire):
    """A connection to a site on which an engine's questions and answers go over a WebSocket."""

    def __init__(self, url: str, token: str = "", language: str = "") -> None:
        super().__init__(url, token, language)
        self._open: list[_Line] = []
        """The line that is open, if any: the twins of this wire share it."""

    def twin(self) -> Self:
        """Return another for another thread; answers go over the same line."""
        found = super().twin()
        found._open = self._open
        return found

    def ask(self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None) -> Any:
        """Send one request, an answer over the line where it is open."""
        if method == "POST" and path.endswith(ANSWERS) and isinstance(body, dict):
            for line in self._open[:1]:
                told = line.answer(body)
                if told is None:
                    raise SiteError("the line to %(url)s was cut", url=self.url)
                if told["status"] >= 400:
                    raise _refusal(told["status"], json.dumps(told).encode())
                return told
        return super().ask(method, path, body, headers)

    def stream(
        self, path: str, *, first: float = SECONDS, silence: float = SECONDS, longest: int = LONGEST_LINE
    ) -> Generator[dict[str, Any], None, None]:
        """Return the questions as they come over a WebSocket; what a line that is cut raises is the caller's to handle."""
        connecting = self._new(first)
        connecting.connect()
        sent = [(name.encode(), text.encode()) for name, text in self._headers().items()]
        opening = Request(host=self._parts.netloc, target=self._parts.path.rstrip("/") + path, extra_headers=sent)
        line = _Line(connecting.sock, opening, longest)
        try:
            self._open.insert(0, line)
            yield from line.objects(silence)
        finally:
            self._open.remove(line)
            line.cut()


def _refusal(status: int, said: bytes) -> SiteError:
    try:
        why = str(json.loads(said)["error"])
    except (ValueError, TypeError, KeyError):
        why = shorten(said.decode("utf-8", "replace"))
    return SiteError("%(status)s: %(why)s", status, status=status, why=why)
