"""A tiny site for interfaces: serves their files with the headers of the real one, frames them, and notes what they return."""

import functools
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from arbitre.games.screen import Shown, Surroundings
from arbitre.web.render import INTERFACES

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page

FOLDERS = (INTERFACES.folder, *INTERFACES.more())
"""The toolkit, and what each game brings."""

POLICY = "default-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; object-src 'none'"


class Stage:
    """A site on a port of its own; `pages` are texts that it serves besides the files."""

    def __init__(self, *, policy: str | None = POLICY) -> None:
        self.policy = policy
        self.pages: dict[str, str] = {"/favicon.ico": ""}
        self.returned: list[tuple[str, str]] = []
        self._heard = Condition()
        self.server = _Server(("127.0.0.1", 0), functools.partial(_Handler, self))
        self.root = f"http://127.0.0.1:{self.server.server_port}"
        self.returns = f"{self.root}/answer/token"

    def note(self, path: str, value: str) -> None:
        with self._heard:
            self.returned.append((path, value))
            self._heard.notify_all()

    def returned_value(self) -> str:
        """Wait for the one value that an interface returns."""
        with self._heard:
            assert self._heard.wait_for(lambda: self.returned, timeout=10), "nothing was returned"
            assert len(self.returned) == 1, self.returned
            path, value = self.returned[0]
            assert path == "/answer/token"
            return value

    def open(
        self,
        page: "Page",
        shown: Shown,
        *,
        interface: str | None = None,
        state: str | None = None,
        sandbox: str = "allow-scripts",
        **site: Any,
    ) -> "Frame":
        """Show an interface in a sandboxed iframe; return its frame once it is drawn, or asks."""
        address = interface or f"{self.root}/{shown.set.lower()}.html"
        query = shown.query(Surroundings(**site))
        self.pages["/host.html"] = (
            "<!doctype html><html lang='en'><meta charset='utf-8'><title>host</title><body>"
            f"<iframe title='board' width='736' height='660' sandbox='{sandbox}' src='{address}?{query}'></iframe>"
            "<script>addEventListener('message', (event) => { window.told = event.data; });</script>"
        )
        page.goto(f"{self.root}/host.html")
        handle = page.wait_for_selector("iframe")
        frame = handle.content_frame() if handle else None
        assert frame is not None
        if interface is None:
            wanted = state or ("asking" if shown.asks is not None and not site.get("web_test") else "shown")
            frame.wait_for_selector(f"html[data-state={wanted}]", state="attached")
        return frame


class _Server(ThreadingHTTPServer):
    """A server that does not wait for what a browser has opened and may use some day."""

    daemon_threads = False

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._open: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def server_close(self) -> None:
        for one in list(self._open):
            with suppress(OSError):  # it may have ended meanwhile
                one.shutdown(socket.SHUT_RDWR)
        super().server_close()


class _Handler(SimpleHTTPRequestHandler):
    """Serves files that may be kept, as those of the site, on lines that stay open."""

    protocol_version = "HTTP/1.1"

    def __init__(self, stage: Stage, *arguments: Any) -> None:
        self.stage = stage
        super().__init__(*arguments)

    def translate_path(self, path: str) -> str:
        """Find a file in the folders of the toolkit and the games, which the site serves under one flat address."""
        name = urlsplit(path).path.lstrip("/")
        return str(next((one / name for one in FOLDERS if (one / name).is_file()), FOLDERS[0] / name))

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        text = self.stage.pages.get(parts.path)
        if parts.path.startswith("/answer/"):
            self.stage.note(parts.path, parse_qs(parts.query, keep_blank_values=True)["ReturnValue"][0])
            text = ""
        if text is None:
            super().do_GET()
            return
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def end_headers(self) -> None:
        path = urlsplit(self.path).path
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Cache-Control", "no-store" if path in self.stage.pages or "/answer/" in path else "max-age=3600")
        if self.stage.policy and path != "/host.html" and not path.startswith("/answer/"):
            self.send_header("Content-Security-Policy", self.stage.policy)
        super().end_headers()

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 - the name is the library's
        """Say nothing."""


@contextmanager
def stage(*, policy: str | None = POLICY) -> Iterator[Stage]:
    """Open a site, and close it."""
    one = Stage(policy=policy)
    thread = Thread(target=one.server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield one
    finally:
        one.server.shutdown()
        thread.join()
        one.server.server_close()


def complaints(page: "Page") -> list[str]:
    """Return the list into which everything goes that the console calls an error, from now on."""
    found: list[str] = []
    page.on("console", lambda message: found.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: found.append(str(error)))
    return found


def click(page: "Page", frame: "Frame", cell: int, board: int = 1) -> None:
    """Click on a cell, by its number from the top left of the tray."""
    frame.locator(f"#board-{board}-{cell}").click(force=True)
