"""The community's way into the store: one connection for each call, a write that is whole and durable when it returns.

The file is the store's own (`arbitre.sqlite` of the data folder), brought up to date by its migrations. Every method of this room
is synchronous, quick, and may be called from any thread; a write begins by taking SQLite's one write lock, so two processes that
check and then act cannot both act.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, create_engine
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.pool import QueuePool

from arbitre.crypto.passwords import USUAL, Work
from arbitre.errors import ArbitreError, StoreError, UnknownError
from arbitre.records.store import BUSY_SECONDS, FILE, prepare
from arbitre.values import value

DAY = 86_400


@value
class Allowances:
    """What an operator may choose for everybody: how hard passwords are to guess, how long things last, how many one may have."""

    work: Work = USUAL
    session_seconds: int = 30 * DAY
    reset_seconds: int = 3 * DAY
    invitation_seconds: int = 7 * DAY
    join_seconds: int = 14 * DAY
    sessions: int = 20
    """Of one account at a time; the oldest ends when one more begins."""
    tokens: int = 20
    engines: int = 20
    """Engines that are not retired, of one account; `accounts.set_quota` changes it for one."""
    interfaces: int = 20
    photos: int = 200
    invitations: int = 50
    classes: int = 20
    members: int = 200
    competitions: int = 20
    """Competitions of one organiser that are not over."""
    entries: int = 1_000
    """Entries of one competition."""
    challenges: int = 20
    """Challenges of one account that wait for an answer."""


def clock() -> int:
    """Return the time in seconds since 1970."""
    return int(time.time())


class Database:
    """The store of the community, open; `now` tells the time in seconds since 1970."""

    def __init__(self, folder: Path, settings: Allowances | None = None, now: Callable[[], int] = clock) -> None:
        prepare(folder)
        self.folder = folder
        self.settings = settings or Allowances()
        self.now = now
        self._engine = create_engine(
            "sqlite://", creator=lambda: _connect(folder / FILE), poolclass=QueuePool, pool_size=4, max_overflow=12
        )

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Look at one state of affairs, whatever others write meanwhile."""
        with self._told(None), self._engine.connect() as connection:
            connection.exec_driver_sql("BEGIN")
            yield connection

    @contextmanager
    def writing(self, clash: ArbitreError | None = None) -> Iterator[Connection]:
        """Do everything within or nothing; `clash` is raised where something must be unique and is there already."""
        with self._told(clash), self._engine.connect() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            yield connection
            connection.commit()

    def flush(self) -> None:
        """Fold the log of recent writes into the file, so that what was erased is not left in it."""
        with self._told(None), self._engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def _told(self, clash: ArbitreError | None) -> Iterator[None]:
        """Turn what the database complains about into one clear line."""
        try:
            yield
        except OverflowError:
            raise UnknownError("there is nothing with such a number") from None
        except IntegrityError as error:
            if clash is not None:
                raise clash from None
            raise StoreError("the store in %(folder)s refused: %(orig)s", folder=self.folder, orig=error.orig) from error
        except (SQLAlchemyError, UnicodeDecodeError) as error:  # what SQLite says of a damaged page may quote it
            raise StoreError(
                "the store in %(folder)s cannot be used: %(chr)s", folder=self.folder, chr=str(error).partition(chr(10))[0]
            ) from error


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "secure_delete = ON"):
        connection.execute(f"PRAGMA {pragma}")
    return connection
