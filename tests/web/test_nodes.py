"""Several nodes on one PostgreSQL, as processes: whatever becomes of one of them, the others go on with its games."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from pathlib import Path

import aiohttp

from arbitre.games.catalogue import game as find_game
from arbitre.games.notation import notation_of
from arbitre.games.wires import engine_wire
from arbitre.records.event import Kind
from arbitre.records.place import Place
from arbitre.records.store import Store
from arbitre.referee.verify import Proof, verify
from tests.postgresql import Cluster
from tests.web.clients import Server, Visitor, Watcher, return_address

REVERSI = find_game("reversi")


class Node(Server):
    """A node that is reached at its own address, and by engines and pages at that of the site."""

    def __init__(self, place: Place, public: str = "", *more: str) -> None:
        super().__init__(place)
        self.more = ("--public-url", public or self.url, "--drain", "3", *more)


@asynccontextmanager
async def nodes(cluster: Cluster, folder: Path, count: int) -> AsyncIterator[tuple[Place, list[Node]]]:
    """Open so many nodes of one site; whoever still runs is killed in the end."""
    url = cluster.database()
    place = Place(folder / "data", url)
    first = Node(place)
    made = [first, *(Node(place, first.url) for _ in range(count - 1))]
    try:
        for one in made:
            await one.start()
        yield place, made
    finally:
        for one in made:
            if one.runs:
                os.kill(one.pid, signal.SIGCONT)
                await one.stop(signal.SIGKILL)
        cluster.give_back(url)


@asynccontextmanager
async def visitor(at: Node) -> AsyncIterator[Visitor]:
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(cookie_jar=jar, connector=aiohttp.TCPConnector(limit=0)) as session:
        yield Visitor(at, session)


async def begun(anna: Visitor) -> tuple[str, str]:
    """Begin a game, and return its name and the address at which the first question is answered."""
    name = await anna.open("reversi", "me", "house:1", clock="1h")
    async with aclosing(Watcher(anna.session, anna.server.url, name).scenes()) as scenes:
        async for scene in scenes:
            if scene["asks"]:
                return name, return_address(scene)
    raise AssertionError("never asked")


def moved_to(address: str, node: Node) -> str:
    """Return the same address at another node, as a balancer would lead there."""
    return node.url + address[address.index("/return/") :]


def record_of(place: Place, name: str) -> list[tuple[Kind, str]]:
    store = Store(place)
    try:
        found = store.record(name)
        if found.seal is not None:
            assert verify(found.text().encode(), given=store.key().fingerprint).standing is Proof.VERIFIED
        return [(event.kind, event.text) for event in found.events]
    finally:
        store.close()


def run(course: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(120):
            await course()

    asyncio.run(bounded())


async def alive(node: Node) -> dict[str, object]:
    async with aiohttp.ClientSession() as session, session.get(f"{node.url}/health") as response:
        return dict(await response.json())


def test_a_game_goes_on_at_another_node_when_its_own_is_killed(cluster: Cluster, tmp_path: Path) -> None:
    """Any node takes the move; a node that is killed is taken over from, and the page that was open still answers."""

    async def course() -> None:
        async with nodes(cluster, tmp_path, 2) as (place, (one, two)), AsyncExitStack() as stack:
            anna = await stack.enter_async_context(visitor(one))
            name, address = await begun(anna)
            watcher = Watcher(anna.session, two.url, name)
            watching = asyncio.create_task(watcher.watch())
            assert await anna.answer(REVERSI, name, moved_to(address, two), "d3") == 200  # it is passed on
            while len(watcher.heard) < 3 or not watcher.heard[-1][1]["asks"]:
                await asyncio.sleep(0.01)
            address = return_address(watcher.heard[-1][1])
            await one.stop(signal.SIGKILL)
            anna.server = two
            assert await anna.answer(REVERSI, name, moved_to(address, two), first_move(watcher)) == 200
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
            numbers = [ident for ident, _ in watcher.heard]
            assert numbers == list(range(1, len(numbers) + 1))
            kinds = [kind for kind, _ in record_of(place, name)]
            assert kinds.count(Kind.RESUMED) == 1
            assert await two.stop(signal.SIGTERM) == 0

    run(course)


def first_move(watcher: Watcher) -> str:
    """Return some legal move of who is asked."""
    state = REVERSI.start()
    notation = notation_of(REVERSI)
    for _, scene in watcher.heard:
        for line in scene["lines"]:
            if line["kind"] == "said":
                state = REVERSI.play(state, {line["seat"]: notation.read(line["text"], state)})
    return str(notation.write(next(iter(REVERSI.legal(REVERSI.view(state, "referee"))))))


def test_a_node_that_slept_is_fenced_and_comes_back_as_another(cluster: Cluster, tmp_path: Path) -> None:
    """Stopped for longer than its time to live it is taken over from; when it goes on it keeps nothing, and joins anew."""

    async def course() -> None:
        async with nodes(cluster, tmp_path, 2) as (place, (one, two)), AsyncExitStack() as stack:
            anna = await stack.enter_async_context(visitor(one))
            name, address = await begun(anna)
            os.kill(one.pid, signal.SIGSTOP)
            assert await anna.answer(REVERSI, name, moved_to(address, two), "d3") == 200
            os.kill(one.pid, signal.SIGCONT)
            # the same question at the old node: it was answered elsewhere, and the same answer is no error
            assert await anna.answer(REVERSI, name, moved_to(address, one), "d3") == 200
            said = [text for kind, text in record_of(place, name) if kind is Kind.SAID]
            assert said.count("D3") == 1
            store = Store(place)
            while len({row[0] for row in store.rows("SELECT id FROM nodes WHERE alive")}) < 2:
                await asyncio.sleep(0.05)
            assert sorted(row[0] for row in store.rows("SELECT incarnation FROM nodes")) == [1, 2]
            store.close()
            again, _ = await begun(anna)  # at the node that came back
            assert (await alive(one))["live"] == 1
            assert again != name

    run(course)


def test_a_node_that_leaves_hands_its_games_over(cluster: Cluster, tmp_path: Path) -> None:
    """A rolling restart under load: no move is lost, and nobody meets anything but 503 with Retry-After."""

    async def course() -> None:
        async with nodes(cluster, tmp_path, 2) as (place, (one, _)), AsyncExitStack() as stack:
            anna = await stack.enter_async_context(visitor(one))
            name, address = await begun(anna)
            leaving = asyncio.create_task(one.stop(signal.SIGTERM))
            while not (await ready(one))[0]:
                await asyncio.sleep(0.01)
            answered = await statuses(anna, moved_to(address, one), "d3")
            assert answered[-1] == 200
            assert set(answered[:-1]) <= {503}
            assert await leaving == 0
            said = [text for kind, text in record_of(place, name) if kind is Kind.SAID]
            assert said.count("D3") == 1
            await one.start()  # and back again: what goes on elsewhere is seen here too
            assert (await alive(one))["live"] == 0
            async with anna.session.get(f"{one.url}/games/{name}") as response:
                assert response.status == 200

    run(course)


async def ready(node: Node) -> tuple[bool, int]:
    """Tell whether a node says that it is about to leave."""
    async with aiohttp.ClientSession() as session, session.get(f"{node.url}/ready") as response:
        return response.status == 503, response.status


async def statuses(anna: Visitor, address: str, move: str) -> list[int]:
    """Send a move until it is taken, and return what was answered; a connection that breaks is an error."""
    found: list[int] = []
    while not found or found[-1] == 503:
        async with anna.session.get(address, params={"ReturnValue": engine_wire(REVERSI).write_value(move)}) as response:
            found.append(response.status)
            assert response.status != 503 or response.headers["Retry-After"] == "1"
        await asyncio.sleep(0.02)
    return found
