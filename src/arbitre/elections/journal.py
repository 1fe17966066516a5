"""What one key has signed in one call: each thing once, and on disk before anybody hears it (spec proof, section 6).

A party that is started again takes up its journal, and with it its choice, its clock and its word: it says the same again, and
where it would now have to sign something else it signs nothing. A file holds JSON lines, first the opening, then what was
signed::

    {"began":1893456000.5,"call":"…","key":"…","nonce":"…","state":7}
    {"body":"…","kind":"commit","signature":"…"}
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from time import time
from typing import IO, Final, TypeAlias

from arbitre.crypto.keys import Key
from arbitre.elections.item import Item, Kind
from arbitre.elections.payload import Opening
from arbitre.errors import ElectionError, refusal
from arbitre.records.event import canonical
from arbitre.records.locks import FileLock

LONGEST: Final = 1 << 20
"""Octets of a journal: four things that are signed, the longest a Reveal."""


class Journal:
    """In memory: for keys that do not outlive their process."""

    def __init__(self, opening: Opening | None = None) -> None:
        self.opening = opening
        self.said: dict[Kind, Item] = {}

    def age(self) -> float:
        """Return how many seconds ago this party began."""
        return 0.0

    def begin(self, opening: Opening) -> None:
        """Keep the choice."""
        self.opening = opening

    def sign(self, item: Item, tag: bytes, key: Key | None) -> Item | None:
        """Return the item with its author's signature; None if another of its kind was signed before."""
        held = self.said.get(item.kind)
        if held is not None:
            return held if held.body == item.body else None
        signed = item.sign(tag, item.author, key)
        self.write(signed)
        self.said[item.kind] = signed
        return signed

    def write(self, item: Item) -> None:
        """Bring to disk what is about to be said."""

    def close(self) -> None:
        """Let go of it."""


Journals: TypeAlias = Callable[[bytes, str], Journal]
"""Returns the journal of a call, by its tag, for a party's name."""


def in_memory(_tag: bytes, _name: str) -> Journal:
    """Return a journal that is forgotten with its process."""
    return Journal()


class FileJournal(Journal):
    """On disk: one file for each key and call."""

    def __init__(self, folder: Path, tag: bytes, name: str, key: Key) -> None:
        super().__init__()
        self.path = folder / f"{tag.hex()[:32]}-{key.fingerprint}.jsonl"
        self._head = {"call": tag.hex(), "key": key.public.hex()}
        self._name = name
        self._began: float | None = None
        self._lock: FileLock | None = None
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._file: IO[bytes] = os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "r+b")
        except OSError as error:
            raise self._refused(error) from error
        try:
            self._lock = FileLock(self.path, wait=False)
            self._take_up(self._file.read(LONGEST))
            sync(folder)
        except BlockingIOError:
            self.close()
            raise ElectionError("another process takes part in this game with this key") from None
        except OSError as error:
            self.close()
            raise self._refused(error) from error
        except ElectionError:
            self.close()
            raise

    def _refused(self, error: OSError) -> ElectionError:
        return ElectionError("the journal %(path)s cannot be kept: %(strerror)s", path=self.path, strerror=refusal(error))

    def close(self) -> None:
        """Let go of it, so that another process may take it up."""
        self._file.close()
        if self._lock is not None:
            self._lock.release()

    def _take_up(self, data: bytes) -> None:
        """Read what was written; a last line without an end was never said."""
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            self._file.truncate(len(whole))
        lines = whole.splitlines()
        if not lines:
            return
        try:
            head, *said = map(json.loads, lines)
            if {name: head[name] for name in self._head} != self._head:
                raise ElectionError("the journal %(path)s is of another key or call", path=self.path)
            self._began = float(head["began"])
            self.opening = Opening(bytes.fromhex(head["nonce"]), int(head["state"]))
            for one in said:
                kind = Kind[one["kind"].upper()]
                signature = bytes.fromhex(one["signature"])
                self.said[kind] = Item(kind, self._name, bytes.fromhex(one["body"]), ((self._name, signature),))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ElectionError("the journal %(path)s is damaged", path=self.path) from None

    def age(self) -> float:
        """Return how many seconds ago this party began."""
        return 0.0 if self._began is None else max(0.0, time() - self._began)

    def begin(self, opening: Opening) -> None:
        """Keep the choice."""
        super().begin(opening)
        self._began = time()
        self._append({**self._head, "began": self._began, "nonce": opening.nonce.hex(), "state": opening.state})

    def write(self, item: Item) -> None:
        """Bring to disk what is about to be said."""
        signature = (item.signature(item.author) or b"").hex()
        self._append({"kind": item.kind.name.lower(), "body": item.body.hex(), "signature": signature})

    def _append(self, fields: dict[str, object]) -> None:
        try:
            self._file.write(canonical(fields).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise self._refused(error) from error


def sync(folder: Path) -> None:
    """Bring the names in a folder to disk."""
    if os.name != "posix":  # elsewhere a folder is no file that could be brought to disk
        return
    shelf = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(shelf)
    finally:
        os.close(shelf)
