"""What the site bears: games of engines through the arena, spectators, many games at once, memory.

Games per second are those of the arena, judged, timed and durably recorded, beside a bare aiohttp loop that makes the same calls
to the same engine without a referee and goes on when each answer is on disk, and beside one that keeps nothing; all run 32 games
at a time, on uvloop as the site does, beside the engine's process. All else goes over HTTP to a site that was started as people
start it. Spectators are a thousand streams of one game: the time runs from the moment a player's page sends the move, through
referee and disk, to the moment the scene has come to each of them.
"""

import asyncio
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, closing
from json import loads
from pathlib import Path
from time import perf_counter, process_time
from typing import Any
from urllib.parse import parse_qs

import aiohttp
import uvloop

from arbitre.crypto.passwords import LIGHT
from arbitre.games.catalogue import game
from arbitre.games.game import Seat
from arbitre.games.notation import notation_of
from arbitre.games.wires import engine_wire
from arbitre.records.event import Kind
from arbitre.records.store import Store
from arbitre.referee.clock import read_clock
from arbitre.site.accounts import Account
from arbitre.site.arena.arena import MOST_LIVE, Arena
from arbitre.site.arena.plan import EngineSeat, MatchPlan
from arbitre.site.community import Community
from arbitre.site.database import Allowances as CommunityRules
from arbitre.tournoyons.callback import Listener, Receiver
from arbitre.tournoyons.player import Switchboard
from arbitre.tournoyons.wire import Style
from bench.engines import CROWD as AT_ONCE
from bench.engines import GAMES, bare_loop, engine_process, several
from bench.table import ROOT, Row

TOGETHER = 32
ROUNDS = 3
"""How often games are played by both in turn; the round in the middle counts."""

CROWD = 1_000
MOVES = 10
"""Moves of the player whose game is watched."""

LIVE = 300
"""Games whose memory is measured."""

EACH = 30
"""Games that one visitor begins, before another comes: nobody may have very many that are not over."""

PRESENT = 500
"""Engines that dial in and are present at once."""
QUIET_SECONDS = 20
"""How long it is measured what they cost while nobody asks them anything."""
DIALLED = 30
"""Games, one after the other, of an engine that dials in and of one that is called."""
TOKEN = re.compile(r'name="form_token" value="(\w+)"')
NUMBER = re.compile(rb"^id: (\d+)$", re.MULTILINE)


def measure() -> Iterator[Row]:
    """Measure the arena, then the site."""
    with engine_process() as url:
        for direct, how in ((False, "called back"), (True, "in the body")):
            pairs = [(uvloop.run(through_arena(url, direct)), uvloop.run(kept_loop(url, direct))) for _ in range(ROUNDS)]
            (ours, _), kept = sorted(pairs, key=lambda pair: pair[0][0] / pair[1])[ROUNDS // 2]
            yield Row(f"games through the arena, answers {how}", ours, "bare aiohttp, each answer on disk", kept, 0.5)
            bare = max(uvloop.run(bare_loop(url, direct, TOGETHER)) for _ in range(2))
            yield Row(f"games through the arena, answers {how}", ours, "bare aiohttp, nothing kept", bare)
            cpu, before = max(one[0][1] for one in pairs), process_time()
            uvloop.run(bare_loop(url, direct, TOGETHER))
            yield Row(
                "the same for each second of the processor", cpu, "bare aiohttp", GAMES / (process_time() - before), unit="/CPU s"
            )
        yield from asyncio.run(on_the_site(url))


async def through_arena(url: str, direct: bool) -> tuple[float, float]:
    """Return whole games per second, durably recorded, and per second of the processor."""
    receiver = Receiver()
    engine = EngineSeat(1, "engine", url, Style(direct=direct))
    plan = MatchPlan(game("tictactoe"), (engine, engine), clock=read_clock("4s/move"))
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder))
        async with Switchboard(receiver, listener=Listener(receiver)) as board:
            arena = Arena(store, board)

            async def play(_: int) -> None:
                task = arena.live((await arena.open(plan)).name).task
                assert task is not None
                await task

            await several(play, TOGETHER, TOGETHER)
            before = process_time()
            rate = await several(play, GAMES, TOGETHER)
            cpu = GAMES / (process_time() - before)
            await arena.close()
        verdicts = {row.verdict or "" for row in store.matches()}
        store.close()
    assert all("rules" in verdict for verdict in verdicts), verdicts
    return rate, cpu


