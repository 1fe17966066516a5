"""Nodes on machines of their own, whose cables are cut: nobody is hung up on, and whoever waits hears nothing.

PostgreSQL, two nodes and the visitor each have a network namespace (`tests.namespaces`). Commits are held up by PostgreSQL
itself, so a cable is cut exactly amid one.
"""

import asyncio
import signal
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path

import psycopg
import pytest

from arbitre.games.wires import engine_wire
from arbitre.records.event import Event, Kind
from arbitre.records.place import Place
from arbitre.records.store import Store
from arbitre.referee.verify import Proof, verify
from arbitre.values import value
from tests import namespaces, postgresql
from tests.namespaces import Distant, Machine, Network, network
from tests.postgresql import running
from tests.web.clients import Visitor
from tests.web.test_nodes import REVERSI, Node, alive, begun, moved_to, page, rejoined, run, statuses, visitor

HOUR = "3600000"
"""What who has thought of nothing yet has left, in milliseconds."""


@value
class Town:
    """A PostgreSQL and those who want to reach it, each on a machine of its own."""

    network: Network
    cluster: Distant
    one: Machine
    two: Machine
    people: Machine

    @property
    def database(self) -> Machine:
        """Where PostgreSQL is."""
        return self.cluster.machine

    def course(self, course: Callable[[], Awaitable[None]], seconds: float = 120) -> None:
        """Run a test where people are."""
        with self.people.inside():
            run(course, seconds)


@pytest.fixture(scope="module")
def town() -> Iterator[Town]:
    if why := postgresql.why_not() or namespaces.why_not():
        pytest.skip(why)
    with network(4) as made:
        database, *others = made.machines
        with running(lambda programs, folder: Distant(programs, folder, database)) as cluster:
            yield Town(made, cluster, *others)


class Remote(Node):
    """A node on a machine of its own."""

    def __init__(self, place: Place, machine: Machine, public: str = "") -> None:
        super().__init__(place, public, host=machine.address)
        self.machine = machine

    def spawn(self) -> "subprocess.Popen[str]":
        """Start the process there."""
        with self.machine.inside():
            return super().spawn()


@asynccontextmanager
async def apart(town: Town, folder: Path) -> AsyncIterator[tuple[Place, Remote, Remote]]:
    """Open two nodes; the place is as this machine sees it, whatever is cut."""
    url = town.cluster.database()
    place = Place(folder / "data", town.cluster.far(url))
    one = Remote(place, town.one)
    two = Remote(place, town.two, one.url)
    try:
        for node in (one, two):
            await node.start()
        yield Place(place.folder, url), one, two
    finally:
        town.network.heal()
        for node in (one, two):
            if node.runs:
                await node.stop(signal.SIGKILL)
        town.cluster.give_back(url)


HOLD = """
CREATE FUNCTION held() RETURNS trigger LANGUAGE plpgsql AS
'BEGIN PERFORM pg_advisory_xact_lock_shared(42); RETURN NULL; END';
CREATE CONSTRAINT TRIGGER held AFTER INSERT ON transitions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION held()
"""
LET_GO = "DROP TRIGGER held ON transitions; DROP FUNCTION held()"
AMID = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query = 'COMMIT'"
    " AND (wait_event_type, wait_event) = ('Lock', 'advisory')"
)


class Held:
    """Holds up every commit of a move, at its very end."""

    def __init__(self, line: "psycopg.Connection[tuple[object, ...]]") -> None:
        self._line = line

    async def amid(self) -> None:
        """Wait until somebody is amid one."""
        while self._line.execute(AMID).fetchone() != (1,):
            await asyncio.sleep(0.02)

    def go_on(self) -> None:
        """Let everything be committed."""
        self._line.execute("SELECT pg_advisory_unlock_all()")


@contextmanager
def held(place: Place) -> Iterator[Held]:
    with psycopg.connect(place.database, autocommit=True) as line:
        line.execute(HOLD)
        line.execute("SELECT pg_advisory_lock(42)")
        try:
            yield Held(line)
        finally:
            line.execute("SELECT pg_advisory_unlock_all()")
            line.execute(LET_GO)


def events_of(place: Place, name: str) -> tuple[Event, ...]:
    """Return what is recorded of a match."""
    store = Store(place)
    try:
        found = store.record(name)
        if found.seal is not None:
            assert verify(found.text().encode(), given=store.key().fingerprint).standing is Proof.VERIFIED
        return found.events
    finally:
        store.close()


