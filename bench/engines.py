"""What refereeing adds to calls over HTTP: whole games of engines at addresses, beside a bare loop that makes the same calls.

One engine, in a process of its own, plays both seats of TicTacToe, eight games at a time, both sides on uvloop. The bare loop is
aiohttp alone: it asks with the same queries, is called back or reads the body, and keeps a board, but judges, times and records
nothing. Then 200 games at once, each with 4 s for a move: the last row sets the answers that were in time beside all that were
asked for, so 1.00× means that there was no false time-out.
"""

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

import aiohttp
import uvloop
from aiohttp import web

from arbitre.crypto.keys import Key
from arbitre.games.catalogue import game
from arbitre.records.event import Event, Kind
from arbitre.referee.clock import read_clock
from arbitre.referee.runner import MatchRunner, Memory
from arbitre.referee.terms import Terms
from arbitre.tournoyons.callback import Listener, Receiver
from arbitre.tournoyons.player import HttpPlayer, Switchboard
from arbitre.tournoyons.wire import Style
from bench.referee import called
from bench.table import Row

TOGETHER = 8
GAMES = 1_000
ROUNDS = 3
"""How often both play in turn; the round in the middle counts."""
CROWD = 200
KEY = Key(bytes(32))
PLIES = 7
"""How long a game is in which both take the first free cell."""


def measure() -> Iterator[Row]:
    """Measure calls answered by a call back, then in the body, then many at once."""
    with engine_process() as url:
        for direct, how in ((False, "called back"), (True, "in the body")):
            pairs = [(uvloop.run(_refereed(url, direct)), uvloop.run(bare_loop(url, direct))) for _ in range(ROUNDS)]
            ours, bare = sorted(pairs, key=lambda pair: pair[0] / pair[1])[ROUNDS // 2]
            yield Row(f"games of engines by URL, answers {how}", ours, "bare aiohttp", bare, 0.5)
        asked, late = uvloop.run(_crowd(url, CROWD))
        yield Row(f"answers in time, {CROWD} games at once, 4 s a move", asked - late, "asked", asked, 1.0, unit="")


@contextmanager
def engine_process() -> Iterator[str]:
    """Run the engine; return its address."""
    script = Path(__file__).parent / "peers" / "aiohttp_engine.py"
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/"
        finally:
            process.kill()


async def several(play: Callable[[int], Awaitable[None]], games: int = GAMES, together: int = TOGETHER) -> float:
    """Play games, so many at a time; return games per second."""
    numbers = iter(range(games))

    async def work() -> None:
        for number in numbers:
            await play(number)

    begun = perf_counter()
    await asyncio.gather(*(work() for _ in range(together)))
    return games / (perf_counter() - begun)


async def _refereed(url: str, direct: bool) -> float:
    receiver = Receiver()
    async with Switchboard(receiver, listener=Listener(receiver)) as board:
        return await several(lambda number: _match(url, board, number, Memory(), direct))


async def _match(url: str, board: Switchboard, number: int, journal: Memory, direct: bool = False) -> None:
    terms = Terms(read_clock("4s/move"))
    players = [HttpPlayer(url, board, f"{number}/{seat}".encode(), style=Style(direct=direct)) for seat in range(2)]
    await MatchRunner(called(game("tictactoe"), terms), players, journal, KEY).play()


async def _crowd(url: str, games: int) -> tuple[int, int]:
    """Play many games at once; return how many moves were asked for and how many answers were late."""
    journals = [Memory() for _ in range(games)]
    receiver = Receiver()
    async with Switchboard(receiver, listener=Listener(receiver)) as board:
        await several(lambda number: _match(url, board, number, journals[number]), games, games)
    events: list[Event] = [event for journal in journals for event in journal.events]
    return sum(event.kind is Kind.ASKED for event in events), sum(event.kind is Kind.TICKED for event in events)


Keep = Callable[[str], Awaitable[None]]
"""Takes down what was exchanged, and returns when it is safe."""


async def bare_loop(url: str, direct: bool, together: int = TOGETHER, keep: Keep | None = None) -> float:
    """Make the calls of the games, without a referee."""
    waiting: dict[str, asyncio.Future[str]] = {}

    async def heard(request: web.BaseRequest) -> web.StreamResponse:
        waiting.pop(request.query["MoveId"]).set_result(request.query["Value"])
        return web.Response(text="accepted")

    runner = web.ServerRunner(web.Server(heard, access_log=None))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    referee = "" if direct else f"http://127.0.0.1:{runner.addresses[0][1]}/answer/0123456789abcdef/{'0' * 32}"
    async with aiohttp.ClientSession() as session:

        async def play(number: int) -> None:
            tray = "0" * 9
            for ply in range(PLIES):
                ident = str(10**18 + 10 * number + ply)
                answered = waiting[ident] = asyncio.get_running_loop().create_future()
                fields = {"Set": "TicTacToe", "Game": "0123456789", "MoveId": ident, "Turn": str(ply + 1), "Tray": tray}
                asked = fields | {"TimeOut": "4", "Referee": referee, "Status": "0"}
                async with session.get(url, params=asked) as response:
                    body = await response.text()
                cell = int(body if direct else await answered)
                tray = f"{tray[: cell - 1]}{'12'[ply % 2]}{tray[cell:]}"
                if keep is not None:
                    await keep(f"{asked} {cell}")

        rate = await several(play, together=together)
    await runner.cleanup()
    return rate
