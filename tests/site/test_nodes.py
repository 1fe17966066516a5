"""Nodes that share a database: nothing is kept of who was buried, and what it saw to goes on elsewhere, once."""

import asyncio
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from arbitre.errors import FencedError, KeyFileError, NameHeldError, StoreError, UnknownError
from arbitre.games.catalogue import game
from arbitre.games.game import Seat
from arbitre.records import nodes
from arbitre.records.backend import Execute, T, open_aside
from arbitre.records.nodes import Node, NodeRole
from arbitre.records.place import Place
from arbitre.records.store import Store
from arbitre.site.arena.arena import Arena
from arbitre.site.arena.matches import ArenaMatches
from arbitre.site.arena.plan import HouseSeat, MatchPlan, PersonSeat
from arbitre.site.community import Community
from arbitre.site.membership import _hand_over
from arbitre.tournoyons.callback import Listener, Receiver
from arbitre.tournoyons.player import Switchboard
from tests.postgresql import Cluster
from tests.reasons import raises
from tests.records.test_postgresql import Relay, relay
from tests.site.conftest import CHEAP

__all__ = ["relay"]

ANNA = PersonSeat("account:1", "Anna")
SILENT = "UPDATE heartbeats SET seen = seen - 4 WHERE node = ?"


@pytest.fixture
def shared(cluster: Cluster, tmp_path: Path) -> Iterator[Place]:
    url = cluster.database()
    yield Place(tmp_path / "data", url)
    cluster.give_back(url)


class Member:
    """A store that is a node's, and what speaks for the node beside it."""

    def __init__(self, place: Place, name: str) -> None:
        self.store = Store(place)
        self.aside = open_aside(place)
        self.node = self.do(lambda execute: nodes.join(execute, name, f"http://{name}"))
        self.store.join(self.node)

    def do(self, work: Callable[[Execute], T]) -> T:
        return self.aside.transact(work)

    def silence(self) -> None:
        """Let so much time pass for the others in which this one says nothing."""
        self.do(lambda execute: execute(SILENT, (self.node.id,)))

    def inherit(self) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
        """Bury who is silent, and take over; return who that was, and which matches."""
        return self.do(lambda execute: (nodes.bury(execute, self.node), ArenaMatches.claim(execute, self.node.id)))

    def write(self, name: str) -> None:
        self.store.add_match(name, "tictactoe", bytes(32), "2026-01-01")

    def close(self) -> None:
        self.aside.close()
        self.store.close()


@pytest.fixture
def member(shared: Place) -> Iterator[Callable[[str], Member]]:
    made: list[Member] = []

    def make(name: str) -> Member:
        made.append(Member(shared, name))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_who_was_buried_commits_nothing_more(member: Callable[[str], Member], shared: Place) -> None:
    one, two = member("one"), member("two")
    one.write("before")
    asyncio.run(one.store.durable())
    one.silence()
    assert two.do(lambda execute: nodes.silent(execute, two.node))
    assert two.inherit()[0] == ("one",)
    assert one.do(lambda execute: nodes.beat(execute, one.node)) is None
    one.write("after")
    with pytest.raises(StoreError):
        asyncio.run(one.store.durable())
    assert one.store.failed
    with pytest.raises(FencedError):
        asyncio.run(one_more(shared, one.node))
    with Community(shared, CHEAP) as community:
        community.database.node = one.node
        with pytest.raises(FencedError), community.database.writing():
            pass
        community.database.node = two.node
        with community.database.writing():
            pass
    assert [row.name for row in two.store.matches()] == ["before"]
    assert [found.alive for found in two.do(nodes.standings)] == [True, False]


async def one_more(place: Place, node: Node) -> None:
    """Look and then write, as a node."""
    store = Store(place)
    store.join(node)
    try:
        await store.transact(lambda execute: execute("SELECT 1", ()))
    finally:
        store.close()


def test_a_commit_that_is_under_way_is_waited_for_and_seen(member: Callable[[str], Member]) -> None:
    """The burial waits for it, and whoever takes over sees what it wrote: a match that was called in that very moment."""
    one, two = member("one"), member("two")
    one.silence()
    inside, go_on = threading.Event(), threading.Event()

    def slowly(execute: Execute) -> None:
        assert execute(nodes.FENCE, (one.node.id, one.node.incarnation))
        execute("INSERT INTO sittings (match, number, state, plan, game, node) VALUES ('late', 1, 'playing', '', '', 'one')", ())
        inside.set()
        go_on.wait()

    committing = threading.Thread(target=one.do, args=(slowly,))
    committing.start()
    inside.wait()
    taken: list[object] = []
    burying = threading.Thread(target=lambda: taken.append(two.inherit()))
    burying.start()
    waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'SELECT 1 FROM nodes%FOR UPDATE'"
    while not two.store.rows(waits):
        pass  # until it stands at the fence
    go_on.set()
    committing.join()
    burying.join()
    assert taken == [(("one",), ("late",))]


