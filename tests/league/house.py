"""A league for tests: finished games, and reporters who speak from different loopback addresses."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from random import Random

from arbitre.games.draughts.rules import Draughts, Move
from arbitre.games.game import FIRST, SECOND, Seat, playout
from arbitre.league.ledger import Ledger, Roster
from arbitre.league.registrar import Registrar
from arbitre.league.report import mapped, write_report
from arbitre.records.store import Store
from arbitre.transport.guard import read_networks
from arbitre.transport.sockets import listen

ANN, BOB, EVE, SIX = "127.0.0.2", "127.0.0.3", "127.0.0.4", "::1"
OTHERS = "ERR : partie déjà jouée par d’autres"
UNKNOWN = "ERR : inconnue"
AGAIN = "ACC : mais déjà enregistrée"
PENDING = "ACC : mais non confirmé"
CONFIRMED = "ACC : et confirmée"
TOMORROW = "TIM : partie déjà joué aujourd’hui, à renvoyer demain pour validation"


@cache
def game(seed: int) -> tuple[Move, ...]:
    """Return the moves of a random game."""
    return tuple(move for step in playout(Draughts(), Random(seed)) for move in step.moves.values())


def white(opponent: str, seed: int) -> bytes:
    """Return a report of white's."""
    return report(FIRST, opponent, seed)


def black(opponent: str, seed: int) -> bytes:
    """Return a report of black's."""
    return report(SECOND, opponent, seed)


def report(seat: Seat, opponent: str, seed: int) -> bytes:
    return write_report(seat, mapped(opponent), game(seed))


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


async def connect(port: int, source: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect from an address to the registrar."""
    host = "::1" if ":" in source else "127.0.0.1"
    return await asyncio.open_connection(host, port, local_addr=(source, 0))


async def send(port: int, source: str, *parts: bytes, pause: float = 0.02, end: bool = False) -> str:
    """Send a report from an address, in parts, and return the answer; the socket stays open until the registrar closes."""
    reader, writer = await connect(port, source)
    try:
        for number, part in enumerate(parts):
            if number:
                await asyncio.sleep(pause)
            writer.write(part)
            await writer.drain()
        if end:
            writer.write_eof()
        said = await asyncio.wait_for(reader.read(), 20)
    finally:
        writer.close()
    assert said.endswith(b"\0")
    assert said.count(b"\0") == 1
    return said[:-1].decode()


class Office:
    """A registrar at work in this process."""

    def __init__(self, port: int, registrar: Registrar) -> None:
        self.port = port
        self.registrar = registrar
        self.day = "2026-05-01"

    async def send(self, source: str, *parts: bytes, pause: float = 0.02, end: bool = False) -> str:
        return await send(self.port, source, *parts, pause=pause, end=end)


@asynccontextmanager
async def office(
    folder: Path, roster: Roster | None = None, silence: float = 0.3, proxies: tuple[str, ...] = ()
) -> AsyncIterator[Office]:
    """Open a registrar on all addresses of this machine."""
    store = Store(folder)
    (sock,) = listen("::", 0)
    registrar = Registrar(Ledger(store, roster), lambda: opened.day, silence=silence, proxies=read_networks(proxies))
    opened = Office(sock.getsockname()[1], registrar)
    serving = asyncio.ensure_future(registrar.serve([sock]))
    await asyncio.sleep(0)
    try:
        yield opened
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        await asyncio.sleep(0)
        store.close()
