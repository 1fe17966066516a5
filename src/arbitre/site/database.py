"""The community's way into the store: one connection for each call, a write that is whole and durable when it returns.

The database is the store's own, brought up to date by its migrations. Every method of this room is synchronous, quick, and may be
called from any thread; a write begins by taking the one write lock, so two processes that check and then act cannot both act.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from sqlalchemy import Connection, create_engine
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, OperationalError, SQLAlchemyError
from sqlalchemy.pool import QueuePool

from arbitre.crypto.passwords import USUAL, Work
from arbitre.errors import ArbitreError, FencedError, StoreError, UnknownError
from arbitre.records.backend import prepare
from arbitre.records.nodes import FENCE, Node
from arbitre.records.place import Place, at
from arbitre.records.reach import reach
from arbitre.values import value

DAY = 86_400
TOO_LARGE = "22003"
"""What PostgreSQL says of a number that no column can hold."""
READ_ONLY = "25006"
"""What it says where it takes no writes now."""
PATIENCE_SECONDS = 10.0
"""How long calls wait for a PostgreSQL that went away: as long as a restart of it takes, and no longer than people wait."""
AGAIN_SECONDS = 0.1
FENCED = FENCE.replace("?", "%s")
"""The fence of `records.nodes` as the driver of PostgreSQL reads it."""

T = TypeVar("T")


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
    sources: int = 50
    versions: int = 200
    """Of one source; the oldest goes when one more is kept."""
    source_room: int = 16 << 20
    """Characters of all versions of all sources of one account; the oldest versions go when there are more."""
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

    def __init__(self, place: Place | Path, settings: Allowances | None = None, now: Callable[[], int] = clock) -> None:
        self.place = at(place)
        prepare(self.place)
        self.settings = settings or Allowances()
        self.now = now
        self.node: Node | None = None
        """Whose commits these are, where several nodes share the database: each passes the fence."""
        dialect, connect, self._reading, self._writing = _postgresql(self.place) if self.place.database else _sqlite(self.place)
        self._engine = create_engine(dialect, creator=connect, poolclass=QueuePool, pool_size=4, max_overflow=12)
        self._closed = False

    def close(self) -> None:
        """Close every connection; whoever is at work in another thread closes his own when he is done."""
        self._closed = True
        self._engine.dispose()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Look at one state of affairs, whatever others write meanwhile."""
        with self._told(None), self._begun(self._reading) as connection:
            yield connection

    @contextmanager
    def writing(self, clash: ArbitreError | None = None) -> Iterator[Connection]:
        """Do everything within or nothing; `clash` is raised where something must be unique and is there already."""
        with self._told(clash), self._begun(self._writing) as connection:
            if self.node is not None and not connection.exec_driver_sql(FENCED, (self.node.id, self.node.incarnation)).all():
                raise FencedError("another node has taken over from this one in %(folder)s", folder=self.place)
            yield connection
            connection.commit()

    def write(self, work: Callable[[Connection], T]) -> T:
        """Do something of many steps or nothing, and all of it again where the database went away before it was whole.

        PostgreSQL ends a transaction that was idle for two seconds, which a busy machine may be between two steps.
        """
        until = time.monotonic() + PATIENCE_SECONDS
        while True:
            whole = False
            try:
                with self.writing() as connection:
                    done = work(connection)
                    whole = True  # from here on nobody knows whether it was kept
            except StoreError as error:
                gone = isinstance(error.__cause__, DBAPIError) and error.__cause__.connection_invalidated
                if whole or not gone or time.monotonic() > until:
                    raise
            else:
                return done

    @contextmanager
    def _begun(self, begin: str) -> Iterator[Connection]:
        """Begin; where another process has the database and it went away, wait a while until it is there again."""
        since, pool = time.monotonic(), self._engine.pool
        while True:
            try:
                connection = self._connected(begin)
                break
            except OperationalError:
                if not self.place.database or not reach(self.place.database).hopeful(since, PATIENCE_SECONDS):
                    raise
                time.sleep(AGAIN_SECONDS)
        try:
            with connection:
                try:
                    yield connection
                except DBAPIError as error:
                    if getattr(error.orig, "sqlstate", "") == READ_ONLY:  # another may be the one to write to by now
                        connection.invalidate()
                    raise
        finally:
            if self._closed:  # meanwhile: nobody else will close what goes back there
                pool.dispose()

    def _connected(self, begin: str) -> Connection:
        connection = self._engine.connect()
        try:
            connection.exec_driver_sql(begin)
        except BaseException:
            connection.close()
            raise
        return connection

    def flush(self) -> None:
        """Fold the log of recent writes into the file, so that what was erased is not left in it.

        PostgreSQL has no such call: what was erased leaves its files when it cleans up, and its own log when that is recycled.
        """
        if not self.place.database:
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
            raise StoreError("the store in %(folder)s refused: %(orig)s", folder=self.place, orig=error.orig) from error
        except DataError as error:
            if getattr(error.orig, "sqlstate", "") != TOO_LARGE:
                raise self._failed(error) from error
            raise UnknownError("there is nothing with such a number") from None
        except (SQLAlchemyError, UnicodeDecodeError) as error:  # what SQLite says of a damaged page may quote it
            raise self._failed(error) from error

    def _failed(self, error: Exception) -> StoreError:
        why = str(error).partition(chr(10))[0]
        return StoreError("the store in %(folder)s cannot be used: %(chr)s", folder=self.place, chr=why)


Form: TypeAlias = tuple[str, Callable[[], Any], str, str]
"""What SQLAlchemy calls a database, what connects to it, and how reading and writing begin there."""


def _sqlite(place: Place) -> Form:
    from arbitre.records.sqlite import connect  # noqa: PLC0415 - of two forms one is loaded

    def careful() -> Any:
        connection = connect(place.file)
        for pragma in ("foreign_keys = ON", "secure_delete = ON"):
            connection.execute(f"PRAGMA {pragma}")
        return connection

    return "sqlite://", careful, "BEGIN", "BEGIN IMMEDIATE"


def _postgresql(place: Place) -> Form:
    from arbitre.records.postgresql import BEGIN_READING, BEGIN_WRITING, connect  # noqa: PLC0415

    return "postgresql+psycopg://", lambda: connect(place), BEGIN_READING, BEGIN_WRITING
