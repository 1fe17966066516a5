"""The store on PostgreSQL: the same statements, on a database that several machines reach.

A batch is one transaction of prepared statements over binary arrays. It takes its number down in a row of this store's own
(`commits`): where the database goes away meanwhile, the store comes back, looks which number is there, and writes the batch again
or not, so nothing told is lost and nothing is written twice. A number that the database gives out itself would not do: after a
crash it may give the same one to somebody else. What is held is held by the very connection that writes, so nothing is written by
who no longer holds it; coming back begins with holding it again.

The store of a node passes the fence with every commit (`records.nodes`): in the statement that takes down the number.

PostgreSQL keeps no NUL in a text: it becomes the symbol for it (U+2400). Numbers that it cannot hold belong to nothing.
"""

import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, lru_cache
from itertools import count
from pathlib import Path
from threading import RLock
from typing import Any

from arbitre.errors import FencedError, StoreError, UnknownError, refusal, shorten
from arbitre.records.backend import Execute, Rows, T
from arbitre.records.nodes import FENCE, Node
from arbitre.records.place import Place
from arbitre.records.reach import reach
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
    "tcp_user_timeout": "4000",
}
SESSION = (
    "SET idle_in_transaction_session_timeout = '2s'; SET tcp_keepalives_idle = 1; SET tcp_keepalives_interval = 1; "
    "SET tcp_keepalives_count = 3; SET tcp_user_timeout = 4000; SET client_min_messages = warning; SET synchronous_commit = on"
)
"""A link that is cut inside a transaction gives its locks back within seconds; usually it takes eleven and more, and where
something is still to be sent a quarter of an hour. A process that hangs amid a statement is nobody's to see: `nodes.bury`."""

LOCK = "hashtextextended(current_schema() || '/' || %b, 0)"
"""The number that stands for a thing that is held."""

WRITING = "writing"
"""What is held by whoever looks and then writes."""

HOLD = f"SET idle_session_timeout = '2s'; SELECT pg_advisory_lock({LOCK.replace('%b', repr(WRITING))})"
LET_GO = f"SELECT pg_advisory_unlock({LOCK.replace('%b', repr(WRITING))}); SET idle_session_timeout = 0"
"""Held before a transaction begins and after it has ended: a process that hangs there must not keep everybody from writing."""

BEGIN_READING = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
BEGIN_WRITING = f"BEGIN; SELECT pg_advisory_xact_lock({LOCK.replace('%b', repr(WRITING))})"

COLUMNS = """
SELECT c.relname, a.attname, format_type(a.atttypid, NULL) FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0
"""

INSERT = re.compile(r"(INSERT INTO (\w+) \(([\w, ]+)\)) VALUES \(\?(?:, \?)*\)(.*)", re.DOTALL)

ENROL = "INSERT INTO commits (store, number, at) VALUES (%b, 0, EXTRACT(EPOCH FROM clock_timestamp())::bigint)"
FORGET = "DELETE FROM commits WHERE store = %b OR at < EXTRACT(EPOCH FROM clock_timestamp())::bigint - %b"
FORGOTTEN_SECONDS = 30 * 86_400
"""What a store that died has left in `commits` is removed after so long; one that lives enrols again."""
FREE = "UPDATE commits SET number = ?, at = EXTRACT(EPOCH FROM clock_timestamp())::bigint WHERE store = ? RETURNING 1"
FENCED = (
    f"WITH fence AS ({FENCE})"  # noqa: S608 - ours
    " UPDATE commits SET number = ?, at = EXTRACT(EPOCH FROM clock_timestamp())::bigint FROM fence WHERE store = ? RETURNING 1"
)
"""Take down the number of a batch, where the fence lets it pass."""

FULL = ("53",)
"""What it says where it has no room for a write, or no memory: some other time it may."""
FULL_SECONDS = 1.0
"""How soon a write is tried again for which there was no room."""
AGAIN = {"40001", "40P01"}
"""Two transactions stood in each other's way, and neither was at fault."""
READ_ONLY = "25006"
"""What a database says that takes no writes now: another has become the one to write to, or its disk is full."""
GONE = ("57P0", "08", "25P03", READ_ONLY)
"""What it says where it may be there again when we come back."""


