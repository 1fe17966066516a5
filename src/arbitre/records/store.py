"""The store: every match's events in one SQLite file, durable before anybody is told.

Writes are collected and committed together: whoever needs to know that what was written so far is durable awaits `durable`, and
all who wait share one commit. One row is one transition of one match, keyed by (match, sequence), so two processes can never both
take the same step. A new folder is made by `schema.sql`; the migrations bring one of an earlier release up to date.

Everything lies in one data folder, readable by its owner alone, for it holds seeds of matches that are not over.
"""

import asyncio
import fcntl
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from arbitre.crypto.keys import Key, keep
from arbitre.errors import StoreError, UnknownRecordError, refusal, shorten
from arbitre.reasons import Reason
from arbitre.records.event import Event, read_event
from arbitre.records.record import Record, Seal, read_seal
from arbitre.values import value

SCHEMA = "0007"
"""The newest migration; a store at this step is opened without loading the migrations."""

RELEASED = "0007"
"""The first that was released: folders from before it stay what they are."""

NEW = Path(__file__).with_name("schema.sql")
"""What makes all tables in an empty file; `records.tables` says them."""

MIGRATIONS = Path(__file__).with_name("migrations")

FILE = "arbitre.sqlite"
"""The one file of the data folder that holds everything but keys."""

SOON_SECONDS = 0.1
"""How long what nobody waits for may lie in memory."""

BUSY_SECONDS = 30.0
"""How long we wait for another process that is writing."""


Rows: TypeAlias = dict[str, list[Sequence[object]]]
"""Statements, each with the values of all its rows."""

Execute: TypeAlias = Callable[[str, Sequence[object]], list[Any]]
"""Executes one statement and returns the rows that it finds."""

T = TypeVar("T")


@value
class Row:
    """One match of the store."""

    number: int
    name: str
    game: str
    tournament: str | None
    fixture: int | None
    seed: bytes
    created: str
    verdict: str | None
    seal: str | None


MATCHES = "SELECT number, name, game, tournament, fixture, seed, created, verdict, seal FROM matches"


