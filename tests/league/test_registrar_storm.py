"""Ten thousand reports thrown at a registrar's process as quickly as it takes them (spec: draughts, section 3).

Honest pairs report their games in the middle of liars, repeaters, callers who hang up, who drip and who say nothing. The process
is killed and started again on the way. What it had accepted is there and is answered the same; its memory and its sockets stay
within bounds, which `/proc` tells; everybody who sent a whole report was answered.
"""

import asyncio
import os
import signal
import socket
import subprocess
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain, permutations, zip_longest
from pathlib import Path
from random import Random
from time import perf_counter

import pytest

from arbitre.league.ledger import confirmed_games, pending_games
from arbitre.records.store import Store
from arbitre.transport.sockets import plenty_of_files
from tests.league.house import AGAIN, CONFIRMED, PENDING, UNKNOWN, black, connect, free_port, game, white
from tests.league.test_registrar import program

pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="the bounds are read from /proc")

HONEST = [f"127.0.5.{n}" for n in range(1, 41)]
LIARS = [f"127.0.6.{n}" for n in range(1, 6)]
TOGETHER = 400
"""Connections at a time that say something; those who say nothing come on top."""
SILENT = 1_500
GROWTH = 120 << 20
"""Octets that the process may grow by, from the first call to the last."""
PATIENCE = 120.0


