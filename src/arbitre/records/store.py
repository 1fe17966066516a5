"""The store: every match's events in one database, durable before anybody is told.

Writes are collected and committed together: whoever needs to know that what was written so far is durable awaits `durable`, and
all who wait share one commit. One row is one transition of one match, keyed by (match, sequence), so two processes can never both
take the same step. `records.backend` says what differs between a file of SQLite and a PostgreSQL.

Keys and files lie in the data folder, readable by its owner alone.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeVar

from arbitre.crypto.keys import Key, keep
from arbitre.errors import KeyFileError, StoreError, UnknownRecordError, shorten
from arbitre.reasons import Reason
from arbitre.records.backend import Execute, Rows, open_backend
from arbitre.records.event import Event, read_event
from arbitre.records.keyring import key_file, key_numbers
from arbitre.records.nodes import Node
from arbitre.records.place import Place, at
from arbitre.records.record import Record, Seal, read_seal
from arbitre.records.upgrade import damaged
from arbitre.values import value

SOON_SECONDS = 0.1
"""How long what nobody waits for may lie in memory."""

LAST = "\U0010ffff"
"""What stands behind every name that begins with the same letters."""

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

    @property
    def decided(self) -> bool:
        """Whether the verdict is there and the record is not sealed: it is when the event is over."""
        return self.verdict is not None and self.seal is None


@value
class Played:
    """A whole match that is not in the store yet."""

    name: str
    game: str
    seed: bytes
    created: str
    tournament: str
    fixture: int
    verdict: str
    seal: str | None
    """None: it is sealed when the tournament is over."""
    lines: tuple[str, ...]
    """Of each transition."""


AT_ONCE = 64
"""Transitions that one statement writes where whole matches are written, and matches that one looks into."""

MATCHES = "SELECT number, name, game, tournament, fixture, seed, created, verdict, seal FROM matches"


class Store:
    """An open data folder with its database."""

    def __init__(self, place: Place | Path) -> None:
        self.place = at(place)
        self.folder = self.place.folder
        """Where keys and files lie."""
        self.backend = open_backend(self.place)
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
        self._keys: tuple[Key, ...] = ()
        self._thread = ThreadPoolExecutor(1, "arbitre-store")

    @property
    def node(self) -> Node | None:
        """Whose commits these are, where several nodes share the database."""
        return self.backend.node

    def join(self, node: Node) -> None:
        """Let every commit from now on pass the fence of a node."""
        self.backend.node = node

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
            self._failed = self._failed or StoreError("the store in %(folder)s is closed", folder=self.place)
            self._tell()
            self.backend.close()

    def referee_keys(self) -> tuple[Key, ...]:
        """Return the referee's keys of this folder, the newest last; the same as long as the store is open.

        The first is made on first use, others by `succeed_key`. What was opened under an earlier one is sealed with that.
        """
        if not self._keys:
            numbers = key_numbers(self.folder)
            self._keys = tuple(keep(key_file(self.folder, number)) for number in numbers or (1,))
        return self._keys

    def key(self) -> Key:
        """Return the referee's key of this folder that what begins now is sealed with."""
        return self.referee_keys()[-1]

    def key_of(self, public: str) -> Key:
        """Return the referee's key that an opening names, in hexadecimal; `KeyFileError` where it is not in this folder."""
        for key in self.referee_keys():
            if key.public.hex() == public:
                return key
        raise KeyFileError("the referee's key %(key)s… is not in %(folder)s", key=public[:16], folder=self.folder)

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

    @property
    def trouble(self) -> str:
        """Why nothing is written now, though it may be before long; empty while everything is."""
        return self.failed or self.backend.trouble

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
            raise type(self._failed)(self._failed.reason) from self._failed

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
            told = StoreError("the store in %(folder)s cannot be used: %(error)s", folder=self.place, error=error)
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
        self.backend.write(batch)

    async def transact(self, work: Callable[[Execute], T]) -> T:
        """Do something that looks and then writes, in one transaction between two commits, and return what it returns.

        All of it is durable then; where it fails nothing of it is, and the store goes on. `work` may be called again where the
        database went away meanwhile.
        """
        self._check()
        return await asyncio.wrap_future(self._thread.submit(self.backend.transact, work))

    # ── matches ────────────────────────────────────────────────────────────────────────────────────────────────────

    def add_match(
        self, name: str, game: str, seed: bytes, created: str, *, tournament: str | None = None, fixture: int | None = None
    ) -> None:
        """Queue a new match."""
        self.write(
            "INSERT INTO matches (name, game, seed, created, tournament, fixture) VALUES (?, ?, ?, ?, ?, ?)",
            (name, game, seed, created, tournament, fixture),
        )

    async def keep(self, games: Sequence[Played]) -> int:
        """Write whole matches in one commit, and return how many: of one whose name is there already, nothing is written."""
        return await self.transact(lambda execute: sum(_kept(execute, one) for one in games))

    def booked(self, tournament: str, fixtures: Sequence[int]) -> frozenset[int]:
        """Return which of these fixtures of a tournament have a match with a verdict."""
        marks = ", ".join("?" * len(fixtures))
        query = f"SELECT fixture FROM matches WHERE tournament = ? AND verdict IS NOT NULL AND fixture IN ({marks})"  # noqa: S608
        return frozenset(number for (number,) in self.rows(query, (tournament, *fixtures)))

    def match(self, name: str) -> Row:
        """Return one match by its name, or by the start of it."""
        rows = self.rows(MATCHES + " WHERE name = ?", (name,))
        if not rows:
            rows = self.rows(MATCHES + " WHERE name BETWEEN ? AND ? LIMIT 2", (name, name + LAST))
        if len(rows) != 1:
            raise UnknownRecordError(
                "two matches begin with %(name)r" if rows else "no match is called %(name)r", self.place, name=shorten(name)
            )
        return _row(rows[0], self.place)

    def seed(self, name: str) -> bytes | None:
        """Return the secret seed of the match that has exactly this name; None where there is none."""
        rows = self.rows("SELECT seed FROM matches WHERE name = ?", (name,))
        return rows[0][0] if rows else None

    def matches(self, tournament: str | None = None, game: str | None = None, after: int = 0) -> Iterator[Row]:
        """Return matches in the order of their creation, those behind a number."""
        conditions = {"tournament": tournament, "game": game}
        wanted = {column: sought for column, sought in conditions.items() if sought is not None}
        where = "".join(f" AND {column} = ?" for column in wanted)
        query = MATCHES + " WHERE number > ?" + where + " ORDER BY number"
        for row in self.backend.stream(query, (after, *wanted.values())):
            yield _row(row, self.place)

    def events(self, name: str) -> tuple[Event, ...]:
        """Return what is recorded of a match."""
        rows = self.rows("SELECT lines FROM transitions WHERE match = ? ORDER BY sequence", (name,))
        if not all(isinstance(lines, str) for (lines,) in rows):
            raise damaged(self.place, Reason("the match %(name)r has steps that are no text", name=shorten(name)))
        return tuple(read_event(line) for (lines,) in rows for line in lines.split("\n"))

    def news(self, read: Mapping[str, int]) -> list[tuple[str, int, str]]:
        """Return the transitions of matches of which so many were read, in order: match, sequence, lines."""
        found: list[tuple[str, int, str]] = []
        names = list(read)
        for first in range(0, len(names), AT_ONCE):
            some = names[first : first + AT_ONCE]
            wanted = " OR ".join(["(match = ? AND sequence >= ?)"] * len(some))
            query = f"SELECT match, sequence, lines FROM transitions WHERE {wanted} ORDER BY match, sequence"  # noqa: S608
            found += self.rows(query, [one for name in some for one in (name, read[name])])
        return found

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
        return self.backend.alone()

    def add_tournament(self, name: str, plan: str, seed: bytes, created: str) -> None:
        """Queue a new tournament."""
        self.write("INSERT INTO tournaments (name, plan, seed, created) VALUES (?, ?, ?, ?)", (name, plan, seed, created))

    def tournament(self, name: str) -> tuple[str, bytes, str]:
        """Return plan, seed and date of a tournament."""
        rows = self.rows("SELECT plan, seed, created FROM tournaments WHERE name = ?", (name,))
        if not rows:
            known = ", ".join(self.tournaments()) or Reason("none")
            raise UnknownRecordError(
                "no tournament is called %(name)r; there are: %(known)s", self.place, name=shorten(name), known=known
            )
        return rows[0][0], rows[0][1], rows[0][2]

    def tournaments(self) -> tuple[str, ...]:
        """Return the names of all tournaments, the newest first."""
        return tuple(name for (name,) in self.rows("SELECT name FROM tournaments ORDER BY number DESC", ()))

    def sown(self, seed: bytes) -> str | None:
        """Return the tournament that has this seed."""
        rows = self.rows("SELECT name FROM tournaments WHERE seed = ?", (seed,))
        return rows[0][0] if rows else None

    def holding(self, what: str) -> AbstractContextManager[None]:
        """Hold a thing (a tournament that is being run) against other processes; `StoreError` if it is held."""
        return self.backend.holding(what)

    def alive(self) -> None:
        """Ask something that is always there; `StoreError` where the database does not answer."""
        self.rows("SELECT 1")

    def rows(self, query: str, values: Sequence[object] = ()) -> list[Any]:
        """Return what a query finds among what is durable."""
        return self.backend.rows(query, values)


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

    def decide(self, verdict: str) -> None:
        """Take down the verdict; the record is sealed later."""
        self.store.write("UPDATE matches SET verdict = ? WHERE name = ?", (verdict, self.name))

    def seal(self, seal: Seal, verdict: str) -> None:
        """Take down the end of the record."""
        self.store.write("UPDATE matches SET verdict = ?, seal = ? WHERE name = ?", (verdict, seal.line(), self.name))

    async def durable(self) -> None:
        """Return when everything taken down is on disk."""
        await self.store.durable()