class Store:
    """An open data folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / FILE
        self._waiting: list[Rows] = []
        self._appended: Rows | None = None
        """The last of them, if rows may still be appended to it."""
        self._commit: tuple[asyncio.AbstractEventLoop, Future[None]] | None = None
        """The commit that is under way, and the loop that hears of its end."""
        self._listening: list[asyncio.Future[None]] = []
        """Who is told when it is over."""
        self._begun = self._done = 0
        """How many commits were begun, and how many have succeeded."""
        self._later: tuple[asyncio.AbstractEventLoop, asyncio.TimerHandle] | None = None
        """When we commit, though nobody waits for it."""
        self._failed: StoreError | None = None
        self._thread = ThreadPoolExecutor(1, "arbitre-store")
        prepare(folder)
        with _told(folder):
            self._writer = _connect(self.path)
            self._reader = _connect(self.path)

    def close(self) -> None:
        """Commit what is waiting and close."""
        if self._later is not None:
            self._later[1].cancel()
        self._thread.shutdown()  # a commit that is under way has the connection until it is done
        if self._commit is not None:
            self._noted(self._commit[1])  # after one that failed nothing more is written: a record has no holes
        try:
            if self._waiting and self._failed is None:
                self._write(self._take())
                self._begun = self._done = self._begun + 1
        finally:
            self._failed = self._failed or StoreError("the store in %(folder)s is closed", folder=self.folder)
            self._tell()
            self._writer.close()
            self._reader.close()

    def key(self) -> Key:
        """Return the referee's key of this folder, made on first use."""
        return keep(self.folder / "referee.key")

    def log_key(self) -> Key:
        """Return the key of this folder's transparency log, made on first use."""
        return keep(self.folder / "log.key")

    # ── writing ────────────────────────────────────────────────────────────────────────────────────────────────────

    def write(self, statement: str, values: Sequence[object]) -> None:
        """Queue one statement; it is durable when a later `durable` is done."""
        self._check()
        self._waiting.append({statement: [values]})
        self._appended = None

    def append(self, statement: str, values: Sequence[object]) -> None:
        """Queue a row that no other appended row depends on: those of one statement are written together."""
        self._check()
        if self._appended is None:
            self._appended = {}
            self._waiting.append(self._appended)
        self._appended.setdefault(statement, []).append(values)

    @property
    def failed(self) -> str:
        """Why nothing more can be written until the store is opened again; empty while it can."""
        return "" if self._failed is None else str(self._failed)

    async def durable(self) -> None:
        """Return when everything written before is on disk."""
        wanted = self._begun + bool(self._waiting)
        while self._done < wanted and self._failed is None:
            self._join()
            if self._commit is None and self._failed is None:
                self._begin()
            # whoever waits may be cancelled: the commit goes on for the others, so nobody's task owns it
            if self._commit is not None:
                told: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                self._listening.append(told)
                await told
        if self._done < wanted:
            self._check()

    def _check(self) -> None:
        """Refuse whatever comes after a commit that failed; each is told by an error of its own."""
        if self._failed is not None:
            raise StoreError(self._failed.reason) from self._failed

    def soon(self) -> None:
        """Let what is written be durable before long, though nobody waits for it."""
        loop = asyncio.get_running_loop()
        if self._later is None or self._later[0] is not loop:
            self._later = (loop, loop.call_later(SOON_SECONDS, self._now))

    def _now(self) -> None:
        self._later = None
        if self._waiting and self._failed is None:
            self._join()
            if self._commit is not None:
                self.soon()
            elif self._failed is None:
                self._begin()

    def _begin(self) -> None:
        """Begin to commit what waits."""
        loop = asyncio.get_running_loop()
        self._begun += 1
        commit = self._thread.submit(self._write, self._take())
        self._commit = (loop, commit)

        def heard(told: "asyncio.Future[None]") -> None:
            told.exception()  # it is looked at where it is taken down
            self._noted(commit)

        asyncio.wrap_future(commit, loop=loop).add_done_callback(heard)

    def _join(self) -> None:
        """Wait for a commit of which no loop will tell: the one in which it was begun runs no more."""
        if self._commit is not None and self._commit[0] is not asyncio.get_running_loop():
            self._noted(self._commit[1])

    def _noted(self, commit: Future[None]) -> None:
        """Take down how a commit has ended."""
        if self._commit is None or self._commit[1] is not commit:
            return
        error = commit.exception()
        self._commit = None
        if error is None:
            self._done += 1
        else:
            told = StoreError("the store in %(folder)s cannot be used: %(error)s", folder=self.folder, error=error)
            self._failed = error if isinstance(error, StoreError) else told
        self._tell()

    def _tell(self) -> None:
        """Wake everybody who waits."""
        listening, self._listening = self._listening, []
        for one in listening:
            if not one.done() and not one.get_loop().is_closed():
                one.set_result(None)

    def _take(self) -> list[Rows]:
        batch, self._waiting, self._appended = self._waiting, [], None
        return batch

    def _write(self, batch: list[Rows]) -> None:
        """Commit a batch: all of it or nothing."""
        with self._transaction() as writer:
            for rows in batch:
                for statement, values in rows.items():
                    writer.executemany(statement, values)

    async def transact(self, work: Callable[[Execute], T]) -> T:
        """Do something that looks and then writes, in one transaction between two commits, and return what it returns.

        All of it is durable then; where it fails nothing of it is, and the store goes on.
        """
        self._check()

        def course() -> T:
            with self._transaction() as writer:
                return work(lambda statement, values: writer.execute(statement, values).fetchall())

        return await asyncio.wrap_future(self._thread.submit(course))

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with _told(self.folder):
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield self._writer
                self._writer.execute("COMMIT")
            except BaseException:
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise

    # ── matches ────────────────────────────────────────────────────────────────────────────────────────────────────

    def add_match(
        self, name: str, game: str, seed: bytes, created: str, *, tournament: str | None = None, fixture: int | None = None
    ) -> None:
        """Queue a new match."""
        self.write(
            "INSERT INTO matches (name, game, seed, created, tournament, fixture) VALUES (?, ?, ?, ?, ?, ?)",
            (name, game, seed, created, tournament, fixture),
        )

    def match(self, name: str) -> Row:
        """Return one match by its name, or by the start of it."""
        rows = self.rows(MATCHES + " WHERE name = ?", (name,))
        if not rows:
            escaped = name.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
            rows = self.rows(MATCHES + " WHERE name LIKE ? ESCAPE '\\' LIMIT 2", (escaped + "%",))
        if len(rows) != 1:
            raise UnknownRecordError(
                "two matches begin with %(name)r" if rows else "no match is called %(name)r", self.folder, name=shorten(name)
            )
        return _row(rows[0], self.folder)

    def seed(self, name: str) -> bytes | None:
        """Return the secret seed of the match that has exactly this name; None where there is none."""
        rows = self.rows("SELECT seed FROM matches WHERE name = ?", (name,))
        return rows[0][0] if rows else None

    def matches(self, tournament: str | None = None, game: str | None = None) -> Iterator[Row]:
        """Return matches in the order of their creation."""
        conditions = {"tournament": tournament, "game": game}
        wanted = {column: sought for column, sought in conditions.items() if sought is not None}
        where = "".join(f" AND {column} = ?" for column in wanted)
        query = MATCHES + " WHERE number > 0" + where + " ORDER BY number"
        with _told(self.folder):
            for row in self._reader.execute(query, tuple(wanted.values())):
                yield _row(row, self.folder)

    def events(self, name: str) -> tuple[Event, ...]:
        """Return what is recorded of a match."""
        rows = self.rows("SELECT lines FROM transitions WHERE match = ? ORDER BY sequence", (name,))
        if not all(isinstance(lines, str) for (lines,) in rows):
            raise _damaged(self.folder, Reason("the match %(name)r has steps that are no text", name=shorten(name)))
        return tuple(read_event(line) for (lines,) in rows for line in lines.split("\n"))

    def record(self, name: str) -> Record:
        """Return the record of a match, sealed if it is over."""
        row = self.match(name)
        return Record(self.events(row.name), None if row.seal is None else read_seal(row.seal))

    def forget(self, name: str, unless: str = "") -> None:
        """Queue the removal of a match, unless a query by its name finds something then."""
        kept, values = (f" AND NOT EXISTS ({unless})", (name, name)) if unless else ("", (name,))
        self.write(f"DELETE FROM transitions WHERE match = ?{kept}", values)  # noqa: S608
        self.write(f"DELETE FROM matches WHERE name = ?{kept}", values)  # noqa: S608

    # ── tournaments ────────────────────────────────────────────────────────────────────────────────────────────────

    def alone(self) -> AbstractContextManager[None]:
        """Keep other processes that say so too out, while something is looked up and then written."""
        return _alone(self.folder)

    def add_tournament(self, name: str, plan: str, seed: bytes, created: str) -> None:
        """Queue a new tournament."""
        self.write("INSERT INTO tournaments (name, plan, seed, created) VALUES (?, ?, ?, ?)", (name, plan, seed, created))

    def tournament(self, name: str) -> tuple[str, bytes, str]:
        """Return plan, seed and date of a tournament."""
        rows = self.rows("SELECT plan, seed, created FROM tournaments WHERE name = ?", (name,))
        if not rows:
            known = ", ".join(self.tournaments()) or Reason("none")
            raise UnknownRecordError(
                "no tournament is called %(name)r; there are: %(known)s", self.folder, name=shorten(name), known=known
            )
        return rows[0][0], rows[0][1], rows[0][2]

    def tournaments(self) -> tuple[str, ...]:
        """Return the names of all tournaments, the newest first."""
        return tuple(name for (name,) in self.rows("SELECT name FROM tournaments ORDER BY number DESC", ()))

    @contextmanager
    def holding(self, what: str) -> Iterator[None]:
        """Hold a thing of this folder (a tournament that is being run) against other processes; `StoreError` if it is held."""
        path = self.folder / f"{what}.lock"
        with _told(self.folder):
            file = path.open("w")
        with file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise StoreError("another process is at work on %(what)s in %(folder)s", what=what, folder=self.folder) from None
            yield  # what goes wrong meanwhile is not the folder's fault

    def alive(self) -> None:
        """Ask something that is always there; `StoreError` where the disk does not answer."""
        self.rows("SELECT 1")

    def rows(self, query: str, values: Sequence[object] = ()) -> list[Any]:
        """Return what a query finds among what is durable."""
        with _told(self.folder):
            return self._reader.execute(query, values).fetchall()


