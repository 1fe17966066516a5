"""The arcade's server: many tables at once, in front of the machine or between two people (spec: arcade, sections 1, 4, 5 and 6).

A visitor may say in comments who it is and what it wishes, before its first command; a visitor that knows nothing of this meets
the machine at the house's level:

=====================  ==================================================================================================
`# name NAME`          how the commentator calls it
`# language fr`        the commentator's language, `en` or `fr`
`# level LEVEL`        the machine's level
`# table CODE`         meet whoever says the same code; `# table new` makes a code up and tells it
`# begin`              that was all: let the machine begin
=====================  ==================================================================================================

One loop serves everybody. What would hold it up, the test of a stranger's primes or an opening with huge numbers, is answered by
a process of low priority; while it does, that table's clock stands still. In one turn of the loop only a few lines of each
visitor are heard, however many have come, and whoever says nothing but comments is sent home. A verdict is on disk before it is
spoken; a match dies with its connection, so nothing else needs to be.
"""

import asyncio
import os
import re
import secrets
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from random import SystemRandom
from time import monotonic
from typing import cast

from arbitre.arcade.bout import HUNG_UP
from arbitre.arcade.hands import hand_of
from arbitre.arcade.house import Beside, Nowhere, Shelf
from arbitre.arcade.ledger import Ledger
from arbitre.arcade.referee import SECONDS
from arbitre.arcade.side import Side
from arbitre.arcade.table import Answers, Table
from arbitre.arcade.terms import DUEL, LEVELS, Question, Terms
from arbitre.arcade.voice import Language, comment
from arbitre.arcade.wire import LineReader, says_nothing
from arbitre.crypto.chain import SEED_BYTES, commitment
from arbitre.crypto.elgamal import Key, Pool
from arbitre.crypto.groups import oakley
from arbitre.crypto.keys import Key as SigningKey
from arbitre.errors import ArbitreError, HouseError, StoreError, refusal
from arbitre.games.game import FIRST, SECOND, Seat
from arbitre.reasons import Reason, recorded
from arbitre.records.store import Store
from arbitre.referee.terms import Chair

GREETING_SECONDS = 1.0
"""How long a visitor may take to say its wishes; then it meets the machine."""

CLOSING_SECONDS = 3.0
"""How long the house takes to end what is going on when it closes."""

WAIT_SECONDS = 900.0
"""How long somebody waits at a table for the other to come."""

MOST_VISITORS = 4_000
MOST_WISHES = 16
MOST_WAITING = 32
"""Lines of one visitor that may wait to be heard; then its socket is not read for a while."""

MOST_EARLY = 4
"""Commands that are kept for somebody whose partner has not come yet: a group, a key, a commitment."""

AT_ONCE = 32
"""Lines of one visitor that are heard in one turn of the loop: then it is the others' turn."""

MOST_IDLE = 1_000
"""Blank lines and comments that a visitor may say without a command between them; then it forfeits."""

PAIRS = 64
"""Commitments prepared in advance."""

DEFAULT = "joueur"
"""The name of a visitor who says none."""