async def kept_loop(url: str, direct: bool) -> float:
    """Make the calls of the games without a referee, but go on only when each answer is on disk, many in one commit."""
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(sqlite3.connect(Path(folder) / "kept", check_same_thread=False)) as disk,
    ):
        for statement in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "CREATE TABLE kept (line TEXT)"):
            disk.execute(statement)
        waiting: list[tuple[str, asyncio.Future[None]]] = []
        woken = asyncio.Event()

        async def keep(line: str) -> None:
            safe: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            waiting.append((line, safe))
            woken.set()
            await safe

        def write(lines: list[tuple[str]]) -> None:
            with disk:
                disk.executemany("INSERT INTO kept VALUES (?)", lines)

        async def commit() -> None:
            while await woken.wait():
                woken.clear()
                batch = waiting.copy()
                waiting.clear()
                await asyncio.to_thread(write, [(line,) for line, _ in batch])
                for _, safe in batch:
                    safe.set_result(None)

        writer = asyncio.ensure_future(commit())
        rate = await bare_loop(url, direct, TOGETHER, keep)
        writer.cancel()
        return rate


# ── a site as people start it ──────────────────────────────────────────────────────────────────────────────────────


class Site:
    """A site in a process of its own, and one visitor."""

    def __init__(self, process: subprocess.Popen[str], url: str, session: aiohttp.ClientSession) -> None:
        self.process = process
        self.url = url
        self.session = session
        self._token = ""
        self._begun = 0
        self._form = asyncio.Lock()

    def memory(self) -> int:
        """Return the octets that the server holds in memory."""
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def spent(self) -> float:
        """Return the seconds of the processor that the server has taken."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    async def open(self, name: str, one: str, two: str, **more: str) -> str:
        """Begin a game as the form does; return its name."""
        async with self._form:
            if self._begun % EACH == 0:
                self.session.cookie_jar.clear()
                async with self.session.get(f"{self.url}/watch") as response:
                    found = TOKEN.search(await response.text())
                    assert found is not None
                    self._token = found[1]
            self._begun += 1
            fields = {"form_token": self._token, "game": name, "one": one, "two": two, **more}
            async with self.session.post(f"{self.url}/play", data=fields, allow_redirects=False) as response:
                assert response.status == 303, await response.text()
                return str(response.headers["Location"].rpartition("/")[2])

    async def live(self) -> int:
        """Return how many games are being played."""
        async with self.session.get(f"{self.url}/health") as response:
            return int((await response.json())["live"])


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Site]:
    """Open a site over a data folder."""
    quiet = (
        "--registrar-port", "0", "--arcade-port", "0", "--hub-port", "0", "--defender-port", "0", "--house-games", "0",
        "--pace", "1000000",
    )  # fmt: skip
    command = [sys.executable, "-m", "arbitre", "serve", "--data", str(folder), "--port", "0", *quiet]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        url = process.stdout.readline().split()[-1]
        while not process.stdout.readline().startswith("stop it"):
            pass
        jar, connector = aiohttp.CookieJar(unsafe=True), aiohttp.TCPConnector(limit=64, keepalive_timeout=1)
        async with aiohttp.ClientSession(cookie_jar=jar, connector=connector) as session:
            yield Site(process, url, session)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        if process.returncode:
            print(f"the site ended with {process.returncode}", file=sys.stderr)


async def on_the_site(url: str) -> list[Row]:
    """Measure memory, spectators and a crowd of games on one site."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Community(folder, CommunityRules(work=LIGHT)) as community:
            owner = community.accounts.set_quota(community.accounts.create("Owner", "a good long password"), 2 * PRESENT)
            engine = community.engines.add(owner, game="tictactoe", name="First-cell", url=url)
            dials = community.engines.add(owner, game="tictactoe", name="Dials-in", url="dial:")
            token = community.engines.mint(owner, dials.id)
            tokens = [_engine(community, owner, number) for number in range(PRESENT)]
        async with opened(folder) as site:
            weight = await weighed(site)
            rows = [await watched(site), await crowd(site, f"engine:{engine.id}"), weight]
            present = await listened(site, tokens)
            ways = ((dials, _listening), (dials, _listening_by_websocket), (engine, _listening))
            alone = [await one_by_one(site, f"engine:{one.id}", way(site.url, token)) for one, way in ways]
        store = Store(folder)
        try:
            spent = [own_time(store, names) for names in alone]
            crowded = [store.events(row.name) for row in store.matches() if row.game == "tictactoe" and row.seal]
        finally:
            store.close()
    asked = sum(event.kind is Kind.ASKED for events in crowded for event in events)
    said = sum(event.kind is Kind.SAID for events in crowded for event in events)
    rows[1] = Row(rows[1].what, said, "asked", asked, 1.0, unit="")
    return [*rows, present, *(_beside(how, one, spent[2]) for how, one in zip(("stream", "WebSocket"), spent[:2], strict=True))]


