"""The store on PostgreSQL: the same statements, on a database that several machines reach.

A batch is one transaction of prepared statements over binary arrays. Its number (`pg_current_xact_id`) is known before it is
committed: where the database goes away meanwhile, the store comes back, asks what became of that number, and writes the batch
again or not, so nothing told is lost and nothing is written twice. What is held is held by the very connection that writes, so
nothing is written by who no longer holds it; coming back begins with holding it again.

PostgreSQL keeps no NUL in a text: it becomes the symbol for it (U+2400). Numbers that it cannot hold belong to nothing.
"""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from threading import RLock
from typing import Any

from arbitre.errors import StoreError, UnknownError, refusal, shorten
from arbitre.records.backend import Execute, Rows, T
from arbitre.records.place import Place
from arbitre.records.upgrade import lacks, migrate

try:
    import psycopg
    from psycopg import pq
    from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper
    from psycopg.types.string import StrBinaryDumper, StrDumperUnknown
except ImportError as missing:
    raise StoreError("PostgreSQL needs packages that are not installed: pip install 'arbitre[postgresql]'") from missing

NEW = Path(__file__).with_name("schema.postgresql.sql")
"""What makes all tables in an empty database; `records.tables` says them."""

PATIENCE_SECONDS = 60.0
"""How long we wait for a database that went away, before the store is told to have failed."""

AT_ONCE = 1_000
"""Rows that are brought over at a time where there may be very many."""

CONNECTION = {
    "connect_timeout": "5",
    "keepalives": "1",
    "keepalives_idle": "1",
    "keepalives_interval": "1",
    "keepalives_count": "3",
    "application_name": "arbitre",
}
SESSION = (
    "SET idle_in_transaction_session_timeout = '2s'; SET tcp_keepalives_idle = 1; SET tcp_keepalives_interval = 1; "
    "SET tcp_keepalives_count = 3; SET client_min_messages = warning; SET synchronous_commit = on"
)
"""A link that is cut inside a transaction gives its locks back within seconds; usually it takes eleven and more."""

LOCK = "hashtextextended(current_schema() || '/' || %b, 0)"
"""The number that stands for a thing that is held."""

WRITING = "writing"
"""What is held by whoever looks and then writes."""

BEGIN_READING = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
BEGIN_WRITING = f"BEGIN; SELECT pg_advisory_xact_lock({LOCK.replace('%b', repr(WRITING))})"

COLUMNS = """
SELECT c.relname, a.attname, format_type(a.atttypid, NULL) FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0
"""

INSERT = re.compile(r"(INSERT INTO (\w+) \(([\w, ]+)\)) VALUES \(\?(?:, \?)*\)(.*)", re.DOTALL)

AGAIN = {"40001", "40P01"}
"""Two transactions stood in each other's way, and neither was at fault."""


class _Text(StrBinaryDumper):
    """A text without a NUL, which PostgreSQL refuses: one octet of a trace must not stop the whole store."""

    def dump(self, obj: str) -> bytes | bytearray | memoryview | None:
        return super().dump(obj.replace("\0", "\u2400"))


class _Unknown(StrDumperUnknown):
    """The same where the type of the text is PostgreSQL's to find out."""

    def dump(self, obj: str) -> bytes | bytearray | memoryview | None:
        return super().dump(obj.replace("\0", "\u2400"))


def connect(place: Place) -> "psycopg.Connection[Any]":
    """Return a connection that commits by itself unless a transaction is begun; `psycopg.Error`."""
    usual = {key: one for key, one in CONNECTION.items() if f"{key}=" not in place.database}
    connection = psycopg.connect(place.database, autocommit=True, prepare_threshold=3, **usual)  # type: ignore[arg-type]
    for dumper in (Int8Dumper, Int8BinaryDumper):  # one type for all numbers: one prepared statement for each
        connection.adapters.register_dumper(int, dumper)
    for text in (_Unknown, _Text):
        connection.adapters.register_dumper(str, text)
    connection.execute(SESSION)
    return connection


