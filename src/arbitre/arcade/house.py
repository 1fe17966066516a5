"""What the arcade keeps house with: a process for what is dear to compute, and the shelf where records go."""

import asyncio
import gc
import os
import signal
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from datetime import UTC, datetime
from multiprocessing import get_context

from arbitre.arcade.referee import PROTOCOL
from arbitre.arcade.terms import Question
from arbitre.errors import HouseError
from arbitre.reasons import Reason
from arbitre.records.event import Event
from arbitre.records.record import Seal
from arbitre.records.store import Store, StoreJournal

MOST_QUESTIONS = 64
"""Questions that may wait to be answered beside: more is a flood."""


class Beside:
    """A process that answers what is dear, one question after the other, when nobody else needs the processor.

    A thread would not do: most of the arithmetic of big numbers keeps the interpreter's lock.
    """

    def __init__(self, most: int = MOST_QUESTIONS) -> None:
        self._room = most
        self._process: ProcessPoolExecutor | None = None

    async def answer(self, put: Question) -> Reason | None:
        """Answer a question; `HouseError` when too many are waiting, or the process is gone."""
        if self._room <= 0:
            raise HouseError("arcade-busy")
        if self._process is None:
            self._process = ProcessPoolExecutor(1, get_context("spawn"), _modest)
        self._room -= 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._process, put.answer)
        except BrokenProcessPool:
            self._process = None
            raise HouseError("arcade-tester-died") from None
        finally:
            self._room += 1

    def close(self) -> None:
        """Answer nothing more."""
        if self._process is not None:
            self._process.shutdown(wait=False, cancel_futures=True)


def _modest() -> None:
    """Give way to everybody else, and leave it to the house when to stop."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(15)


def quiet() -> None:
    """Let the garbage collector look at what is new and leave what is old alone: a server keeps most of what it has made."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


class Shelf:
    """A journal in a store, which takes up no place there before a round was played."""

    def __init__(self, store: Store, name: str, seed: bytes) -> None:
        self.store = store
        self.seed = seed
        self._journal = StoreJournal(store, name)
        self._there = False

    def write(self, events: Sequence[Event], lines: Sequence[str]) -> None:
        """Take down what happened."""
        if not self._there:
            self.store.add_match(self._journal.name, PROTOCOL, self.seed, datetime.now(UTC).date().isoformat())
            self._there = True
        self._journal.write(events, lines)

    def seal(self, seal: Seal, verdict: str) -> None:
        """Take down the end of the record."""
        self._journal.seal(seal, verdict)

    async def durable(self) -> None:
        """Return when everything taken down is on disk."""
        await self._journal.durable()


class Nowhere:
    """A journal that keeps nothing: a house without a data folder."""

    def write(self, events: Sequence[Event], lines: Sequence[str]) -> None:
        """Let it go."""

    def seal(self, seal: Seal, verdict: str) -> None:
        """Let it go."""

    async def durable(self) -> None:
        """Nothing is on its way."""
