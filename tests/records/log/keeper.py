"""A process that keeps a log and kills itself: `python -m tests.records.log.keeper FOLDER AT`.

It queues entries and numbers them, and says on standard output what it was told is durable and what it has published. At its
AT-th write, of a statement or of the file, it dies by SIGKILL; 0 is never.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from arbitre.records.backend import Execute
from arbitre.records.log.checkpoint import Checkpoint
from arbitre.records.log.entries import Entry, EntryKind
from arbitre.records.log.rows import Head
from arbitre.records.log.sequencer import Sequencer
from arbitre.records.store import Store

ADDRESS = "games.example"
STEPS = 6
EACH = 7


class Mortal(Sequencer):
    """A sequencer that dies at one of its writes."""

    left = 0

    def _count(self) -> None:
        self.left -= 1
        if not self.left:
            os.kill(os.getpid(), signal.SIGKILL)

    def _counted(self, execute: Execute) -> Execute:
        def counted(statement: str, values: object) -> list[object]:
            if not statement.startswith("SELECT"):
                self._count()
            return execute(statement, values)  # type: ignore[arg-type]

        return counted

    def _resumed(self, execute: Execute, seen: Checkpoint | None) -> Head:
        return super()._resumed(self._counted(execute), seen)

    def _sequenced(self, execute: Execute, head: Head) -> Head:
        made = super()._sequenced(self._counted(execute), head)
        self._count()
        return made

    async def _tell(self, checkpoint: Checkpoint) -> None:
        self._count()
        await super()._tell(checkpoint)
        self._count()


def entry(number: int) -> Entry:
    return Entry(EntryKind.OPENED, number.to_bytes(16, "big"), bytes(32))


async def course(folder: Path, at: int) -> None:
    store = Store(folder)
    log = Mortal(store, ADDRESS)
    log.left = at
    await log.open()
    say(f"seen {log.published.origin} {log.published.size} {log.published.root.hex()}")
    number = int.from_bytes(os.urandom(6), "big")
    for step in range(STEPS):
        for one in range(EACH):
            log.add(entry(number + step * EACH + one))
        await store.durable()
        say(" ".join(["told", *(str(number + step * EACH + one) for one in range(EACH))]))
        await log.step()
        say(f"seen {log.published.origin} {log.published.size} {log.published.root.hex()}")
    store.close()


def say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    asyncio.run(course(Path(sys.argv[1]), int(sys.argv[2])))
