"""Keeps other processes out: a lock that ends with its holder, whatever ends that, on every system.

Where the system has `flock` it is that. Elsewhere (Windows) SQLite, which is there wherever Python is, holds an exclusive
transaction on a file beside; its locks are the system's own, and end with the process too.
"""

import sqlite3
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

WAIT_SECONDS = 3_600.0
"""How long a lock is waited for where there is no `flock`: as long as anybody does."""


class FileLock:
    """A lock on a path, held from its making to its release; `BlockingIOError` where another holds it and nobody waits."""

    def __init__(self, path: Path, *, wait: bool = True) -> None:
        self._file: IO[Any] | None = None
        self._held: sqlite3.Connection | None = None
        if find_spec("fcntl") is not None:
            import fcntl  # noqa: PLC0415 - not on every system

            self._file = path.open("ab")
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            except BaseException:
                self.release()
                raise
        else:
            self._held = _exclusive(path.with_name(f"{path.name}.held"), WAIT_SECONDS if wait else 0.0)

    def release(self) -> None:
        """Let others in."""
        if self._file is not None:
            self._file.close()
        if self._held is not None:
            self._held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.release()


def _exclusive(path: Path, seconds: float) -> sqlite3.Connection:
    held = sqlite3.connect(path, timeout=seconds, isolation_level=None, check_same_thread=False)
    try:
        held.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        with suppress(sqlite3.Error):
            held.close()
        if error.sqlite_errorcode in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise BlockingIOError(str(error)) from None
        raise OSError(str(error)) from None
    return held
