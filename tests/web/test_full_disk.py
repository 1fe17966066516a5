"""A disk without room under a real site: nothing that was answered 200 is lost, and whatever fails says so with a 503.

The server is a process of its own, on the loop on which it always runs. The system takes the room from it: by a limit on the size
of its files, or, where that may be mounted, by a small file system that is full to the last octet. Then it is started again with
room, and every game goes on.
"""

import asyncio
import os
import resource
import signal
import subprocess
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from json import loads
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlencode

import aiohttp
import pytest
from aiohttp import web

from arbitre.crypto.passwords import LIGHT
from arbitre.records.event import Kind
from arbitre.records.store import Store
from arbitre.referee.verify import Proof, verify
from arbitre.site.community import Community
from arbitre.site.database import Allowances as CommunityRules
from arbitre.tournoyons.wire import Style
from tests.web.clients import AWAY, Server, Visitor, Watcher, return_address

Door = Literal["page", "program", "interface"]
DOORS: tuple[Door, ...] = ("page", "program", "interface")

BANNER = 'role="alert"'

NoRoom = Callable[[Server], None]


def limit(server: Server) -> None:
    """Let the server write to no file any more."""
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))


def fill(server: Server) -> None:
    """Fill the file system to its last octet."""
    with (server.place.folder / "junk").open("wb", buffering=0) as file:
        for size in (1 << 16, 1 << 12, 1):
            with suppress(OSError):
                while file.write(b"x" * size):
                    pass


@pytest.fixture(params=[limit, pytest.param(fill, marks=pytest.mark.campaign)])
def no_room(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[NoRoom]:
    """Return what takes the room from a server, where the system allows it."""
    if request.param is limit:
        yield limit
        return
    mount = ["mount", "-t", "tmpfs", "-o", "size=32m", "none", str(tmp_path)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield fill
    finally:
        subprocess.run(["umount", "-l", tmp_path], check=True)


@dataclass
class Table:
    """Our side of a game of TicTacToe against the house, played through one door of the site."""

    visitor: Visitor
    name: str
    door: Door
    token: str
    taken: list[str] = field(default_factory=list)
    """The moves that were answered 200."""

    def __post_init__(self) -> None:
        watcher = Watcher(self.visitor.session, self.visitor.server.url, self.name)
        self._scenes = self._followed() if self.door == "program" else watcher.scenes()
        self._free = list("123456789")
        self._address = ""

    @property
    def held(self) -> dict[str, str]:
        """What a program shows to be let in."""
        return {"Authorization": f"Bearer {self.token}"}

    async def _followed(self) -> AsyncGenerator[dict[str, Any], None]:
        """Return the scenes as a program follows them."""
        seen = 0
        while True:
            address = f"{self.visitor.server.url}/api/matches/{self.name}/events?after={seen}"
            with suppress(*AWAY):
                async with self.visitor.session.get(address, headers=self.held) as response:
                    async for line in response.content:
                        if line.strip():
                            scene = loads(line)
                            seen = scene["n"]
                            yield scene
            await asyncio.sleep(0.05)

    async def asked(self) -> bool:
        """Wait until it is our turn; False when the game is over."""
        async for scene in self._scenes:
            for line in scene["lines"]:
                if line["kind"] == "said":
                    self._free.remove(line["text"])
            if scene["closed"]:
                return False
            if scene["asks"]:
                self._address = return_address(scene)
                return True
        return False

    async def move(self) -> int:
        """Send the first free cell; return what is answered: 200 for every way to say that it was done."""
        site, session, cell = self.visitor.server.url, self.visitor.session, self._free[0]
        if self.door == "interface":
            sent = session.get(self._address, params={"ReturnValue": cell})
        elif self.door == "page":
            form = {"form_token": self.visitor.token, "move": cell}
            sent = session.post(f"{site}/games/{self.name}/move", data=form, headers={"Accept": "text/html"})
        else:
            sent = session.post(f"{site}/api/matches/{self.name}/move", json={"move": cell}, headers=self.held)
        async with sent as response:
            if response.ok:
                self.taken.append(cell)
                return 200
            if self.door == "page":
                assert BANNER in await response.text()
            return response.status


class Patient:
    """An engine that takes the first free cell, and says so when it is let."""

    def __init__(self) -> None:
        self.may = asyncio.Event()
        self.asked = asyncio.Event()
        self.told: list[tuple[str, int]] = []

    async def answer(self, request: web.Request) -> web.Response:
        """Call back from within the call."""
        query = request.query
        cell = str(query["Tray"].index("0") + 1)
        self.asked.set()
        await self.may.wait()
        said = urlencode({"Game": query["Game"], "MoveId": query["MoveId"], "Value": cell})
        async with aiohttp.ClientSession() as session, session.get(f"{query['Referee']}?{said}") as response:
            self.told.append((cell, response.status))
        return web.Response(text="said")


@dataclass
class Site:
    """A site, who plays there, and what was said."""

    server: Server
    visitor: Visitor
    token: str
    tables: list[Table]
    engine: Patient
    against: str
    """The name of the engine's game."""


async def opened(stack: AsyncExitStack, folder: Path) -> Site:
    """Open a site, two games at each door, and one of an engine's."""
    engine, application = Patient(), web.Application()
    application.router.add_get("/engine", engine.answer)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    stack.push_async_callback(runner.cleanup)
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}/engine"
    server = Server(folder)
    with Community(folder, CommunityRules(work=LIGHT)) as community:
        anna = community.accounts.create("anna", "correct horse")
        token = community.tokens.make(anna, "all", ("read", "play")).secret
        seat = f"engine:{community.engines.add(anna, game='tictactoe', name='Patient', url=url, style=Style(full=True)).id}"
    await server.start()
    stack.push_async_callback(server.stop, signal.SIGKILL)
    session = await stack.enter_async_context(aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)))
    visitor = Visitor(server, session)
    tables = [
        Table(visitor, await visitor.open("tictactoe", "me", "house:1"), door, token) for door in DOORS if door != "program"
    ]
    tables += [Table(visitor, await called(visitor, token), "program", token)]
    return Site(server, visitor, token, tables, engine, await visitor.open("tictactoe", seat, "house:1", clock="10m"))


