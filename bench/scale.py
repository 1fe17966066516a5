"""What a PostgreSQL costs beside SQLite, what a worker costs beside one machine, and what programs that wait for their turn take.

Each pair is measured in turn, and the round in the middle counts. Games for each second of the processor are those of our own
process, 64 at a time, each transition durable before the next; what PostgreSQL's own processes take besides, on the same machine
or another, is said beside them. A worker plays chunks of 64 in memory; beside it stands `arbitre tournament run` over SQLite, and
what either takes to start is left out. PostgreSQL does not wait for the disk here: only processor time is compared.
"""

import asyncio
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from statistics import median

import aiohttp

from arbitre.crypto.passwords import LIGHT
from arbitre.games.catalogue import game
from arbitre.records.place import Place
from arbitre.records.store import Store
from arbitre.site.community import Community
from arbitre.site.database import Allowances as CommunityRules
from bench.home import used
from bench.referee import refereed
from bench.site import opened
from bench.table import Row
from tests.postgresql import Cluster, running, why_not

ROUNDS = 3
FEW, MANY = 200, 1_700
"""Games of two tournaments: what is the same for both, to start above all, falls out of the difference."""
CUP = ("--game", "reversi", "--player", "a=random", "--player", "b=random", "--json")
ENGINES, LINES = 5, 200
"""Engines that dial in, and programs that listen for each of them: as many as one may have."""
QUIET_SECONDS = 10.0


def measure() -> Iterator[Row]:
    """Measure both databases, both ways to hold a tournament, and listeners."""
    if why := why_not():
        print(f"  PostgreSQL is left out: {why}", file=sys.stderr)
    else:
        with running(Cluster) as cluster:
            yield from transitions(cluster)
            yield worker(cluster)
    yield asyncio.run(listeners())


def transitions(cluster: Cluster) -> Iterator[Row]:
    """Play games of Reversi and TicTacToe through the store on either database."""
    for name in ("tictactoe", "reversi"):
        pairs, theirs, octets = [], [], []
        for _ in range(ROUNDS):
            url = cluster.database()
            before, empty = served(cluster), held_by(url)
            there = refereed(game(name), 2.0, url)[1]
            theirs.append((served(cluster) - before) / games_in(url))
            octets.append((held_by(url) - empty) / games_in(url))
            pairs.append((there, refereed(game(name), 2.0)[1]))
            cluster.give_back(url)
        ours, peer = sorted(pairs, key=lambda pair: pair[0] / pair[1])[ROUNDS // 2]
        itself = f"{1000 * median(theirs):.2f} ms of a processor and {max(octets) / 1024:.1f} KiB of a disk"
        what = f"{name}, games on PostgreSQL (which takes {itself} itself for each)"
        yield Row(what, ours, "on SQLite", peer, 0.8, "/CPU s")


def games_in(url: str) -> int:
    """Return how many games a database holds."""
    return _asked(url, "SELECT count(*) FROM matches")


def held_by(url: str) -> int:
    """Return the octets of a database on the disk."""
    return _asked(url, "SELECT pg_database_size(current_database())")


def _asked(url: str, query: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Place(Path(folder), url))
        try:
            return int(store.rows(query)[0][0])
        finally:
            store.close()


def served(cluster: Cluster) -> float:
    """Return the seconds of a processor that PostgreSQL has taken, sessions that are over included."""
    chief = (cluster.folder / "data" / "postmaster.pid").read_text(encoding="ascii").splitlines()[0]
    spent = 0.0
    for process in [chief, *Path(f"/proc/{chief}/task/{chief}/children").read_text(encoding="ascii").split()]:
        with suppress(FileNotFoundError):  # a session that has ended while we count is among the gone
            spent += used(int(process))
    gone = Path(f"/proc/{chief}/stat").read_text(encoding="ascii").rpartition(") ")[2].split()
    return spent + (int(gone[13]) + int(gone[14])) / 100


# ── workers ────────────────────────────────────────────────────────────────────────────────────────────────────────


def worker(cluster: Cluster) -> Row:
    """Hold the same tournament alone and by a worker; compare what those who play take for each game."""
    pairs = [(1 / by_worker(cluster), 1 / each(alone)) for _ in range(ROUNDS)]
    ours, peer = sorted(pairs, key=lambda pair: pair[0] / pair[1])[ROUNDS // 2]
    return Row("reversi, games of a tournament by a worker", ours, "alone, on SQLite", peer, 0.91, "/CPU s")


def each(taken: Callable[[int], float]) -> float:
    """Return the seconds of a processor for one more game."""
    return (taken(MANY) - taken(FEW)) / (MANY - FEW)


def alone(games: int) -> float:
    """Return what a tournament takes on one machine."""
    with tempfile.TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        held(Place(Path(folder)), games)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def by_worker(cluster: Cluster) -> float:
    """Return what one worker takes for a game: it plays a small tournament, and then a large one."""
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder), cluster.database())
        with subprocess.Popen(line("worker", place=place), stdout=subprocess.PIPE) as process:
            try:
                assert process.stdout is not None
                process.stdout.readline()
                held(place, FEW, "--spread")
                before = used(process.pid)
                held(place, MANY, "--spread", name="second")
                return (used(process.pid) - before) / MANY
            finally:
                process.terminate()
                process.wait()
                cluster.give_back(place.database)


def held(place: Place, games: int, *more: str, name: str = "cup") -> None:
    """Hold a tournament."""
    words = (*CUP, "--name", name, "--seed", name)  # games are called by the seed
    command = line("tournament", "run", *words, "--games", str(games), *more, place=place)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def line(*words: str, place: Place) -> list[str]:
    """Return a command over a place."""
    database = ("--database", place.database) if place.database else ()
    return [sys.executable, "-m", "arbitre", *words, "--data", str(place.folder), *database]


# ── programs that dial in and wait ─────────────────────────────────────────────────────────────────────────────────


async def listeners() -> Row:
    """Let many programs listen for their engines while nobody asks them anything."""
    with tempfile.TemporaryDirectory() as name:
        with Community(Path(name), CommunityRules(work=LIGHT)) as community:
            owners = [community.accounts.create(f"Owner{number}", "a good long password") for number in range(ENGINES)]
            engines = [community.engines.add(one, game="tictactoe", name=f"Dials-{one.name}", url="dial:") for one in owners]
            tokens = [community.engines.mint(one, engine.id) for one, engine in zip(owners, engines, strict=True)]
        async with opened(Path(name)) as site, AsyncExitStack() as stack:
            session = await stack.enter_async_context(aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)))
            before = site.memory()
            for token in tokens:
                for number in range(LINES):
                    await stack.enter_async_context(
                        session.get(
                            f"{site.url}/api/engines/me/questions",
                            params={"listener": f"program {number % 50}"},
                            headers={"Authorization": f"Bearer {token}"},
                            timeout=aiohttp.ClientTimeout(None),
                        )
                    )
            weight = (site.memory() - before) / (ENGINES * LINES)
            idle = used(site.process.pid)
            await asyncio.sleep(QUIET_SECONDS)
            share = (used(site.process.pid) - idle) / QUIET_SECONDS
    what = f"programs that listen to one core ({weight / 1024:.0f} KiB and {1e6 * share / ENGINES / LINES:.0f} µs a second each)"
    return Row(what, ENGINES * LINES / share, "as many as one address may hold open", 2_000, unit="")
