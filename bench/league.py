"""The draughts league: how many reports a registrar judges per CPU second, by its function and over sockets.

Every report is of a random game played to its end. *Judged* is everything from 256 octets to the answer: replay by the rules,
comparison with what is registered. The peer there is the same game replayed move by move through the contract of all games
(`check`, `play`), without a report around it. Over sockets 64 reporters at a time connect, send and read the answer, in the same
process as the registrar; both sides of each game are reported once, and every answer waits until it is durable. The peer is a
server that answers anything at once.
"""

import asyncio
import tempfile
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from random import Random
from time import process_time

from arbitre.games.draughts.rules import Draughts, Move
from arbitre.games.game import FIRST, SECOND, playout
from arbitre.league.ledger import Ledger
from arbitre.league.registrar import Registrar
from arbitre.league.report import HEADER, mapped, replay, write_report
from arbitre.records.store import Store
from arbitre.transport.sockets import listen
from bench.table import Row, rate

GAMES = 1_000
SECONDS = 3.0
TOGETHER = 64
RULES = Draughts()
ANN, BOB = mapped("127.0.0.1"), mapped("127.0.0.1")


def games() -> list[tuple[Move, ...]]:
    """Return random games."""
    return [tuple(move for step in playout(RULES, Random(n)) for move in step.moves.values()) for n in range(GAMES)]


def replayed(moves: tuple[Move, ...]) -> int:
    """Replay a game through the contract of all games."""
    board = RULES.start()
    for move in moves:
        RULES.phase(board)
        RULES.check(board, move)
        board = RULES.play(board, {board.mover: move})
    return 1


def judged(reports: list[bytes], fresh: bool) -> float:
    """Return the reports judged per CPU second, each game seen for the first time or seen before."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder))
        ledger = Ledger(store)
        around = cycle(reports)

        def one() -> int:
            if fresh:
                replay.cache_clear()
            ledger.hear(next(around), ANN, "2026-01-01")
            return 1

        if not fresh:
            for report in reports:
                replay(report[HEADER:])
        found = rate(one, SECONDS)
        store.close()
    return found


class Nod(asyncio.Protocol):
    """Answers anything at once."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the connection."""
        self.transport = transport

    def data_received(self, data: bytes) -> None:  # noqa: ARG002 - whatever it is
        """Answer and close."""
        self.transport.write("ACC : mais non confirmé\0".encode())  # type: ignore[attr-defined]
        self.transport.close()


async def answered(port: int, reports: Iterator[bytes]) -> float:
    """Return how many answers reporters get per CPU second, theirs and the registrar's."""
    count = 0

    async def reporter() -> None:
        nonlocal count
        for report in reports:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(report)
            await reader.readuntil(b"\0")
            writer.close()
            count += 1

    begun = process_time()
    await asyncio.gather(*(reporter() for _ in range(TOGETHER)))
    return count / (process_time() - begun)


async def over_sockets(reports: list[bytes]) -> tuple[float, float]:
    """Return answers per second of the registrar and of the one who only nods."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder))
        (sock,) = listen("127.0.0.1", 0)
        days = iter(range(10_000_000))
        registrar = Registrar(Ledger(store), lambda: str(next(days)))
        serving = asyncio.ensure_future(registrar.serve([sock]))
        ours = await answered(sock.getsockname()[1], iter(reports))
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        store.close()
    server = await asyncio.get_running_loop().create_server(Nod, "127.0.0.1", 0)
    theirs = await answered(server.sockets[0].getsockname()[1], iter(reports))
    server.close()
    return ours, theirs


def measure() -> Iterator[Row]:
    """Judge reports by the function and over sockets."""
    played = games()
    around = cycle(played)
    bare = rate(lambda: replayed(next(around)), SECONDS)
    whites = [write_report(FIRST, BOB, moves) for moves in played]
    yield Row("reports judged, each game for the first time (CPU)", judged(whites, fresh=True), "bare rules", bare)
    yield Row("reports judged, games seen before (CPU)", judged(whites, fresh=False), "bare rules", bare)
    both = [report for moves in played for report in (write_report(FIRST, BOB, moves), write_report(SECOND, BOB, moves))]
    replay.cache_clear()
    ours, theirs = asyncio.run(over_sockets(both))
    yield Row("reports answered over sockets, durable (CPU of both ends)", ours, "a server that only nods", theirs)
