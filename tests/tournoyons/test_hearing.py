"""Answers around the limit: the moment at which one is heard decides once, for the sender, for the match and for the record.

Hundreds of questions are answered a little before and a little after their time is up, by real calls over real sockets, on the
loop on which a site runs. However busy this machine is, the same must hold: who was told 200 is in the record and is charged no
more than there was; who was told 410 is not, and the match says that no answer came in time.
"""

import asyncio
import itertools
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, urlencode

import aiohttp
import pytest
import uvloop
from aiohttp import web

from arbitre.bot import InProcess
from arbitre.errors import ArenaError
from arbitre.games.anyone import Anyone
from arbitre.games.catalogue import game as find_game
from arbitre.games.game import Seat
from arbitre.records.event import Event, Kind
from arbitre.referee.clock import read_clock
from arbitre.referee.match import Match
from arbitre.referee.player import Player
from arbitre.referee.runner import MatchRunner, Memory
from arbitre.referee.story import tell
from arbitre.referee.verdict import Termination, Verdict
from arbitre.referee.verify import Proof, verify
from arbitre.site.arena.arena import Arena
from arbitre.site.arena.plan import HouseSeat, MatchPlan, PersonSeat
from arbitre.tournoyons.callback import Listener, Receiver
from arbitre.tournoyons.player import HttpPlayer, Switchboard
from arbitre.tournoyons.trace import Spoken
from arbitre.tournoyons.wire import Style
from tests.site.test_arena import arena_in
from tests.transport.tables import KEY, make_match

LIMIT = 150
"""Milliseconds for a move: those of the clock, and those of the wire where there is none."""

STEP = 0.003
"""Seconds by which the next answer comes later than one that was accepted, and sooner than one that was refused."""

ENOUGH = 60
"""So many answers of each kind are waited for."""

TABLES = 12

Told = list[tuple[str, int]]
"""The moves that were sent, each with what was answered to it."""


class Aim:
    """How long those who answer wait before they do: it stays around the limit, wherever this machine lets that be."""

    def __init__(self) -> None:
        self.seconds = LIMIT / 1000 - 0.01
        self.count: Counter[int] = Counter()

    def told(self, status: int) -> None:
        """Aim later when an answer was in time, and sooner when it was not."""
        self.count[status] += 1
        self.seconds = max(0.0, self.seconds + (STEP if status == 200 else -STEP))

    @property
    def enough(self) -> bool:
        """Whether there were enough answers on both sides of the limit."""
        return min(self.count[200], self.count[410]) >= ENOUGH


async def played(match: Match, player: Player) -> tuple[Verdict, Sequence[Event]]:
    """Play a match against somebody of this process; demand a sound record."""
    journal = Memory()
    affairs = await MatchRunner(match, [player, InProcess(Anyone())], journal, KEY).play()
    assert affairs.verdict is not None
    found = verify(journal.record().text().encode(), given=KEY.fingerprint)
    assert found.standing is Proof.VERIFIED, found.line
    return affairs.verdict, journal.events


def one_story(told: Told, verdict: Verdict, events: Sequence[Event]) -> None:
    """Demand that what the sender was told, what is recorded, and the verdict say the same."""
    said = [event.text for event in events if event.kind is Kind.SAID and event.seat == 0]
    assert said == [text for text, status in told if status == 200], (told, verdict)
    refused = [text for text, status in told if status == 410]
    assert len(said) + len(refused) == len(told), told
    assert verdict.termination is (Termination.OUT_OF_TIME if refused else Termination.RULES), (told, verdict)


async def tables(aim: Aim, game: Callable[[str], Awaitable[None]]) -> None:
    """Play one game after the other at several tables, until there were enough answers on both sides of the limit."""

    async def table(number: int) -> None:
        for count in itertools.count():
            if aim.enough:
                return
            await game(f"{number}-{count}")

    async with asyncio.timeout(100), asyncio.TaskGroup() as group:
        for number in range(TABLES):
            group.create_task(table(number))


# ── engines that call back ─────────────────────────────────────────────────────────────────────────────────────────


