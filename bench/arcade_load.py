"""An arcade in a process of its own, and visitors that ask as much of it as they can while doing little themselves.

The visitors have made their commitments beforehand and check nothing, so that what is measured is the server.
"""

import asyncio
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import cycle
from pathlib import Path
from random import Random
from time import perf_counter, process_time

from gmpy2 import mpz

from arbitre.arcade.house import quiet
from arbitre.arcade.server import Arcade
from arbitre.arcade.terms import Encoding, encode
from arbitre.arcade.wire import Sign
from arbitre.crypto.elgamal import FixedBase
from arbitre.crypto.groups import SHORT, oakley
from arbitre.records.store import Store
from bench.table import ROOT

PREPARED = 110
"""Commitments of one script: hardly a match asks for more."""


class Server:
    """An arcade in another process, on the loopback."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.port = int(self._line())

    def cpu(self) -> float:
        """Return the CPU seconds that it has used."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return float(self._line())

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()


@asynccontextmanager
async def served(level: str) -> AsyncIterator[Server]:
    """Open an arcade that keeps its records in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "bench.arcade_load", level, folder]
        with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            try:
                yield Server(process)
            finally:
                assert process.stdin is not None
                process.stdin.close()
                process.wait()


async def serve(level: str, folder: Path) -> None:
    """Run the arcade until standard input ends; every line of it is answered with the CPU seconds used."""
    store = Store(folder)
    arcade = Arcade(level, store=store)
    _, port = await arcade.start()
    quiet()
    print(port, flush=True)
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while await reader.readline():
        print(process_time(), flush=True)
    await arcade.close()
    store.close()


class Script:
    """What a visitor says in one match: key, commitments and openings, made in advance."""

    def __init__(self, seed: int, powers: FixedBase, full: bool) -> None:
        group = oakley(14)
        random = Random(seed)
        x = mpz(random.getrandbits(SHORT))
        self.key = f"# begin\nPKEY {powers.power(x).digits(16)}\n".encode()
        self.commits: list[bytes] = []
        self.opens: list[bytes] = []
        for _ in range(PREPARED):
            sign = random.choice(list(Sign))
            k = mpz(random.randrange(1, int(group.q)) if full else random.getrandbits(SHORT))
            c = encode(Encoding.SUBGROUP, group, sign) * powers.power(x * k) % group.p
            self.commits.append(f"COMMIT {powers.power(k).digits(16)} {c.digits(16)}\n".encode())
            self.opens.append(f"MOVE {sign.name}\nOPEN {k.digits(16)}\n".encode())


def scripts(count: int, full: bool = False) -> list[Script]:
    """Make scripts, each with a key of its own: the server must not profit from a key that it knows."""
    group = oakley(14)
    powers = FixedBase(group.g, group.p, (group.bits if full else SHORT) + SHORT)
    return [Script(seed, powers, full) for seed in range(count)]


class Load(asyncio.Protocol):
    """One visitor: plays its script as fast as it is answered, and counts rounds and how long each answer took."""

    def __init__(self, script: Script, seed: int) -> None:
        self.script = script
        self.random = Random(seed)
        self.rounds = 0
        self.waits: list[float] = []
        self.gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._rest = b""
        self._at = 0
        self._starting = True
        self._asked = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Say the key and the first commitment."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._say(self.script.key + self.script.commits[0])

    def data_received(self, data: bytes) -> None:
        """Answer whatever wants an answer."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        out = b"".join([self._answer(line) for line in lines if line[:1] != b"#"])
        if out:
            self.waits.append(perf_counter() - self._asked)
            self._say(out)

    def _answer(self, line: bytes) -> bytes:
        verb = line.split(b" ", 1)[0]
        if verb == b"MOVE" and self._starting:
            self._at += 1
            return self.script.opens[self._at - 1]
        if verb == b"OK":
            self.rounds += 1
            self._starting = False
        elif verb == b"COMMIT":
            return b"MOVE " + self.random.choice((b"PIERRE", b"FEUILLE", b"CISEAUX")) + b"\n"
        elif verb == b"OPEN":
            self.rounds += 1
            self._starting = True
            if self._at == len(self.script.commits):
                self._transport.close()
                return b""
            return b"OK\n" + self.script.commits[self._at]
        return b""

    def _say(self, octets: bytes) -> None:
        self._asked = perf_counter()
        self._transport.write(octets)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the arcade hangs up when a match is over
        """The match is over."""
        if not self.gone.done():
            self.gone.set_result(None)


async def play(port: int, prepared: list[Script], seconds: float, visitors: int) -> tuple[int, list[float]]:
    """Let so many visitors play match after match; return how many rounds, and how long each answer took."""
    turn = cycle(prepared)
    rounds = 0
    waits: list[float] = []
    end = perf_counter() + seconds
    loop = asyncio.get_running_loop()

    async def visit(number: int) -> None:
        nonlocal rounds
        while perf_counter() < end:
            _, load = await loop.create_connection(lambda: Load(next(turn), number), "127.0.0.1", port)
            await load.gone
            rounds += load.rounds
            waits.extend(load.waits)

    await asyncio.gather(*(visit(number) for number in range(visitors)))
    return rounds, waits


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], Path(sys.argv[2])))
