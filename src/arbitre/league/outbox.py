"""Reports that a robot owes the registrar (spec: draughts, section 2): kept until they are answered for good.

A report is durable before it is sent for the first time. `TIM` brings it back the next day; a registrar that cannot be reached,
or answers `ERR : inconnue`, is asked again every five minutes for a week, and whenever a robot starts. Every report leaves from
the address that the game was played from, because that address is who we are.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import date, datetime, timedelta
from datetime import time as time_of_day
from zoneinfo import ZoneInfo

from arbitre.errors import LeagueError
from arbitre.games.game import Seat
from arbitre.league.report import SIZE, Address, Answer, Word, mapped, read_answer, shown
from arbitre.reasons import Reason
from arbitre.records.store import Store
from arbitre.transport.sockets import Endpoint, call, read_endpoint, why_not
from arbitre.values import value

PATIENCE = 20.0
"""Seconds that a registrar is given, from the first packet to the answer."""
AGAIN_AFTER = 300.0
WEEK = timedelta(days=7)
EARLY = time_of_day(0, 1)
LONGEST_ANSWER = 4_096
TOGETHER = 16
"""Reports on their way at a time: after a registrar's holidays many may be due."""
UNREPORTED = "not reported: no registrar was named"

Told = Callable[[Reason], object]
Send = Callable[[Endpoint, str, bytes], Awaitable[Answer]]
"""Brings a report to a registrar from an address, as `send_report` does."""


async def send_report(registrar: Endpoint, source: str, data: bytes) -> Answer:
    """Send a report from an address (empty: whichever) and return the answer; `LeagueError` when there is none."""
    if len(data) != SIZE:
        raise LeagueError("a report has %(size)s octets, not %(data)s", size=SIZE, data=len(data))
    try:
        async with asyncio.timeout(PATIENCE):
            said = await _exchange(registrar, source, data)
    except TimeoutError:
        raise LeagueError(
            "the registrar %(registrar)s did not answer within %(patience)s seconds",
            registrar=registrar,
            patience=f"{PATIENCE:g}",
        ) from None
    except (OSError, UnicodeError) as error:
        whence = Reason(" from %(address)s", address=source) if source else ""
        raise LeagueError(
            "the registrar %(registrar)s cannot be reached%(whence)s: %(error)s",
            registrar=registrar,
            whence=whence,
            error=why_not(error),
        ) from error
    answer = read_answer(said)
    if answer is None:
        raise LeagueError(
            "the registrar %(registrar)s answered %(said)r, which is none of the league's lines",
            registrar=registrar,
            said=said[:80],
        )
    return answer


async def _exchange(registrar: Endpoint, source: str, data: bytes) -> bytes:
    # an identity has one family: a report over the other kind of address would come from somebody else
    reader, writer = await call(registrar, source)
    try:
        writer.write(data)
        said = b""
        while b"\0" not in said and len(said) < LONGEST_ANSWER and (more := await reader.read(LONGEST_ANSWER)):
            said += more
        return said
    finally:
        writer.close()


@value
class Letter:
    """One report that waits."""

    number: int
    match: str
    registrar: str
    source: str
    day: str
    report: bytes


class Outbox:
    """What is owed to registrars, in a data folder."""

    def __init__(
        self, store: Store, zone: ZoneInfo, told: Told, clock: Callable[[], float] = time.time, *, send: Send = send_report
    ) -> None:
        self.store = store
        self.zone = zone
        self.told = told
        self.clock = clock
        self.send = send
        self.undelivered: set[int] = set()
        """Reports that were tried and got no answer, or `ERR : inconnue`; those that may come tomorrow are not among them."""
        self._sending: set[int] = set()
        self._gate = asyncio.Semaphore(TOGETHER)

    def today(self) -> str:
        """Return the day in the league's time zone."""
        return self._date().isoformat()

    def _date(self) -> date:
        return datetime.fromtimestamp(self.clock(), self.zone).date()

    async def put(self, match: str, registrar: Endpoint | None, source: str, opponent: Address, seat: Seat, data: bytes) -> None:
        """Keep the report of a finished game; it is durable when this returns. Without a registrar only the day is kept."""
        self.store.write(
            "INSERT INTO league_outbox (match, registrar, source, opponent, seat, day, due, report, answer) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                match,
                str(registrar or ""),
                source,
                shown(opponent),
                seat,
                self.today(),
                0.0,
                data,
                None if registrar else UNREPORTED,
            ),
        )
        await self.store.durable()

    def met_today(self, opponent: str, seat: Seat) -> bool:
        """Tell whether a game against an address was finished today on this seat: another would not be recordable."""
        try:
            name = shown(mapped(opponent))
        except ValueError:
            return False
        query = "SELECT 1 FROM league_outbox WHERE opponent = ? AND seat = ? AND day = ?"
        return bool(self.store.rows(query, (name, seat, self.today())))

    def answer_to(self, match: str) -> str:
        """Return what was answered for good to the report of a match; empty while it waits."""
        rows = self.store.rows("SELECT answer FROM league_outbox WHERE match = ? AND answer IS NOT NULL", (match,))
        return str(rows[0][0]) if rows else ""

    async def send_waiting(self) -> None:
        """Send every report that waits, those sent back until tomorrow aside: a robot that starts is not to wait."""
        await self.send_due(AGAIN_AFTER)

    async def send_due(self, early: float = 0.0) -> None:
        """Send every report whose time has come, or comes within so many seconds."""
        rows = self.store.rows(
            "SELECT number, match, registrar, source, day, report FROM league_outbox WHERE answer IS NULL AND due <= ?",
            (self.clock() + early,),
        )
        await asyncio.gather(*(self._send(Letter(*row)) for row in rows))

    async def keep_sending(self, every: float = 30.0) -> None:
        """Send what waits, then what is due, again and again, until cancelled."""
        await self.send_waiting()
        while True:
            await asyncio.sleep(every)
            await self.send_due()

    async def _send(self, letter: Letter) -> None:
        if letter.number in self._sending:
            return
        self._sending.add(letter.number)
        try:
            async with self._gate:
                await self._deliver(letter)
        finally:
            self._sending.discard(letter.number)

    async def _deliver(self, letter: Letter) -> None:
        answer, said = None, ""
        why: object
        try:
            answer = await self.send(read_endpoint(letter.registrar, 0), letter.source, letter.report)
            said = why = answer.text
        except LeagueError as error:
            said, why = str(error), error
        final = answer is not None and answer.word not in (Word.TOMORROW, Word.UNKNOWN)
        if final or answer == Answer(Word.TOMORROW):
            self.undelivered.discard(letter.number)
        else:
            self.undelivered.add(letter.number)
        if final or date.fromisoformat(letter.day) + WEEK < date.fromisoformat(self.today()):
            self.store.write("UPDATE league_outbox SET answer = ? WHERE number = ?", (said, letter.number))
        else:
            later = self._tomorrow() if answer == Answer(Word.TOMORROW) else self.clock() + AGAIN_AFTER
            self.store.write("UPDATE league_outbox SET due = ? WHERE number = ?", (later, letter.number))
        await self.store.durable()
        self.told(Reason("%(match)s  the registrar: %(said)s", match=letter.match, said=why))

    def _tomorrow(self) -> float:
        """Return the first minute of the league's next day: sent at once, it could still be today by another clock."""
        day = self._date() + timedelta(days=1)
        return datetime.combine(day, EARLY, self.zone).timestamp()