class Punctual:
    """An engine that takes the first free cell, and calls back around the moment at which its time is up."""

    def __init__(self, aim: Aim) -> None:
        self.told: defaultdict[str, Told] = defaultdict(list)
        self._aim = aim
        self._calls: dict[str, asyncio.Task[None]] = {}
        self._session: aiohttp.ClientSession

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        """Serve, and return the address."""
        runner = web.ServerRunner(web.Server(self._asked), shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        try:
            async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as self._session:
                yield f"http://127.0.0.1:{runner.addresses[0][1]}"
        finally:
            await runner.cleanup()

    async def answered(self, name: str) -> Told:
        """Return what one game was told, when it was told everything."""
        await self._calls[name]
        return self.told[name]

    async def _asked(self, request: web.BaseRequest) -> web.Response:
        name = request.path.strip("/")
        self._calls[name] = asyncio.ensure_future(self._answer(name, dict(request.query)))
        return web.Response(text="later")

    async def _answer(self, name: str, asked: dict[str, str]) -> None:
        cell = str(asked["Tray"].index("0") + 1)
        await asyncio.sleep(self._aim.seconds)
        query = urlencode({"Game": asked["Game"], "MoveId": asked["MoveId"], "Value": cell})
        async with self._session.get(f"{asked['Referee']}?{query}") as response:
            self.told[name].append((cell, response.status))
            self._aim.told(response.status)


def value_in(query: str) -> str:
    return parse_qs(query)["Value"][0]


@pytest.mark.parametrize("clock", [f"{LIMIT}ms/move", "none"])
def test_no_engine_is_told_one_thing_and_judged_by_another(clock: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # the protocol says whole seconds, from four
    monkeypatch.setattr("arbitre.tournoyons.player.seconds", lambda _left: LIMIT / 1000)

    async def course() -> None:
        aim, late = Aim(), dict[str, list[tuple[str, int]]]()
        engine = Punctual(aim)
        receiver = Receiver(late=lambda handle, query: late[handle].append((value_in(query), 410)))

        async def game(name: str) -> None:
            trace: list[Spoken] = []
            player = HttpPlayer(f"{url}/{name}", board, name.encode(), style=Style(full=True), trace=trace.append)
            late[player.handle] = []
            verdict, events = await played(make_match(clock), player)
            told = await engine.answered(name)
            one_story(told, verdict, events)
            traced = [(value_in(one.text), one.status) for one in trace if one.what != "called"]
            assert traced + late[player.handle] == told

        async with Switchboard(receiver, listener=Listener(receiver)) as board, engine.serving() as url:
            await tables(aim, game)

    uvloop.run(course())


# ── people ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_nobody_at_a_browser_is_told_one_thing_and_judged_by_another(tmp_path: Path) -> None:
    async def course() -> None:
        aim = Aim()
        plan = MatchPlan(find_game("tictactoe"), (PersonSeat("guest:a"), HouseSeat(1)), clock=read_clock(f"{LIMIT}ms/move"))

        async def answered(arena: Arena, name: str, ticket: str, cell: str) -> int:
            try:
                await arena.answer(name, Seat(0), ticket, cell)
            except ArenaError:  # which the site says with a 410
                return 410
            return 200

        async def game(arena: Arena, _: str) -> None:
            name = (await arena.open(plan)).name
            live, told, free = arena.live(name), Told(), list("123456789")
            async for scene in arena.watch(name, Seat(0)):
                for line in scene.lines:
                    if line.kind is Kind.SAID:
                        free.remove(line.text)
                if scene.asks is not None and not scene.closed:
                    await asyncio.sleep(aim.seconds)
                    told.append((free[0], await answered(arena, name, live.ticket(Seat(0), scene.asks), free[0])))
                    aim.told(told[-1][1])
            record = arena.record(name)
            verdict = tell(record).moments[-1].affairs.verdict
            assert verdict is not None
            assert verify(record.text().encode(), given=arena.key.fingerprint).standing is Proof.VERIFIED
            one_story(told, verdict, record.events)

        async with arena_in(tmp_path) as arena:
            await tables(aim, partial(game, arena))

    uvloop.run(course())
