"""A small client of a site's interface for programs (the manual's page "The site for programs").

    with Client("http://127.0.0.1:8000", token) as site:
        match = site.call("reversi", "me", "house:2")
        while (turn := site.turn(match["name"]))["asked"]:
            site.move(match["name"], turn["legal"][0], turn["ticket"])

Writes may be repeated: a match is called under a key, a move is said with the ticket of its question. What the site refuses is a
`SiteError` with the site's own words; what was not answered is tried again a few times.
"""

import http.client
import json
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlencode, urlsplit
from uuid import uuid4

from arbitre.errors import SiteError, shorten

SECONDS = 30.0
TRIES = 3
LONGEST_ANSWER = 64 << 20
LONGEST_LINE = 1 << 20


class Client:
    """A connection to a site."""

    def __init__(self, url: str, token: str = "") -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise SiteError(f"a site is an address that begins with http, not {shorten(url)!r}")
        self.url = url.rstrip("/")
        self._parts = parts
        self._token = token
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

    # ── what the site does ─────────────────────────────────────────────────────────────────────────────────────────

    def me(self) -> dict[str, Any]:
        """Return who the token speaks for."""
        return dict(self.ask("GET", "/api/me"))

    def games(self) -> list[dict[str, Any]]:
        """Return the catalogue of games."""
        return list(self.ask("GET", "/api/games"))

    def matches(self, **wanted: object) -> Iterator[dict[str, Any]]:
        """Return matches, the newest first, page by page: `state`, `game`, `words`, `mine`."""
        return self._pages("/api/matches", wanted)

    def match(self, name: str) -> dict[str, Any]:
        """Return one match."""
        return dict(self.ask("GET", f"/api/matches/{name}"))

    def call(self, game: str, first: str, second: str, *, key: str = "", **more: object) -> dict[str, Any]:
        """Call a match: a seat is `me`, `friend`, `house`, `house:LEVEL` or `engine:NUMBER`."""
        body = {"game": game, "seats": [_seat(first), _seat(second)], **more}
        return dict(self.ask("POST", "/api/matches", body, {"Idempotency-Key": key or uuid4().hex}))

    def turn(self, name: str) -> dict[str, Any]:
        """Return what one is asked now."""
        return dict(self.ask("GET", f"/api/matches/{name}/turn"))

    def move(self, name: str, move: str, ticket: str = "") -> dict[str, Any]:
        """Say a move."""
        return dict(self.ask("POST", f"/api/matches/{name}/move", {"move": move, "ticket": ticket}))

    def resign(self, name: str) -> dict[str, Any]:
        """Give up."""
        return dict(self.ask("POST", f"/api/matches/{name}/resign"))

    def record(self, name: str, form: str = "record") -> str:
        """Return the record of a match that is over."""
        return str(self.ask("GET", f"/api/matches/{name}/record?form={form}"))

    def engines(self, **wanted: object) -> Iterator[dict[str, Any]]:
        """Return registered engines, page by page: `game`."""
        return self._pages("/api/engines", wanted)

    def add_engine(self, game: str, name: str, url: str, **style: object) -> dict[str, Any]:
        """Register an engine: `full`, `direct`, `notify`, `login`, `public`."""
        return dict(self.ask("POST", "/api/engines", {"game": game, "name": name, "url": url, **style}))

    def retire_engine(self, number: int) -> dict[str, Any]:
        """Retire an engine."""
        return dict(self.ask("DELETE", f"/api/engines/{number}"))

    def follow(self, name: str, after: int = 0) -> Iterator[dict[str, Any]]:
        """Return the scenes of a match as they come, until it is over; a line that is cut is taken up where it was."""
        failures, closed = 0, False
        while not closed:
            try:
                for scene in self._stream(f"/api/matches/{name}/events?after={after}"):
                    after, failures, closed = scene["n"], 0, scene["closed"]
                    yield scene  # behind the last one the line ends when the record is sealed
            except (OSError, http.client.HTTPException) as error:
                failures += 1
                if failures > TRIES:
                    raise SiteError(f"{self.url} does not answer: {error}") from None
            if not closed:
                time.sleep(0.5 * (failures + 1))

    # ── the wire ───────────────────────────────────────────────────────────────────────────────────────────────────

    def ask(self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None) -> Any:
        """Send one request and return the JSON or the text of the answer; `SiteError` if it was refused or not answered."""
        text = None if body is None else json.dumps(body).encode()
        sent = self._headers() | ({"Content-Type": "application/json"} if text is not None else {}) | (headers or {})
        for attempt in range(1, TRIES + 1):
            try:
                line = self._connected()
                line.request(method, self._parts.path.rstrip("/") + path, text, sent)
                response = line.getresponse()
                answer = response.read(LONGEST_ANSWER)
            except (OSError, http.client.HTTPException) as error:
                self.close()
                if attempt == TRIES:
                    raise SiteError(f"{self.url} does not answer: {error}") from None
                time.sleep(0.2 * attempt)
                continue
            return _read(response, answer)
        raise AssertionError("unreachable")

    def _stream(self, path: str) -> Iterator[dict[str, Any]]:
        line = self._new()
        try:
            line.request("GET", self._parts.path.rstrip("/") + path, None, self._headers())
            response = line.getresponse()
            if response.status != 200:
                _read(response, response.read(LONGEST_LINE))
            while row := response.readline(LONGEST_LINE):
                if row.strip():
                    yield json.loads(row)
        finally:
            line.close()

    def _pages(self, path: str, wanted: dict[str, object]) -> Iterator[dict[str, Any]]:
        after = 0
        fields = {key: str(one).lower() if isinstance(one, bool) else str(one) for key, one in wanted.items() if one}
        while True:
            page = self.ask("GET", f"{path}?{urlencode(fields | {'after': str(after)})}")
            yield from page["items"]
            if page["next"] is None:
                return
            after = page["next"]

    def _headers(self) -> dict[str, str]:
        found = {"Accept": "application/json", "User-Agent": "arbitre"}
        return found | ({"Authorization": f"Bearer {self._token}"} if self._token else {})

    def _connected(self) -> http.client.HTTPConnection:
        if self._line is None:
            self._line = self._new()
        return self._line

    def _new(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
        return kind(self._parts.hostname or "", self._parts.port, timeout=SECONDS)


def _seat(text: str) -> dict[str, object]:
    kind, _, number = text.partition(":")
    given = int(number) if number.isascii() and number.isdigit() and len(number) < 12 else None
    match kind:
        case "house":
            return {"who": "house", "level": given}
        case "engine" if given is not None:
            return {"who": "engine", "engine": given}
        case "me" | "friend":
            return {"who": kind}
    raise SiteError(f"a seat is me, friend, house, house:LEVEL or engine:NUMBER, not {shorten(text)!r}")


def _read(response: http.client.HTTPResponse, answer: bytes) -> Any:
    text = answer.decode("utf-8", "replace")
    kind = response.headers.get_content_type()
    if response.status >= 400:
        try:
            why = str(json.loads(text)["error"])
        except (ValueError, TypeError, KeyError):
            why = shorten(text)
        raise SiteError(f"{response.status}: {why}", response.status)
    return json.loads(text) if kind == "application/json" else text or None