def _kept(execute: Execute, game: Played) -> bool:
    """Write a whole match, unless it is there: who plays a chunk that somebody else has played changes nothing."""
    new = execute(
        "INSERT INTO matches (name, game, seed, created, tournament, fixture, verdict, seal)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING RETURNING number",
        (game.name, game.game, game.seed, game.created, game.tournament, game.fixture, game.verdict, game.seal),
    )
    rows = [(game.name, number, lines) for number, lines in enumerate(game.lines)] if new else []
    for first in range(0, len(rows), AT_ONCE):
        page = rows[first : first + AT_ONCE]
        marks = ", ".join(["(?, ?, ?)"] * len(page))
        query = f"INSERT INTO transitions (match, sequence, lines) VALUES {marks}"  # noqa: S608
        execute(query, [one for row in page for one in row])
    return bool(new)


def sealed_records(execute: Execute) -> Iterator[tuple[str, Record]]:
    """Return every record that is sealed, with its name, of whatever executes statements."""
    last = 0
    while rows := execute(
        "SELECT number, name, seal FROM matches WHERE number > ? AND seal IS NOT NULL ORDER BY number LIMIT 100", (last,)
    ):
        for number, name, seal in rows:
            found = execute("SELECT lines FROM transitions WHERE match = ? ORDER BY sequence", (name,))
            yield name, Record(tuple(read_event(line) for (lines,) in found for line in lines.split("\n")), read_seal(seal))
            last = number


MAYBE: tuple[type, ...] = (str, type(None))
KINDS: tuple[type | tuple[type, ...], ...] = (int, str, str, MAYBE, (int, type(None)), bytes, str, MAYBE, MAYBE)
"""What the columns of a `Row` are."""


def _row(found: Sequence[object], place: Place) -> Row:
    """Return a match, if the disk still has it as it was written."""
    if not all(isinstance(one, kind) for one, kind in zip(found, KINDS, strict=True)):
        raise damaged(place, Reason("the match %(name)r is not as it was written", name=shorten(str(found[1]))))
    return Row(*found)  # type: ignore[arg-type] # each was looked at
