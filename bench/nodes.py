"""What several nodes on one PostgreSQL cost: transitions that pass the fence and those that do not, and how soon one takes over.

Transitions are committed by one store in batches of 64, on a cluster of their own that does not wait for the disk, so the fence
weighs as much as it can. A takeover is timed from the last beat of a node to the moment at which another one has all of its fifty
matches at the table; what it may take is the time to live and one second. A scene is timed from the moment at which a move is
sent to the one at which a spectator has it, at the node that plays and at another, while games go on side by side.

Games of the house are then called at one node and at three, as processes of their own, by visitors whom a balancer sends to each
in turn. A node needs one core; so what a site carries that has a core for each of its nodes is how many games are played for
each second that the busiest of them takes.
"""

import asyncio
import signal
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter, process_time
from typing import TYPE_CHECKING

import aiohttp

from arbitre.errors import StoreError
from arbitre.games.catalogue import game
from arbitre.games.game import Seat
from arbitre.records import nodes
from arbitre.records.backend import open_aside, open_hints
from arbitre.records.nodes import BEAT_SECONDS, LIFE_SECONDS
from arbitre.records.place import Place
from arbitre.records.store import Store
from arbitre.site.arena.arena import Arena
from arbitre.site.arena.live import Live
from arbitre.site.arena.plan import MatchPlan, PersonSeat
from arbitre.site.membership import Membership
from arbitre.tournoyons.callback import Listener, Receiver
from arbitre.tournoyons.player import Switchboard
from bench.home import used
from bench.table import Row
from tests.postgresql import Cluster, running, why_not
from tests.web.clients import Server, Visitor

if TYPE_CHECKING:
    from arbitre.records.hints import Hints

BATCH = 64
BATCHES = 150
ROUNDS = 3
MATCHES = 50
SCENES, SIDE = 200, 20
"""Games whose scenes are timed, and how many of them go on side by side."""
CELLS = ("1", "2", "4", "5")
"""Moves that end no game of TicTacToe."""
GAMES = 30
"""Games of Reversi, of about sixty plies."""


