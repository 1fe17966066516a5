"""A PostgreSQL at its limits under real nodes: nothing that was answered 200 is lost, what is wrong is said, and it passes.

Its disk is a small file system that is full to the last octet; it is told to take no writes; others take all its connections.
"""

import asyncio
import os
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path

import psycopg
import pytest

from arbitre.games.wires import engine_wire
from arbitre.records.event import Kind
from arbitre.records.place import Place
from tests.postgresql import SERVANT, Cluster, running, why_not
from tests.web.clients import Visitor
from tests.web.test_full_disk import BANNER
from tests.web.test_nodes import REVERSI, Node, begun, moved_to, nodes, page, record_of, rejoined, run, visitor

MEASURED = ("--metrics-from", "127.0.0.0/8")


class Small(Cluster):
    """A PostgreSQL whose databases lie in a small room, and that takes few connections."""

    def __init__(self, programs: Path, folder: Path) -> None:
        super().__init__(programs, folder, max_connections="30")

    def in_room(self, room: Path) -> None:
        """Keep databases there from now on."""
        shutil.chown(room, SERVANT)
        self.execute(f"CREATE TABLESPACE room LOCATION '{room}'", self.url("postgres"))

    def empty(self) -> str:
        """Return the address of a new database in the room."""
        url = super().empty()
        name = url.partition("?")[0].rpartition("/")[2]
        self.execute(f"ALTER DATABASE {name} SET TABLESPACE room", self.url("postgres"))
        return url

    def order(self, statement: str) -> None:
        """Change a setting for everybody, at once."""
        self.execute(f"ALTER SYSTEM {statement}", self.url("postgres"))
        self.execute("SELECT pg_reload_conf()", self.url("postgres"))


@pytest.fixture(scope="module")
def room() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="arbitre-room-"))  # what pytest makes nobody else may enter
    mount = ["mount", "-t", "tmpfs", "-o", "size=64m,mode=755", "none", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False).returncode:
        folder.rmdir()
        pytest.skip("no file system can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)
        folder.rmdir()


@pytest.fixture(scope="module")
def small(room: Path) -> Iterator[Small]:
    if why := why_not():
        pytest.skip(why)
    with running(Small) as cluster:
        (room / "databases").mkdir()
        cluster.in_room(room / "databases")
        yield cluster


@contextmanager
def full(room: Path) -> Iterator[None]:
    """Fill the room to its last octet."""
    try:
        with (room / "junk").open("wb", buffering=0) as file:
            for size in (1 << 16, 1 << 12, 1):
                with suppress(OSError):
                    while file.write(b"x" * size):
                        pass
        yield
    finally:
        (room / "junk").unlink()


@contextmanager
def closed(small: Small) -> Iterator[None]:
    """Take no writes from anybody."""
    small.order("SET default_transaction_read_only = on")
    try:
        yield
    finally:
        with psycopg.connect(small.url("postgres"), autocommit=True) as line:
            line.execute("SET default_transaction_read_only = off")
            line.execute("ALTER SYSTEM RESET default_transaction_read_only")
            line.execute("SELECT pg_reload_conf()")


@asynccontextmanager
async def playing(small: Small, folder: Path) -> AsyncIterator[tuple[Place, Node, Visitor, str, str]]:
    """Open two nodes, and begin a game at the first."""
    async with nodes(small, folder, 2, more=MEASURED) as (place, (one, _)), visitor(one) as anna:
        yield place, one, anna, *await begun(anna)


async def once(anna: Visitor, address: str) -> int:
    """Say the first move, and return what is answered."""
    async with anna.session.get(address, params={"ReturnValue": engine_wire(REVERSI).write_value("d3")}) as response:
        return response.status


async def written(one: Node) -> None:
    """Let the house play, as many games as are called."""
    async with visitor(one) as somebody:
        while True:
            with suppress(AssertionError):
                await somebody.open("reversi", "house:1", "house:1")


async def what_is_wrong_is_said(one: Node, anna: Visitor, name: str) -> None:
    """Health, balancers, instruments and pages tell; what is there can be read."""
    while (told := await page(anna, f"{one.url}/health"))[0] == 200:
        await asyncio.sleep(0.05)
    assert "the database takes no writes" in told[1]
    assert (await page(anna, f"{one.url}/ready"))[0] == 503
    assert "\narbitre_store_waits 1\n" in (await page(anna, f"{one.url}/metrics"))[1]
    status, text = await page(anna, f"{one.url}/games/{name}")
    assert (status, BANNER in text) == (200, True)


@pytest.mark.campaign
@pytest.mark.parametrize("limit", ["full", "closed"])
def test_a_database_that_takes_no_writes_is_waited_for(small: Small, room: Path, tmp_path: Path, limit: str) -> None:
    async def course() -> None:
        async with playing(small, tmp_path) as (place, one, anna, name, address):
            with full(room) if limit == "full" else closed(small):
                writing = asyncio.create_task(written(one))  # until no page has room for one more row
                await what_is_wrong_is_said(one, anna, name)
                writing.cancel()
                assert await once(anna, address) == 503
                assert await once(anna, address) == 503
            assert await anna.answer(REVERSI, name, moved_to(address, one), "d3") == 200
            assert [text for kind, text in record_of(place, name) if kind is Kind.SAID].count("D3") == 1
            while (await page(anna, f"{one.url}/health"))[0] != 200:
                await asyncio.sleep(0.05)
            await rejoined(place, [1, 1])  # nobody had to let go of anything

    run(course, 300)


@pytest.mark.campaign
def test_a_database_without_a_connection_to_spare_takes_no_node_away(small: Small, tmp_path: Path) -> None:
    """Who has one goes on; a page that wants one more than there is waits, and says so."""

    async def course() -> None:
        async with playing(small, tmp_path) as (place, one, anna, name, address):
            with ExitStack() as stack:
                with suppress(psycopg.OperationalError):
                    while True:
                        stack.enter_context(psycopg.connect(small.url("postgres")))
                found = await asyncio.gather(*(page(anna, f"{one.url}/games/{name}") for _ in range(40)))
                assert {status for status, _ in found} <= {200, 503}
                assert await once(anna, address) == 200
                assert (await page(anna, f"{one.url}/health"))[0] == 200
            assert (await page(anna, f"{one.url}/games/{name}"))[0] == 200
            assert (await page(anna, f"{one.url}/health"))[0] == 200
            await rejoined(place, [1, 1])
            assert [text for kind, text in record_of(place, name) if kind is Kind.SAID].count("D3") == 1

    run(course, 300)