class PostgreSQL:
    """An open database."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._turn = RLock()
        """One at a time has the writer: whoever writes, or holds something."""
        self._held: list[str] = []
        prepare(place)
        with _told(place):
            self._writer = connect(place)
            self._reader = connect(place)
            self._kinds = {(table, column): kind for table, column, kind in self._reader.execute(COLUMNS)}

    # ── writing ────────────────────────────────────────────────────────────────────────────────────────────────────

    def write(self, batch: Sequence[Rows]) -> None:
        """Commit a batch: all of it or nothing, and once, whatever becomes of the connection."""

        def send(writer: "psycopg.Connection[Any]") -> None:
            with writer.pipeline():
                writer.execute("BEGIN")
                for rows in batch:
                    for statement, values in rows.items():
                        for query, given in self._statements(statement, values):
                            writer.execute(query, given, binary=True)

        self._once(send)

    def transact(self, work: Callable[[Execute], T]) -> T:
        """Do something that looks and then writes, alone."""

        def look(writer: "psycopg.Connection[Any]") -> T:
            # held before the transaction begins: what is looked at is then what is there when it is our turn
            writer.execute(f"SELECT pg_advisory_lock({LOCK})", (WRITING,))
            writer.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
            return work(lambda statement, values: _found(writer, statement, values))

        def leave(writer: "psycopg.Connection[Any]") -> None:
            writer.execute(f"SELECT pg_advisory_unlock({LOCK})", (WRITING,))

        return self._once(look, leave)

    def _once(
        self, work: "Callable[[psycopg.Connection[Any]], T]", leave: "Callable[[psycopg.Connection[Any]], None] | None" = None
    ) -> T:
        """Do something in a transaction that it begins, and commit it; come back where the database goes away meanwhile."""
        with self._turn, _told(self.place):
            while True:
                number, done = "", None
                try:
                    done = work(self._writer)
                    ((number,),) = self._writer.execute("SELECT pg_current_xact_id()::text")
                    self._writer.execute("COMMIT")
                except BaseException as error:
                    if not isinstance(error, psycopg.Error) or not (again := _again(error, self._writer)):
                        self._undo(leave)
                        raise
                    if again == "lost":
                        self._rejoin()
                        if number and self._committed(number):
                            return done  # type: ignore[return-value] # the work was done when it had a number
                    else:
                        self._undo(leave)
                else:
                    if leave is not None:
                        leave(self._writer)
                    return done

    def _undo(self, leave: "Callable[[psycopg.Connection[Any]], None] | None") -> None:
        if not self._writer.closed:
            self._writer.rollback()
            if leave is not None:
                leave(self._writer)

    def _statements(self, statement: str, rows: Sequence[Sequence[object]]) -> Iterator[tuple[str, Sequence[object]]]:
        """Return the statements that write these rows: one over arrays where that is possible."""
        insert = INSERT.fullmatch(statement) if len(rows) > 1 else None
        if insert is None:
            query = _marked(statement)
            yield from ((query, row) for row in rows)
            return
        kinds = [self._kinds[insert[2], column.strip()] for column in insert[3].split(",")]
        arrays = ", ".join(f"%b::{kind}[]" for kind in kinds)
        query = f"{insert[1]} SELECT * FROM unnest({arrays}){insert[4]}"  # noqa: S608 - made of a statement of ours
        yield query, [list(column) for column in zip(*rows, strict=True)]

    # ── coming back ────────────────────────────────────────────────────────────────────────────────────────────────

    def _rejoin(self) -> None:
        """Connect again and hold what was held; `StoreError` where the database stays away, or another process came first."""
        self._writer.close()
        until, pause = time.monotonic() + PATIENCE_SECONDS, 0.05
        while True:
            try:
                self._writer = connect(self.place)
                if all(_held(self._writer, what) for what in self._held):
                    return
                self._writer.close()  # the database may not have seen yet that our old connection is no more
                why: Exception = _busy(self._held[0], self.place)
            except psycopg.OperationalError as error:
                why = error
            if time.monotonic() > until:
                raise why
            time.sleep(pause)
            pause = min(2 * pause, 1.0)

    def _committed(self, number: str) -> bool:
        """Tell what became of a transaction that was being committed when the connection broke."""
        until = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                ((found,),) = self._writer.execute("SELECT pg_xact_status(%s::xid8)", (number,))
            except psycopg.errors.InvalidParameterValue:
                return False  # a number of the future: the database crashed before it wrote anything of this transaction
            if found != "in progress":
                return bool(found == "committed")
            if time.monotonic() > until:
                raise StoreError("the store in %(folder)s cannot be used: a commit does not end", folder=self.place)
            time.sleep(0.05)

    # ── reading ────────────────────────────────────────────────────────────────────────────────────────────────────

    def rows(self, query: str, values: Sequence[object]) -> list[Any]:
        """Return what a query finds among what is durable."""
        with _told(self.place):
            try:
                return _found(self._reader, query, values)
            except psycopg.Error as error:
                if _again(error, self._reader) != "lost":
                    raise
            self._read_again()
            return _found(self._reader, query, values)

    def stream(self, query: str, values: Sequence[object]) -> Iterator[Any]:
        """Return it one by one, however much it is."""
        self.rows("SELECT 1", ())  # it may have gone away since
        with _told(self.place), self._reader.cursor("many", withhold=True) as cursor:
            cursor.itersize = AT_ONCE
            cursor.execute(_marked(query).replace("%b", "%s"), values)
            yield from cursor

    def _read_again(self) -> None:
        old, self._reader = self._reader, connect(self.place)
        old.close()

    # ── holding ────────────────────────────────────────────────────────────────────────────────────────────────────

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other processes that say so too out; they wait."""
        with _told(self.place):
            hands = connect(self.place)
            hands.execute(f"SELECT pg_advisory_lock({LOCK})", ("alone",))
        with hands:
            yield

    @contextmanager
    def holding(self, what: str) -> Iterator[None]:
        """Hold a thing against other processes; `StoreError` where one of them holds it."""
        with self._turn, _told(self.place):
            # a connection may hold a thing twice; a process may not
            if what in self._held or not _held(self._writer, what):
                raise _busy(what, self.place)
            self._held.append(what)
        try:
            yield
        finally:
            with self._turn:
                self._held.remove(what)
                if not self._writer.closed:
                    self._writer.execute(f"SELECT pg_advisory_unlock({LOCK})", (what,))

    # ── the rest ───────────────────────────────────────────────────────────────────────────────────────────────────

    def number(self, kind: str, last: int) -> int:  # noqa: ARG002 - other processes count too
        """Return the next number of a kind."""
        return int(self.rows("SELECT nextval(?)", (kind,))[0][0])

    def octets(self) -> int:
        """Return how much room the whole database takes."""
        return int(self.rows("SELECT pg_database_size(current_database())", ())[0][0])

    def close(self) -> None:
        """Close every connection."""
        self._writer.close()
        self._reader.close()

    def __del__(self) -> None:
        if hasattr(self, "_reader"):  # connections of SQLite close when nobody has them any more; so do these
            self.close()


