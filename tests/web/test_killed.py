"""Kill -9: the site dies in the middle of many games, again and again, and every game goes on where it was.

A real server, engines in processes of their own, people who speak HTTP. What must hold: no engine is asked one question in two
ways; no move that was taken is lost; a page that was open still answers; nobody is charged for the time that the house was away;
whoever watches sees every scene once; every record verifies.
"""

import asyncio
import shutil
import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, ExitStack, contextmanager
from pathlib import Path
from random import Random
from time import monotonic
from urllib.parse import parse_qsl, urlsplit

import aiohttp
import pytest

from arbitre.crypto.passwords import LIGHT
from arbitre.games.catalogue import game as find_game
from arbitre.records.event import Kind
from arbitre.records.place import Place
from arbitre.records.record import Record
from arbitre.records.store import Store
from arbitre.referee.scenes import scenes
from arbitre.referee.story import tell
from arbitre.referee.verdict import Termination
from arbitre.referee.verify import Proof, verify
from arbitre.site.arena.arena import MOST_EACH
from arbitre.site.community import Community
from arbitre.site.database import Allowances as CommunityRules
from arbitre.tournoyons.wire import Style
from tests.postgresql import Cluster
from tests.tournoyons.test_player import ENGINES, started
from tests.web.clients import Server, Visitor, Watcher, return_address

CLOCK = "60s/move"
STYLES = ("inside", "after", "slash", "direct", "pensive")


class Engines:
    """Engines in processes of their own, registered with a site; each writes down what it is asked."""

    def __init__(self, stack: ExitStack, folder: Path, place: Place) -> None:
        node = shutil.which("node")
        programs: dict[str, tuple[str, ...]] = {"python": (sys.executable, "-S", str(ENGINES / "styles.py"))}
        programs["node"] = programs["python"] if node is None else (node, str(ENGINES / "styles.js"))
        programs["anyone"] = (sys.executable, str(ENGINES / "anyone.py"))
        self.logs = [folder / f"{name}.log" for name in programs]
        self.urls = {
            name: stack.enter_context(contextmanager(started)(*command, str(folder / f"{name}.log")))
            for name, command in programs.items()
        }
        self._community = stack.enter_context(Community(place, CommunityRules(work=LIGHT, engines=1000)))
        self._owner = self._community.accounts.create("Owner", "a good long password")
        self._known: dict[tuple[str, str, str], str] = {}

    def seat(self, program: str, path: str, game: str) -> str:
        """Return how a form names an engine."""
        key = (program, path, game)
        if key not in self._known:
            style = Style(direct=path == "direct", full=path == "after", notify=path == "inside")
            name = f"{program}-{path}-{game}"
            found = self._community.engines.add(
                self._owner, game=game, name=name, url=f"{self.urls[program]}/{path}", style=style
            )
            self._known[key] = f"engine:{found.id}"
        return self._known[key]

    def asked(self) -> list[str]:
        """Return every call that any of them got."""
        return [line for log in self.logs if log.exists() for line in log.read_text().splitlines()]


