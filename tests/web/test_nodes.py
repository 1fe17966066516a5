"""Several nodes on one PostgreSQL, as processes: whatever becomes of one of them, the others go on with its games."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from yarl import URL

from arbitre.client import Client
from arbitre.crypto.passwords import LIGHT
from arbitre.errors import SiteError
from arbitre.games.catalogue import game as find_game
from arbitre.games.notation import notation_of
from arbitre.games.wires import engine_wire
from arbitre.records.event import Kind
from arbitre.records.nodes import LIFE_SECONDS, NodeRole
from arbitre.records.place import Place
from arbitre.records.store import Store
from arbitre.referee.verify import Proof, verify
from arbitre.site.accounts import Role
from arbitre.site.arena.arena import MOST_EACH
from arbitre.site.community import Community
from arbitre.site.database import Allowances as CommunityRules
from arbitre.web.visit import SESSION_COOKIE
from tests.postgresql import Cluster
from tests.records.test_postgresql import Relay, relay
from tests.web.clients import Server, Visitor, Watcher, return_address
from tests.web.site import TOKEN
from tests.web.test_dial_killed import THINKING, asked

__all__ = ["relay"]

REVERSI = find_game("reversi")


class Node(Server):
    """A node that is reached at its own address, and by engines and pages at that of the site."""

    def __init__(self, place: Place, public: str = "", *more: str, host: str = "127.0.0.1") -> None:
        super().__init__(place, host)
        self.more = ("--public-url", public or self.url, "--drain", "3", *more)


@asynccontextmanager
async def nodes(
    cluster: Cluster,
    folder: Path,
    count: int,
    relay: Relay | None = None,
    clocks: Sequence[int] = (),
    *,
    unreached: bool = False,
    more: tuple[str, ...] = (),
) -> AsyncIterator[tuple[Place, list[Node]]]:
    """Open so many nodes of one site, the first behind a relay; whoever still runs is killed in the end."""
    url = cluster.database()
    place = Place(folder / "data", url)
    first = Node(place if relay is None else Place(place.folder, url.partition("?")[0] + f"?host={relay.folder}"))
    made = [first, *(Node(place, first.url) for _ in range(count - 1))]
    for one in made:
        one.more += more
    if unreached:
        first.more += ("--node-url", "http://127.0.0.1:1")
    for one, seconds in zip(made, clocks, strict=False):
        one.env = {"LD_PRELOAD": str(shifting(folder)), "SHIFTED_SECONDS": str(seconds)}
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


SHIFTED = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *at) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int found = real(clock, at);
    const char *shift = getenv("SHIFTED_SECONDS");
    if (clock == CLOCK_REALTIME && shift) at->tv_sec += atol(shift);
    return found;
}
time_t time(time_t *at) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}
int gettimeofday(struct timeval *at, void *zone) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    at->tv_sec = now.tv_sec, at->tv_usec = now.tv_nsec / 1000;
    return 0;
}
"""
"""Reads the time for a whole process, and shifts it."""


def shifting(folder: Path) -> Path:
    """Return a library that makes a process believe in another hour."""
    made = folder / "shifted.so"
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler, which makes the library that shifts a clock")
    if not made.exists():
        (folder / "shifted.c").write_text(SHIFTED)
        subprocess.run([compiler, "-shared", "-fPIC", "-o", made, folder / "shifted.c", "-ldl"], check=True)
    return made


def run(course: Callable[[], Awaitable[None]], seconds: float = 120) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(seconds):
            await course()

    asyncio.run(bounded())


async def alive(node: Node) -> dict[str, object]:
    async with aiohttp.ClientSession() as session, session.get(f"{node.url}/health") as response:
        return dict(await response.json())


@pytest.mark.campaign
def test_a_game_goes_on_at_another_node_when_its_own_is_killed(cluster: Cluster, tmp_path: Path) -> None:
    """Any node takes the move; a node that is killed is taken over from, and the page that was open still answers."""

    async def course() -> None:
        async with nodes(cluster, tmp_path, 2) as (place, (one, two)), AsyncExitStack() as stack:
            anna = await stack.enter_async_context(visitor(one))
            name, address = await begun(anna)
            watcher = Watcher(anna.session, two.url, name)
            watching = asyncio.create_task(watcher.watch())
            ben = await stack.enter_async_context(visitor(two))
            spectator = Watcher(ben.session, two.url, name)
            looking = asyncio.create_task(spectator.watch())
            assert await anna.answer(REVERSI, name, moved_to(address, two), "d3") == 200  # it is passed on
            while len(watcher.heard) < 3 or not watcher.heard[-1][1]["asks"]:
                await asyncio.sleep(0.01)
            address = return_address(watcher.heard[-1][1])
            await one.stop(signal.SIGKILL)
            anna.server = two
            assert await anna.answer(REVERSI, name, moved_to(address, two), first_move(watcher)) == 200
            while sum(line["kind"] == "said" for _, scene in spectator.heard for line in scene["lines"]) < 3:
                await asyncio.sleep(0.01)  # who only watches sees it go on, by the same line
            for who, task in ((watcher, watching), (spectator, looking)):
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
                numbers = [ident for ident, _ in who.heard]
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
            await rejoined(place, [1, 2])
            again, _ = await begun(anna)  # at the node that came back
            assert (await alive(one))["live"] == 1
            assert again != name

    run(course)


