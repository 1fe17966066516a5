"""An arcade on the loopback for tests, and a visitor that says raw lines."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from gmpy2 import mpz

from arbitre.arcade.ledger import Ledger
from arbitre.arcade.server import Arcade
from arbitre.arcade.terms import Encoding, encode
from arbitre.arcade.wire import Sign
from arbitre.crypto.elgamal import Key
from arbitre.crypto.groups import oakley
from arbitre.records.store import Store

KEY = Key(oakley(14), mpz(0xC1E))

Address = tuple[str, int]

VISITS: "list[Raw]" = []
"""Connections that are still open: a scenario may forget them."""


@asynccontextmanager
async def opened(
    folder: Path | None = None, *, level: str = "Difficile", limit: float | None = 60
) -> AsyncIterator[tuple[Address, list[Ledger], Arcade]]:
    """Open an arcade at a free port; the list collects every ledger that is closed."""
    store = None if folder is None else Store(folder)
    arcade = Arcade(level, store=store, limit=limit)
    ledgers: list[Ledger] = []
    arcade.closed = ledgers.append
    address = await arcade.start()
    try:
        yield address, ledgers, arcade
    finally:
        await arcade.close()
        while VISITS:
            with suppress(ConnectionError):
                await VISITS.pop().gone()
        if store is not None:
            store.close()


class Raw:
    """A connection that says what it is told to."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.lines: list[str] = []
        self._k = mpz(2)

    @classmethod
    async def visit(cls, address: Address, *hello: str) -> "Raw":
        raw = cls(*await asyncio.open_connection(*address))
        VISITS.append(raw)
        raw.say(*hello)
        return raw

    def say(self, *lines: str) -> None:
        self.writer.write("".join(f"{line}\n" for line in lines).encode())

    def key(self, key: Key = KEY) -> None:
        self.say(f"PKEY {key.h.digits(16)}")

    def commit(self, sign: Sign = Sign.PIERRE, key: Key = KEY) -> None:
        self._k += 1
        commitment, _ = key.commit(encode(Encoding.SUBGROUP, key.group, sign), key.pair(self._k))
        self.say(f"COMMIT {commitment.r.digits(16)} {commitment.c.digits(16)}")

    def open(self, sign: Sign = Sign.PIERRE, wrong: int = 0) -> None:
        self.say(f"MOVE {sign.name}", f"OPEN {(self._k + wrong).digits(16)}")

    async def hear(self, start: str, seconds: float = 10.0) -> str:
        """Return the next line that begins so, and keep all before it."""
        async with asyncio.timeout(seconds):
            while True:
                line = (await self.reader.readline()).decode()
                assert line, f"hung up before {start!r}; said: {self.lines[-5:]}"
                self.lines.append(line.rstrip("\n"))
                if line.startswith(start):
                    return self.lines[-1]

    async def rest(self, seconds: float = 10.0) -> list[str]:
        """Return everything until the other end hangs up."""
        async with asyncio.timeout(seconds):
            data = await self.reader.read()
        self.lines += data.decode().splitlines()
        return self.lines

    def leave(self) -> None:
        self.writer.close()

    async def gone(self) -> None:
        self.leave()
        await self.writer.wait_closed()


def run(scenario: Callable[[], Awaitable[None]]) -> None:
    """Run a scenario in a loop of its own."""

    async def main() -> None:
        await scenario()

    asyncio.run(main())