async def called(visitor: Visitor, token: str) -> str:
    """Call a match as a program."""
    body = {"game": "tictactoe", "seats": [{"who": "me"}, {"who": "house", "level": 1}]}
    held = {"Authorization": f"Bearer {token}"}
    async with visitor.session.post(f"{visitor.server.url}/api/matches", json=body, headers=held) as response:
        assert response.status == 201, await response.text()
        return str((await response.json())["name"])


async def what_fails_says_so(site: Site) -> None:
    """Look at pages, forms and the programs' part of a site that cannot write."""
    session, url = site.visitor.session, site.server.url
    async with session.get(f"{url}/health") as response:
        assert response.status == 503
    for path in ("/", "/watch", f"/games/{site.tables[0].name}"):
        async with session.get(f"{url}{path}") as response:
            assert (response.status, BANNER in await response.text()) == (200, True), path
    forms = {
        "/play": {"game": "tictactoe", "one": "me", "two": "house:1"},
        f"/games/{site.tables[0].name}/resign": {},
        "/register": {"name": "ben", "password": "battery staple", "again": "battery staple"},
        "/login": {"name": "anna", "password": "correct horse"},
    }
    for path, fields in forms.items():
        async with session.post(f"{url}{path}", data={"form_token": site.visitor.token, **fields}) as response:
            assert (response.status, BANNER in await response.text()) == (503, True), path
    body = {"game": "tictactoe", "seats": [{"who": "me"}, {"who": "house", "level": 1}]}
    held = {"Authorization": f"Bearer {site.token}"}
    async with session.post(f"{url}/api/matches", json=body, headers=held) as response:
        assert (response.status, list(await response.json())) == (503, ["error"])


def said(folder: Path, name: str, seat: int = 0) -> list[str]:
    """Return what a seat said, as the store has it."""
    store = Store(folder)
    try:
        return [event.text for event in store.events(name) if event.kind is Kind.SAID and event.seat == seat]
    finally:
        store.close()


async def course(folder: Path, no_room: NoRoom) -> None:
    async with asyncio.timeout(60), AsyncExitStack() as stack:
        site = await opened(stack, folder)
        for table in site.tables:
            assert await table.asked()
            assert await table.move() == 200
            assert await table.asked()
        await site.engine.asked.wait()
        no_room(site.server)
        site.engine.may.set()
        assert {await table.move() for table in site.tables} == {503}
        assert {await table.move() for table in site.tables} == {503}, "and again"
        await what_fails_says_so(site)
        await site.server.stop(signal.SIGTERM)
        (folder / "junk").unlink(missing_ok=True)
        for table in site.tables:
            assert said(folder, table.name) == table.taken
        assert site.engine.told
        assert {status for _, status in site.engine.told} == {503}
        assert said(folder, site.against) == []
        await site.server.start()
        for table in site.tables:
            while await table.asked():
                assert await table.move() == 200
        await Watcher(site.visitor.session, site.server.url, site.against).watch()
        assert await site.server.stop(signal.SIGTERM) == 0
        for table in site.tables:
            assert said(folder, table.name) == table.taken
        assert said(folder, site.against) == [cell for cell, status in site.engine.told if status == 200]
        every_record_verifies(folder)


def every_record_verifies(folder: Path) -> None:
    store = Store(folder)
    try:
        for row in store.matches():
            found = verify(store.record(row.name).text().encode(), given=store.key().fingerprint)
            assert found.standing is Proof.VERIFIED, found.line
    finally:
        store.close()


@pytest.mark.sqlite
def test_nothing_that_was_answered_200_is_lost_on_a_full_disk(tmp_path: Path, no_room: NoRoom) -> None:
    asyncio.run(course(tmp_path / "data", no_room))