@pytest.mark.campaign
def test_a_node_that_is_cut_off_from_the_database_is_fenced(cluster: Cluster, tmp_path: Path, relay: Relay) -> None:
    """It is taken over from while it reaches nobody; when the cable is whole again it keeps nothing, and joins anew."""

    async def course() -> None:
        async with nodes(cluster, tmp_path, 2, relay) as (place, (one, two)), AsyncExitStack() as stack:
            anna = await stack.enter_async_context(visitor(one))
            name, address = await begun(anna)
            relay.silent = True
            assert await anna.answer(REVERSI, name, moved_to(address, two), "d3") == 200
            late = asyncio.create_task(statuses(anna, moved_to(address, one), "c4"))
            while (await alive(two))["live"] != 1:
                await asyncio.sleep(0.05)
            relay.heal()
            assert (await late)[-1] != 200  # the question was answered, and otherwise
            await rejoined(place, [1, 2])
            assert next(text for kind, text in record_of(place, name) if kind is Kind.SAID) == "D3"

    run(course)


@pytest.mark.campaign
def test_a_restart_of_the_database_takes_no_game_away(cluster: Cluster, tmp_path: Path) -> None:
    """Who was away himself buries nobody: every node goes on with its own, and what was told is there."""

    async def course() -> None:
        async with nodes(cluster, tmp_path, 2) as (place, (one, two)), AsyncExitStack() as stack:
            anna = await stack.enter_async_context(visitor(one))
            ben = await stack.enter_async_context(visitor(two))
            games = [(player, *await begun(player)) for player in (anna, ben)]
            with cluster.away("immediate"):
                await asyncio.sleep(LIFE_SECONDS + 1)  # longer than anybody's time to live
            for player, name, address in games:
                assert await player.answer(REVERSI, name, moved_to(address, one), "d3") == 200
                assert next(text for kind, text in record_of(place, name) if kind is Kind.SAID) == "D3"
            await rejoined(place, [1, 1])

    run(course)


@pytest.mark.campaign
def test_nodes_that_do_not_reach_each_other_go_on_with_their_own(cluster: Cluster, tmp_path: Path) -> None:
    async def course() -> None:
        async with nodes(cluster, tmp_path, 2, unreached=True) as (place, (one, two)), AsyncExitStack() as stack:
            anna = await stack.enter_async_context(visitor(one))
            name, address = await begun(anna)
            said = {"ReturnValue": engine_wire(REVERSI).write_value("d3")}
            async with anna.session.get(moved_to(address, two), params=said) as response:
                assert (response.status, response.headers["Retry-After"]) == (503, "1")
            assert await anna.answer(REVERSI, name, moved_to(address, one), "d3") == 200
            await rejoined(place, [1, 1])

    run(course)


@pytest.mark.campaign
def test_clocks_that_are_hours_apart_change_nothing(cluster: Cluster, tmp_path: Path) -> None:
    async def course() -> None:
        async with nodes(cluster, tmp_path, 2, clocks=(3_600, -3_600)) as (place, (one, two)), AsyncExitStack() as stack:
            anna = await stack.enter_async_context(visitor(one))
            name, address = await begun(anna)
            await asyncio.sleep(2 * LIFE_SECONDS)  # nobody buries anybody meanwhile
            await rejoined(place, [1, 1])
            assert await anna.answer(REVERSI, name, moved_to(address, two), "d3") == 200
            await one.stop(signal.SIGKILL)
            while (await alive(two))["live"] != 1:
                await asyncio.sleep(0.05)
            assert (await statuses(anna, moved_to(address, two), "c4"))[-1] == 410  # it was answered, and that is known here
            kinds = [kind for kind, _ in record_of(place, name)]
            assert kinds.count(Kind.RESUMED) == 1

    run(course)