def plans(engines: Engines, count: int) -> list[tuple[str, str, str, dict[str, str]]]:
    """Return so many games with an engine at least on one seat, of all games and styles."""
    found: list[tuple[str, str, str, dict[str, str]]] = []
    while len(found) < count:
        at = len(found)
        style, other = STYLES[at % 5], STYLES[at // 5 % 4]
        match at % 10:
            case 0 | 5:
                game = "bigtictactoe"
                players = engines.seat("python", style, game), engines.seat("node", other, game)
            case 1 | 6:
                game = "seafight"
                players = "house:1", engines.seat("python", style, game)
            case 2:
                game = "mastermind"
                players = engines.seat("python", style, game), engines.seat("node", other, game)
            case 3:
                game = "rochambeau"
                players = engines.seat("python", style, game), "house:1"
            case 4:
                game = "tictactoe"
                players = engines.seat("python", "pensive", game), engines.seat("python", "pensive", game)
            case _:
                game = ("reversi", "draughts", "kriegspiel", "pente", "poker", "reversi")[at // 5 % 6]
                players = engines.seat("anyone", "any", game), "house:1"
        more = {"clock": CLOCK} | ({"option.plies": "40"} if game == "kriegspiel" else {})
        one, two = players if at % 4 < 2 else reversed(players)
        found.append((game, one, two, more))
    return found


async def course(
    folder: Path, games: int, people: int, kills: int, database: str = "", restart: Callable[[], None] | None = None
) -> None:
    """Play, kill, restart the database too where there is one, and look at what is left."""
    place = Place(folder / "data", database)
    with ExitStack() as processes:
        engines = Engines(processes, folder, place)
        server = Server(place)
        await server.start()
        try:
            async with asyncio.timeout(150 + 2 * games), AsyncExitStack() as stack:
                visitors, watchers, charged = await played(stack, server, engines, games, people, kills, restart)
        except BaseException:
            await server.stop(signal.SIGKILL)
            raise
        assert await server.stop(signal.SIGTERM) == 0
        asked = engines.asked()
    store = Store(place)
    try:
        records = {row.name: store.record(row.name) for row in store.matches()}
        fingerprint = store.key().fingerprint
    finally:
        store.close()
    assert len(records) == games + people
    for record in records.values():
        found = verify(record.text().encode(), given=fingerprint)
        assert found.standing is Proof.VERIFIED, found.line
        verdict = tell(record).moments[-1].affairs.verdict
        assert verdict is not None
        assert verdict.termination is Termination.RULES, verdict
    resumed = [sum(event.kind is Kind.RESUMED for event in record.events) for record in records.values()]
    assert max(resumed) == kills
    assert sum(map(bool, resumed)) > games // 4, "hardly any game was under way when the server died"
    each_question_has_one_name(asked)
    no_taken_move_is_lost(visitors, records)
    every_scene_came_once(watchers, records)
    for name, spent in charged:
        whole = [event for event in records[name].events if event.kind is Kind.SAID]
        assert whole[0].at <= spent * 1000, "charged for the time that the house was away"


async def played(
    stack: AsyncExitStack,
    server: Server,
    engines: Engines,
    games: int,
    people: int,
    kills: int,
    restart: Callable[[], None] | None = None,
) -> tuple[list[Visitor], list[Watcher], list[tuple[str, float]]]:
    """Open the games, a part of them before each time that the server is killed, and return when all are over."""

    async def visitor() -> Visitor:
        session = aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True), connector=aiohttp.TCPConnector(limit=0))
        return Visitor(server, await stack.enter_async_context(session))

    hosts = [await visitor() for _ in range(-(-games // MOST_EACH))]
    visitors = [await visitor() for _ in range(people)]
    watchers: list[Watcher] = []
    charged: list[tuple[str, float]] = []
    back, calm = asyncio.Event(), asyncio.Event()
    begun: list[str] = []
    random = Random(7)

    async def patient(one: Visitor, back: asyncio.Event) -> None:
        """Think before the server dies, and answer on the page that was open then."""
        game = find_game("reversi")
        name = await one.open("reversi", "me", "house:1", clock="1h")
        begun.append(name)
        first = Watcher(one.session, server.url, name)
        address = return_address(await anext(first.scenes()))
        await back.wait()
        assert await one.answer(game, name, address, "d3") == 200
        charged.append((name, monotonic() - server.began))
        watchers.append(await one.play(game, name, lambda: 0.0))

    async def impatient(one: Visitor, at: int) -> None:
        game = ("tictactoe", "reversi", "pente", "draughts", "bigtictactoe")[at % 5]
        against = {"tictactoe": "house:1", "bigtictactoe": engines.seat("node", "after", "bigtictactoe")}
        other = against.get(game) or engines.seat("anyone", "any", game)
        name = await one.open(game, *(("me", other) if at % 2 else (other, "me")), clock="10m")
        begun.append(name)
        longest = 0.4 if game == "tictactoe" else 0.1
        watchers.append(await one.play(find_game(game), name, lambda: random.random() * longest))

    async with asyncio.TaskGroup() as going:
        for at, one in enumerate(visitors):
            going.create_task(patient(one, (back, calm)[at]) if at < 2 else impatient(one, at))
        await until(lambda: len(begun) == people)
        part = -(-games // kills)
        for at, (game, first, second, more) in enumerate(plans(engines, games), start=1):
            host = hosts[(at - 1) // MOST_EACH]
            name = await host.open(game, first, second, **more)
            if at % 5 < 2:
                watchers.append(Watcher(host.session, server.url, name))
                going.create_task(watchers[-1].watch())
            if at % part == 0 or at == games:
                enough = len(engines.asked()) + 3 * part
                await until(lambda enough=enough: len(engines.asked()) > enough)  # type: ignore[misc]
                await server.stop(signal.SIGKILL)
                await server.start()
                if restart is not None:
                    await until(lambda enough=enough: len(engines.asked()) > enough + 10)  # type: ignore[misc]
                    await asyncio.to_thread(restart)
                back.set()
        calm.set()
    await until(lambda: all_over(hosts[0]))
    return visitors, watchers, charged


async def until(holds: Callable[[], bool | Awaitable[bool]]) -> None:
    """Return when something holds."""
    while True:
        found = holds()
        if found if isinstance(found, bool) else await found:
            return
        await asyncio.sleep(0.02)


async def all_over(host: Visitor) -> bool:
    async with host.session.get(f"{host.server.url}/health") as response:
        return bool((await response.json())["live"] == 0)


# ── what must hold ─────────────────────────────────────────────────────────────────────────────────────────────────


def each_question_has_one_name(asked: list[str]) -> None:
    """The same MoveId always stands in the same query, to the letter; and the same query has always the same MoveId."""
    queries: dict[tuple[str, str], set[str]] = defaultdict(set)
    idents: dict[tuple[tuple[str, str], ...], set[str]] = defaultdict(set)
    for line in asked:
        fields = dict(parse_qsl(urlsplit(line).query, keep_blank_values=True))
        queries[fields["Game"], fields["MoveId"]].add(line.replace("/slash/?", "/slash?"))
        ident = fields.pop("MoveId")
        if fields["Set"] != "Kriegspiel":  # there a try that was refused is asked again in the same words
            idents[tuple(sorted(fields.items()))].add(ident)
    again = Counter(line for line in asked if "/slash" not in line)
    assert max(again.values()) > 1, "nothing was asked again"
    assert {key: lines for key, lines in queries.items() if len(lines) > 1} == {}
    assert {key: found for key, found in idents.items() if len(found) > 1} == {}


def no_taken_move_is_lost(visitors: list[Visitor], records: dict[str, Record]) -> None:
    for one in visitors:
        names = {name for name, _ in one.taken}
        # a record has each move in its one spelling; who typed it may have used small letters
        said = Counter((name, event.text.upper()) for name in names for event in records[name].events if event.kind is Kind.SAID)
        assert one.taken
        assert Counter((name, text.upper()) for name, text in one.taken) - said == Counter()


def every_scene_came_once(watchers: list[Watcher], records: dict[str, Record]) -> None:
    for one in watchers:
        numbers = [ident for ident, _ in one.heard]
        assert numbers == list(range(1, len(numbers) + 1)), one.name
        assert [scene["n"] for _, scene in one.heard] == numbers
    for one in watchers:
        assert one.heard[-1][1]["closed"]
        if not any(scene["asks"] for _, scene in one.heard):
            assert len(one.heard) == sum(1 for _ in scenes(tell(records[one.name]), "spectator"))


@pytest.mark.sqlite
def test_games_survive_a_server_that_is_killed(tmp_path: Path) -> None:
    asyncio.run(course(tmp_path, games=12, people=6, kills=2))


@pytest.mark.sqlite
@pytest.mark.campaign
def test_games_survive_a_database_that_is_restarted(tmp_path: Path, cluster: Cluster) -> None:
    """The site is killed, and PostgreSQL goes away below it: it comes back, and the games go on."""

    def restart() -> None:
        with cluster.away("immediate"):
            pass

    url = cluster.database()
    asyncio.run(course(tmp_path, games=6, people=3, kills=1, database=url, restart=restart))
    cluster.give_back(url)


@pytest.mark.sqlite
@pytest.mark.campaign
def test_many_games_survive_many_restarts_of_the_database(tmp_path: Path, cluster: Cluster) -> None:
    def restart() -> None:
        with cluster.away("immediate"):
            pass

    url = cluster.database()
    asyncio.run(course(tmp_path, games=60, people=10, kills=6, database=url, restart=restart))
    cluster.give_back(url)


@pytest.mark.sqlite
@pytest.mark.campaign
def test_many_games_survive_many_kills(tmp_path: Path) -> None:
    asyncio.run(course(tmp_path, games=180, people=20, kills=12))
