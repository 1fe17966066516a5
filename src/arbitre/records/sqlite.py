"""The store in one file of the data folder, by SQLite: the embedded default, which needs nobody's care.

The file is readable by its owner alone, for it holds seeds of matches that are not over.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any

from arbitre.errors import StoreError, refusal, shorten
from arbitre.records.backend import Execute, Rows, T
from arbitre.records.locks import FileLock
from arbitre.records.nodes import Node
from arbitre.records.place import Place
from arbitre.records.upgrade import lacks, migrate

NEW = Path(__file__).with_name("schema.sql")
"""What makes all tables in an empty file; `records.tables` says them."""

BUSY_SECONDS = 30.0
"""How long we wait for another process that is writing."""


class SQLite:
    """An open file; whoever serves a site from it is alone."""

    def __init__(self, place: Place) -> None:
        self.node: Node | None = None
        self.trouble = ""
        """A file that cannot be written now is not waited for."""
        self.place = place
        prepare(place)
        with _told(place):
            self.writer = connect(place.file)
            self._reader = connect(place.file)

    def write(self, batch: Sequence[Rows]) -> None:
        """Commit a batch: all of it or nothing."""
        with self._transaction() as writer:
            for rows in batch:
                for statement, values in rows.items():
                    writer.executemany(statement, values)

    def transact(self, work: Callable[[Execute], T]) -> T:
        """Do something that looks and then writes, alone."""
        with self._transaction() as writer:
            return work(lambda statement, values: writer.execute(statement, values).fetchall())

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with _told(self.place):
            self.writer.execute("BEGIN IMMEDIATE")
            try:
                yield self.writer
                self.writer.execute("COMMIT")
            except BaseException:
                if self.writer.in_transaction:
                    self.writer.execute("ROLLBACK")
                raise

    def rows(self, query: str, values: Sequence[object]) -> list[Any]:
        """Return what a query finds among what is durable."""
        with _told(self.place):
            return self._reader.execute(query, values).fetchall()

    def stream(self, query: str, values: Sequence[object]) -> Iterator[Any]:
        """Return it one by one, however much it is."""
        with _told(self.place):
            yield from self._reader.execute(query, values)

    def alone(self) -> AbstractContextManager[None]:
        """Keep other processes that say so too out; they wait."""
        return _alone(self.place.folder)

    @contextmanager
    def holding(self, what: str) -> Iterator[None]:
        """Hold a thing against other processes; `StoreError` where one of them holds it."""
        path = self.place.folder / f"{what}.lock"
        with _told(self.place):
            try:
                lock = FileLock(path, wait=False)
            except BlockingIOError:
                raise StoreError("another process is at work on %(what)s in %(folder)s", what=what, folder=self.place) from None
        with lock:
            yield  # what goes wrong meanwhile is not the folder's fault

    def number(self, kind: str, last: int) -> int:  # noqa: ARG002 - whoever holds the file counts by itself
        """Return the next number of a kind, behind the last that this process knows."""
        return last + 1

    def octets(self) -> int:
        """Return how much room the file and its log take."""
        return sum(one.stat().st_size for one in self.place.folder.glob(f"{self.place.file.name}*"))

    def close(self) -> None:
        """Close both connections."""
        self.writer.close()
        self._reader.close()


def prepare(place: Place) -> None:
    """Make the data folder, or bring it up to date."""
    with _told(place):
        place.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _alone(place.folder):
            _bring_up_to_date(place)


def connect(path: Path) -> sqlite3.Connection:
    """Return a connection whose commits are durable."""
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def _bring_up_to_date(place: Place) -> None:
    """Make the tables of a new file, or run the migrations that an old one lacks; refuse a file from the future."""
    path = place.file
    with closing(connect(path)) as connection:
        path.chmod(0o600)
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not tables:
            connection.executescript(f"BEGIN IMMEDIATE; {NEW.read_text()} COMMIT;")
            return
        found = connection.execute("SELECT version_num FROM alembic_version").fetchone() if "alembic_version" in tables else None
    number = None if found is None else found[0]
    if lacks(path if isinstance(number, str) else place.folder, number):
        migrate(path, "sqlite://", lambda: connect(path), "BEGIN IMMEDIATE")


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other processes from changing the same thing at the same time."""
    with FileLock(folder / "schema.lock"):
        yield


@contextmanager
def _told(place: Place) -> Iterator[None]:
    """Turn what the disk and SQLite complain about into one clear line."""
    folder = place.folder
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise StoreError(
            "another process has written the same step in %(folder)s: %(error)s", folder=folder, error=error
        ) from error
    except (sqlite3.Error, UnicodeDecodeError) as error:  # what SQLite says of a damaged page may quote it
        raise StoreError(
            "the store in %(folder)s cannot be used: %(error)s", folder=folder, error=shorten(" ".join(str(error).split()), 200)
        ) from error
    except OSError as error:
        raise StoreError(
            "the data folder %(folder)s cannot be used: %(strerror)s", folder=folder, strerror=refusal(error)
        ) from error