@pytest.mark.campaign
def test_an_engine_that_dials_one_node_plays_at_another(cluster: Cluster, tmp_path: Path) -> None:
    """It listens at one; the match is called at the other, which is killed amid it: each question is asked once."""

    async def course() -> None:
        async with nodes(cluster, tmp_path, 2) as (place, (one, two)):
            with Community(place, CommunityRules(work=LIGHT)) as community:
                owner = community.accounts.create("owner", "a good long password")
                engine = community.engines.add(owner, game="reversi", name="Thinking", url="dial:")
                token = community.tokens.make(owner, "test", ["play", "read"], None).secret
                (tmp_path / "engine.token").write_text(community.engines.mint(owner, engine.id))
            (tmp_path / "thinking.py").write_text(THINKING)
            command = ["-m", "arbitre", "bot", "join", two.url, f"cmd:{sys.executable} thinking.py", "--token", "engine.token"]
            join = await asyncio.create_subprocess_exec(
                sys.executable, *command, "--games", "1", cwd=tmp_path, stdout=asyncio.subprocess.PIPE
            )
            try:
                with Client(one.url, token) as client:
                    while not next(client.engines(game="reversi"))["present"]:
                        await asyncio.sleep(0.05)
                    client.call("reversi", f"engine:{engine.id}", "house:1", clock="30s/move")
                await asked(tmp_path / "asked.log", 6)
                await one.stop(signal.SIGKILL)
                told = (await join.communicate())[0].decode()
            finally:
                if join.returncode is None:
                    join.kill()
                    await join.wait()
            assert (join.returncode, told.count(" over: ")) == (0, 1), told
            log = (tmp_path / "asked.log").read_text().splitlines()
            assert len(log) == len(set(log))

    run(course)


def test_who_only_watches_does_so_at_any_node(cluster: Cluster, tmp_path: Path) -> None:
    """Page, stream, API and home show what another node plays, though that one is reached by nobody: it is read from the log."""

    async def course() -> None:
        async with nodes(cluster, tmp_path, 2, unreached=True) as (_, (one, two)), AsyncExitStack() as stack:
            anna, ben = [await stack.enter_async_context(visitor(at)) for at in (one, two)]
            name, address = await begun(anna)
            assert (await page(ben, f"{two.url}/games/{name}"))[0] == 200
            watcher = Watcher(ben.session, two.url, name)
            watching = asyncio.create_task(watcher.watch())
            assert await anna.answer(REVERSI, name, moved_to(address, one), "d3") == 200
            while len(watcher.heard) < 3:
                await asyncio.sleep(0.01)
            scene = watcher.heard[-1][1]
            assert "URLReturn" not in scene["query"]  # he is asked nothing
            assert scene["left"] is not None
            assert 0 <= scene["since"] < 120_000
            form = json.loads((await page(ben, f"{two.url}/api/matches/{name}"))[1])
            assert (form["state"], form["committed"]["match"], form["seats"]) == ("playing", name, [])
            listed = json.loads((await page(ben, f"{two.url}/api/matches?state=playing"))[1])
            assert [found["committed"]["match"] for found in listed["items"]] == [name]
            while f"/games/{name}" not in (await page(ben, two.url))[1]:  # the home page: within a beat of the other
                await asyncio.sleep(0.05)
            assert (await page(anna, f"{two.url}/games/{name}"))[0] == 503  # who plays is led to where it is played
            assert f"/games/{name}" in (await page(anna, f"{two.url}/watch"))[1]  # and finds it everywhere
            async with anna.session.post(f"{one.url}/games/{name}/resign", data={"form_token": anna.token}) as response:
                assert response.status == 200
            await watching
            assert watcher.heard[-1][1]["closed"]

    run(course, 300)


def test_limits_and_keys_are_those_of_one_site(cluster: Cluster, tmp_path: Path) -> None:
    """What is asked twice under one key, at two nodes at once, is done once; nobody may do more by going to both.

    The operator sees both of them at either, and drains one there.
    """

    async def course() -> None:
        async with nodes(cluster, tmp_path, 2) as (place, (one, two)), AsyncExitStack() as stack:
            with Community(place, CommunityRules(work=LIGHT)) as community:
                anna = community.accounts.create("anna", "a good long password")
                token = community.tokens.make(anna, "test", ["play", "read"], None).secret
                operator = community.accounts.create("olga", "a good long password", role=Role.OPERATOR)
                mighty = community.tokens.make(operator, "test", ["operate", "read"], None).secret
                session = community.sessions.start(operator, "test").token
            clients = [stack.enter_context(Client(at.url, token)) for at in (one, two)]
            with ThreadPoolExecutor(2) as both:
                twice = list(both.map(lambda client: called(client, "the same"), clients * 2))
            assert len(set(twice)) == 1
            assert called(clients[1], "the same") == twice[0]
            names = [called(clients[number % 2], f"number {number}") for number in range(MOST_EACH - 1)]
            assert len({*names, twice[0]}) == MOST_EACH
            for client in clients:
                with pytest.raises(SiteError, match="409"):
                    called(client, "one more")
            assert {one["name"] for one in clients[0].matches(mine=True)} == {*names, twice[0]}
            browser = await stack.enter_async_context(visitor(two))
            browser.session.cookie_jar.update_cookies({SESSION_COOKIE: session}, URL(two.url))
            await seen_and_drained(one, two, [stack.enter_context(Client(at.url, mighty)) for at in (one, two)], browser)

    run(course, 300)