def test_the_next_incarnation_of_a_name_fences_the_one_before(member: Callable[[str], Member]) -> None:
    one = member("one")
    again = member("one")
    assert again.node == Node("one", one.node.incarnation + 1)
    one.write("late")
    with pytest.raises(StoreError):
        asyncio.run(one.store.durable())
    again.write("good")
    asyncio.run(again.store.durable())
    assert [row.name for row in again.store.matches()] == ["good"]


HANGS = """
import asyncio, pathlib, sys
from arbitre.errors import FencedError
from arbitre.records import nodes
from arbitre.records.backend import open_aside
from arbitre.records.place import Place
from arbitre.records.store import Store

place = Place(pathlib.Path(sys.argv[1]), sys.argv[2])
store, aside = Store(place), open_aside(place)
store.join(aside.transact(lambda execute: nodes.join(execute, "one", "http://one")))
store.add_match("late", "tictactoe", bytes(32), "2026-01-01")
try:
    asyncio.run(store.durable())
except FencedError:
    print("fenced")
"""
"""A node that is stopped amid its first commit."""
WAITS = "SELECT state, wait_event FROM pg_stat_activity WHERE datname = ? AND query LIKE 'INSERT INTO matches%'"


@pytest.mark.parametrize("who", ["two", "one"])
def test_a_node_that_hangs_amid_a_commit_keeps_nobody_from_taking_over(
    member: Callable[[str], Member], shared: Place, relay: Relay, who: str
) -> None:
    """Another, or the next of its own name: PostgreSQL waits for the rest of what it says, with the fence in its hands."""
    two, name = member("two"), shared.database.partition("?")[0]
    relay.stall = b"WITH fence"
    with subprocess.Popen(
        [sys.executable, "-c", HANGS, shared.folder, f"{name}?host={relay.folder}"], stdout=subprocess.PIPE, text=True
    ) as hung:
        relay.stalled.wait()
        hung.send_signal(signal.SIGSTOP)
        while two.store.rows(WAITS, (name.rpartition("/")[2],)) != [("active", "ClientRead")]:
            pass
        if who == "two":
            two.do(lambda execute: execute(SILENT, ("one",)))
            assert two.inherit()[0] == ("one",)
        else:
            assert member("one").node.incarnation == 2
        hung.send_signal(signal.SIGCONT)
        relay.go_on.set()
        assert hung.communicate()[0] == "fenced\n"
    assert [*two.store.matches()] == []


def test_a_name_is_not_taken_from_who_lives_elsewhere(member: Callable[[str], Member]) -> None:
    one = member("one")
    with raises(NameHeldError, "another node called", name="one", address="http://one"):
        one.do(lambda execute: nodes.join(execute, "one", "http://two"))
    one.silence()
    assert one.do(lambda execute: nodes.join(execute, "one", "http://two")).incarnation == one.node.incarnation + 1