def _beside(how: str, dialled: float, called: float) -> Row:
    """Return what it costs an engine to dial in, beside one that is called."""
    what = f"answers in a second of its clock, an engine that dials in by {how} ({1000 / dialled:.1f} ms each)"
    return Row(what, dialled, f"one that is called ({1000 / called:.1f} ms)", called)


# ── spectators ─────────────────────────────────────────────────────────────────────────────────────────────────────


class Spectator(asyncio.Protocol):
    """Reads one stream, and takes down when each scene came."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.came: dict[int, float] = {}
        self._rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the stream."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(f"GET {self.path} HTTP/1.1\r\nHost: site\r\nAccept: text/event-stream\r\n\r\n".encode())

    def data_received(self, data: bytes) -> None:
        """Look for numbers of scenes."""
        now = perf_counter()
        *lines, self._rest = (self._rest + data).split(b"\n\n")
        for line in lines:
            if (found := NUMBER.search(line)) is not None:
                self.came[int(found[1])] = now


async def watched(site: Site) -> Row:
    """Play a game before a thousand spectators."""
    rules = game("reversi")
    notation, state = notation_of(rules), rules.start()
    name = await site.open("reversi", "me", "house:1", clock="1h")
    port = int(site.url.rpartition(":")[2])
    loop = asyncio.get_running_loop()
    path = f"/games/{name}/events"
    crowd = [(await loop.create_connection(lambda: Spectator(path), "127.0.0.1", port))[1] for _ in range(CROWD)]
    sent: dict[int, float] = {}
    last = 0
    async for scene in scenes_of(site, name):
        if "n" not in scene:  # something about the match, and no scene of it
            continue
        last = scene["n"]
        for line in scene["lines"]:
            if line["kind"] == "said":
                state = rules.play(state, {Seat(line["seat"]): notation.read(line["text"], state)})
        if scene["asks"]:
            if len(sent) == MOVES:
                break
            while not all(last in one.came for one in crowd):
                await asyncio.sleep(0.01)
            move = notation.write(next(iter(rules.legal(rules.view(state, "referee")))))
            sent[last + 1] = perf_counter()
            where = parse_qs(scene["query"])["URLReturn"][0]
            async with site.session.get(where, params={"ReturnValue": engine_wire(rules).write_value(move)}) as response:
                assert response.status == 200
    async with asyncio.timeout(10):
        while not all(last in one.came for one in crowd):
            await asyncio.sleep(0.01)
    waits = sorted(1000 * (one.came[number] - at) for number, at in sent.items() for one in crowd)
    for one in crowd:
        one.transport.close()
    came = sum(len(one.came) for one in crowd)
    half, most = waits[len(waits) // 2], waits[len(waits) * 99 // 100]
    within = f"half within {half:.0f} ms of the move, 99 % within {most:.0f} ms"
    what = f"scenes of one game that came to {CROWD:,} spectators ({within})"
    return Row(what, came, "made for them", CROWD * last, 1.0, unit="")


async def scenes_of(site: Site, name: str) -> AsyncIterator[dict[str, Any]]:
    """Return the scenes that the player sees."""
    async with site.session.get(f"{site.url}/games/{name}/events") as response:
        async for line in response.content:
            if line.startswith(b"data: {"):
                yield loads(line[6:])


# ── many at once ───────────────────────────────────────────────────────────────────────────────────────────────────


async def crowd(site: Site, engine: str) -> Row:
    """Let 200 games between engines go on at once, four seconds for a move."""
    begun, others = perf_counter(), await site.live()
    await several(lambda _: _opened(site, engine), AT_ONCE, TOGETHER)
    while await site.live() > others:
        await asyncio.sleep(0.05)
    return Row(
        f"answers in time, {AT_ONCE} games at once on the site, 4 s a move ({perf_counter() - begun:.0f} s)", 0, "asked", 1
    )


async def _opened(site: Site, engine: str) -> None:
    await site.open("tictactoe", engine, engine, clock="4s/move")


async def one_by_one(site: Site, engine: str, program: Coroutine[Any, Any, None]) -> list[str]:
    """Let an engine play itself, one game after the other, while a program listens; return the names of the games."""
    listening = asyncio.create_task(program)
    try:
        await asyncio.sleep(0.5)
        others, names = await site.live(), []
        for _ in range(DIALLED):
            names.append(await site.open("tictactoe", engine, engine, clock="4s/move"))
            while await site.live() > others:
                await asyncio.sleep(0.01)
        return names
    finally:
        listening.cancel()


async def _listening(url: str, token: str) -> None:
    """Answer every question with the first legal move, as a program that dials in does."""
    questions, answers = (f"{url}/api/engines/me/{what}" for what in ("questions", "answers"))
    session = aiohttp.ClientSession(headers={"Authorization": f"Bearer {token}"})
    async with session, session.get(questions, timeout=aiohttp.ClientTimeout(None)) as line:
        async for row in line.content:
            question: dict[str, Any] = json.loads(row) if row.strip() else {"answers": False}
            if question["answers"]:
                async with session.post(answers, json=_answer(question)) as response:
                    await response.read()


async def _listening_by_websocket(url: str, token: str) -> None:
    """Do the same over a WebSocket, on which the answers go back."""
    session = aiohttp.ClientSession(headers={"Authorization": f"Bearer {token}"})
    async with session, session.ws_connect(f"{url}/api/engines/me/questions") as line:
        async for message in line:
            question: dict[str, Any] = json.loads(message.data or "{}")
            if question.get("answers"):
                await line.send_json(_answer(question))


def _answer(question: dict[str, Any]) -> dict[str, str]:
    said = "hello 2" if question["what"] == "hello" else f"move {question['text'].splitlines()[-1].split()[4]}"
    return {"id": question["id"], "said": said}


def _engine(community: Community, owner: Account, number: int) -> str:
    """Make an engine that dials in, and return its token."""
    made = community.engines.add(owner, game="tictactoe", name=f"Present{number}", url="dial:")
    return community.engines.mint(owner, made.id)


async def listened(site: Site, tokens: list[str]) -> Row:
    """Let five hundred engines be present, and return what that takes of memory and of a core."""
    port = int(site.url.rpartition(":")[2])
    before, lines = site.memory(), []
    for token in tokens:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET /api/engines/me/questions HTTP/1.1\r\nHost: site\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        assert b" 200 " in await reader.readline()
        lines.append((reader, writer))
    each, spent, begun = (site.memory() - before) / PRESENT, site.spent(), perf_counter()
    await asyncio.sleep(QUIET_SECONDS)
    share = (site.spent() - spent) / (perf_counter() - begun)
    there = sum(not reader.at_eof() for reader, _ in lines)
    for _, writer in lines:
        writer.close()
    what = f"engines that dial in, present at once ({each / 1024:.0f} KiB each, all of them {100 * share:.1f} % of a core)"
    return Row(what, there, "that came", PRESENT, 1.0, unit="")


def own_time(store: Store, names: list[str]) -> float:
    """Return how many answers were given in a second of the players' own time."""
    said = [[event for event in store.events(name) if event.kind is Kind.SAID] for name in names]
    return 1000 * sum(map(len, said)) / max(1, sum(events[-1].at for events in said))


async def weighed(site: Site) -> Row:
    """Return how many games that wait for a person fit into a gibibyte."""
    await several(lambda _: _waiting(site), TOGETHER, TOGETHER)  # what every page needs is loaded then
    before = site.memory()
    await several(lambda _: _waiting(site), LIVE, TOGETHER)
    each = (site.memory() - before) / LIVE
    what = f"live games that fit into 1 GiB ({each / 1024:.0f} KiB each beyond the {before / 2**20:.0f} MiB of the site)"
    return Row(what, 2**30 / each, "as many as there may be", MOST_LIVE, 1.0, unit="")


async def _waiting(site: Site) -> None:
    await site.open("reversi", "me", "house:1")
