"""A player who is a program on a pipe (`arbitre.transport.pipe` is its language, the manual's page is "Bots on a pipe").

Time is charged from the moment the question is written to the moment the answer's last octet had arrived; reading the position,
listing the moves and whatever else keeps the referee busy is not the player's time.

A bot speaks once for each question. Right before a question leaves, the pipe is looked at: what lies there was said too early,
and the bot is garbled. What comes while the question still lies unread in the bot's own pipe was said too early as well. So a
second answer does not pass for the answer to the next question, however quickly that follows. Should one slip through in the
instant in which the bot reads the question, the answer after it is one too many, and the bot is found out all the same.
"""

import asyncio
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic
from weakref import WeakKeyDictionary

from arbitre.errors import PlayerError, PlayerGarbledError, PlayerLeftError, shorten
from arbitre.games.catalogue import options_of
from arbitre.games.game import Seat
from arbitre.games.player import Position
from arbitre.reasons import Reason, declare
from arbitre.referee.player import Agreement, Answer, Decline, Greeting, Player, SignedOpening
from arbitre.referee.terms import Opening
from arbitre.referee.verdict import Verdict
from arbitre.transport.pipe import Agreed, Declined, FromBot, Garbled, Hello, Moved, RefereeSide, Resigned, Said, Signed
from arbitre.transport.process import Process, ProcessLimits, clean_environment
from arbitre.transport.sandbox import Sandbox

__all__ = ["ProcessLimits", "Sandbox", "StdioPlayer"]

NO_HEAD = "00" * 32
"""The head of a question that no record holds: a program is being tried out."""

HELLO_SECONDS = 20.0
"""How long a program may take from its start to its hello."""

GATE_SECONDS = 1.0
"""How long a program that starts keeps the next from starting."""

_GATES: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()
"""Interpreters are slow to start: where hundreds start together, none of them would be ready in time."""


REASONS = declare(
    {
        "no-hello": ("no hello", "pas de hello"),
        "never-started": ("never started", "jamais démarré"),
        "mute": (
            "no hello within %(seconds)s seconds: is the output flushed?",
            "pas de hello en %(seconds)s secondes : la sortie est-elle vidée (flush) ?",
        ),
        "mute-but-errors": (
            "no hello within %(seconds)s seconds: is the output flushed? Standard error ends with %(errors)r",
            "pas de hello en %(seconds)s secondes : la sortie est-elle vidée (flush) ? La sortie d’erreur finit par %(errors)r",
        ),
        "question-unread": ("it has not read the question", "il n’a pas lu la question"),
        "line-without-end": ("its last line has no end", "sa dernière ligne n’a pas de fin"),
        "no-line": (
            "it has read the question, and no line came: is the output flushed?",
            "il a lu la question, et aucune ligne n’est venue : la sortie est-elle vidée (flush) ?",
        ),
        "before-reading": ("%(line)r before the question was read", "%(line)r avant que la question soit lue"),
        "gone-amid-a-line": ("%(how)s; its last line %(line)r has no end", "%(how)s ; sa dernière ligne %(line)r n’a pas de fin"),
    }
)