def prepare(place: Place) -> None:
    """Make the data folder and the tables, or bring them up to date."""
    with _told(place):
        place.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with connect(place) as hands:
            hands.execute(f"SELECT pg_advisory_lock({LOCK})", ("schema",))
            ((there,),) = hands.execute("SELECT to_regclass('alembic_version') IS NOT NULL")
            if not there:
                hands.execute("BEGIN;\n" + NEW.read_text() + "COMMIT", prepare=False)
                return
            found = hands.execute("SELECT version_num FROM alembic_version").fetchone()
            if lacks(place, None if found is None else found[0]):
                migrate(place, "postgresql+psycopg://", lambda: connect(place), "BEGIN")


def _found(connection: "psycopg.Connection[Any]", statement: str, values: Sequence[object]) -> list[Any]:
    cursor = connection.execute(_marked(statement), values, binary=True)
    return [] if cursor.description is None else cursor.fetchall()


@lru_cache(maxsize=1_000)
def _marked(statement: str) -> str:
    """Return a statement of ours as psycopg reads it, with binary values."""
    return statement.replace("%", "%%").replace("?", "%b")


def _held(connection: "psycopg.Connection[Any]", what: str) -> bool:
    ((held,),) = connection.execute(f"SELECT pg_try_advisory_lock({LOCK})", (what,))
    return bool(held)


def _busy(what: str, place: Place) -> StoreError:
    return StoreError("another process is at work on %(what)s in %(folder)s", what=what, folder=place)


def _again(error: psycopg.Error, connection: "psycopg.Connection[Any]") -> str:
    """Return why something that failed may succeed when it is tried again, empty where it may not."""
    if error.sqlstate in AGAIN:
        return "clashed"
    gone = (error.sqlstate or "").startswith(("57P0", "08", "25P03")) or isinstance(error, psycopg.InterfaceError)
    broken = connection.closed or connection.pgconn.status == pq.ConnStatus.BAD
    return "lost" if gone or (broken and isinstance(error, psycopg.OperationalError)) else ""


@contextmanager
def _told(place: Place) -> Iterator[None]:
    """Turn what PostgreSQL complains about into one clear line."""
    try:
        yield
    except psycopg.IntegrityError as error:
        raise StoreError(
            "another process has written the same step in %(folder)s: %(error)s", folder=place, error=_line(error)
        ) from error
    except (psycopg.errors.NumericValueOutOfRange, OverflowError):
        raise UnknownError("there is nothing with such a number") from None
    except psycopg.Error as error:
        raise StoreError("the store in %(folder)s cannot be used: %(error)s", folder=place, error=_line(error)) from error
    except OSError as error:
        why = refusal(error)
        raise StoreError("the data folder %(folder)s cannot be used: %(strerror)s", folder=place.folder, strerror=why) from error


def _line(error: psycopg.Error) -> str:
    return shorten(" ".join(str(error).split()), 200)