class _Text(StrBinaryDumper):
    """A text without a NUL, which PostgreSQL refuses: one octet of a trace must not stop the whole store."""

    def dump(self, obj: str) -> bytes | bytearray | memoryview | None:
        return super().dump(obj.replace("\0", "\u2400"))


class _Unknown(StrDumperUnknown):
    """The same where the type of the text is PostgreSQL's to find out."""

    def dump(self, obj: str) -> bytes | bytearray | memoryview | None:
        return super().dump(obj.replace("\0", "\u2400"))


@cache
def _called(process: int) -> str:
    return f"arbitre {process} {os.urandom(6).hex()}"


def manner(place: Place) -> dict[str, Any]:
    """Return how all sessions of this process are opened, and what they are called, whatever an address says otherwise.

    By that name a node's sessions are ended when it is buried; a process that was split off another has its own.
    """
    usual = {key: one for key, one in CONNECTION.items() if f"{key}=" not in place.database}
    return {**usual, "application_name": _called(os.getpid()), "autocommit": True}


def connect(place: Place) -> "psycopg.Connection[Any]":
    """Return a connection that commits by itself unless a transaction is begun; `psycopg.Error`."""
    return reach(place.database).through(
        lambda: _connected(place), lambda: psycopg.OperationalError("the database is not reached, and others wait for it already")
    )


def _connected(place: Place) -> "psycopg.Connection[Any]":
    connection = psycopg.connect(place.database, prepare_threshold=3, **manner(place))
    for dumper in (Int8Dumper, Int8BinaryDumper):  # one type for all numbers: one prepared statement for each
        connection.adapters.register_dumper(int, dumper)
    for text in (_Unknown, _Text):
        connection.adapters.register_dumper(str, text)
    connection.execute(SESSION)
    return connection


def _writable(place: Place) -> "psycopg.Connection[Any]":
    """Return a connection to a database that takes writes; `StoreError` where it takes none."""
    connection = connect(place)
    ((closed,),) = connection.execute("SELECT current_setting('transaction_read_only')::bool")
    if closed:
        connection.close()
        raise StoreError("the database in %(folder)s takes no writes now", folder=place)
    return connection