CODE = re.compile(r"[A-Za-z0-9-]{1,24}")
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Letters and digits that nobody mistakes for each other."""


def milliseconds() -> int:
    """Return the time of a clock that never goes back."""
    return int(monotonic() * 1_000)


class Arcade:
    """The server: `open` makes it ready for visitors who come without a socket, `start` listens too, `close` closes it."""

    def __init__(
        self, level: str = "Difficile", *, store: Store | None = None, limit: float | None = SECONDS, language: Language = "en"
    ) -> None:
        self.level = read_level(level)
        self.store = store
        self.limit = None if limit is None else round(limit * 1_000)
        self.language: Language = language
        self.signer = SigningKey(os.urandom(32)) if store is None else store.key()
        self.pool = Pool(Key(oakley(14), tables=True), PAIRS)
        self.beside = Beside()
        self.visits: set[Visit] = set()
        self.waiting: dict[str, Visit] = {}
        self.closed: Callable[[Ledger], None] | None = None
        """Somebody who likes to see every ledger when its match is over."""
        self._server: asyncio.Server | None = None
        self._chores: set[asyncio.Task[None]] = set()
        self._habits: list[asyncio.Task[None]] = []

    def open(self) -> None:
        """Be ready for visitors, from wherever they come."""
        if not self._habits:
            loop = asyncio.get_running_loop()
            self._habits = [loop.create_task(self._prepare())]
            if self.store is not None:
                self._habits.append(loop.create_task(self._write(self.store)))

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> tuple[str, int]:
        """Listen; return where."""
        try:
            self._server = await asyncio.get_running_loop().create_server(lambda: Visit(self), host, port, backlog=1024)
        except OSError as error:
            raise HouseError(
                "cannot listen at %(host)s:%(port)s: %(strerror)s", host=host, port=port, strerror=refusal(error)
            ) from error
        self.open()
        name = self._server.sockets[0].getsockname()
        return str(name[0]), int(name[1])

    async def close(self) -> None:
        """Hang up on everybody; matches that are not over end without a result."""
        if self._server is not None:
            self._server.close()
        self.beside.close()
        for visit in list(self.visits):
            visit.abandon(Reason("arcade-closes"))
        if self._chores:
            await asyncio.wait(self._chores, timeout=CLOSING_SECONDS)
        for task in [*self._chores, *self._habits]:
            task.cancel()
        await asyncio.gather(*self._chores, *self._habits, return_exceptions=True)

    def chore(self, work: Coroutine[None, None, None]) -> None:
        """Do something beside."""
        task = asyncio.get_running_loop().create_task(work)
        self._chores.add(task)
        task.add_done_callback(self._chores.discard)

    async def _prepare(self) -> None:
        """Keep the pool of commitments full, a little at a time."""
        while True:
            self.pool.fill(4)
            await asyncio.sleep(0.002 if self.pool.missing else 0.02)

    async def _write(self, store: Store) -> None:
        """Commit once in a while what the tables have written; verdicts do not wait for it, and tables are told if it fails."""
        with suppress(StoreError):
            while True:
                await asyncio.sleep(1.0)
                await store.durable()

    # ── who sits where ─────────────────────────────────────────────────────────────────────────────────────────────

    def machine(self, visit: "Visit") -> None:
        """Seat a visitor in front of the machine."""
        terms = LEVELS[visit.level]
        answers = Answers()
        chairs = (Chair(visit.name), Chair("machine", f"house:arcade/{terms.level}"))
        side = Side(SECOND, hand_of(terms.level, SystemRandom()), self.pool, answers)
        ledger = self._ledger(terms, chairs, answers)
        table = Table(ledger, answers, milliseconds, machine=side, languages=(visit.language, visit.language))
        Sitting(self, table, (visit,)).open()

    def meet(self, visit: "Visit", code: str) -> None:
        """Let two visitors meet who said the same code; the first to come is the joueur."""
        if code == "new":
            code = "".join(secrets.choice(LETTERS) for _ in range(6))
        if CODE.fullmatch(code) is None:
            visit.turn_away("a code has 1 to 24 letters, digits or hyphens")
            return
        first = self.waiting.pop(code, None)
        if first is None:
            self.waiting[code] = visit
            visit.wait(code)
            return
        answers = Answers()
        name = "adversaire" if visit.name == DEFAULT else visit.name
        chairs = (Chair(first.name), Chair(name if name != first.name else f"{name} (2)"))
        ledger = self._ledger(DUEL, chairs, answers)
        table = Table(ledger, answers, milliseconds, languages=(first.language, visit.language))
        Sitting(self, table, (first, visit)).open()

    def _ledger(self, terms: Terms, chairs: tuple[Chair, Chair], answers: Answers) -> Ledger:
        seed = os.urandom(SEED_BYTES)
        name = commitment(seed)[:12]
        journal = Nowhere() if self.store is None else Shelf(self.store, name, seed)
        notes = {"date": datetime.now(UTC).date().isoformat()}
        return Ledger(terms, chairs, journal, self.signer, limit=self.limit, notes=notes, name=name, seed=seed, oracle=answers)


def read_level(text: str) -> str:
    """Return the name of a level, however it is written; `ArbitreError` if there is none."""
    found = {name.lower(): name for name in LEVELS}.get(text.lower())
    if found is None:
        raise ArbitreError("no level is called %(text)r; there are: %(levels)s", text=text[:20], levels=", ".join(LEVELS))
    return found


class Sitting:
    """A table with the visitors who sit at it: moves lines between them, keeps its deadline, ends it."""

    def __init__(self, arcade: Arcade, table: Table, visits: "tuple[Visit, ...]") -> None:
        self.arcade = arcade
        self.table = table
        self.visits = visits
        self._asked: Question | None = None
        self._ending = False
        self._timer: asyncio.TimerHandle | None = None

    def open(self) -> None:
        """Begin."""
        for seat, visit in enumerate(self.visits):
            visit.sit(self, Seat(seat))
        self.table.open()
        self.pump()
        self._watch()
        for seat, visit in enumerate(self.visits):
            self.receive(Seat(seat), visit.early)

    def receive(self, seat: Seat, lines: Iterable[str]) -> None:
        """Hear a visitor."""
        try:
            for line in lines:
                self.table.receive(seat, line)
        except HouseError as error:
            self._fail(error)
        self.pump()

    def leave(self, seat: Seat, how: Reason = HUNG_UP) -> None:
        """Take note that a visitor is gone, or sent home."""
        self.table.leave(seat, how)
        self.pump()

    def _fail(self, error: HouseError) -> None:
        """Send everybody home: the house cannot keep what happens, so nothing that happens counts."""
        self._ending = True
        self.table.abandon(Reason("arcade-failed"))
        for visit in self.visits:
            visit.turn_away(f"the house cannot keep the record, nobody loses: {error}")

    def pump(self) -> None:
        """Send what is to be sent, have answered what is to be answered, and end what is over."""
        if self.table.ledger.over:
            if not self._ending:
                self._ending = True
                self.arcade.chore(self._end())
            return
        self._send()
        put = self.table.blocked
        if put is not None and put is not self._asked:
            self._asked = put
            self.arcade.chore(self._answer(put))
        for seat, visit in enumerate(self.visits):
            visit.attend(self.table.waiting(Seat(seat)) < MOST_WAITING)

    def _send(self) -> None:
        outbox, self.table.outbox = self.table.outbox, []
        for seat, visit in enumerate(self.visits):
            lines = [line for to, line in outbox if to == seat]
            if lines:
                visit.say(lines)

    async def _answer(self, put: Question) -> None:
        try:
            found = await self.arcade.beside.answer(put)
        except HouseError as error:
            self.table.abandon(recorded(error))
        else:
            self.table.answer(put, found)
        self.pump()

    def _watch(self) -> None:
        """Look at the clock when somebody could be late, and again when that was put off."""
        left = self.table.left
        if left is not None:
            self._timer = asyncio.get_running_loop().call_later(left / 1_000 + 0.001, self._tick)

    def _tick(self) -> None:
        self.table.tick()
        self.pump()
        self._watch()

    async def _end(self) -> None:
        """Sign the record, and speak the verdict when it is on disk."""
        if self._timer is not None:
            self._timer.cancel()
        ledger = self.table.ledger
        try:
            if None not in ledger.bout.locks:
                ledger.seal()
                await ledger.journal.durable()
        except HouseError as error:
            self._fail(error)
            return
        self._send()
        if self.arcade.closed is not None:
            self.arcade.closed(ledger)
        for visit in self.visits:
            visit.close()


class Visit(asyncio.Protocol):
    """One connection."""

    def __init__(self, arcade: Arcade) -> None:
        self.arcade = arcade
        self.name = DEFAULT
        self.level = arcade.level
        self.language: Language = arcade.language
        self._reader = LineReader()
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._sitting: Sitting | None = None
        self._seat = FIRST
        self._code = ""
        self.early: list[str] = []
        """Commands that were said before the other had come."""
        self._wishes = 0
        self._idle = 0
        self._attending = True
        self._reading = True
        self._next: asyncio.Handle | None = None

    # ── the loop's calls ───────────────────────────────────────────────────────────────────────────────────────────

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Open the door, and give the visitor a moment to say its wishes."""
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is one in all but name
        self.arcade.visits.add(self)
        if len(self.arcade.visits) > MOST_VISITORS:
            self.turn_away("the arcade is full; come back later")
            return
        self._timer = asyncio.get_running_loop().call_later(GREETING_SECONDS, self.arcade.machine, self)

    def data_received(self, data: bytes) -> None:
        """Hear whatever lines are complete, a few at a time."""
        self._reader.feed(data)
        if self._next is None:
            self._hear()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - however it was lost, it is lost
        """Let the referee know."""
        self.arcade.visits.discard(self)
        self._settled()
        if self._next is not None:
            self._next.cancel()
        if self._code and self.arcade.waiting.get(self._code) is self:
            del self.arcade.waiting[self._code]
        if self._sitting is not None:
            self._sitting.leave(self._seat)

    # ── lines ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _hear(self) -> None:
        """Hear a few lines; where there are more, go on in the next turn of the loop, and do not read the socket before."""
        self._next = None
        commands: list[str] = []
        for _ in range(AT_ONCE):
            if not self._attending or (line := self._reader.line()) is None:
                break
            if self._sitting is None:
                if self._closing:
                    break
                self._wish(line)
            elif says_nothing(line):
                self._idle += 1
            else:
                self._idle = 0
                commands.append(line)
        else:
            self.go_on()
        if self._sitting is not None and commands:
            self._sitting.receive(self._seat, commands)
        if self._sitting is not None and self._idle > MOST_IDLE:
            self._sitting.leave(self._seat, Reason("idle-lines", most=MOST_IDLE))
        self._read()

    def go_on(self) -> None:
        """Hear what has come already, in the next turn of the loop."""
        if self._next is None and not self._closing:
            self._next = asyncio.get_running_loop().call_soon(self._hear)

    def _read(self) -> None:
        """Read the socket, or leave it alone while lines wait."""
        reading = self._attending and self._next is None
        if reading is self._reading:
            return
        if self._transport is not None and not self._closing:
            self._reading = reading
            (self._transport.resume_reading if reading else self._transport.pause_reading)()

    @property
    def _closing(self) -> bool:
        return self._transport is None or self._transport.is_closing()

    # ── before a match ─────────────────────────────────────────────────────────────────────────────────────────────

    def _wish(self, line: str) -> None:
        text = line.strip(" \t\r")
        if text and not text.startswith("#"):
            if self._code:
                self._keep(line)
                return
            self._settled()
            self.arcade.machine(self)
            if self._sitting is not None:
                self._sitting.receive(self._seat, [line])
            return
        self._wishes += 1
        if self._wishes > MOST_WISHES:
            self.turn_away("so many wishes")
        elif not self._code:
            self._grant(text[1:].split())

    def _keep(self, line: str) -> None:
        """Keep a line until the other has come: neither side need wait for the other."""
        if len(self.early) < MOST_EARLY:
            self.early.append(line)
        else:
            self.turn_away("nobody else is at the table yet")

    def _grant(self, words: list[str]) -> None:
        match words:
            case ["name", *name]:
                self.name = comment(" ".join(name))[2:26].replace("#", "") or self.name
            case ["language", "en" | "fr" as language]:
                self.language = language
            case ["level", level]:
                try:
                    self.level = read_level(level)
                except ArbitreError as error:
                    self.turn_away(str(error))
            case ["table", code]:
                self._settled()
                self.arcade.meet(self, code)
            case ["begin"]:
                self._settled()
                self.arcade.machine(self)

    def wait(self, code: str) -> None:
        """Wait for somebody who says the same code."""
        self._code = code
        self.say([comment(f"table {code}"), comment("waiting for the other to come")])
        self._timer = asyncio.get_running_loop().call_later(WAIT_SECONDS, self.turn_away, "nobody came")

    def sit(self, sitting: Sitting, seat: Seat) -> None:
        """Take a seat."""
        self._settled()
        self._sitting, self._seat, self._code = sitting, seat, ""

    def _settled(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # ── what is said ───────────────────────────────────────────────────────────────────────────────────────────────

    def say(self, lines: list[str]) -> None:
        """Send lines, in one go."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(("\n".join(lines) + "\n").encode("ascii"))

    def attend(self, attending: bool) -> None:
        """Hear the visitor, or let it wait for a while."""
        if attending is not self._attending:
            self._attending = attending
            if attending:
                self.go_on()
            self._read()

    def turn_away(self, why: str) -> None:
        """Say why, and hang up."""
        self.say([comment(f"error {why}")])
        self.close()

    def abandon(self, why: Reason) -> None:
        """End the match without a result, or turn the visitor away."""
        if self._sitting is None:
            self.turn_away(str(why))
        else:
            self._sitting.table.abandon(why)
            self._sitting.pump()

    def close(self) -> None:
        """Hang up, when what was said is sent."""
        self._settled()
        if self._transport is not None:
            self._transport.close()
