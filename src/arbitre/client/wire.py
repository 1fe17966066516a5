"""The wire to a site's interface for programs: requests that are tried again, pages of lists, streams of lines.

Every POST carries a key of its own, so one that was not answered is said again without being done twice; who asks too fast waits
a little. What the site refuses is a `SiteError` with the site's own words.
"""

import http.client
import json
import time
from collections.abc import Callable, Generator, Iterator
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import quote, urlencode, urlsplit
from uuid import uuid4

from arbitre.errors import LongAnswerError, SiteError, shorten

T = TypeVar("T")

SECONDS = 30.0
TRIES = 3
PATIENCE = 10
"""Seconds that the site may let us wait where we asked too fast; a longer wait is the caller's to decide."""
LONGEST_ANSWER = 64 << 20
LONGEST_LINE = 1 << 20

CUT = (OSError, http.client.HTTPException)
"""What a line that is cut raises."""


def part(text: str) -> str:
    """Return a text as one part of a path."""
    return quote(text, safe="")


class Wire:
    """A connection to a site."""

    def __init__(self, url: str, token: str = "", language: str = "") -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise SiteError("a site is an address that begins with http, not %(url)r", url=shorten(url))
        self.url = url.rstrip("/")
        self._parts = parts
        self._token = token
        self._language = language
        """Of what the site says in words; empty: it chooses."""
        self._line: http.client.HTTPConnection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Hang up."""
        if self._line is not None:
            self._line.close()
            self._line = None

    def twin(self) -> Self:
        """Return another connection to the same site with the same token, for another thread."""
        return type(self)(self.url, self._token, self._language)

    def ask(self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None) -> Any:
        """Send one request and return the JSON or the text of the answer; `SiteError` if it was refused or not answered."""
        response, answer = self._fetch(method, path, body, headers)
        return _read(response, answer)

    def octets(self, path: str, most: int = LONGEST_ANSWER) -> bytes:
        """Return the body of an answer as it came; `SiteError` where it has more octets."""
        response, answer = self._fetch("GET", path, None, None, most)
        if response.status >= 400:
            _read(response, answer)
        return answer

    def _fetch(
        self, method: str, path: str, body: object, headers: dict[str, str] | None, most: int = LONGEST_ANSWER
    ) -> tuple[http.client.HTTPResponse, bytes]:
        text = None if body is None else json.dumps(body).encode()
        sent = self._headers() | ({"Content-Type": "application/json"} if text is not None else {})
        sent |= ({"Idempotency-Key": uuid4().hex} if method == "POST" else {}) | (headers or {})
        for attempt in range(1, TRIES + 1):
            try:
                line = self._connected()
                line.request(method, self._parts.path.rstrip("/") + path, text, sent)
                response = line.getresponse()
                answer = response.read(most + 1)
            except CUT as error:
                self.close()
                if attempt == TRIES:
                    raise SiteError("%(url)s does not answer: %(error)s", url=self.url, error=error) from None
                time.sleep(0.2 * attempt)
                continue
            if len(answer) > most:
                self.close()
                raise LongAnswerError("%(url)s answers with more than %(most)s octets", url=self.url, most=most)
            wait = _wait(response)
            if attempt == TRIES or not 0 < wait <= PATIENCE:
                return response, answer
            time.sleep(wait)
        raise AssertionError("unreachable")

    def stream(
        self, path: str, *, first: float = SECONDS, silence: float = SECONDS, longest: int = LONGEST_LINE
    ) -> Generator[dict[str, Any], None, None]:
        """Return the objects of a stream of lines as they come; what a line that is cut raises is the caller's to handle.

        The first line, be it empty, comes within `first` seconds, and one after the other within a `silence`; else it is cut.
        """
        line = self._new(first)
        try:
            line.request("GET", self._parts.path.rstrip("/") + path, None, self._headers())
            response = line.getresponse()
            if response.status != 200:
                _read(response, response.read(LONGEST_LINE))
            while row := response.readline(longest):
                if line.sock is not None:
                    line.sock.settimeout(silence)
                if not row.endswith(b"\n"):
                    raise http.client.IncompleteRead(row)
                if row.strip():
                    yield json.loads(row)
        finally:
            line.close()

    def persist(self, opened: Callable[[], Iterator[T]], over: Callable[[], bool]) -> Iterator[T]:
        """Return what a stream tells, opened again wherever it is cut or ends too early, until it is over."""
        failures = 0
        while True:
            try:
                for found in opened():
                    failures = 0
                    yield found
            except CUT as error:
                failures += 1
                if failures > TRIES:
                    raise SiteError("%(url)s does not answer: %(error)s", url=self.url, error=error) from None
            if over():
                return
            time.sleep(0.5 * (failures + 1))

    def follow_lines(self, path: str) -> Iterator[dict[str, Any]]:
        """Return the numbered objects of a stream until it ends; where it is cut it goes on behind the last that came."""
        after, ended = 0, False

        def opened() -> Iterator[dict[str, Any]]:
            nonlocal after, ended
            for found in self.stream(f"{path}?after={after}"):
                after = found["n"]
                yield found
            ended = True

        return self.persist(opened, lambda: ended)

    def pages(self, path: str, wanted: dict[str, object] | None = None) -> Iterator[dict[str, Any]]:
        """Return everything in a list, page by page."""
        after = 0
        given = (wanted or {}).items()
        fields = {key: str(one).lower() if isinstance(one, bool) else str(one) for key, one in given if one}
        while True:
            page = self.ask("GET", f"{path}?{urlencode(fields | {'after': str(after)})}")
            yield from page["items"]
            if page["next"] is None:
                return
            after = page["next"]

    def _headers(self) -> dict[str, str]:
        found = {"Accept": "application/json", "User-Agent": "arbitre"}
        found |= {"Accept-Language": self._language} if self._language else {}
        return found | ({"Authorization": f"Bearer {self._token}"} if self._token else {})

    def _connected(self) -> http.client.HTTPConnection:
        if self._line is None:
            self._line = self._new()
        return self._line

    def _new(self, seconds: float = SECONDS) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
        return kind(self._parts.hostname or "", self._parts.port, timeout=seconds)


def _wait(response: http.client.HTTPResponse) -> int:
    """Return how many seconds the site wishes that we wait, 0 where it answers."""
    text = response.headers.get("Retry-After", "") if response.status == 429 else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0


def _read(response: http.client.HTTPResponse, answer: bytes) -> Any:
    text = answer.decode("utf-8", "replace")
    kind = response.headers.get_content_type()
    if response.status >= 400:
        try:
            why = str(json.loads(text)["error"])
        except (ValueError, TypeError, KeyError):
            why = shorten(text)
        raise SiteError("%(status)s: %(why)s", response.status, status=response.status, why=why)
    return json.loads(text) if kind == "application/json" and text else text or None
