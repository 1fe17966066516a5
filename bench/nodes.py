"""What several nodes on one PostgreSQL cost: transitions that pass the fence and those that do not, and how soon one takes over.

Transitions are committed by one store in batches of 64, on a cluster of their own that does not wait for the disk, so the fence
weighs as much as it can. A takeover is timed from the last beat of a node to the moment at which another one has all of its fifty
matches at the table; what it may take is the time to live and one second.
"""

import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import perf_counter, process_time

from arbitre.errors import StoreError
from arbitre.games.catalogue import game
from arbitre.records import nodes
from arbitre.records.backend import open_aside
from arbitre.records.nodes import BEAT_SECONDS, LIFE_SECONDS
from arbitre.records.place import Place
from arbitre.records.store import Store
from arbitre.site.arena.arena import Arena
from arbitre.site.arena.plan import MatchPlan, PersonSeat
from arbitre.site.membership import Membership
from arbitre.tournoyons.callback import Listener, Receiver
from arbitre.tournoyons.player import Switchboard
from bench.table import Row
from tests.postgresql import running, why_not

BATCH = 64
BATCHES = 150
ROUNDS = 3
MATCHES = 50


def measure() -> Iterator[Row]:
    """Yield the figures; none where there is no PostgreSQL."""
    if why_not():
        return
    with running() as cluster, tempfile.TemporaryDirectory() as folder:
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