class PostgreSQL:
    """An open database."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._turn = RLock()
        """One at a time has the writer: whoever writes, or holds something."""
        self._held: list[str] = []
        self._streams = count()
        """Names of what is read one by one: several may be, side by side."""
        self.node: Node | None = None
        """Whose commits these are, where nodes share the database: each passes the fence."""
        self._name = os.urandom(8).hex()
        """What this store is called in `commits`."""
        self._number = 0
        self._enrolled = False
        self.trouble = ""
        """Why a commit waits that is on its way."""
        prepare(place)
        with _told(place):
            self._writer = connect(place)
            self._reader = connect(place)
            self._kinds = {(table, column): kind for table, column, kind in self._reader.execute(COLUMNS)}

    # ── writing ────────────────────────────────────────────────────────────────────────────────────────────────────

    def write(self, batch: Sequence[Rows]) -> None:
        """Commit a batch: all of it or nothing, and once, whatever becomes of the connection."""

        def send(writer: "psycopg.Connection[Any]", number: int) -> "psycopg.Cursor[Any]":
            with writer.pipeline():
                writer.execute("BEGIN")
                passed = self._mark(writer, number)
                for rows in batch:
                    for statement, values in rows.items():
                        for query, given in self._statements(statement, values):
                            writer.execute(query, given, binary=True)
            return passed

        self._once(lambda writer, number: (None, send(writer, number)))

    def transact(self, work: Callable[[Execute], T]) -> T:
        """Do something that looks and then writes, alone."""

        def look(writer: "psycopg.Connection[Any]", number: int) -> "tuple[T, psycopg.Cursor[Any]]":
            # held before the transaction begins: what is looked at is then what is there when it is our turn
            writer.execute(HOLD, prepare=False)
            writer.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
            done = work(lambda statement, values: _found(writer, statement, values))
            return done, self._mark(writer, number)

        return self._once(look, LET_GO)

    def _once(
        self,
        work: "Callable[[psycopg.Connection[Any], int], tuple[T, psycopg.Cursor[Any]]]",
        leave: str = "",
    ) -> T:
        """Do something in a transaction that it begins, and commit it; come back where the database goes away meanwhile.

        Where it has no room the same is tried again, as long as who went away is waited for.
        """
        until = 0.0
        with self._turn, self._troubled(), _told(self.place):
            while True:
                self._number += 1
                ready, done = False, None
                try:
                    self._enrol()
                    done, passed = work(self._writer, self._number)
                    if not passed.fetchall():
                        self._refuse()
                        self._undo(leave)
                        continue
                    ready = True
                    self._writer.execute("COMMIT")
                except BaseException as error:
                    if not isinstance(error, psycopg.Error) or not (again := _again(error, self._writer)):
                        self._undo(leave)
                        if isinstance(error, psycopg.IntegrityError) and self.node is not None:
                            self._check_fence(self.node)  # who took over has written it: that is why
                        raise
                    if again != "clashed":
                        until, self.trouble = until or time.monotonic() + PATIENCE_SECONDS, _line(error)
                    if again == "full":
                        self._undo(leave)
                        if time.monotonic() > until:
                            raise
                        time.sleep(FULL_SECONDS)
                    elif again == "lost":
                        self._rejoin(until)
                        if ready and self._committed(self._number):
                            return done  # type: ignore[return-value] # the work was done when it was ready
                    else:
                        self._undo(leave)
                else:
                    self._leave(leave)
                    return done

    @contextmanager
    def _troubled(self) -> Iterator[None]:
        """Forget what a commit waits for when it is over."""
        try:
            yield
        finally:
            self.trouble = ""

    def _mark(self, writer: "psycopg.Connection[Any]", number: int) -> "psycopg.Cursor[Any]":
        """Take down the number of a transaction in it; it finds nothing where the fence holds us back."""
        if self.node is None:
            return writer.execute(_marked(FREE), (number, self._name), binary=True)
        return writer.execute(_marked(FENCED), (self.node.id, self.node.incarnation, number, self._name), binary=True)

    def _enrol(self) -> None:
        """Make the row in which numbers are taken down, before anything may be in doubt."""
        if not self._enrolled:
            self._writer.execute(FORGET, (self._name, FORGOTTEN_SECONDS))
            self._writer.execute(ENROL, (self._name,))
            self._enrolled = True

    def _refuse(self) -> None:
        """Say that the fence holds us back; return where it was only that our row is there no more."""
        if list(self._writer.execute("SELECT 1 FROM commits WHERE store = %b", (self._name,))):
            raise self._fenced()
        self._enrolled = False

    def _check_fence(self, node: Node) -> None:
        if not list(self._writer.execute(_marked(FENCE), (node.id, node.incarnation))):
            raise self._fenced()

    def _fenced(self) -> FencedError:
        return FencedError("another node has taken over from this one in %(folder)s", folder=self.place)

    def _undo(self, leave: str) -> None:
        if not self._writer.closed:
            try:
                self._writer.rollback()
            except psycopg.Error:
                self._writer.close()
        self._leave(leave)

    def _leave(self, leave: str, *what: str) -> None:
        """Let go of what was held; where that fails it goes with the connection, and what was committed is."""
        if leave and not self._writer.closed:
            try:
                self._writer.execute(leave, what or None, prepare=False)
            except psycopg.Error:
                self._writer.close()

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

    def _rejoin(self, until: float) -> None:
        """Connect again and hold what was held; `StoreError` where the database stays away, or another process came first."""
        self._writer.close()
        pause = 0.05
        while True:
            try:
                self._writer = _writable(self.place)
                if all(_held(self._writer, what) for what in self._held):
                    return
                self._writer.close()  # the database may not have seen yet that our old connection is no more
                why: Exception = _busy(self._held[0], self.place)
            except (psycopg.OperationalError, StoreError) as error:
                why = error
            if time.monotonic() > until:
                raise why
            time.sleep(pause)
            pause = min(2 * pause, 1.0)

    def _committed(self, number: int) -> bool:
        """Tell what became of a transaction that was being committed when the connection broke; wait while that is open."""
        self._writer.execute(f"SET statement_timeout = '{PATIENCE_SECONDS:g}s'")
        # it holds the row until it is over, so the row tells of it when we have it
        found = list(self._writer.execute("SELECT number FROM commits WHERE store = %b FOR UPDATE", (self._name,)))
        self._writer.execute("SET statement_timeout = 0")
        return found == [(number,)]

    # ── reading ────────────────────────────────────────────────────────────────────────────────────────────────────

    def rows(self, query: str, values: Sequence[object]) -> list[Any]:
        """Return what a query finds among what is durable."""
        began = time.monotonic()
        with _told(self.place):
            try:
                return _found(self._reader, query, values)
            except psycopg.Error as error:
                if _again(error, self._reader) != "lost":
                    raise
            reach(self.place.database).lost(began, lambda: _connected(self.place))
            self._read_again()
            return _found(self._reader, query, values)

    def stream(self, query: str, values: Sequence[object]) -> Iterator[Any]:
        """Return it one by one, however much it is."""
        self.rows("SELECT 1", ())  # it may have gone away since
        with _told(self.place), self._reader.cursor(f"many{next(self._streams)}", withhold=True) as cursor:
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
                self._leave(f"SELECT pg_advisory_unlock({LOCK})", what)

    # ── the rest ───────────────────────────────────────────────────────────────────────────────────────────────────

    def number(self, kind: str, last: int) -> int:  # noqa: ARG002 - other processes count too
        """Return the next number of a kind."""
        return int(self.rows("SELECT nextval(?)", (kind,))[0][0])

    def octets(self) -> int:
        """Return how much room the whole database takes."""
        return int(self.rows("SELECT pg_database_size(current_database())", ())[0][0])

    def close(self) -> None:
        """Close every connection."""
        if self._enrolled and not self._writer.closed:
            with suppress(psycopg.Error):
                self._writer.execute(FORGET, (self._name, FORGOTTEN_SECONDS))
        self._writer.close()
        self._reader.close()

    def __del__(self) -> None:
        if hasattr(self, "_reader"):  # connections of SQLite close when nobody has them any more; so do these
            self._writer.close()
            self._reader.close()


class Aside:
    """A connection for short transactions that wait for no batch; each statement sees all that was committed before it."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._turn = RLock()
        self._hands: psycopg.Connection[Any] | None = None

    def transact(self, work: Callable[[Execute], T]) -> T:
        """Do something and commit it, or nothing; `StoreError` where the database is away, whatever became of it then."""
        with self._turn, _told(self.place):
            hands = self._hands
            if hands is None or hands.closed or hands.broken:
                hands = self._hands = connect(self.place)
            try:
                with hands.transaction():
                    return work(lambda statement, values: _found(hands, statement, values))
            except psycopg.Error as error:
                if _again(error, hands) == "lost":
                    hands.close()
                raise

    def close(self) -> None:
        """Close the connection."""
        with self._turn:
            if self._hands is not None:
                self._hands.close()


def prepare(place: Place) -> None:
    """Make the data folder and the tables, or bring them up to date."""
    with _told(place):
        place.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with connect(place) as hands:
            ((encoding,),) = hands.execute("SHOW server_encoding")
            if encoding != "UTF8":  # it would refuse a letter some day, and stop the store
                raise StoreError(
                    "the database %(folder)s keeps texts as %(encoding)s: make one with ENCODING 'UTF8'",
                    folder=place,
                    encoding=encoding,
                )
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
    if error.sqlstate is None and isinstance(error.__context__, psycopg.Error):
        error = error.__context__  # a row of statements that broke off complains that it is not at its end, not why
    if error.sqlstate in AGAIN:
        return "clashed"
    if (error.sqlstate or "").startswith(FULL):
        return "full"
    gone = (error.sqlstate or "").startswith(GONE) or isinstance(error, psycopg.InterfaceError)
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
