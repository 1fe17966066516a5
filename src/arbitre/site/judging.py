"""Who judges the games that people want analysed: `arbitre worker` where there are some, the site's own process otherwise.

A `Judge` takes one wish at a time (`site.analyses`), has it judged in a process of its own with what others leave of the machine
(`analysis.work`), signs what comes out and keeps it. Killed at whatever moment it leaves nothing behind, and another takes what
it was at. That of a site stands back while a worker is there.
"""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from logging import getLogger
from secrets import token_hex
from subprocess import DEVNULL, PIPE

from arbitre.analysis.document import read_document, sign
from arbitre.crypto.keys import Key
from arbitre.errors import ArbitreError, HouseError, QuotaError, StoreError
from arbitre.games.analysis import is_judged
from arbitre.site.analyses import LEASE_SECONDS, Analyses, Wish
from arbitre.site.arena.matches import ArenaMatch

LOG = getLogger("arbitre.analyses")

PATIENCE = 600.0
"""Seconds after which an analysis is given up."""
LOOK_SECONDS = 2.0
"""So often a judge looks for wishes that others brought, and says that it is there."""

Compute = Callable[[bytes], Awaitable[bytes]]
"""Makes of a record's octets those of a document, signed by anybody."""


class Judge:
    """Judges what waits, one game at a time."""

    def __init__(
        self,
        analyses: Analyses,
        octets: Callable[[str], bytes],
        key: Callable[[], Key],
        *,
        shared: bool,
        worker: bool = False,
        lease: float = LEASE_SECONDS,
        compute: Compute | None = None,
    ) -> None:
        self.analyses = analyses
        self.name = f"{os.getpid()}-{token_hex(8)}"
        self.has_workers = False
        """Whether workers are there, as we last heard."""
        self._octets = octets
        self._key = key
        self._shared = shared
        """Whether others may bring and take wishes: whether several processes share the database."""
        self._worker = worker
        self._lease = lease
        self._compute = compute or in_a_process
        self._at = ""
        self._wanted = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._asking: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Begin to work."""
        self._tasks = [asyncio.create_task(self._course())]
        if self._shared:
            self._tasks.append(asyncio.create_task(self._beats()))

    def wake(self) -> None:
        """Look at once: somebody has asked."""
        self._wanted.set()

    def ended(self, sitting: ArenaMatch) -> None:
        """Have a game of a competition judged for everybody, where workers are there to do it."""
        plan = sitting.plan
        if self.has_workers and plan.event and sitting.state == "over" and is_judged(plan.game.name):
            asking = asyncio.create_task(asyncio.to_thread(self._ask, Wish("", f"event:{plan.event}"), sitting.name))
            self._asking.add(asking)
            asking.add_done_callback(self._asking.discard)

    def _ask(self, wish: Wish, match: str) -> None:
        with suppress(QuotaError, StoreError):  # whoever wants to see it asks by hand
            self.analyses.ask(wish, match, self._key().fingerprint)

    async def close(self) -> None:
        """Stop, and let others take what was being judged."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, *self._asking, return_exceptions=True)
        self._tasks = []
        with suppress(StoreError):  # then it is taken when nobody has heard of us for a while
            await asyncio.to_thread(self.analyses.give_back, self.name)

    async def run(self) -> None:
        """Work until called off."""
        self.start()
        try:
            await asyncio.gather(*self._tasks)
        finally:
            await self.close()

    # ── two courses ────────────────────────────────────────────────────────────────────────────────────────────────

    async def _course(self) -> None:
        if not self._shared:
            await asyncio.to_thread(self.analyses.recover)
        while True:
            self._wanted.clear()
            try:
                while (match := await self._next()) is not None:
                    await self._judge(match)
            except StoreError as error:
                LOG.warning("no analysis is made for the moment: %s", error)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wanted.wait(), self._pause if self._shared else None)

    async def _beats(self) -> None:
        """Say again and again that we are there, and at what."""
        while True:
            with suppress(StoreError):  # the database may be away; what that means is said where it is used
                await asyncio.to_thread(self._beat)
            await asyncio.sleep(self._pause)

    @property
    def _pause(self) -> float:
        return min(LOOK_SECONDS, self._lease / 4)

    def _beat(self) -> None:
        key = self._key().fingerprint
        if self._worker:
            self.analyses.present(self.name, key, self._lease)
        if at := self._at:
            self.analyses.renew(self.name, at, self._lease)
        self.has_workers = self.analyses.has_workers(key)

    async def _next(self) -> str | None:
        key = self._key().fingerprint
        if self._shared and not self._worker and await asyncio.to_thread(self.analyses.has_workers, key):
            return None
        return await asyncio.to_thread(self.analyses.take, self.name, key, self._lease)

    async def _judge(self, match: str) -> None:
        self._at, made = match, None
        try:
            made = await self._made(match)
        except (ArbitreError, OSError, TimeoutError) as error:
            if isinstance(error, StoreError):
                raise  # the record cannot be had now: who takes it next may have it
            LOG.warning("the analysis of %s came to nothing: %s", match, error)
        finally:
            self._at = ""
        if not await asyncio.to_thread(self.analyses.finish, self.name, match, made):
            LOG.warning("the analysis of %s was taken by another", match)

    async def _made(self, match: str) -> str:
        octets = await asyncio.to_thread(self._octets, match)
        async with asyncio.timeout(PATIENCE):
            made = read_document(await self._compute(octets))
        return sign(made.analysis, octets, made.certificates, self._key()).text()


async def in_a_process(octets: bytes, *asked: str) -> bytes:
    """Judge a record in a process of its own, which ends with us; without words to it: as usual."""
    command = (sys.executable, "-m", "arbitre.analysis.work", *(asked or ("0", "0")))
    process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
    try:
        said, _ = await process.communicate(octets)
    except BaseException:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        raise
    if process.returncode:
        raise HouseError("the process that analyses ended with %(status)s", status=process.returncode)
    return said
