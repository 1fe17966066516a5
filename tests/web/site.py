"""A real site on a real socket, and a plain client for it: what tests of pages stand on."""

import http.client
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlencode

import uvicorn

from arbitre.crypto.passwords import LIGHT
from arbitre.site.database import Allowances as CommunityRules
from arbitre.site.settings import Settings
from arbitre.transport.sockets import listen
from arbitre.web.app import Application, make_site
from arbitre.web.wire import options

TOKEN = re.compile(r'name="form_token" value="(\w+)"')


@dataclass
class Answer:
    """What the site answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8")


@dataclass
class Client:
    """A browser without a window: keeps cookies, follows nothing."""

    port: int
    cookies: dict[str, str] = field(default_factory=dict)

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        """Send one request; `_` in the name of a header stands for `-`."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        sent = {name.replace("_", "-"): text for name, text in headers.items()}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={text}" for name, text in self.cookies.items())
        try:
            connection.request(method, path, body, sent)
            response = connection.getresponse()
            found = Answer(response.status, {name.lower(): text for name, text in response.getheaders()}, response.read())
            for name, text in response.getheaders():
                if name.lower() == "set-cookie":
                    key, _, rest = text.partition("=")
                    self.cookies[key] = rest.partition(";")[0]
                    if not self.cookies[key]:
                        del self.cookies[key]
        finally:
            connection.close()
        return found

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, None, **headers)

    def post(self, path: str, fields: dict[str, str] | None = None, *, page: str = "/", **headers: str) -> Answer:
        """Send a form as a page of the site would: with the token that the page carries."""
        token = TOKEN.search(self.get(page).text)
        assert token is not None
        body = urlencode({"form_token": token[1], **(fields or {})}).encode()
        return self.ask("POST", path, body, Content_Type="application/x-www-form-urlencoded", **headers)


@dataclass
class Running:
    """A site that is open."""

    site: Application
    settings: Settings
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def client(self) -> Client:
        return Client(self.port)


def quiet(folder: Path, **settings: object) -> Settings:
    """Return settings without listeners and house games, for one folder."""
    given: dict[str, object] = {
        "data": folder, "registrar_port": 0, "arcade_port": 0, "hub_port": 0, "defender_port": 0, "house_games": 0,
        "pace": 100_000,
    }  # fmt: skip
    return Settings(**given | settings)  # type: ignore[arg-type]


@contextmanager
def running(settings: Settings) -> Iterator[Running]:
    """Open a site in a thread of its own, on a free port."""
    sockets = listen("127.0.0.1", 0)
    port = int(sockets[0].getsockname()[1])
    settings = replace(settings, port=port)
    try:
        site = make_site(settings, rules=CommunityRules(work=LIGHT))
    except BaseException:
        sockets[0].close()
        raise
    server = uvicorn.Server(uvicorn.Config(site, log_config=None, **options(settings.proxies), timeout_graceful_shutdown=2))
    thread = threading.Thread(target=server.run, args=(sockets,), name="site")
    thread.start()
    try:
        while not server.started and thread.is_alive():
            thread.join(0.01)
        assert server.started, "the site did not open"
        yield Running(site, settings, port)
    finally:
        server.should_exit = True
        thread.join()
        for one in sockets:
            one.close()