class StdioPlayer(Player):
    """A program that plays one seat of one match, started when it sits down and ended when it leaves."""

    patience = 600.0  # whoever waits at the gate waits for us; its own time to start is counted here, from the start

    def __init__(
        self,
        command: Sequence[str],
        *,
        limits: ProcessLimits | None = None,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        sandbox: Sandbox | None = None,
    ) -> None:
        self.command = list(command)
        self.limits = limits or ProcessLimits()
        self.folder = folder
        self.environment = clean_environment(environment)
        self.sandbox = sandbox
        self.name = ""
        """What the program calls itself."""
        self._key = ""
        self._greeted: Hello | None = None
        self._absent: PlayerError | None = None
        self._wire = RefereeSide()
        self._process: Process | None = None
        self._fault: PlayerError | None = None
        self._waiting: asyncio.Future[tuple[FromBot, float]] | None = None

    @property
    def pid(self) -> int | None:
        """The number of the process and of its group, once it has started."""
        return self._process.pid if self._process else None

    def errors(self) -> str:
        """Return the last 64 KiB of what the program wrote to its standard error, for its owner."""
        return self._process.errors() if self._process else ""

    # ── what the referee calls ─────────────────────────────────────────────────────────────────────────────────────

    async def greet(self, opening: Opening, seat: Seat) -> Greeting:
        """Start the program and exchange greetings; if that fails, `sit` says how."""
        try:
            said = await self._start(opening, seat)
        except PlayerError as error:
            self._absent = error
            return Greeting()
        self._greeted = said
        return Greeting(said.key, said.promise)

    async def sit(self, opening: Opening, seat: Seat) -> None:
        """Take the seat, started if it is not yet."""
        if self._greeted is None and self._absent is None:
            await self.greet(opening, seat)
        if self._absent is not None:
            raise self._absent
        if self._greeted is not None:
            self._key = self._greeted.key if self._greeted.key == opening.chairs[seat].key else ""

    async def agree(self, opening: SignedOpening) -> Agreement | Decline:
        """Show the program the opening, and return what it says to it."""
        if self._fault is not None:
            raise self._fault
        said, _ = await self._said(self._expect(self._wire.opening(*opening)))
        if isinstance(said, Declined):
            return Decline(said.code)
        return Agreement(said.nonce or None, said.signature or None) if isinstance(said, Agreed) else Agreement()

    async def _start(self, opening: Opening, seat: Seat) -> Hello:
        command = self.command
        if self.sandbox is not None:
            command = self.sandbox.wrap(command, self.folder, self.environment["PATH"])
        async with gate():
            process = Process(self._heard, self._gone)
            process.start(command, self.folder, self.environment, self.limits)
            self._process = process
            hello = self._expect(self._hello(opening, seat))
            await asyncio.wait([hello], timeout=GATE_SECONDS)
        try:
            async with asyncio.timeout(HELLO_SECONDS):
                said, _ = await self._said(hello)
        except TimeoutError:
            raise PlayerLeftError(self._mute()) from None
        if not isinstance(said, Hello):
            raise PlayerGarbledError("no-hello")
        self.name = said.name
        return said

    def _hello(self, opening: Opening, seat: Seat) -> bytes:
        """Call the match; what proves something is said only where there is a referee to prove it."""
        proof = {"match": opening.match, "commitment": opening.commitment, "referee": opening.referee}
        return self._wire.hello(opening.game.name, seat, options_of(opening.game), **(proof if opening.referee else {}))

    async def ask(self, position: Position) -> Answer:
        """Show the position, ask, and return the answer with the time it took."""
        text, moves = position.text, position.legal
        if self._process is None:
            raise PlayerLeftError("never-started")
        self._process.drain()
        if self._fault is not None:
            raise self._fault
        head = position.head or NO_HEAD
        question = self._wire.ask(text, position.turn, position.left, head, moves, position.refused, offered=position.offered)
        asked = monotonic()
        try:
            said, arrived = await self._said(self._expect(question))
        finally:
            self._wire.expire()
        spent, note = max(0.0, arrived - asked), self._wire.note
        if isinstance(said, Resigned):
            return Answer(said.why, spent, resigns=True, note=note)
        if not isinstance(said, Moved):
            return Answer("", spent, takes=True, note=note)
        return Answer(said.text, spent, offers=said.offers, note=note)

    def expire(self) -> bool:
        """Tell whether no line has come: whatever comes from now on is too late."""
        return self._waiting is not None and not self._waiting.done()

    def silence(self) -> Reason | None:
        """Say how far the program got with the question."""
        if self._process is None:
            return None
        if self._process.unread():
            return Reason("question-unread")
        unended = self._wire.unfinished and not self._wire.unfinished.startswith(b"#")
        return Reason("line-without-end" if unended else "no-line")

    def _mute(self) -> Reason:
        """Say that the program does not greet, and what it says elsewhere."""
        words = self.errors().strip().rpartition("\n")[2]
        seconds = f"{HELLO_SECONDS:g}"
        return Reason("mute-but-errors", seconds=seconds, errors=shorten(words)) if words else Reason("mute", seconds=seconds)

    async def end(self, verdict: Verdict, seat: Seat) -> None:
        """Tell the verdict."""
        if self._process is not None and self._fault is None:
            score = None if verdict.scores is None else verdict.scores[seat]
            self._process.write(self._wire.end(score, verdict.termination.value, verdict.reason))

    async def sign(self, lines: Sequence[str]) -> str | Decline | None:
        """Hand the record to a program that said hello with the key which the opening names for its seat."""
        if not self._key or self._fault is not None or not self._wire.ended:
            return None
        said, _ = await self._said(self._expect(self._wire.record(lines)))
        if isinstance(said, Declined):
            return Decline(said.code, said.signature)
        return said.signature if isinstance(said, Signed) else None

    async def leave(self) -> None:
        """End the program and whatever it started."""
        if self._process is not None:
            await self._process.stop()

    # ── what the process tells ─────────────────────────────────────────────────────────────────────────────────────

    def _expect(self, line: bytes) -> "asyncio.Future[tuple[FromBot, float]]":
        self._waiting = asyncio.get_running_loop().create_future()
        if self._process is not None:
            self._process.write(line)
        return self._waiting

    async def _said(self, waiting: "asyncio.Future[tuple[FromBot, float]]") -> tuple[FromBot, float]:
        try:
            return await waiting
        finally:
            self._waiting = None

    def _heard(self, data: bytes, arrived: float) -> None:
        for event in self._wire.receive(data):
            if isinstance(event, Garbled):
                self._fail(PlayerGarbledError(event.why))
            elif isinstance(event, Said) and self._process is not None and self._process.unread():
                self._fail(PlayerGarbledError("before-reading", line=shorten(event.line())))
            elif self._waiting is not None and not self._waiting.done():
                self._waiting.set_result((event, arrived))

    def _gone(self, how: Reason) -> None:
        began = self._wire.unfinished
        if began and not began.startswith(b"#"):
            how = Reason("gone-amid-a-line", how=how, line=shorten(began.decode("utf-8", "backslashreplace")))
        self._fail(PlayerLeftError(how))

    def _fail(self, fault: PlayerError) -> None:
        if self._process is not None and isinstance(fault, PlayerGarbledError):
            self._process.deafen()
        if self._fault is None:
            self._fault = fault
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(self._fault)
            self._waiting.exception()  # whoever waited may have been cancelled in the same moment: that is no surprise


def gate() -> asyncio.Semaphore:
    """Return what every program passes that starts on this loop."""
    loop = asyncio.get_running_loop()
    return _GATES.setdefault(loop, asyncio.Semaphore(2 * (os.cpu_count() or 1)))
