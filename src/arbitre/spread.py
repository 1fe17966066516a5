"""A tournament that many machines play: chunks of its games lie in a queue of the database, and workers take them.

A game's name, seed and luck follow from the plan's seed, the number of its fixture and the attempt, so it does not matter who
plays it, or how often. A worker plays a chunk in memory and writes it in one commit, each game unless it is there already; killed
at whatever moment it leaves nothing behind, and its chunk is taken by another. The one who spreads a tournament holds it, defers
what is due, and sees results come in as if they were played here.

Where a player has a key or promises a nonce, nobody may be shown two openings of one match; such games are not spread.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from functools import partial
from time import monotonic
from typing import Any, TypeVar

from arbitre.errors import ArbitreError, HouseError, StoreError, TournamentError, shorten
from arbitre.hall import TOGETHER, Hall, Told, lock_of, together
from arbitre.players import Contestant
from arbitre.records.event import Event
from arbitre.records.record import Seal
from arbitre.records.store import Played, Store
from arbitre.referee.runner import MatchJournal
from arbitre.referee.terms import Opening
from arbitre.tournament.config import TournamentPlan, read_kept_plan
from arbitre.tournament.fixtures import Tries, past
from arbitre.tournament.progress import Progress, progress
from arbitre.tournament.schedule import Contestant as Entrant
from arbitre.tournament.schedule import Fixture

try:
    from procrastinate import App, JobContext, PsycopgConnector
    from procrastinate.exceptions import AlreadyEnqueued, ConnectorException
    from procrastinate.types import JSONValue
except ImportError as missing:
    raise StoreError("PostgreSQL needs packages that are not installed: pip install 'arbitre[postgresql]'") from missing

LOG = logging.getLogger("arbitre.worker")
T = TypeVar("T")

CHUNK = 64
"""Games of one job, where nobody is waited for; where somebody is, one."""

QUEUE = "arbitre"
LOOK_SECONDS = 0.2
"""How often the one who spreads a tournament looks for results."""
PATIENCE_SECONDS = 60.0
"""How long he waits for a database that went away."""
AGAIN_SECONDS = 1.0
"""How soon a worker that has lost the database looks for it again."""
LOOKS = 10
"""So many looks without one, and he asks whether a chunk has failed."""

Furnish = Callable[
    [TournamentPlan, Store], tuple[Sequence[Contestant], Contestant | None, AbstractAsyncContextManager[Any] | None]
]
"""Returns who plays, who judges where we do not, and what those at addresses share."""


# ── a chunk, in memory ─────────────────────────────────────────────────────────────────────────────────────────────


class Sheet:
    """The journal of one match that is written when the whole chunk is."""

    def __init__(self, done: Callable[[tuple[str, ...], str, str | None], None]) -> None:
        self._done = done
        self._lines: list[str] = []

    def write(self, events: Sequence[Event], lines: Sequence[str]) -> None:  # noqa: ARG002 - the lines are what is kept
        """Take down one transition."""
        self._lines.append("\n".join(lines))

    def decide(self, verdict: str) -> None:
        """Take down the verdict; whoever spreads the tournament seals the record when it is over."""
        self._done(tuple(self._lines), verdict, None)

    def seal(self, seal: Seal, verdict: str) -> None:
        """Take down the end of the record."""
        self._done(tuple(self._lines), verdict, seal.line())

    async def durable(self) -> None:
        """Return at once: what is lost with this process was never told to anybody."""


class Bench(Hall):
    """Where chunks of one tournament are played in memory."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._played: list[Played] = []

    def _journal(self, opening: Opening, seed: bytes, fixture: Fixture) -> MatchJournal:
        if opening.agreeing:
            raise HouseError("players with a key or a nonce play on one machine: leave --spread out")
        name, game = opening.match, self.plan.game.name

        def done(lines: tuple[str, ...], verdict: str, seal: str | None) -> None:
            self._played.append(Played(name, game, seed, self.date, self.name, fixture.number, verdict, seal, lines))

        return Sheet(done)

    async def play(self, fixtures: Sequence[Fixture], failures: Sequence[int], stop: Callable[[], bool]) -> int:
        """Play a chunk and write it in one commit; return how many games were new. Nothing is begun when it is to stop."""
        there = self.store.booked(self.name, [one.number for one in fixtures])
        known = {one.number: Tries(one.number, count) for one, count in zip(fixtures, failures, strict=True)}
        self.tries = known
        rest = iter([one for one in fixtures if known[one.number].failures or one.number not in there])

        async def work() -> None:
            for fixture in rest:
                if stop():
                    return
                await self._fixture(fixture)

        self._played = []
        await together(work() for _ in range(TOGETHER if self.inside else self.plan.concurrency))
        return await self.store.keep(self._played)


