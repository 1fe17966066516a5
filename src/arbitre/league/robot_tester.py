"""Plays against a robot that brings its own sockets, takes its report, and says what is wrong with both (spec: draughts).

`Examination` is one game over one connection: legal moves of ours, drawn at random, and everything that is odd about what the
robot says, as a list of `Finding`; or the beginning of one, in which we say a wrong move to see what it makes of that. `Desk` is
a registrar for one robot: it answers what comes, and `look_at_report` says which octets are wrong.

What keeps a game from counting is a *fault*; what others may stumble over, or what is merely slow, is a *remark*.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random
from time import monotonic

from arbitre.games.game import DRAW, other
from arbitre.league.duel import SEPARATORS, Doubted, Duel, Ended, Ending, Event, Fault, Moved, Refused, Role, Stage
from arbitre.league.report import SIZE, Address, Answer, Impossible, Unknown, Word, mapped, read_report, shown, write_report
from arbitre.league.report_check import differences, same_game, why_refused
from arbitre.league.robots import FAREWELL, GAP
from arbitre.reasons import N_, Reason
from arbitre.values import value

SLOW = 10.0
"""Seconds for a move that are remarked on."""
LONGEST_COMMENT = 255
WRONG = "1-50"
"""A move that is never legal."""
ANSWER = 3.0
"""Seconds that a robot is given to say something to a wrong move; it need not."""
SILENCE = 2.0
"""After so many seconds a report is taken to be complete, as a registrar takes it."""

FAULTS: dict[Fault, str] = {
    Fault.INTERRUPTED: N_("it interrupted the game: say INTERUPTION only when something unforeseen happens"),
    Fault.CLOSED: N_("play on until one side cannot move, or a hundred plies are played"),
    Fault.UNKNOWN_WORD: N_("a move is written 32-27 or 26x17x8x19, and the words are COUP INVALIDE, PERDU, EGALITE, INTERUPTION"),
    Fault.TOO_LONG: N_("put one NUL behind each word, and keep words below 255 characters"),
    Fault.EARLY_END: N_("PERDU is for the side that cannot move, EGALITE for the hundredth ply, and nothing else"),
    Fault.WRONG_MOVES: N_("it said one wrong move after the other; COUP INVALIDE asks for another one"),
    Fault.DOUBTS: N_("the move was legal: its rules differ from the league's"),
    Fault.OUT_OF_TURN: N_("say one move, then wait for the other's"),
}
"""What to do about each way a game breaks off."""


FIRST_MOVE = N_("silence: %(seconds)s seconds without its first move after %(place)s")
ENDLESS = N_("framing: words without an end cost %(gap)s seconds each, and others may wait for ever: put a NUL behind each")
ANY_MOVE = N_("silence: %(seconds)s seconds without an answer after %(place)s")


class Grade(StrEnum):
    """How much a finding weighs."""

    FAULT = N_("fault")
    REMARK = N_("remark")


@value
class Finding:
    """One thing that was seen, with the evidence."""

    grade: Grade
    why: Reason


@dataclass(slots=True, eq=False)
class Examination:
    """One game against a robot."""

    role: Role
    """Ours."""
    limit: float
    """Seconds that the robot has for a word."""
    luck: Random
    findings: list[Finding] = field(default_factory=list)
    duel: Duel = field(init=False)
    peer: Address = field(init=False)
    own: Address = field(init=False)
    slowest: float = 0.0
    ends: set[bytes] = field(default_factory=set)
    """How its words ended: with which octets, or with none."""
    _tail: bytes = b""
    _last: list[str] = field(default_factory=list)
    """What it said when the game was over."""

    def __post_init__(self) -> None:
        self.duel = Duel(self.role)

    @property
    def finished(self) -> bool:
        """Whether the game was played to its end."""
        return self.duel.ended is not None and self.duel.ended.ending is Ending.RULES

    @property
    def due(self) -> bytes:
        """The report that the robot owes for this game."""
        return write_report(other(self.role.seat), self.own, self.duel.moves)

    def _find(self, grade: Grade, template: str, **fields: object) -> None:
        found = Finding(grade, Reason(template, **fields))
        if found not in self.findings:
            self.findings.append(found)

    async def play(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Play to the end, or until the robot breaks off."""
        self.peer = mapped(writer.get_extra_info("peername")[0])
        self.own = mapped(writer.get_extra_info("sockname")[0])
        try:
            while self.duel.stage is not Stage.OVER:
                if self.duel.stage is Stage.OURS:
                    self.duel.say(self.luck.choice(self.duel.board.moves))
                    writer.write(self.duel.outgoing())
                else:
                    await self._hear(reader, writer)
            writer.write(self.duel.outgoing())
            await self._farewell(reader)
        finally:
            writer.transport.abort()
        self._look_at_framing()
        self._look_at_end()

    async def provoke(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Say a wrong move when it is our turn, see what the robot makes of it, and stop."""
        try:
            while self.duel.stage is Stage.THEIRS:
                await self._hear(reader, writer)
            if self.duel.stage is Stage.OURS:
                writer.write(f"{WRONG}\0".encode())
                self._judge_answer((await self._until(reader, ANSWER))[:1])
        finally:
            self.duel.interrupt(Reason("test-over"))
            writer.write(self.duel.outgoing())
            await self._until(reader, FAREWELL)
            writer.transport.abort()

    def _judge_answer(self, said: list[str]) -> None:
        """Say what is wrong with what a robot said to a wrong move."""
        word = said[0] if said else ""
        if not word:
            silent = N_("it says nothing to %(move)s, which is never legal: COUP INVALIDE lets the other try again")
            self._find(Grade.REMARK, silent, move=WRONG)
        elif word.startswith("INTER"):
            off = N_("it breaks off at %(move)s, which is never legal: COUP INVALIDE lets the other try again")
            self._find(Grade.REMARK, off, move=WRONG)
        elif "INVALIDE" not in word.split()[:2]:
            taken = N_("it answered %(word)r to %(move)s, which is never legal: check every move of the other")
            self._find(Grade.FAULT, taken, word=word[:40], move=WRONG)

    async def _until(self, reader: asyncio.StreamReader, seconds: float) -> list[str]:
        """Return the words that come within some seconds, or until one is whole."""
        data = bytearray()
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(seconds):
                while not SEPARATORS.search(data.lstrip(b"\0\r\n")) and (more := await reader.read(4_096)):
                    data += more
        return [word.decode("utf-8", "replace").strip().upper() for word in SEPARATORS.split(bytes(data)) if word.strip()]

    async def _hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Wait for the robot's next word."""
        begun = monotonic()
        while self.duel.stage is Stage.THEIRS:
            events: list[Event]
            try:
                async with asyncio.timeout(GAP):
                    data = await reader.read(4_096)
            except TimeoutError:
                events = self.duel.idle()
                if any(isinstance(one, Moved) for one in events):
                    self.ends.add(b"")
                if not events and monotonic() - begun > self.limit:
                    first = self.role is Role.ATTACKER and not self.duel.moves
                    silence = FIRST_MOVE if first else ANY_MOVE
                    self._find(Grade.FAULT, silence, seconds=f"{self.limit:g}", place=self._place())
                    self.duel.interrupt(Reason("no-answer"))
            except OSError:
                events = self.duel.closed()
            else:
                self._look_at_octets(data)
                events = self.duel.receive(data) if data else self.duel.closed()
            for event in events:
                self._note(event, monotonic() - begun)
            if self.duel.ended is None and (said := self.duel.outgoing()):
                writer.write(said)

    def _place(self) -> Reason:
        return Reason("move %(number)s", number=len(self.duel.moves)) if self.duel.moves else Reason("the connection")

    def _note(self, event: Event, seconds: float) -> None:
        match event:
            case Moved(_, text, comment):
                self.slowest = max(self.slowest, seconds)
                if len(f"{text} {comment}") > LONGEST_COMMENT:
                    long = N_("a comment of %(count)s characters: robots with small buffers may cut it")
                    self._find(Grade.REMARK, long, count=len(comment))
            case Refused(text, why):
                self._find(Grade.FAULT, N_("after %(place)s it said %(text)r: %(why)s"), place=self._place(), text=text, why=why)
            case Doubted(text):
                doubts = N_("it said %(text)r to %(move)s, which is legal: %(advice)s")
                advice = Reason(FAULTS[Fault.DOUBTS])
                self._find(Grade.FAULT, doubts, text=text[:60], move=self.duel.moves[-1], advice=advice)
                if len(text) >= LONGEST_COMMENT:
                    long = N_("COUP INVALIDE with its text has %(count)s characters; less than 255 are allowed")
                    self._find(Grade.FAULT, long, count=len(text))
            case Ended(_, reason, fault) if fault is not None:
                ended = N_("after %(place)s: %(why)s; %(advice)s")
                self._find(Grade.FAULT, ended, place=self._place(), why=reason, advice=Reason(FAULTS[fault]))

    def _look_at_octets(self, data: bytes) -> None:
        """Note how words end."""
        text = self._tail + data
        self.ends.update(run[:1] if len(run) < 8 else b"padding" for run in SEPARATORS.findall(text) if run)
        rest = SEPARATORS.split(text)[-1]
        self._tail = rest[-64:]

    def _look_at_framing(self) -> None:
        if b"" in self.ends:
            self._find(Grade.REMARK, ENDLESS, gap=f"{GAP:g}")
        if self.ends & {b"\n", b"\r"}:
            self._find(Grade.REMARK, N_("framing: words end with a line break; the league's programs send one NUL"))
        if b"padding" in self.ends:
            self._find(Grade.REMARK, N_("framing: blocks padded with NULs are understood, but one NUL is enough"))
        if self.slowest > SLOW:
            slow = N_("timing: the slowest move took %(seconds)s seconds; others may give up earlier")
            self._find(Grade.REMARK, slow, seconds=f"{self.slowest:.1f}")

    async def _farewell(self, reader: asyncio.StreamReader) -> None:
        """Hear what the robot says when the game is over."""
        data = bytearray()
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(FAREWELL):
                while more := await reader.read(4_096):
                    data += more
        self._last = [word.decode("utf-8", "replace").strip().upper() for word in SEPARATORS.split(bytes(data)) if word]

    def _look_at_end(self) -> None:
        """Compare what the robot said at the end with what the league expects."""
        outcome = self.duel.outcome
        if not self.finished or outcome is None:
            return
        theirs = outcome.scores[other(self.role.seat)]
        wanted = "EGALITE" if theirs == DRAW else "PERDU" if theirs < DRAW else ""
        said = [word.partition(" ")[0] for word in self._last]
        for word in said:
            if word in ("PERDU", "EGALITE") and word != wanted:
                expected = wanted or Reason("nothing: it has won")
                wrong = N_("ends: it said %(word)s when the game was over, and should say %(wanted)s")
                self._find(Grade.FAULT, wrong, word=word, wanted=expected)
            elif word not in ("PERDU", "EGALITE"):
                more = N_("ends: it said %(word)r behind move %(number)s, which ended the game")
                self._find(Grade.FAULT, more, word=word[:40], number=len(self.duel.moves))
        if wanted and wanted not in said:
            self._find(Grade.REMARK, N_("ends: it did not say %(word)s; other robots may wait for it"), word=wanted)


@dataclass(slots=True, eq=False)
class Sent:
    """What came to the desk."""

    data: bytes
    reporter: Address
    silent: bool
    """Whether it had to be taken for complete because nothing more came."""


class Desk:
    """A registrar for one robot: takes its reports, and answers as the league does."""

    def __init__(self) -> None:
        self.sent: asyncio.Queue[Sent] = asyncio.Queue()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Hear one report."""
        data, silent = b"", False
        try:
            while len(data) < SIZE:
                async with asyncio.timeout(SILENCE):
                    more = await reader.read(SIZE * 2)
                if not more:
                    break
                data += more
        except TimeoutError:
            silent = True
        except OSError:
            pass
        with suppress(OSError):
            writer.write(_answer(data).octets())
            await writer.drain()
        writer.close()
        self.sent.put_nowait(Sent(data, mapped(writer.get_extra_info("peername")[0]), silent))


def _answer(data: bytes) -> Answer:
    """Return what a registrar that knows nothing else answers."""
    match read_report(data):
        case Unknown():
            return Answer(Word.UNKNOWN)
        case Impossible(number):
            return Answer(Word.IMPOSSIBLE, number)
        case _:
            return Answer(Word.PENDING)


def look_at_report(sent: Sent, game: Examination) -> list[Finding]:
    """Say what is wrong with a robot's report of a game that was just played."""
    found = []
    if len(sent.data) < SIZE:
        grade = Grade.FAULT if not sent.silent else Grade.REMARK
        short = N_("report: %(count)s octets came; a report has exactly %(size)s, filled up with zeros")
        found.append(Finding(grade, Reason(short, count=len(sent.data), size=SIZE)))
    elif len(sent.data) > SIZE:
        long = Reason("report: more than %(size)s octets came; what follows is not looked at", size=SIZE)
        found.append(Finding(Grade.REMARK, long))
    if (why := why_refused(sent.data)) is not None:
        found.append(Finding(Grade.FAULT, Reason("report: %(why)s", why=why)))
        return found
    found += [Finding(Grade.FAULT, Reason("report: %(why)s", why=why)) for why in differences(sent.data, game.due)]
    if not same_game(sent.data, game.duel.moves):
        found.append(Finding(Grade.FAULT, Reason("report: its moves are those of another game")))
    if sent.reporter != game.peer:
        there, here = shown(sent.reporter), shown(game.peer)
        two = N_("report: it came from %(there)s, and the game was played from %(here)s: that is two players")
        found.append(Finding(Grade.FAULT, Reason(two, there=there, here=here)))
    return found