class StoreJournal:
    """The journal of one match in a store."""

    def __init__(self, store: Store, name: str, sequence: int = 0) -> None:
        self.store = store
        self.name = name
        self.sequence = sequence

    def write(self, events: Sequence[Event], lines: Sequence[str]) -> None:  # noqa: ARG002 - the lines are what is kept
        """Take down one transition."""
        values = (self.name, self.sequence, "\n".join(lines))
        self.store.append("INSERT INTO transitions (match, sequence, lines) VALUES (?, ?, ?)", values)
        self.sequence += 1

    def seal(self, seal: Seal, verdict: str) -> None:
        """Take down the end of the record."""
        self.store.write("UPDATE matches SET verdict = ?, seal = ? WHERE name = ?", (verdict, seal.line(), self.name))

    async def durable(self) -> None:
        """Return when everything taken down is on disk."""
        await self.store.durable()


def prepare(folder: Path) -> None:
    """Make the data folder, or bring it up to date; whoever reads the file without a `Store` calls this first."""
    with _told(folder):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _alone(folder):
            _bring_up_to_date(folder / FILE)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def _bring_up_to_date(path: Path) -> None:
    """Make the tables of a new file, or run the migrations that an old one lacks; refuse a file from the future."""
    with closing(_connect(path)) as connection:
        path.chmod(0o600)
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not tables:
            connection.executescript(f"BEGIN IMMEDIATE; {NEW.read_text()} COMMIT;")
            return
        found = connection.execute("SELECT version_num FROM alembic_version").fetchone() if "alembic_version" in tables else None
    if found == (SCHEMA,):
        return
    if found is None or not isinstance(found[0], str):
        raise _damaged(path.parent, Reason("its schema has no number"))
    if found[0] < RELEASED:
        raise StoreError(
            "%(path)s was made before the first release (schema %(found)s) and is not brought up to date: "
            "choose a new data folder; the program that made this one takes records out of it (arbitre record export)",
            path=path,
            found=found[0],
        )
    if found[0] > SCHEMA:
        raise StoreError(
            "%(path)s was written by a newer Arbitre (schema %(found)s, this program knows %(schema)s)",
            path=path,
            found=found[0],
            schema=SCHEMA,
        )
    _migrate(path)


