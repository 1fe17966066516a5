"""The client of a site holds on: a stream that is cut goes on where it was, who is too fast waits, what is no site is named."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import pytest

from arbitre.client import Client
from arbitre.errors import SiteError


class Flaky(BaseHTTPRequestHandler):
    """A site whose line is bad."""

    asked: ClassVar[list[str]] = []
    scenes = 6

    def do_GET(self) -> None:
        self.asked.append(self.path)
        path, _, query = self.path.partition("?")
        if path == "/api/me":
            return self._busy()
        if not path.endswith("/events"):
            return self._say(200, {"state": "over"})
        after = int(query.removeprefix("after="))
        self.send_response(200)
        self.end_headers()
        for n in range(after + 1, self.scenes + 1)[:2]:  # two at a time, then the line is cut
            self.wfile.write(json.dumps({"n": n, "closed": n == self.scenes}).encode() + b"\n\n")
        if after + 2 < self.scenes:
            self.wfile.write(b'{"n": 99, "clo')
        return None

    def _busy(self) -> None:
        if self.asked.count("/api/me") == 1:
            return self._say(429, {"error": "too fast"}, {"Retry-After": "1"})
        if self.asked.count("/api/me") == 2:
            return self._say(200, {"name": "ada"})
        return self._say(429, {"error": "come back tomorrow"}, {"Retry-After": "3600"})

    def _say(self, status: int, answer: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        body = json.dumps(answer).encode()
        self.send_response(status)
        for name, text in ({"Content-Type": "application/json", "Content-Length": str(len(body))} | (headers or {})).items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return how long the client would have waited each time."""
    found: list[float] = []
    monkeypatch.setattr("arbitre.client.wire.time.sleep", found.append)
    Flaky.asked.clear()
    return found


def test_a_stream_that_is_cut_goes_on_where_it_was(slept: list[float]) -> None:
    with served(Flaky) as url, Client(url) as site:
        assert [scene["n"] for scene in site.follow("a" * 16)] == [1, 2, 3, 4, 5, 6]
        assert [path.partition("=")[2] for path in Flaky.asked] == ["0", "2", "4"]
        assert list(site.follow("a" * 16, after=6)) == [], "behind the last there is nothing"
    assert len(slept) == 2


def test_who_is_too_fast_waits_a_little_but_not_for_an_hour(slept: list[float]) -> None:
    with served(Flaky) as url, Client(url) as site:
        assert site.me() == {"name": "ada"}
        assert slept == [1]
        with pytest.raises(SiteError, match="429: come back tomorrow"):
            site.me()
        assert slept == [1]


def test_a_site_that_is_not_there_is_named(slept: list[float]) -> None:
    with Client("http://127.0.0.1:9") as site:
        with pytest.raises(SiteError, match="does not answer"):
            site.games()
        with pytest.raises(SiteError, match="does not answer"):
            list(site.watch(1))
    assert len(slept) > 3