def measure() -> Iterator[Row]:
    """Yield the figures; none where there is no PostgreSQL."""
    if why_not():
        return
    with running(Cluster) as cluster, tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder) / "data", cluster.database())
        rates = [
            (_transitions(place, f"f{at}", fenced=True), _transitions(place, f"u{at}", fenced=False)) for at in range(ROUNDS)
        ]
        fenced, free = sorted(rates, key=lambda one: one[0] / one[1])[ROUNDS // 2]
        yield Row("transitions that pass the fence, to CPU of the store", fenced, "without a fence", free, aim=0.6)
        other = Place(Path(folder) / "other", cluster.database())
        seconds = asyncio.run(_takeover(other))
        yield Row(
            f"takeover of {MATCHES} matches", 1 / seconds, "time to live and a second", 1 / (LIFE_SECONDS + BEAT_SECONDS), aim=1
        )
        yield _scenes(Place(Path(folder) / "third", cluster.database()))
        one, three = (asyncio.run(_carried(cluster, Path(folder) / f"of{count}", count)) for count in (1, 3))
        yield Row("games that three nodes carry, a core for each", three, "one node", one, aim=2, unit="/CPU s")


def _transitions(place: Place, match: str, *, fenced: bool) -> float:
    """Return how many transitions a second a store commits, by CPU time of its process."""
    store = Store(place)
    aside = open_aside(place)
    if fenced:
        store.join(aside.transact(lambda execute: nodes.join(execute, "bench", "http://bench")))

    async def course() -> None:
        for batch in range(BATCHES):
            for at in range(BATCH):
                query = "INSERT INTO transitions (match, sequence, lines) VALUES (?, ?, ?)"
                store.append(query, (match, batch * BATCH + at, "said 0 0 move d3"))
            await store.durable()

    begun = process_time()
    asyncio.run(course())
    spent = process_time() - begun
    aside.close()
    store.close()
    return BATCH * BATCHES / spent


def tell(hints: "Hints", lives: Iterable[Live]) -> None:
    """Hint that there is something new in matches."""
    for live in lives:
        hints.say(f"new {live.name}")


def _scenes(place: Place) -> Row:
    """Return how soon a spectator at another node has a scene, beside one at the node that plays."""
    here, there = asyncio.run(_watched(place))
    (middle, late), (far, farthest) = [(median(one), quantiles(one, n=100)[98]) for one in (here, there)]
    what = f"a scene at another node (half within {1000 * far:.1f} ms, 99 % within {1000 * farthest:.1f} ms;"
    what += f" where it is played {1000 * middle:.1f} and {1000 * late:.1f} ms)"
    return Row(what, 1 / farthest, "where it is played, and 50 ms", 1 / (late + 0.05), aim=1)


async def _watched(place: Place) -> tuple[list[float], list[float]]:
    """Return how many seconds after its move each scene was seen, where it is played and elsewhere."""
    here, there = list[float](), list[float]()
    receivers = Receiver(), Receiver()
    async with (
        Switchboard(receivers[0], listener=Listener(receivers[0])) as board,
        Switchboard(receivers[1], listener=Listener(receivers[1])) as other,
    ):
        stores = Store(place), Store(place)
        arenas = Arena(stores[0], board), Arena(stores[1], other)
        hints = [open_hints(place, arena.mirrors.told) for arena in arenas]
        arenas[0].on_news = partial(tell, hints[0])
        for hint in hints:
            hint.start()
        arenas[1].mirrors.start()
        await asyncio.sleep(1)  # by then both listen
        for _ in range(SCENES // SIDE):
            await asyncio.gather(*(_game(arenas[0], arenas[1], here, there) for _ in range(SIDE)))
        await arenas[1].mirrors.close()
        for hint in hints:
            await hint.close()
        for arena, store in zip(arenas, stores, strict=True):
            await arena.close()
            store.close()
    return here, there


async def _game(played: Arena, watched: Arena, here: list[float], there: list[float]) -> None:
    """Play a game of TicTacToe between two people, and note when its scenes are seen."""
    people = [PersonSeat(f"guest:{seat}", f"Guest {seat}") for seat in range(2)]
    name = (await played.open(MatchPlan(game("tictactoe"), (people[0], people[1])))).name
    live = played.live(name)
    mirror = None
    while mirror is None:
        mirror = await watched.mirrors.open(name)
    for ply, cell in enumerate(CELLS):
        seat = Seat(ply % 2)
        while seat not in live.people or live.people[seat].position is None:
            await live.changed(0.001)
        number, sent = len(live.scenes("spectator")) + 1, perf_counter()
        eyes = [asyncio.ensure_future(_has(one, number)) for one in (live, mirror)]
        await played.answer(name, seat, live.people[seat].ticket, cell)
        for eye, found in zip(eyes, (here, there), strict=True):
            found.append(await eye - sent)


async def _has(live: Live, number: int) -> float:
    """Return when a spectator had so many scenes."""
    while len(live.scenes("spectator")) < number:
        await live.changed()
    return perf_counter()


async def _takeover(place: Place) -> float:
    """Return how many seconds after the last beat of a node another has its matches at the table."""
    receivers = Receiver(), Receiver()
    async with (
        Switchboard(receivers[0], listener=Listener(receivers[0])) as board,
        Switchboard(receivers[1], listener=Listener(receivers[1])) as other,
    ):
        heir_store, dead_store = Store(place), Store(place)
        heir = Membership(heir_store, "heir", "http://heir")
        await heir.join()
        arena = Arena(heir_store, other)
        await arena.start()
        heir.on_inherited = arena.adopt
        heir.start()
        dead = Membership(dead_store, "dead", "http://dead")
        await dead.join()
        lost = Arena(dead_store, board)
        people = [PersonSeat(f"guest:{seat}", f"Guest {seat}") for seat in range(2)]
        dead.start()
        for _ in range(MATCHES):
            await lost.open(MatchPlan(game("reversi"), (people[0], people[1])))
        await asyncio.sleep(LIFE_SECONDS + 2 * BEAT_SECONDS)  # by then the heir may judge
        aside = open_aside(place)
        node = dead_store.node
        assert node is not None
        dead.hush()
        aside.transact(lambda execute: nodes.beat(execute, node))
        begun = perf_counter()
        while len(arena.playing()) < MATCHES or any(arena.returning(one.name) for one in arena.playing()):
            await asyncio.sleep(0.01)
        seconds = perf_counter() - begun
        await arena.close()
        await heir.close()
        aside.close()
        heir_store.close()
        with suppress(StoreError):  # nothing that it still writes is kept
            await lost.close()
            dead_store.close()
    return seconds


async def _carried(cluster: Cluster, folder: Path, count: int) -> float:
    """Return how many games so many nodes play for each second of a core that the busiest takes."""
    place = Place(folder, cluster.database())
    nodes_ = [Server(place) for _ in range(count)]
    try:
        for node in nodes_:
            node.more = ("--public-url", nodes_[0].url)
            await node.start()
        await _played(place, nodes_, 3 * count)  # what is loaded with the first game counts for nobody
        before = [used(node.pid) for node in nodes_]
        await _played(place, nodes_, GAMES)
        return GAMES / max(used(node.pid) - taken for node, taken in zip(nodes_, before, strict=True))
    finally:
        for node in nodes_:
            if node.runs:
                await node.stop(signal.SIGKILL)
        cluster.give_back(place.database)


async def _played(place: Place, at: list[Server], games: int) -> None:
    """Call so many games at nodes in turn, and wait until they are over."""
    query = "SELECT count(*) FROM matches WHERE seal IS NOT NULL"
    store = Store(place)
    try:
        known = store.rows(query)[0][0]
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
            visitors = [Visitor(node, session) for node in at]
            for number in range(games):
                await visitors[number % len(visitors)].open("reversi", "house:1", "house:1", clock="1h")
        while store.rows(query)[0][0] < known + games:
            await asyncio.sleep(0.1)
    finally:
        store.close()
