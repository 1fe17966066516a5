"""What the arcade keeps house with: a thread for what is dear to compute, and the shelf where records go."""

import asyncio
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import gmpy2

from arbitre.errors import HouseError
from arbitre.protocol.arcade_terms import Question
from arbitre.records.event import Event
from arbitre.records.record import Seal
from arbitre.records.store import Store, StoreJournal
from arbitre.referee.arcade import PROTOCOL

MOST_QUESTIONS = 64
"""Questions that may wait to be answered beside: more is a flood."""


class Beside:
    """A thread that answers what is dear, one question after the other."""

    def __init__(self, most: int = MOST_QUESTIONS) -> None:
        self._thread = ThreadPoolExecutor(1, "arbitre-arcade", _modest)
        self._room = most

    async def answer(self, put: Question) -> str:
        """Answer a question; `HouseError` when too many are waiting."""
        if self._room <= 0:
            raise HouseError("too many groups are waiting to be tested; come back later")
        self._room -= 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, put.answer)
        finally:
            self._room += 1

    def close(self) -> None:
        """Answer nothing more."""
        self._thread.shutdown(wait=False, cancel_futures=True)


def _modest() -> None:
    """Compute without the interpreter's lock, and give way to everybody else where threads have a priority of their own."""
    gmpy2.get_context().allow_release_gil = True
    if hasattr(os, "setpriority") and hasattr(os, "sched_getaffinity"):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 15)


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
