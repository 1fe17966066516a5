"""Tables of added games for tests: the example's server, players with a script, and a browser that shows a referee's frame."""

import asyncio
import re
import shutil
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from arbitre.crypto.chain import commitment
from arbitre.games.added.rules import Added
from arbitre.games.game import Seat
from arbitre.games.player import Position
from arbitre.records.event import Event
from arbitre.referee.clock import read_clock
from arbitre.referee.match import Match
from arbitre.referee.player import Answer, Player
from arbitre.referee.runner import MatchRunner, Memory
from arbitre.referee.terms import Chair, Opening, Terms
from arbitre.referee.verdict import Verdict
from arbitre.referee.verify import Proof, verify
from arbitre.tournoyons.callback import Listener, Receiver
from arbitre.tournoyons.player import Switchboard
from arbitre.tournoyons.referee import ExternalReferee
from tests.tournoyons.test_player import ENGINES, started
from tests.transport.tables import KEY, SEED

EXAMPLE = Path(__file__).parent.parent / "examples" / "addedgame"


def served() -> Iterator[str]:
    """Run the example's server while it is needed; return its address."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    yield from started(node, str(EXAMPLE / "server.mjs"), "0")


@pytest.fixture(scope="module")
def example() -> Iterator[str]:
    """Run the example's server while tests need it; return its address."""
    yield from served()


@pytest.fixture(scope="module")
def pawns() -> Iterator[str]:
    """Run the fixture of players of Hexapawn, good and bad ones, while tests need it; return its address."""
    yield from started(sys.executable, "-S", str(ENGINES / "pawns.py"))


class Script(Player):
    """A player who says what is written, and then the last of it for ever."""

    outside = False

    def __init__(self, *moves: str) -> None:
        self.moves = list(moves)

    async def ask(self, position: Position) -> Answer:  # noqa: ARG002 - it is written
        return Answer(self.moves.pop(0) if len(self.moves) > 1 else self.moves[0])


class Browser(Player):
    """A referee whose page is opened by a player's browser: the page is fetched, and its `location.href` gone to."""

    def __init__(self, inner: ExternalReferee) -> None:
        self.inner = inner
        self._tasks: list[asyncio.Task[None]] = []

    async def sit(self, opening: Opening, seat: Seat) -> None:
        await self.inner.sit(opening, seat)

    async def ask(self, position: Position) -> Answer:
        address = self.inner.frame(position.view, position.turn)
        self._tasks.append(asyncio.ensure_future(self._show(address)))
        return await self.inner.ask(position)

    async def _show(self, address: str) -> None:
        async with aiohttp.ClientSession() as session:
            page = await (await session.get(address)).text()
            found = re.search(r'location\.href = "([^"]+)"', page)
            if found is not None:
                await session.get(found[1])

    async def leave(self) -> None:
        await asyncio.gather(*self._tasks)
        await self.inner.leave()


def called(game: Added, clock: str = "none", start: str = "") -> Match:
    """Return a match of an added game."""
    chairs = (Chair("one"), Chair("two"), Chair("the referee"))
    terms = Terms(read_clock(clock))
    return Match(Opening("m", game, chairs, commitment(SEED), terms, start, referee=KEY.public.hex()), SEED)


Seats = Callable[[Switchboard], Sequence[Player]]


def play(match: Match, seats: Seats, beside: Callable[[], Awaitable[web.AppRunner]] | None = None) -> tuple[Verdict, list[Event]]:
    """Play a match on a switchboard of its own, with somebody's server beside it; demand a sound record."""
    journal = Memory()

    async def course() -> Verdict:
        async with asyncio.timeout(60), AsyncExitStack() as stack:
            receiver = Receiver()
            switchboard = await stack.enter_async_context(Switchboard(receiver, listener=Listener(receiver)))
            if beside is not None:
                stack.push_async_callback((await beside()).cleanup)
            affairs = await MatchRunner(match, seats(switchboard), journal, KEY).play()
        assert affairs.verdict is not None
        return affairs.verdict

    verdict = asyncio.run(course())
    found = verify(journal.record().text().encode(), given=KEY.fingerprint)
    assert found.standing is Proof.ATTESTED, found.line
    return verdict, journal.events


async def listening(handle: Callable[[web.Request], Awaitable[web.StreamResponse]], port: int) -> web.AppRunner:
    """Run somebody's server in this loop."""
    app = web.Application()
    app.router.add_get("/{path:.*}", handle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    return runner
