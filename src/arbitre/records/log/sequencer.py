"""The sequencer: gives the entries that games have queued their places in the log, and signs what the log has become.

Play does not wait for it. Once in a period, where something waits, one immediate transaction numbers the entries, writes the
hashes and replaces the one row of the newest checkpoint. Only when that is on the disk is the checkpoint published: first into
the file `log.checkpoint` beside the store, then to whoever asks. A crash between any two of these leaves a log that goes on,
never a fork.

That file is in no backup. A store that is older than it, or that comes without it, was restored from a backup: checkpoints
that people saw may be longer than its tree, and to go on under the same origin could contradict them. So the log goes on under
a new origin, and says so.

Where several nodes share the database, one of them holds the log (`start`); the others `follow` it: they hand out what it has
published, and keep it in their own files, so that each of them can go on with it.
"""

import asyncio
import dataclasses
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from logging import getLogger
from pathlib import Path
from time import time

from arbitre.crypto.chain import salt
from arbitre.crypto.keys import Key
from arbitre.errors import ArbitreError, LogMissingError, StoreError, refusal
from arbitre.records.backend import Execute
from arbitre.records.heads import replace
from arbitre.records.log.checkpoint import Checkpoint, LogProof, read_checkpoint, sign_checkpoint
from arbitre.records.log.entries import Entry, EntryKind, tag_of
from arbitre.records.log.note import LONGEST_NOTE, PLAIN, NoteSignature, Verifier, merged
from arbitre.records.log.rows import Head, LogRows, enter
from arbitre.records.log.successors import successor_tag, successors_in
from arbitre.records.log.tiles import ENTRIES, WIDTH, Tile, bundled
from arbitre.records.log.tree import EMPTY, consistency_proof, inclusion_proof
from arbitre.records.store import Store

LOG = getLogger("arbitre.log")

PUBLISHED = "log.checkpoint"
"""The file of the newest checkpoint that was published."""

LINEAGE_BYTES = 4

LEAST_FOLLOWED = 0.2
"""Seconds between two looks at what other nodes have done, at least."""

GRACE_SECONDS = 60
"""How much later than its period a checkpoint may come: the disk may be slow, and the house may have to come back."""