def said_once(place: Place, name: str, text: str = "D3", *, resumed: int) -> None:
    """The first move stands there once; who was to say it was asked anew so often, and charged nothing for the time between."""
    events = events_of(place, name)
    first = next(number for number, event in enumerate(events) if event.kind is Kind.SAID)
    assert events[first].text == text
    assert [event.text for event in events if event.kind is Kind.SAID].count(text) == 1
    before = events[:first]
    assert [event.kind for event in before].count(Kind.RESUMED) == resumed
    assert [event.text for event in before if event.kind is Kind.ASKED] == [HOUR] * (resumed + 1)


async def once(anna: Visitor, address: str) -> int:
    """Say a move, and return what is answered."""
    async with anna.session.get(address, params={"ReturnValue": engine_wire(REVERSI).write_value("d3")}) as response:
        assert response.status != 503 or response.headers["Retry-After"] == "1"
        return response.status


async def buried(place: Place, node: Node) -> None:
    """Wait until another has taken over from a node."""
    store = Store(place)
    while store.rows("SELECT alive FROM nodes WHERE address = ?", (node.url,)) == [(True,)]:
        await asyncio.sleep(0.02)
    store.close()


@pytest.mark.campaign
@pytest.mark.parametrize("how", ["from the database", "from everybody"])
def test_a_node_that_is_cut_off_is_taken_over_from(town: Town, tmp_path: Path, how: str) -> None:
    """The other goes on under the same names; the old one keeps nothing more, says so at once, and joins anew."""

    async def course() -> None:
        async with apart(town, tmp_path) as (place, one, two), AsyncExitStack() as stack:
            anna = await stack.enter_async_context(visitor(one))
            name, address = await begun(anna)
            if how == "from the database":
                town.network.cut(town.one, town.database)
            else:
                town.network.plug(town.one, into=False)
                stack.callback(town.network.plug, town.one, into=True)
            assert await anna.answer(REVERSI, name, moved_to(address, two), "d3") == 200
            said_once(place, name, resumed=1)
            if how == "from the database":
                late = asyncio.create_task(statuses(anna, moved_to(address, one), "c4"))
                for _ in range(20):  # each would wait for half a minute, if it waited
                    assert (await page(anna, f"{one.url}/games/{name}"))[0] == 503
                while (await alive(two))["live"] != 1:
                    await asyncio.sleep(0.05)
                town.network.heal()
                assert (await late)[-1] == 410  # the question was answered, and otherwise
            else:
                town.network.plug(town.one, into=True)
            await rejoined(place, [1, 2])
            assert (await statuses(anna, moved_to(address, one), "d3"))[-1] == 200  # the same answer is no error
            said_once(place, name, resumed=1)

    town.course(course)


@pytest.mark.campaign
@pytest.mark.parametrize("becomes", ["kept", "undone", "kept, and the cable is whole again"])
def test_a_node_that_is_cut_off_amid_a_commit(town: Town, tmp_path: Path, becomes: str) -> None:
    """Whatever becomes of what it was committing: the move is there once, by the name of its question; nobody is charged."""

    async def course() -> None:
        async with apart(town, tmp_path) as (place, one, two), AsyncExitStack() as stack:
            anna = await stack.enter_async_context(visitor(one))
            name, address = await begun(anna)
            commit = stack.enter_context(held(place))
            told = asyncio.create_task(statuses(anna, address, "d3"))
            await commit.amid()
            town.network.cut(town.one, town.database)
            if becomes == "undone":
                await buried(place, one)
                commit.go_on()
            elif becomes == "kept":
                commit.go_on()
                await buried(place, one)
            else:
                commit.go_on()
                town.network.heal()
            assert (await statuses(anna, moved_to(address, two), "d3"))[-1] == 200
            town.network.heal()
            assert (await told)[-1] == 200
            said_once(place, name, resumed=1 if becomes == "undone" else 0)

    town.course(course)


@pytest.mark.campaign
def test_nodes_that_are_cut_off_from_each_other_go_on_with_their_own(town: Town, tmp_path: Path) -> None:
    """What would be passed on is answered 503, and later as before; so is what was being passed on when the cable was cut."""

    async def course() -> None:
        async with apart(town, tmp_path) as (place, one, two), AsyncExitStack() as stack:
            anna = await stack.enter_async_context(visitor(one))
            name, address = await begun(anna)
            with held(place) as commit:
                passed_on = asyncio.create_task(once(anna, moved_to(address, two)))
                await commit.amid()
                town.network.cut(town.one, town.two)
                commit.go_on()
                assert await once(anna, moved_to(address, two)) == 503
                assert await passed_on == 503
            assert await once(anna, moved_to(address, one)) == 200  # at its own node it is known, and says so
            town.network.heal()
            assert (await statuses(anna, moved_to(address, two), "d3"))[-1] == 200
            said_once(place, name, resumed=0)
            await rejoined(place, [1, 1])

    town.course(course)