def test_two_who_bury_the_same_node_take_over_once(member: Callable[[str], Member]) -> None:
    one, two, three = member("one"), member("two"), member("three")
    one.write("m")
    one.store.write(
        "INSERT INTO sittings (match, number, state, plan, game, node) VALUES (?, 1, 'playing', '', '', 'one')", ("m",)
    )
    asyncio.run(one.store.durable())
    one.silence()
    taken: list[object] = []
    both = [threading.Thread(target=lambda one=one: taken.append(one.inherit())) for one in (two, three)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert sorted(map(repr, taken)) == sorted(map(repr, [((), ()), (("one",), ("m",))]))


def test_who_leaves_hands_its_matches_to_those_who_stay(member: Callable[[str], Member]) -> None:
    one, two, three = member("one"), member("two"), member("three")
    for at in range(4):
        one.store.write(
            "INSERT INTO sittings (match, number, state, plan, game, node) VALUES (?, ?, ?, '', '', 'one')",
            (f"m{at}", at, "playing" if at else "over"),
        )
    asyncio.run(one.store.durable())
    two.store.write("INSERT INTO sittings (match, number, state, plan, game, node) VALUES ('x', 9, 'waiting', '', '', 'two')", ())
    asyncio.run(two.store.durable())
    one.do(lambda execute: nodes.give_roles(execute, nodes.unheld(execute), "one"))
    one.do(lambda execute: _hand_over(execute, one.node))
    owners = [ArenaMatches(two.store).owner(f"m{at}") for at in range(4)]
    assert owners == [None, *[("three", "playing")] * 3]
    assert three.do(lambda execute: nodes.roles_of(execute, "three")) == frozenset(NodeRole)
    assert one.do(lambda execute: nodes.beat(execute, one.node)) is None
    assert three.inherit() == ((), ())


SITTING = "INSERT INTO sittings (match, number, state, plan, game, node) VALUES (?, ?, 'playing', '', '', ?)"


def test_who_slept_and_leaves_gives_nothing_of_its_successor_away(member: Callable[[str], Member]) -> None:
    slept, other = member("one"), member("two")
    again = member("one")
    again.store.write(SITTING, ("m", 1, "one"))
    asyncio.run(again.store.durable())
    again.do(lambda execute: nodes.give_roles(execute, nodes.unheld(execute), "one"))
    slept.do(lambda execute: _hand_over(execute, slept.node))
    assert ArenaMatches(other.store).owner("m") == ("one", "playing")
    assert again.do(lambda execute: nodes.roles_of(execute, "one")) == frozenset(NodeRole)
    assert again.do(lambda execute: nodes.beat(execute, again.node)) is True


def test_who_is_killed_while_it_takes_over_takes_nothing(member: Callable[[str], Member]) -> None:
    one, two, three = member("one"), member("two"), member("three")
    one.store.write(SITTING, ("m", 1, "one"))
    asyncio.run(one.store.durable())
    one.silence()

    def killed(execute: Execute) -> None:
        assert nodes.bury(execute, two.node) == ("one",)
        assert ArenaMatches.claim(execute, "two") == ("m",)
        execute("SELECT pg_terminate_backend(pg_backend_pid())", ())

    with pytest.raises(StoreError):
        two.do(killed)
    one.write("good")  # it was not buried after all
    asyncio.run(one.store.durable())
    assert three.inherit() == (("one",), ("m",))
    assert two.inherit() == ((), ())


@pytest.mark.parametrize("first", ["two", "three"])
def test_one_leaves_while_another_takes_over(member: Callable[[str], Member], first: str) -> None:
    one, two, three = member("one"), member("two"), member("three")
    for number, name in enumerate(("one", "two")):
        one.store.write(SITTING, (f"m{number}", number, name))
    asyncio.run(one.store.durable())
    one.silence()
    leaving = threading.Thread(target=lambda: two.do(lambda execute: _hand_over(execute, two.node)))
    burying = threading.Thread(target=three.inherit)
    begun, after = (leaving, burying) if first == "two" else (burying, leaving)
    begun.start()
    after.start()
    begun.join()
    after.join()
    assert [ArenaMatches(three.store).owner(f"m{number}") for number in range(2)] == [("three", "playing")] * 2
    assert three.inherit() == ((), ())


def test_a_node_with_other_keys_is_refused(member: Callable[[str], Member]) -> None:
    one = member("one")
    one.do(lambda execute: nodes.join(execute, "two", "http://two", "a mark"))
    with raises(KeyFileError, "this node has other keys"):
        one.do(lambda execute: nodes.join(execute, "three", "http://three", "another"))
    assert [found.id for found in one.do(nodes.standings)] == ["one", "two"]


def test_the_operator_asks_a_node_to_leave(member: Callable[[str], Member]) -> None:
    one = member("one")
    assert one.do(lambda execute: nodes.beat(execute, one.node)) is True
    one.do(lambda execute: nodes.dismiss(execute, "one"))
    assert one.do(lambda execute: nodes.beat(execute, one.node)) is False
    with raises(UnknownError, "no node is called", name="none"):
        one.do(lambda execute: nodes.dismiss(execute, "none"))
    assert [found.dismissed for found in one.do(nodes.standings)] == [True]


# ── matches ────────────────────────────────────────────────────────────────────────────────────────────────────────


@asynccontextmanager
async def arena_of(member: Member) -> AsyncIterator[Arena]:
    receiver = Receiver()
    async with Switchboard(receiver, listener=Listener(receiver)) as board:
        arena = Arena(member.store, board)
        await arena.start()
        try:
            yield arena
        finally:
            with suppress(FencedError):
                await arena.close()


def run(course: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(60):
            await course()

    asyncio.run(bounded())


async def asked(arena: Arena, name: str) -> str:
    """Wait until the person is asked, and return the ticket of the question."""
    async for scene in arena.watch(name, Seat(0)):
        if scene.asks is not None:
            return arena.live(name).ticket(Seat(0), scene.asks)
    raise AssertionError("never asked")


def test_a_match_goes_on_elsewhere_under_the_same_names(member: Callable[[str], Member]) -> None:
    """The page that was open still answers, at the other node; the old one, which hears of nothing, keeps no late row."""

    async def course() -> None:
        one, two = member("one"), member("two")
        async with arena_of(one) as here, arena_of(two) as there:
            name = (await here.open(MatchPlan(game("reversi"), (ANNA, HouseSeat(1))))).name
            ticket = await asked(here, name)
            assert there.look(name) is None
            one.silence()
            assert two.inherit() == (("one",), (name,))
            there.adopt()
            assert await asked(there, name) == ticket
            await there.answer(name, Seat(0), ticket, "d3")
            with raises(StoreError, "site-away"):
                await here.answer(name, Seat(0), ticket, "c4")  # it was the same question, and is answered
            said = [event.text for event in two.store.events(name) if event.text in ("D3", "C4")]
            assert said == ["D3"], two.store.events(name)

    run(course)
