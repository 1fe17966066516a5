"""What one node sees to for all goes on at another when it is killed: competitions, showcase, registrar, log; nothing twice."""

import asyncio
import signal
import sys
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path

import pytest

from arbitre.client import Client
from arbitre.crypto.passwords import LIGHT
from arbitre.records.log.checkpoint import Checkpoint, read_checkpoint
from arbitre.records.log.entries import entries_of
from arbitre.records.log.rows import LogRows
from arbitre.records.place import Place
from arbitre.records.store import Store
from arbitre.site.accounts import Role
from arbitre.site.community import Community
from arbitre.site.database import Allowances as CommunityRules
from arbitre.tournament.fixtures import past
from tests.league.house import AGAIN, ANN, BOB, CONFIRMED, PENDING, black, send, white
from tests.postgresql import Cluster
from tests.records.log.naive import naive_root
from tests.tournoyons.test_player import ENGINES, started
from tests.web.test_nodes import Node, nodes, page, run, visitor
from tests.web.test_serve import free_port

GAMES = 10
"""Games of each pair of the competition."""


@pytest.mark.campaign
def test_roles_go_on_when_their_holder_is_killed(cluster: Cluster, tmp_path: Path) -> None:
    async def course() -> None:
        port = free_port()
        more = ("--registrar-port", str(port), "--house-games", "1", "--allow-private", "127.0.0.0/8")
        async with nodes(cluster, tmp_path, 2, more=more) as (place, (one, two)), AsyncExitStack() as stack:
            url = stack.enter_context(contextmanager(started)(sys.executable, "-S", str(ENGINES / "styles.py")))
            olga = stack.enter_context(Client(two.url, teacher(place)))
            cup = begun(olga, url)
            drawn = olga.draw_lots(["a", "b", "c"])["name"]
            room = olga.ask("POST", "/api/elections/rooms", {"title": "lost"})["code"]
            assert await send(port, ANN, white(BOB, 1)) == PENDING
            shown = [await checkpoint(two)]
            await shows_something(two)
            await decided(place, 5)
            await one.stop(signal.SIGKILL)  # it held every role: it came first
            while await send_or_wait(port, ANN, white(BOB, 1)) != AGAIN:
                await asyncio.sleep(0.1)
            assert await send(port, BOB, black(ANN, 1)) == CONFIRMED
            assert olga.election(drawn)["name"] == drawn  # the proof lay at the other node
            with pytest.raises(Exception, match="404"):  # a room ends with its node
                olga.ask("GET", f"/api/elections/rooms/{room}")
            await shows_something(two)
            assert [*olga.watch(cup)][-1]["stage"] == "over"
            shown.append(await checkpoint(two))
            assert await two.stop(signal.SIGTERM) == 0
            every_game_counts_once(place)
            the_log_is_one_tree(place, shown)

    run(course, 300)


def teacher(place: Place) -> str:
    """Make a teacher, and return her token."""
    with Community(place, CommunityRules(work=LIGHT)) as community:
        olga = community.accounts.create("olga", "a good long password", role=Role.TEACHER)
        return community.tokens.make(olga, "test", ["play", "read", "compete", "engines"], None).secret


def begun(olga: Client, url: str) -> int:
    """Begin a competition of three engines, all against all, and return its number."""
    engines = [olga.add_engine("tictactoe", f"cup-{number}", f"{url}/direct", direct=True)["id"] for number in range(3)]
    cup = int(olga.announce("cup", "tictactoe", format="round-robin", games=GAMES, each=3)["id"])
    for engine in engines:
        olga.enter(cup, engine)
    olga.steer(cup, "begin")
    return cup


async def decided(place: Place, count: int) -> None:
    """Wait until so many games of the competition are decided."""
    store = Store(place)
    query = "SELECT count(*) FROM matches WHERE tournament IS NOT NULL AND verdict IS NOT NULL"
    while store.rows(query)[0][0] < count:
        await asyncio.sleep(0.01)
    store.close()


async def send_or_wait(port: int, who: str, report: bytes) -> str:
    """Report a game, where somebody is there to hear it."""
    try:
        return await send(port, who, report)
    except OSError:
        return ""


async def checkpoint(node: Node) -> Checkpoint:
    """Return the head of the log as a node shows it."""
    async with visitor(node) as somebody:
        while (found := await page(somebody, f"{node.url}/log/checkpoint"))[0] != 200:
            await asyncio.sleep(0.1)
        return read_checkpoint(found[1].encode())


async def shows_something(node: Node) -> None:
    """Wait until a visitor finds a game of the house to watch."""
    async with visitor(node) as somebody:
        while '"/games/' not in (await page(somebody, f"{node.url}/watch"))[1]:
            await asyncio.sleep(0.1)


def every_game_counts_once(place: Place) -> None:
    store = Store(place)
    try:
        matches = [row for row in store.matches() if row.tournament is not None]
        fixtures = past(matches)
        assert len(fixtures) == len(matches) == 3 * GAMES  # none was begun anew
        assert all(one.result is not None and not one.abandoned for one in fixtures.values())
        assert all(row.seal is not None for row in matches)
    finally:
        store.close()


def the_log_is_one_tree(place: Place, shown: list[Checkpoint]) -> None:
    store = Store(place)
    try:
        (size,) = store.rows("SELECT count(*) FROM log_entries")[0]
        entries = LogRows(store.rows).entries(0, size)
        for one in shown:
            assert naive_root(entries[: one.size]) == one.root
        assert len(set(entries)) == len(entries)
        records = [store.record(row.name) for row in store.matches() if row.seal is not None]
        sealed = [entry.octets() for record in records for entry in entries_of(record)]
        assert sum(entries.count(one) for one in sealed) >= len(sealed) - 2  # what was sealed last may still wait to be entered
    finally:
        store.close()