def _migrate(path: Path) -> None:
    """Run the migrations that the file lacks, all of them or none."""
    # imported here because a store that is new or up to date, the usual case, must open without paying for them
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415
    from alembic.util import CommandError  # noqa: PLC0415
    from sqlalchemy import create_engine  # noqa: PLC0415
    from sqlalchemy.exc import SQLAlchemyError  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    engine = create_engine("sqlite://", creator=lambda: _connect(path))
    try:
        with engine.connect() as hands:
            # begun by hand: the driver would commit before each statement that changes the schema, and a crash leave half of it
            hands.exec_driver_sql("BEGIN IMMEDIATE")
            config.attributes["connection"] = hands
            command.upgrade(config, "head")
            hands.commit()
    except (SQLAlchemyError, CommandError) as error:
        raise StoreError(
            "the store in %(path)s cannot be brought up to date: %(chr)s", path=path, chr=str(error).partition(chr(10))[0]
        ) from error
    finally:
        engine.dispose()


MAYBE: tuple[type, ...] = (str, type(None))
KINDS: tuple[type | tuple[type, ...], ...] = (int, str, str, MAYBE, (int, type(None)), bytes, str, MAYBE, MAYBE)
"""What the columns of a `Row` are."""


def _row(found: Sequence[object], folder: Path) -> Row:
    """Return a match, if the disk still has it as it was written."""
    if not all(isinstance(one, kind) for one, kind in zip(found, KINDS, strict=True)):
        raise _damaged(folder, Reason("the match %(name)r is not as it was written", name=shorten(str(found[1]))))
    return Row(*found)  # type: ignore[arg-type] # each was looked at


def _damaged(folder: Path, what: Reason) -> StoreError:
    return StoreError(
        "the store in %(folder)s is damaged: %(what)s; bring back a backup (arbitre operator restore)", folder=folder, what=what
    )


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other processes from changing the same thing at the same time."""
    with (folder / "schema.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def _told(folder: Path) -> Iterator[None]:
    """Turn what the disk and SQLite complain about into one clear line."""
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