def called(client: Client, key: str) -> str:
    """Call a match that waits for a friend, under a key."""
    wish = {"game": "tictactoe", "seats": [{"who": "me"}, {"who": "friend"}]}
    return str(client.ask("POST", "/api/matches", wish, {"Idempotency-Key": key})["name"])


async def seen_and_drained(one: Node, two: Node, clients: Sequence[Client], browser: Visitor) -> None:
    """Look at both nodes from each, by the API and on the page of operators, and drain the first at the second."""
    told = [client.ask("GET", "/api/operator/nodes")["nodes"] for client in clients]
    for found in told:
        assert [node["alive"] for node in found] == [True, True]
        assert {node["address"] for node in found} == {one.url, two.url}
        assert sum(node["matches"] for node in found) == MOST_EACH
        assert sorted(role for node in found for role in node["roles"]) == sorted(NodeRole)
    left = next(node["name"] for node in told[0] if node["address"] == one.url)
    for node in (one, two):
        shown = (await page(browser, f"{node.url}/operator/house"))[1]
        assert all(f"<small>{at.url}</small>" in shown for at in (one, two))
        assert shown.count('action="/operator/nodes/drain"') == 2
    fields = {"form_token": found_token(shown), "node": left}
    async with browser.session.post(f"{two.url}/operator/nodes/drain", data=fields) as response:
        assert response.status == 200
    with pytest.raises(SiteError, match="404"):
        clients[1].ask("POST", "/api/operator/nodes/nobody/drain", {})
    assert await one.ended() == 0
    there, gone = clients[1].ask("GET", "/api/operator/nodes")["nodes"]
    assert (there["matches"], sorted(there["roles"]), gone["alive"]) == (MOST_EACH, sorted(NodeRole), False)


def found_token(text: str) -> str:
    """Return the token of the forms of a page."""
    found = TOKEN.search(text)
    assert found is not None
    return found[1]


async def page(somebody: Visitor, address: str) -> tuple[int, str]:
    async with somebody.session.get(address) as response:
        return response.status, await response.text()


async def rejoined(place: Place, incarnations: list[int]) -> None:
    """Wait until so many nodes live, each in the incarnation that it should have."""
    store = Store(place)
    while True:
        found = store.rows("SELECT incarnation FROM nodes WHERE alive ORDER BY incarnation")
        if [number for (number,) in found] == incarnations:
            break
        assert all(number <= max(incarnations) for (number,) in found), found
        await asyncio.sleep(0.05)
    store.close()


def test_a_node_that_leaves_hands_its_games_over(cluster: Cluster, tmp_path: Path) -> None:
    """A rolling restart under load: no move is lost, and nobody meets anything but 503 with Retry-After."""

    async def course() -> None:
        async with nodes(cluster, tmp_path, 2) as (place, (one, two)), AsyncExitStack() as stack:
            anna = await stack.enter_async_context(visitor(one))
            name, address = await begun(anna)
            place_of = ["--data", str(place.folder), "--database", place.database]
            listed = json.loads((await told("nodes", "--json", *place_of)).splitlines()[0])
            assert (listed["alive"], listed["leaving"]) == (True, False)
            name_of = (await alive(one))["node"]
            await told("drain", str(name_of), *place_of)
            leaving = asyncio.create_task(one.ended())
            while not (await ready(one))[0]:
                await asyncio.sleep(0.01)
            answered = await statuses(anna, moved_to(address, one), "d3")
            assert answered[-1] == 200
            assert set(answered[:-1]) <= {503}
            assert await leaving == 0
            said = [text for kind, text in record_of(place, name) if kind is Kind.SAID]
            assert said.count("D3") == 1
            heir = json.loads((await told("nodes", "--json", *place_of)).splitlines()[0])
            assert (heir["matches"], sorted(heir["roles"])) == (1, sorted(NodeRole))
            async with anna.session.get(f"{two.url}/compete") as response:  # what it sees to for all is open here now
                assert response.status == 200
            await one.start()  # and back again: what goes on elsewhere is seen here too
            assert (await alive(one))["live"] == 0
            async with anna.session.get(f"{one.url}/games/{name}") as response:
                assert response.status == 200

    run(course)


async def told(*words: str) -> str:
    """Return what a command of the operator says."""
    command = [sys.executable, "-m", "arbitre", "operator", *words]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    said, _ = await process.communicate()
    assert process.returncode == 0
    return said.decode()


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
