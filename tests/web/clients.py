"""People and spectators who speak HTTP to a real site, and the site as a process that can be killed and started again."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import parse_qs

import aiohttp

from arbitre.games.game import AnyGame, Seat
from arbitre.games.notation import notation_of
from arbitre.games.wires import engine_wire
from arbitre.records.place import Place, at
from tests.web.site import TOKEN
from tests.web.test_serve import free_port

ALONE = (
    "--registrar-port", "0", "--arcade-port", "0", "--hub-port", "0", "--defender-port", "0", "--house-games", "0",
    "--pace", "1000000",
)  # fmt: skip
AWAY = (aiohttp.ClientError, TimeoutError, OSError)
"""What a client meets while the server is gone."""


class Server:
    """`arbitre serve` on a port that stays the same."""

    def __init__(self, place: Path | Place, host: str = "127.0.0.1") -> None:
        self.place = at(place)
        self.host = host
        self.port = free_port()
        self.url = f"http://{host}:{self.port}"
        self.began = 0.0
        self.more: tuple[str, ...] = ()
        """Other options."""
        self.env: dict[str, str] = {}
        """Variables of its environment besides ours."""
        self._process: subprocess.Popen[str] | None = None

    @property
    def pid(self) -> int:
        """The number of the process."""
        assert self._process is not None
        return self._process.pid

    @property
    def runs(self) -> bool:
        """Whether the process is there."""
        return self._process is not None and self._process.poll() is None

    async def start(self) -> None:
        """Start it, and wait until it says that it is open."""
        self.began = monotonic()
        self._process = self.spawn()
        await asyncio.to_thread(self._announcement)

    def spawn(self) -> "subprocess.Popen[str]":
        """Start the process."""
        return subprocess.Popen(self.words(), stdout=subprocess.PIPE, text=True, env={**os.environ, **self.env})

    def words(self) -> list[str]:
        """Return the line that starts it."""
        command = [sys.executable, "-m", "arbitre", "serve", "--data", str(self.place.folder)]
        command += ["--host", self.host, "--port", str(self.port), *ALONE]
        return [*command, *(["--database", self.place.database] if self.place.database else []), *self.more]

    def kill(self) -> None:
        """End it at once, whatever it does."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()

    def _announcement(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if "stop it" in line:
                return
        raise AssertionError("the site did not open")

    async def ended(self) -> int:
        """Wait until it has ended by itself, and return how."""
        assert self._process is not None
        await asyncio.to_thread(self._process.communicate, timeout=60)
        return self._process.returncode

    async def stop(self, how: signal.Signals) -> int:
        """Send it a signal, and return how it ended."""
        assert self._process is not None
        if self._process.poll() is None:
            self._process.send_signal(how)
        await asyncio.to_thread(self._process.communicate, timeout=60)
        return self._process.returncode


@dataclass
class Watcher:
    """Somebody who watches a game, reconnects when the line breaks, and remembers every scene that came."""

    session: aiohttp.ClientSession
    url: str
    name: str
    heard: list[tuple[int, dict[str, Any]]] = field(default_factory=list)

    async def scenes(self) -> AsyncGenerator[dict[str, Any], None]:
        """Return the scenes as they come, until the game is over."""
        while True:
            try:
                async with aclosing(self._connected()) as told:
                    async for scene in told:
                        yield scene
                        if scene["closed"]:
                            return
            except AWAY:
                pass
            await asyncio.sleep(0.05)

    async def _connected(self) -> AsyncGenerator[dict[str, Any], None]:
        headers = {"Last-Event-ID": str(self.heard[-1][0])} if self.heard else {}
        async with self.session.get(f"{self.url}/games/{self.name}/events", headers=headers) as response:
            response.raise_for_status()
            ident, kind = 0, "message"
            async for octets in response.content:
                key, _, text = octets.decode().rstrip("\n").partition(": ")
                if key == "id":
                    ident = int(text)
                elif key == "event":
                    kind = text
                elif not key:  # what comes next says of itself what it is
                    kind = "message"
                elif key == "data" and kind == "message":  # slips, the proof and the end have kinds of their own
                    scene = json.loads(text)
                    self.heard.append((ident, scene))
                    yield scene

    async def watch(self) -> None:
        """Watch to the end."""
        async with aclosing(self.scenes()) as told:
            async for _ in told:
                pass


@dataclass
class Visitor:
    """A browser without a window that begins games and plays them."""

    server: Server
    session: aiohttp.ClientSession
    token: str = ""
    taken: list[tuple[str, str]] = field(default_factory=list)
    """Moves that the site said it had taken: the game, and the move."""
    answered: set[str] = field(default_factory=set)
    """The addresses at which it said so: whoever sends the same once more is told the same, and has said it once."""

    async def open(self, game: str, one: str, two: str, **more: str) -> str:
        """Begin a game, and return its name."""
        if not self.token:
            async with self.session.get(f"{self.server.url}/watch") as response:
                found = TOKEN.search(await response.text())
                assert found is not None
                self.token = found[1]
        fields = {"form_token": self.token, "game": game, "one": one, "two": two, **more}
        while True:
            async with self.session.post(f"{self.server.url}/play", data=fields, allow_redirects=False) as response:
                if response.status != 503:
                    assert response.status == 303, await response.text()
                    return str(response.headers["Location"].rpartition("/")[2])
                pause = float(response.headers["Retry-After"])  # its database is away: nothing was done
            await asyncio.sleep(pause)

    async def play(self, game: AnyGame, name: str, think: Callable[[], float]) -> Watcher:
        """Play a game in which nothing is hidden to its end, with the first legal move each time, thinking for so long."""
        watcher = Watcher(self.session, self.server.url, name)
        state, notation = game.start(), notation_of(game)
        async with aclosing(watcher.scenes()) as scenes:
            async for scene in scenes:
                for line in scene["lines"]:
                    if line["kind"] == "said":
                        state = game.play(state, {Seat(line["seat"]): notation.read(line["text"], state)})
                # a line that comes back when the game is over tells what was asked, and not where to answer it
                if scene["asks"] and not scene["closed"] and "URLReturn=" in scene["query"]:
                    await asyncio.sleep(think())
                    move = notation.write(next(iter(game.legal(game.view(state, "referee")))))
                    await self.answer(game, name, return_address(scene), move)
        return watcher

    async def answer(self, game: AnyGame, name: str, address: str, move: str) -> int:
        """Send a move to the address of its question until somebody is there to take it."""
        said = engine_wire(game).write_value(move)
        while True:
            try:
                async with self.session.get(address, params={"ReturnValue": said}) as response:
                    if response.status == 503:  # the database is away
                        raise TimeoutError
                    if response.status == 200 and address not in self.answered:
                        self.answered.add(address)
                        self.taken.append((name, move))
                    return response.status
            except AWAY:
                await asyncio.sleep(0.05)


def return_address(scene: dict[str, Any]) -> str:
    """Return where the move goes that a scene asks for."""
    return str(parse_qs(scene["query"])["URLReturn"][0])