# ── the queue ──────────────────────────────────────────────────────────────────────────────────────────────────────


@asynccontextmanager
async def _queue(store: Store) -> AsyncIterator[App]:
    """Open the queue of a database, made on first use."""
    if not store.place.database:
        raise TournamentError("a tournament is spread over workers by a PostgreSQL: give --database postgresql://…")
    app = App(connector=PsycopgConnector(conninfo=store.place.database, min_size=1, max_size=4))
    try:
        async with app.open_async():
            with store.alone():
                if not store.rows("SELECT 1 WHERE to_regclass('procrastinate_jobs') IS NOT NULL"):
                    await app.schema_manager.apply_schema_async()
            yield app
    except ConnectorException as error:
        why = shorten(" ".join(str(error.__cause__ or error).split()), 200)
        raise StoreError("the store in %(folder)s cannot be used: %(error)s", folder=store.place, error=why) from error


async def _patiently(ask: Callable[[], Awaitable[T]]) -> T:
    """Ask something of the database, again while it is away: for as long as a store waits that has something to write."""
    until = monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return await ask()
        except (StoreError, ConnectorException):
            if monotonic() > until:
                raise
        await asyncio.sleep(LOOK_SECONDS)


class Worker:
    """Takes chunks of any tournament of a database and plays them, one at a time."""

    def __init__(self, store: Store, furnish: Furnish, patience: float) -> None:
        self.store = store
        self._furnish = furnish
        self._patience = patience
        self._benches: dict[str, Bench] = {}
        self._came = False
        """Whether the queue was ever open."""

    async def run(self, stopped: asyncio.Event) -> None:
        """Work until it is to stop; the chunk that is being played is finished first. Where the database goes away, come back."""
        while not stopped.is_set():
            working, told = asyncio.ensure_future(self._work()), asyncio.ensure_future(stopped.wait())
            await asyncio.wait({working, told}, return_when=asyncio.FIRST_COMPLETED)
            told.cancel()
            if stopped.is_set():
                working.cancel()
            try:
                await working
            except asyncio.CancelledError:
                return
            except StoreError as error:
                if not self._came:  # it never was there: whoever started us should know
                    raise
                LOG.warning("%s", error)
            with suppress(TimeoutError):
                await asyncio.wait_for(stopped.wait(), AGAIN_SECONDS)

    async def _work(self) -> None:
        """Work as long as the database is there."""
        async with _queue(self.store) as app:
            self._came = True

            @app.task(name="play", queue=QUEUE, pass_context=True)
            def play(context: JobContext, tournament: str, key: str, games: list[list[int]]) -> int:
                # in a thread of its own, so that the heart of this worker beats meanwhile
                return asyncio.run(self._play(tournament, key, games, context.should_abort))

            @app.periodic(cron=f"*/{min(30, max(1, int(self._patience / 2)))} * * * * *")
            @app.task(name="retry", queue=QUEUE, queueing_lock="retry", priority=1)
            async def retry(timestamp: int) -> None:  # noqa: ARG001 - what a periodic task is called with
                gone = await app.job_manager.get_stalled_jobs(task_name="play", seconds_since_heartbeat=self._patience)
                for job in gone:
                    LOG.warning("a worker is gone: its games are played again")
                    with suppress(AlreadyEnqueued, ConnectorException):  # whoever spreads them has deferred them again
                        await app.job_manager.retry_job(job)

            await app.run_worker_async(
                queues=[QUEUE],
                name="arbitre",
                fetch_job_polling_interval=1.0,
                abort_job_polling_interval=1.0,
                update_heartbeat_interval=self._patience / 4,
                stalled_worker_timeout=self._patience,
                delete_jobs="successful",
                install_signal_handlers=False,
            )

    async def _play(self, tournament: str, key: str, games: list[list[int]], stop: Callable[[], bool]) -> int:
        try:
            bench, board = self._bench(tournament, key)
            async with board or nullcontext():
                return await bench.play([_fixture(one) for one in games], [one[-1] for one in games], stop)
        except ArbitreError as error:
            LOG.error("a chunk of %s cannot be played: %s", tournament, error)  # noqa: TRY400 - it says enough
            raise

    def _bench(self, name: str, key: str) -> tuple[Bench, AbstractAsyncContextManager[Any] | None]:
        if self.store.key().fingerprint != key:
            raise HouseError(
                "%(folder)s holds another referee's key than the one who spreads %(name)r: mount his data folder's keys here",
                folder=self.store.folder,
                name=name,
            )
        if name in self._benches:
            return self._benches[name], None
        text, _, date = self.store.tournament(name)
        plan = read_kept_plan(text)
        contestants, referee, board = self._furnish(plan, self.store)
        bench = Bench(self.store, name, plan, contestants, date, referee=referee)
        if board is None:  # what those at addresses share is open for one chunk
            self._benches[name] = bench
        return bench, board


