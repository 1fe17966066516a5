"""What this user last saw of each log: kept in the state folder, so that a log that forgets is caught by whoever comes back.

A log is known by its key. Of two checkpoints that contradict each other both are kept as evidence: the log signed both, and
anybody can see it who is shown them.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from arbitre.errors import ArbitreError, HouseError, refusal
from arbitre.records.heads import replace
from arbitre.records.locks import FileLock
from arbitre.records.log.checkpoint import Checkpoint, read_checkpoint

KEY = re.compile(r"[0-9a-f]{64}")


class SeenLogs:
    """The memory of one user."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "log"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other programs of this user from the memory meanwhile."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.folder / "lock")
        except OSError as error:
            raise HouseError(
                "cannot remember checkpoints in %(folder)s: %(strerror)s", folder=self.folder, strerror=refusal(error)
            ) from None
        with lock:
            yield

    def seen(self, key: bytes) -> Checkpoint | None:
        """Return the checkpoint of a log that was seen last; None where none was."""
        data = self._read(f"{key.hex()}.checkpoint")
        try:
            return None if data is None else read_checkpoint(data)
        except ArbitreError as error:
            raise HouseError(
                "the memory of a log, %(path)s, cannot be read: %(error)s",
                path=self.folder / f"{key.hex()}.checkpoint",
                error=error,
            ) from None

    def remember(self, key: bytes, checkpoint: Checkpoint) -> None:
        """Remember a checkpoint as the last one that was seen."""
        replace(self.folder / f"{key.hex()}.checkpoint", checkpoint.note.whole())

    def forget(self, key: bytes) -> None:
        """Forget what was seen of a log."""
        (self.folder / f"{key.hex()}.checkpoint").unlink(missing_ok=True)

    def accuse(self, key: bytes, old: Checkpoint, new: Checkpoint) -> Path:
        """Keep two checkpoints that contradict each other, and return where."""
        path = self.folder / f"{key.hex()[:16]}-{old.size}-{new.size}.evidence"
        replace(path, f"{old.note.whole()}\n{new.note.whole()}")
        return path

    def key_at(self, place: str) -> bytes | None:
        """Return the key that the log at a place had when it was first seen there."""
        data = self._read(_named(place))
        try:
            found = "" if data is None else str(json.loads(data)["key"])
        except (ValueError, TypeError, KeyError):
            found = ""
        return bytes.fromhex(found) if KEY.fullmatch(found) else None

    def settle(self, place: str, key: bytes) -> None:
        """Remember the key of the log at a place."""
        replace(self.folder / _named(place), json.dumps({"key": key.hex(), "place": place}) + "\n")

    def _read(self, name: str) -> bytes | None:
        try:
            with (self.folder / name).open("rb") as file:
                return file.read(1 << 17)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise HouseError(
                "the memory of a log, %(path)s, cannot be read: %(error)s", path=self.folder / name, error=refusal(error)
            ) from None


def _named(place: str) -> str:
    return f"{sha256(place.encode('utf-8', 'surrogateescape')).hexdigest()[:32]}.place"