@dataclass
class Storm:
    """What was sent, what came back, and how large the process was meanwhile."""

    port: int
    said: Counter[str] = field(default_factory=Counter)
    """Answers to liars."""
    accepted: dict[tuple[int, int], str] = field(default_factory=dict)
    """The first answer to each honest version, by the game and the seat."""
    again: int = 0
    """Calls that were cut while the registrar was away."""
    waits: list[float] = field(default_factory=list)
    largest: int = 0
    most_files: int = 0
    worked: dict[int, float] = field(default_factory=dict)
    """CPU seconds of each process."""

    async def ask(self, source: str, data: bytes) -> str:
        """Send a whole report until it is answered, as a robot does."""
        while True:
            try:
                reader, writer = await connect(self.port, source)
            except OSError:
                self.again += 1
                await asyncio.sleep(0.1)
                continue
            try:
                writer.write(data)
                said = await asyncio.wait_for(reader.read(), PATIENCE)
            except OSError:
                said = b""
            finally:
                writer.transport.abort()
            if said.endswith(b"\0"):
                return said[:-1].decode()
            self.again += 1

    async def honest(self, seed: int, seat: int, pair: tuple[str, str]) -> None:
        """Report one side of a game."""
        begun = perf_counter()
        answer = await self.ask(pair[seat], (white, black)[seat](pair[1 - seat], seed))
        self.waits.append(perf_counter() - begun)
        self.accepted[seed, seat] = answer

    async def lie(self, source: str, data: bytes) -> None:
        """Send what must be refused, or was sent before."""
        self.said[await self.ask(source, data)] += 1

    async def hang_up(self, source: str, data: bytes, drip: bool) -> None:
        """Send a part, or the parts one by one, and be gone before the answer."""
        try:
            _, writer = await connect(self.port, source)
        except OSError:
            return
        for at in range(0, len(data), 8 if drip else len(data)):
            if writer.transport.is_closing():
                return  # the registrar was killed meanwhile
            writer.write(data[at : at + 8] if drip else data)
            if drip:
                await asyncio.sleep(0.05)
        await asyncio.sleep(0)
        writer.transport.abort()

    def measure(self, process: int) -> None:
        """Look at the process."""
        try:
            self.largest = max(self.largest, resident(process))
            self.most_files = max(self.most_files, files(process))
            ticks = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
        except OSError:
            return  # it is being killed
        self.worked[process] = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def resident(process: int) -> int:
    """Return the octets of memory that a process has; none of one that is dead."""
    status = Path(f"/proc/{process}/status").read_text()
    return next((int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmRSS")), 0)


def files(process: int) -> int:
    """Return how many files a process has open, sockets among them."""
    return sum(1 for _ in Path(f"/proc/{process}/fd").iterdir())


def lies(count: int) -> Iterator[tuple[str, bytes]]:
    """Return reports that no registrar may accept, each a little different."""
    random = Random(5)
    for number in range(count):
        source = LIARS[number % len(LIARS)]
        data = bytearray(white(HONEST[number % 40], number % 50))
        match number % 5:
            case 0:
                data[random.randrange(17, 60)] ^= random.randrange(1, 256)
            case 1:
                data[0] = random.randrange(2, 255)
            case 2:
                data[250] = random.randrange(1, 256)
            case 3:
                data[30:] = bytes(226)
            case _:
                data = bytearray(random.randbytes(256))
        yield source, bytes(data)


def calls(storm: Storm, games: dict[int, tuple[str, str]], false: int, cut: int) -> list[Callable[[], Awaitable[None]]]:
    """Return everybody's calls, well mixed."""
    honest = [lambda s=seed, p=pair, e=seat: storm.honest(s, e, p) for seed, pair in games.items() for seat in (0, 1)]
    lying = [lambda s=source, d=data: storm.lie(s, d) for source, data in lies(false)]
    leaving = [
        lambda n=number: storm.hang_up(LIARS[n % 5], white(HONEST[n % 40], n % 50)[: 20 + n % 236], drip=n % 7 == 0)
        for number in range(cut)
    ]
    mixed: list[Callable[[], Awaitable[None]]] = [
        one for one in chain.from_iterable(zip_longest(honest, lying, leaving)) if one is not None
    ]
    Random(7).shuffle(mixed)
    return mixed


async def blow(
    storm: Storm, work: list[Callable[[], Awaitable[None]]], victim: "subprocess.Popen[str]", folder: Path
) -> "subprocess.Popen[str]":
    """Make all calls; a third of the way on, the registrar is killed and started again."""
    waiting, running, done = iter(work), victim, 0
    killed = asyncio.Event()

    async def caller() -> None:
        nonlocal done
        for call in waiting:
            await call()
            done += 1
            if done == len(work) // 3:
                victim.send_signal(signal.SIGKILL)
                killed.set()

    async def reborn() -> None:
        nonlocal running
        await killed.wait()
        await asyncio.to_thread(victim.wait)
        running = await asyncio.to_thread(program, folder, storm.port)

    async def watch() -> None:
        while True:
            storm.measure(running.pid)
            await asyncio.sleep(0.25)

    held = await asyncio.gather(*(connect(storm.port, LIARS[n % 5]) for n in range(SILENT)))
    watching = asyncio.ensure_future(watch())
    rebirth = asyncio.ensure_future(reborn())
    await asyncio.gather(*(caller() for _ in range(TOGETHER)))
    await rebirth
    watching.cancel()
    for _, writer in held:
        writer.transport.abort()
    return running


def closed(process: "subprocess.Popen[str]") -> None:
    assert process.stdout is not None
    process.stdout.close()


def storm_scene(folder: Path, count: int, false: int, cut: int) -> Storm:
    """Run a storm to its end, and see that it has changed nothing that it must not."""
    pairs = list(permutations(HONEST, 2))
    games = {seed: pairs[seed] for seed in range(count)}
    for seed in games:
        game(seed)
    storm = Storm(free_port())
    first = program(folder, storm.port)
    asyncio.run(storm.ask(LIARS[0], bytes(256)))
    before = resident(first.pid)
    begun = perf_counter()
    work = calls(storm, games, false, cut)
    last = asyncio.run(blow(storm, work, first, folder))
    took = perf_counter() - begun
    closed(first)
    waits = sorted(storm.waits)
    print(
        f"\n{len(work)} calls in {took:.1f} s, {sum(storm.worked.values()):.1f} s of them the registrar's CPU; "
        f"{storm.again} called again after the kill; "
        f"honest answers: median {waits[len(waits) // 2] * 1000:.0f} ms, longest {waits[-1] * 1000:.0f} ms; "
        f"memory {before >> 20} MB, at most {storm.largest >> 20} MB; at most {storm.most_files} open files"
    )
    try:
        assert all(answer in (PENDING, CONFIRMED, AGAIN) for answer in storm.accepted.values()), Counter(storm.accepted.values())
        assert len(storm.accepted) == 2 * count, "every honest version was answered"
        assert all(answer.startswith("ERR") for answer in storm.said), storm.said
        assert storm.said.total() == false, "and so was every liar"
        assert storm.largest - before < GROWTH, f"grew from {before >> 20} to {storm.largest >> 20} MB"
        assert storm.most_files < SILENT + TOGETHER + cut + 100

        async def afterwards() -> None:
            storm.accepted.clear()
            again = iter([storm.honest(seed, seat, pair) for seed, pair in games.items() for seat in (0, 1)])

            async def caller() -> None:
                for one in again:
                    await one

            await asyncio.gather(*(caller() for _ in range(TOGETHER)))
            assert set(storm.accepted.values()) == {AGAIN}, "what was accepted is answered the same"
            while files(last.pid) > 40:
                await asyncio.sleep(0.1)  # it lets go of every socket

        asyncio.run(afterwards())
        store = Store(folder)
        assert len(list(confirmed_games(store))) == count, "every game is confirmed once"
        assert pending_games(store) == 0, "and nothing of a liar's is kept"
        store.close()
    finally:
        last.terminate()
        assert last.wait() == 0
        closed(last)
    return storm


@pytest.mark.sqlite
@pytest.mark.campaign
def test_ten_thousand_reports_as_quickly_as_they_are_taken(tmp_path: Path) -> None:
    storm = storm_scene(tmp_path, 1_500, 6_000, 2_500)
    assert storm.said[UNKNOWN] > 0


BURSTS, IN_ONE = 10, 1_000


@pytest.mark.sqlite
@pytest.mark.campaign
def test_ten_thousand_reports_a_second_in_bursts(tmp_path: Path) -> None:
    """A thousand callers are connected, and all send in the same instant, ten times over: each is answered as if alone."""
    assert plenty_of_files() > IN_ONE + 100
    false = [data for _, data in lies(IN_ONE)]
    pairs = list(permutations(HONEST, 2))
    running, said, spent = program(tmp_path, port := free_port()), Counter[str](), 0.0
    try:
        for burst in range(BURSTS):
            reports = [(LIARS[n % 5], data) for n, data in enumerate(false)]
            for seed in range(20 * burst, 20 * burst + 20):
                one, two = pairs[seed]
                reports[seed % 20 * 40] = (one, white(two, seed))
                reports[seed % 20 * 40 + 20] = (two, black(one, seed))
            callers = [socket.create_connection(("127.0.0.1", port), PATIENCE, (source, 0)) for source, _ in reports]
            begun = perf_counter()
            for caller, (_, data) in zip(callers, reports, strict=True):
                caller.send(data)
            spent += perf_counter() - begun
            for caller in callers:
                said[caller.recv(200).rstrip(b"\0").decode()] += 1
                caller.close()
        largest = resident(running.pid)
    finally:
        running.terminate()
        assert running.wait() == 0
        closed(running)
    print(f"\n{BURSTS * IN_ONE} reports sent at {BURSTS * IN_ONE / spent:,.0f}/s; at the end {largest >> 20} MB")
    assert said.total() == BURSTS * IN_ONE
    assert (said[PENDING], said[CONFIRMED]) == (20 * BURSTS, 20 * BURSTS), "every true one among the false"
    assert said[PENDING] + said[CONFIRMED] + sum(n for line, n in said.items() if line.startswith("ERR")) == said.total()
    store = Store(tmp_path)
    assert len(list(confirmed_games(store))) == 20 * BURSTS
    assert pending_games(store) == 0
    store.close()