def _fields(fixture: Fixture, failures: int) -> "list[JSONValue]":
    return [fixture.number, fixture.round, fixture.table, fixture.game, *fixture.seats, fixture.start, failures]


def _fixture(fields: list[int]) -> Fixture:
    number, round_, table, game, one, other, start, _ = fields
    return Fixture(number, round_, table, game, (Entrant(one), Entrant(other)), start)


# ── spreading one ──────────────────────────────────────────────────────────────────────────────────────────────────


class SpreadHall(Hall):
    """Where a tournament is held whose games others play."""

    async def hold(self, told: Told) -> Progress:
        """See to everything that is to be played, and return how it ended."""
        async with _queue(self.store) as app:
            with self.store.holding(lock_of(self.name)):
                await self._clear()
                failed, given = await self._jobs(app, "failed"), set[int]()
                seen = max((row.number for row in self.store.matches(tournament=self.name)), default=0)
                while True:
                    reached = progress(self.plan.schedule, self.results, self.plan.sprt)
                    if reached.over:
                        await _patiently(partial(self._call_off, app))
                        await self.seal()
                        return reached
                    # what lay in the queue already, or was heard before, is not put there or told again
                    await _patiently(partial(self._defer, app, [one for one in reached.due if one.number not in given]))
                    given |= {one.number for one in reached.due}
                    seen = await _patiently(partial(self._hear, app, failed, seen, told))

    async def _defer(self, app: App, due: Sequence[Fixture]) -> None:
        """Put what is due into the queue, unless it lies there since somebody who spread it was interrupted."""
        size = CHUNK if self.inside else 1
        for first in range(0, len(due), size):
            chunk = due[first : first + size]
            games: list[JSONValue] = [_fields(one, self.tries.get(one.number, Tries(one.number)).failures) for one in chunk]
            lock = f"{self.name}/{chunk[0].number}"
            with suppress(AlreadyEnqueued):
                deferrer = app.configure_task("play", queue=QUEUE, queueing_lock=lock)
                await deferrer.defer_async(tournament=self.name, key=self.key.fingerprint, games=games)

    async def _hear(self, app: App, failed: Collection[int], seen: int, told: Told) -> int:
        """Wait for matches behind a number, take their results down, and return the number of the last."""
        looks = 0
        # whoever keeps a chunk does it alone, so what is numbered later is there later
        while not (rows := list(self.store.matches(tournament=self.name, after=seen))):
            looks += 1
            if looks % LOOKS == 0 and (await self._jobs(app, "failed")) - set(failed):
                raise HouseError("a worker could not play games of %(name)r: its log says why", name=self.name)
            await asyncio.sleep(LOOK_SECONDS)
        for number, one in past(rows).items():
            if one.result is not None and number not in self.results:
                self.results[number] = one.result
                told(one.result)
        return rows[-1].number

    async def _call_off(self, app: App) -> None:
        """Let nobody play what counts for nothing any more."""
        for number in await self._jobs(app, "todo") | await self._jobs(app, "doing"):
            await app.job_manager.cancel_job_by_id_async(number, abort=True)

    async def _jobs(self, app: App, status: str) -> set[int]:
        """Return the numbers of this tournament's chunks in a state."""
        found = await app.job_manager.list_jobs_async(queue=QUEUE, task="play", status=status)
        return {one.id for one in found if one.id is not None and one.task_kwargs.get("tournament") == self.name}