class Sequencer:
    """The log of one data folder, open; `address` is where it is reached, without scheme."""

    def __init__(self, store: Store, address: str, period: float = 1.0) -> None:
        self.store = store
        self.key: Key = store.log_key()
        self.period = period
        self.successors = successors_in(store.folder)
        """Which key of the referee came after which."""
        self._address = address
        self._file = store.folder / PUBLISHED
        self._rows = LogRows(store.rows)
        self._head: Head | None = None
        self._published: Checkpoint | None = None
        self.on_publish: Callable[[], None] = lambda: None
        """Called when there is a new checkpoint to be seen."""
        self._rung = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def within(self) -> int:
        """Seconds after which the entry of what was told durable is in a published checkpoint."""
        return int(self.period) + GRACE_SECONDS

    @property
    def published(self) -> Checkpoint:
        """The newest checkpoint that anybody may see."""
        if self._published is None:
            raise StoreError("the log is not open")
        return self._published

    @property
    def verifier(self) -> Verifier:
        """The key under which its notes are checked."""
        return Verifier(self.published.origin, PLAIN, self.key.public)

    def add(self, entry: Entry) -> None:
        """Queue an entry, in the transaction of the step that it follows from."""
        enter(self.store, entry)
        self._rung.set()

    # ── coming and going ───────────────────────────────────────────────────────────────────────────────────────────

    async def open(self) -> None:
        """Compare the tree with its row and with what was published, and publish; `StoreError` where the tables are damaged."""
        seen = _read(self._file)
        if self._rows.head() is None and (seen is None or not seen.size):
            # the file comes first: a row without one tells of a backup
            first = sign_checkpoint(self._origin(""), 0, EMPTY, self.key)
            await self._tell(first)
            seen = first
        self._head = await self.store.transact(lambda execute: self._resumed(execute, seen))
        for one in self.successors:  # before any match is opened under the new key
            await self.store.transact(lambda execute, entry=one.entry: LogRows(execute).announce(entry))  # type: ignore[misc]
        await self._publish()

    def _resumed(self, execute: Execute, seen: Checkpoint | None) -> Head:
        """Return the head to go on from: under a new origin where the old one may have been published further, or elsewhere."""
        rows = LogRows(execute)
        head = rows.head()
        if head is None:
            lineage = "" if seen is not None and not seen.size else os.urandom(LINEAGE_BYTES).hex()
            head = Head(lineage, sign_checkpoint(self._origin(lineage), 0, EMPTY, self.key))
            rows.begin(head)
            return head
        old = head.checkpoint
        if rows.root(old.size) != old.root:
            raise StoreError(
                "the log in %(folder)s is damaged: its entries do not make the root that was signed; "
                "bring back a backup (arbitre operator restore)",
                folder=self.store.folder,
            )
        lineage = head.lineage if _continues(rows, old, seen) else os.urandom(LINEAGE_BYTES).hex()
        if self._origin(lineage) == old.origin:
            return head
        if lineage != head.lineage:
            LOG.warning(
                "the store is older than the newest checkpoint that was published, or comes without it: the log goes on under "
                "the new origin %s, with %d entries; who saw more under %s is told so",
                self._origin(lineage),
                old.size,
                old.origin,
            )
        new = Head(lineage, sign_checkpoint(self._origin(lineage), old.size, old.root, self.key))
        rows.replace(old, new)
        return new

    def _origin(self, lineage: str) -> str:
        return f"{self._address}/log/{lineage}".rstrip("/")

    def start(self) -> None:
        """Begin to number what is queued, once in a period."""
        self._rung.set()  # something may have waited since the last time
        self._task = asyncio.ensure_future(self._course())

    async def follow(self) -> None:
        """Hand out what the node that holds the log publishes, from now until we are closed or hold it ourselves."""
        await self._look()
        self._task = asyncio.ensure_future(self._followed())

    async def _followed(self) -> None:
        while True:
            await asyncio.sleep(max(self.period, LEAST_FOLLOWED))
            try:
                await self._look()
            except ArbitreError as error:
                LOG.warning("the log cannot be followed: %s", error)

    async def _look(self) -> None:
        self._head = self._rows.head()
        await self._publish()

    async def close(self) -> None:
        """Stop; what waits is numbered when the log is opened again."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _rings(self) -> None:
        """Return when something may wait to be numbered; what other nodes have queued rings nowhere."""
        if self.store.node is None:
            await self._rung.wait()
            return
        while not self._rung.is_set() and not self._rows.waiting():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._rung.wait(), max(self.period, LEAST_FOLLOWED))

    async def _course(self) -> None:
        while True:
            await self._rings()
            # at full periods, so that a checkpoint tells no more of when a game was than that
            await asyncio.sleep(self.period - time() % self.period)
            self._rung.clear()
            try:
                await self.step()
            except ArbitreError as error:
                LOG.error("the log does not go on: %s", error)  # noqa: TRY400 - it says enough
                if self.store.failed:
                    return
                self._rung.set()  # a full disk may have room again

    # ── one step ───────────────────────────────────────────────────────────────────────────────────────────────────

    async def step(self) -> Checkpoint:
        """Number what waits, and publish the checkpoint when it is durable; return it."""
        await self.store.durable()
        head = self._head
        if head is None:
            raise StoreError("the log is not open")
        self._head = await self.store.transact(lambda execute: self._sequenced(execute, head))
        await self._publish()
        if self._rows.waiting():
            self._rung.set()
        return self.published

    def _sequenced(self, execute: Execute, head: Head) -> Head:
        rows, old = LogRows(execute), head.checkpoint
        size = rows.number(old.size)
        if size == old.size:
            return head
        new = Head(head.lineage, sign_checkpoint(old.origin, size, rows.root(size), self.key))
        rows.replace(old, new)
        return new

    async def _publish(self) -> None:
        head = self._head
        known = None if self._published is None else self._published.note.text
        if head is not None and head.checkpoint.note.text != known:
            await self._tell(head.checkpoint)
            self._published = head.checkpoint
            self.on_publish()

    async def _tell(self, checkpoint: Checkpoint) -> None:
        await asyncio.to_thread(replace, self._file, checkpoint.note.whole())

    def cosigned(self, checkpoint: Checkpoint, signatures: Iterable[NoteSignature]) -> None:
        """Hand out what witnesses signed under a checkpoint, if it is the newest still."""
        if checkpoint.note.text == self.published.note.text:
            self._published = dataclasses.replace(self.published, note=merged(self.published.note, signatures))

    # ── what is handed out ─────────────────────────────────────────────────────────────────────────────────────────

    def tile(self, tile: Tile) -> bytes | None:
        """Return a tile or a bundle of entries; None where the published tree has not so much of it."""
        if not tile.within(self.published.size):
            return None
        if tile.level == ENTRIES:
            return bundled(self._rows.entries(tile.number * WIDTH, tile.width))
        return b"".join(self._rows.hashes(tile))

    def consistency(self, old: int, new: int) -> list[bytes]:
        """Return the proof that the tree of one size extends that of another."""
        return consistency_proof(self._rows.nodes(new), old, new)

    def proof(self, match: str, kind: EntryKind) -> LogProof:
        """Return the proof that the opening or the seal of a match, or the successor of a key, is in the published tree.

        `LogMissingError` where there is no such match, or where its entry is not there yet, or never comes.
        """
        made, tag = self.published, self._tag(match, kind)
        index = None if tag is None else self._rows.find(kind, tag)
        if index is None or index >= made.size:
            raise LogMissingError("the log does not hold this match as %(kind)s", kind=kind.said)
        return LogProof(index, tuple(inclusion_proof(self._rows.nodes(made.size), index, made.size)), made)

    def _tag(self, name: str, kind: EntryKind) -> bytes | None:
        """Return the tag of a match, or of the key that was succeeded; None where there is none of this name."""
        if kind is EntryKind.SUCCEEDED:
            return next((successor_tag(one.old) for one in self.successors if one.old.hex() == name), None)
        seed = self.store.seed(name)
        return None if seed is None else tag_of(salt(seed, 0))


def _continues(rows: LogRows, head: Checkpoint, seen: Checkpoint | None) -> bool:
    """Tell whether a tree extends what was published last, under the same origin."""
    return seen is not None and seen.origin == head.origin and seen.size <= head.size and rows.root(seen.size) == seen.root


def _read(path: Path) -> Checkpoint | None:
    """Return what was published last; None where there is no file, or none that can be read: the log then begins a new origin."""
    try:
        with path.open("rb") as file:
            return read_checkpoint(file.read(LONGEST_NOTE + 1))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError("cannot read %(path)s: %(strerror)s", path=path, strerror=refusal(error)) from error
    except ArbitreError as error:
        LOG.warning("%s holds no checkpoint: %s", path, error)
        return None
