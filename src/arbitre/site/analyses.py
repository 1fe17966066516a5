"""The analyses of a site: a bounded queue, shared fairly among people, and the documents that were made.

Who asks for an analysis waits in a line of his own; the lines take turns, so one person's hundred wishes hold nobody else up. One
game is judged at a time, in a process of its own (`analysis.work`), never in the process that plays matches; `compute` is where
another machine could take the work. A document is a file beside the data of the site, signed with its key; the queue is in memory
alone, since whoever still wants an analysis after the site was away asks again.
"""

import asyncio
import sys
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from enum import StrEnum
from logging import getLogger
from pathlib import Path
from subprocess import DEVNULL, PIPE

from arbitre.analysis.document import ENDING, Document, read_document, sign
from arbitre.crypto.keys import Key
from arbitre.errors import ArbitreError, HouseError, QuotaError
from arbitre.values import value

LOG = getLogger("arbitre.analyses")

MOST_WAITING = 200
"""Wishes that wait in all lines together."""
MOST_EACH = 5
"""Wishes of one person that wait."""
MOST_KEPT = 20_000
"""Documents that are kept; the oldest make room."""
PATIENCE = 600.0
"""Seconds after which an analysis is given up."""
MOST_FAILED = 1_000

Compute = Callable[[bytes], Awaitable[bytes]]
"""Makes of a record's octets those of a document, signed by anybody."""


class Stage(StrEnum):
    """Where an analysis is."""

    NONE = "none"
    WAITING = "waiting"
    WORKING = "working"
    DONE = "done"
    FAILED = "failed"


@value
class Progress:
    """How far an analysis has come."""

    stage: Stage
    before: int = 0
    """How many others are judged first, where it waits."""


class Analyses:
    """The queue and the documents of one site."""

    def __init__(self, folder: Path, key: Callable[[], Key], compute: Compute | None = None) -> None:
        self.folder = folder
        self.key = key
        self.compute = compute or in_a_process
        self.failed: OrderedDict[str, None] = OrderedDict()
        """Matches whose analysis came to nothing; who asks again tries again."""
        self._lines: OrderedDict[str, deque[tuple[str, bytes]]] = OrderedDict()
        """Who waits, in the order of their turns: the names of matches with their records."""
        self._working = ""
        self._wanted = asyncio.Event()
        self._worker: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to work."""
        self._worker = asyncio.create_task(self._work())

    async def close(self) -> None:
        """Give up what is being judged."""
        if self._worker is not None:
            self._worker.cancel()
            with suppress(asyncio.CancelledError):
                await self._worker

    def ask(self, who: str, name: str, octets: bytes) -> None:
        """Put a match into somebody's line, unless it is judged or waits already; `QuotaError` where the line is full."""
        if self.progress(name).stage in (Stage.WAITING, Stage.WORKING, Stage.DONE):
            return
        line = self._lines.get(who, deque())
        if len(line) >= MOST_EACH:
            raise QuotaError("%(count)s analyses of yours are waiting: let them come first", count=len(line))
        if sum(map(len, self._lines.values())) >= MOST_WAITING:
            raise QuotaError("very many analyses are waiting: ask again later")
        self.failed.pop(name, None)
        self._lines.setdefault(who, line).append((name, octets))
        self._wanted.set()

    def progress(self, name: str) -> Progress:
        """Tell how far the analysis of a match has come."""
        if name == self._working:
            return Progress(Stage.WORKING)
        for before, waiting in enumerate(self._order(), start=bool(self._working)):
            if waiting == name:
                return Progress(Stage.WAITING, before)
        if self._place(name).is_file():
            return Progress(Stage.DONE)
        return Progress(Stage.FAILED if name in self.failed else Stage.NONE)

    def document(self, name: str) -> Document | None:
        """Return the analysis of a match; None where there is none, or where what lies there cannot be read."""
        try:
            return read_document(self._place(name).read_bytes())
        except FileNotFoundError:
            return None
        except ArbitreError as error:
            LOG.warning("the analysis of %s cannot be read: %s", name, error)
            return None

    def _order(self) -> list[str]:
        """Return the matches that wait, in the order in which they are judged."""
        lines = [[name for name, _ in line] for line in self._lines.values()]
        longest = max(map(len, lines), default=0)
        return [line[turn] for turn in range(longest) for line in lines if turn < len(line)]

    def _place(self, name: str) -> Path:
        return self.folder / f"{name}{ENDING}"

    # ── working ────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _work(self) -> None:
        while True:
            await self._wanted.wait()
            if not self._lines:
                self._wanted.clear()
                continue
            name, octets = self._next()
            self._working = name
            try:
                await self._judge(name, octets)
            except (ArbitreError, OSError, TimeoutError) as error:
                LOG.warning("the analysis of %s came to nothing: %s", name, error)
                self.failed[name] = None
                if len(self.failed) > MOST_FAILED:
                    self.failed.popitem(last=False)
            finally:
                self._working = ""

    def _next(self) -> tuple[str, bytes]:
        """Take the first wish of the first line, which then comes last."""
        who, line = next(iter(self._lines.items()))
        found = line.popleft()
        self._lines.move_to_end(who)
        if not line:
            del self._lines[who]
        return found

    async def _judge(self, name: str, octets: bytes) -> None:
        async with asyncio.timeout(PATIENCE):
            made = read_document(await self.compute(octets))
        ours = sign(made.analysis, octets, made.certificates, self.key())
        await asyncio.to_thread(self._keep, name, ours.text())

    def _keep(self, name: str, text: str) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        draft = self._place(name).with_suffix(".draft")
        draft.write_text(text, encoding="utf-8", newline="")
        draft.replace(self._place(name))
        kept = sorted(self.folder.glob(f"*{ENDING}"), key=lambda path: path.stat().st_mtime)
        for path in kept[:-MOST_KEPT]:
            path.unlink(missing_ok=True)


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
