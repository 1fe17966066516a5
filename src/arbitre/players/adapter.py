"""Engines that speak a language of their own: one skeleton for all of them, one module for each language.

A `Language` is a set of *dialogues* without any input or output: generators that yield the lines to send and are sent each line
that comes. The `Adapter` is a player that holds them with a program: it starts the program, greets it within a limit, asks, and
ends it. A dialogue goes on at the moment a line arrives, so whether an answer came in time is decided there and nowhere else.

**Faults** are a bot's (`arbitre.referee.player`): a program that ends or never greets is gone, one whose line has no end, that
babbles on, reports an error or says what its language does not know is garbled, and what it says is judged by the referee like
anybody's move. These languages have no word for a refused move: an engine that was refused is not asked the same again.

**Bounds.** A line has at most `LONGEST_LINE` octets; between a question and its answer, and between an answer and the next
question, at most `MOST_SAID` octets are heard. Standard error is drained and its end kept (`arbitre.transport.process`).
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar, Protocol, TypeVar

from arbitre.errors import PlayerError, PlayerGarbledError, PlayerLateError, PlayerLeftError, shorten
from arbitre.games.game import AnyGame, Seat
from arbitre.games.player import Position
from arbitre.players.course import Course
from arbitre.reasons import Reason, declare
from arbitre.referee.clock import Clock
from arbitre.referee.player import Answer, Greeting, Player
from arbitre.referee.terms import Opening
from arbitre.transport.process import Process, ProcessLimits, clean_environment
from arbitre.transport.sandbox import Sandbox
from arbitre.transport.stdio import GATE_SECONDS, gate
from arbitre.values import value

T = TypeVar("T")

GREETING_SECONDS = 60.0
"""How long an engine may take from its start until it is ready: some read tables of gigabytes first."""

WAIT_SECONDS = 600.0
"""How long a question without a clock stays open."""

MOVE_MILLISECONDS = 1_000
"""How long an engine is told to think where there is neither a clock nor a limit of its own."""

LONGEST_LINE = 1 << 16
"""Octets of a line, without its end."""

MOST_SAID = 1 << 22
"""Octets of everything that an engine says for one answer."""

LONGEST_REMARK = 400
"""Characters of each part of a remark."""

REASONS = declare(
    {
        "engine-mute": (
            "not ready within %(seconds)s seconds: does it speak %(language)s?",
            "pas prêt en %(seconds)s secondes : parle-t-il %(language)s ?",
        ),
        "engine-mute-but-errors": (
            "not ready within %(seconds)s seconds: does it speak %(language)s? Standard error ends with %(errors)r",
            "pas prêt en %(seconds)s secondes : parle-t-il %(language)s ? La sortie d’erreur finit par %(errors)r",
        ),
        "engine-babbles": (
            "more than %(most)s octets without an answer",
            "plus de %(most)s octets sans réponse",
        ),
        "engine-error": ("it reports an error: %(line)r", "il signale une erreur : %(line)r"),
        "engine-answer": ("%(line)r is no answer in %(language)s", "%(line)r n’est pas une réponse en %(language)s"),
        "engine-no-such-move": (
            "it says %(move)r, which is no move of this position",
            "il dit %(move)r, qui n’est pas un coup de cette position",
        ),
        "engine-refused": (
            "%(why)s; %(language)s has no word for that, so it is not asked again",
            "%(why)s ; %(language)s n’a pas de mot pour cela, on ne le lui demande donc pas encore",
        ),
        "engine-from-start": (
            "%(language)s knows games from their usual start only",
            "%(language)s ne connaît que les parties depuis leur départ habituel",
        ),
        "engine-silent": ("no answer within %(seconds)s seconds", "pas de réponse en %(seconds)s secondes"),
    }
)

Dialogue = Generator[Sequence[str], str, T]
"""Yields the lines to send, is sent each line that comes, and returns what it was about."""


@value
class Remark:
    """What an engine said about its move, beside it; texts as it wrote them."""

    turn: int
    score: str = ""
    depth: str = ""
    nodes: str = ""
    pv: str = ""
    text: str = ""
    """What else it said."""


@value
class Said:
    """The answer of an engine: a move in our text, and what it remarked."""

    text: str
    resigns: bool = False
    remark: Mapping[str, str] = field(default_factory=dict)


@value
class Launch:
    """How an engine is started, and what it is told besides the game."""

    command: tuple[str, ...]
    folder: Path | None = None
    environment: tuple[tuple[str, str], ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    """Options of the engine itself, in the order in which they are set."""
    depth: int | None = None
    nodes: int | None = None
    time: int | None = None
    """Milliseconds for each move, where no clock runs."""
    pause: int = 0
    """Milliseconds that are let pass after an answer: some engines lose a line that comes too soon."""
    more: tuple[tuple[str, str], ...] = ()
    """What else its language lets one say."""
    limits: ProcessLimits | None = None
    sandbox: Sandbox | None = None

    def word(self, key: str, default: str = "") -> str:
        """Return one of the language's own settings."""
        return dict(self.more).get(key, default)


@value
class Pace:
    """How far an engine may think about one move; times in milliseconds."""

    move: int | None = None
    """For this move alone."""
    game: int | None = None
    """For the rest of the game."""
    increment: int = 0
    depth: int | None = None
    nodes: int | None = None

    @property
    def share(self) -> int | None:
        """What this move may take, of whatever clock."""
        return self.move if self.game is None else self.game // 20 + self.increment // 2


def pace_of(launch: Launch, clock: Clock, left: int | None) -> Pace:
    """Return the pace of a question: a little is kept back for the way to the engine and home."""
    usable = None if left is None else max(10, left - max(30, left // 20))
    if usable is None:
        bounded = launch.depth is not None or launch.nodes is not None
        move = launch.time if bounded or launch.time is not None else MOVE_MILLISECONDS
        return Pace(move, None, 0, launch.depth, launch.nodes)
    if clock.kind == "game":
        return Pace(None, usable, clock.increment, launch.depth, launch.nodes)
    return Pace(usable, None, 0, launch.depth, launch.nodes)


class Language(ABC):
    """One language, spoken with one engine in one match."""

    name: ClassVar[str]
    games: ClassVar[tuple[str, ...]]
    """The games that it speaks of."""
    end: ClassVar[bytes] = b"\n"
    """What ends a line; CR LF and the like are read too where this is LF."""

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self.course: Course
        """The match so far; it is there from the seat on."""

    @abstractmethod
    def greeting(self, game: AnyGame, seat: Seat) -> Dialogue[str]:
        """Greet the engine and set its options; return what it calls itself."""

    def sitting(self, course: Course, seat: Seat) -> Dialogue[None]:  # noqa: ARG002 - most need to know no more
        """Begin a match."""
        self.course = course
        yield from ()

    @abstractmethod
    def asking(self, position: Position, pace: Pace) -> Dialogue[Said]:
        """Ask for a move; the course has followed to the position."""

    def ending(self) -> Sequence[str]:
        """Return what is said at the end."""
        return ("quit",)

    def wrong(self, line: str) -> PlayerGarbledError:
        """Return the fault of a line that is no answer."""
        return PlayerGarbledError("engine-answer", line=shorten(line), language=self.name)


class Wire(Protocol):
    """What an adapter talks over: a program's pipes, or a connection."""

    def write(self, data: bytes) -> None:
        """Send octets."""

    def drain(self) -> None:
        """Hear what has come already."""

    def deafen(self) -> None:
        """Hear no more."""

    def unread(self) -> bool:
        """Tell whether some of what was sent is known to be unread."""

    def errors(self) -> str:
        """Return the end of what was said beside the wire."""

    async def stop(self) -> None:
        """End whatever is at the other end, and leave nothing of it."""


class Adapter(Player):
    """An engine that plays one seat of one match in its own language."""

    patience = 660.0  # as with every program, its own time is counted from its start, behind the gate

    def __init__(self, launch: Launch, language: Language) -> None:
        self.launch = launch
        self.language = language
        self.name = ""
        """What the engine calls itself."""
        self.remarks: list[Remark] = []
        """What it said about its moves, one remark for each move at most."""
        self.pid: int | None = None
        """The number of its process and of its group, once it has started."""
        self._wire: Wire | None = None
        self._clock = Clock()
        self._buffer = b""
        self._said = 0
        self._quiet_since = 0.0
        self._dialogue: Dialogue[Any] | None = None
        self._waiting: asyncio.Future[tuple[Any, float]] | None = None
        self._fault: PlayerError | None = None
        self._greeted = False

    def errors(self) -> str:
        """Return the end of what the engine wrote to its standard error, for its owner."""
        return "" if self._wire is None else self._wire.errors()

    # ── what the referee calls ─────────────────────────────────────────────────────────────────────────────────────

    async def greet(self, opening: Opening, seat: Seat) -> Greeting:
        """Start the engine and greet it; if that fails, `sit` says how."""
        try:
            await self._start(opening.game, seat)
        except PlayerError as error:
            self._fault = self._fault or error
        self._greeted = True
        return Greeting()

    async def sit(self, opening: Opening, seat: Seat) -> None:
        """Take the seat, started if it is not yet."""
        if not self._greeted:
            await self.greet(opening, seat)
        self._check()
        self._clock = opening.terms.clock
        await self._held(self.language.sitting(Course(opening.game, opening.start), seat), GREETING_SECONDS)

    async def ready(self) -> None:
        """Let the pause pass that the engine needs after an answer."""
        rest = self._quiet_since + self.launch.pause / 1000 - monotonic()
        if self.launch.pause and rest > 0:
            await asyncio.sleep(rest)

    async def ask(self, position: Position) -> Answer:
        """Show the position, ask, and return the answer with the time it took."""
        if self._wire is not None:
            self._wire.drain()
        self._check()
        if position.refused is not None:
            raise PlayerGarbledError("engine-refused", why=position.refused, language=self.language.name)
        self.language.course.follow(position)
        asking = self.language.asking(position, pace_of(self.launch, self._clock, position.left))
        asked = monotonic()
        try:
            said, arrived = await self._asked(asking, position.left)
        finally:
            self._dialogue = None
        self._quiet_since = monotonic()
        self._remark(position.turn, said)
        self.language.course.say(said.text)
        note = " ".join(f"{key}={text}" for key, text in said.remark.items())
        return Answer(said.text, max(0.0, arrived - asked), said.resigns, note=note)

    def expire(self) -> bool:
        """Tell whether no answer has come: whatever comes from now on is too late."""
        return self._waiting is not None and not self._waiting.done()

    def recall(self, position: Position, said: str) -> None:
        """Follow the match as far as it was played."""
        self.language.course.follow(position)
        self.language.course.say(said)

    def silence(self) -> Reason | None:
        """Say how far the engine got with the question."""
        if self._wire is None:
            return None
        if self._wire.unread():
            return Reason("question-unread")
        return Reason("line-without-end" if self._buffer else "no-line")

    async def leave(self) -> None:
        """End the engine and whatever it started."""
        if self._wire is not None:
            if self._fault is None:
                self._send(self.language.ending())
            await self._wire.stop()

    # ── dialogues ──────────────────────────────────────────────────────────────────────────────────────────────────

    async def _start(self, game: AnyGame, seat: Seat) -> None:
        async with gate():
            self._wire = await self._connect()
            greeting = self._begin(self.language.greeting(game, seat))
            await asyncio.wait([greeting], timeout=GATE_SECONDS)
        self.name = shorten((await self._ended(greeting, GREETING_SECONDS))[0], 80)

    async def _connect(self) -> Wire:
        """Start the program, and return its pipes."""
        environment = clean_environment(dict(self.launch.environment))
        command: Sequence[str] = self.launch.command
        if self.launch.sandbox is not None:
            command = self.launch.sandbox.wrap(command, self.launch.folder, environment["PATH"])
        process = Process(self._heard, lambda how: self._fail(PlayerLeftError(how)))
        process.start(command, self.launch.folder, environment, self.launch.limits or ProcessLimits())
        self.pid = process.pid
        return process

    async def _held(self, dialogue: Dialogue[T], seconds: float) -> tuple[T, float]:
        return await self._ended(self._begin(dialogue), seconds)

    async def _ended(self, waiting: "asyncio.Future[tuple[T, float]]", seconds: float) -> tuple[T, float]:
        try:
            async with asyncio.timeout(seconds):
                return await waiting
        except TimeoutError:
            words = self.errors().strip().rpartition("\n")[2]
            fields = {"seconds": f"{seconds:g}", "language": self.language.name}
            if not words:
                raise PlayerLeftError("engine-mute", **fields) from None
            raise PlayerLeftError("engine-mute-but-errors", errors=shorten(words), **fields) from None
        finally:
            self._waiting = self._dialogue = None

    async def _asked(self, asking: Dialogue[Said], left: int | None) -> tuple[Said, float]:
        """Hold the dialogue of a question; one without a clock is not open for ever either."""
        try:
            async with asyncio.timeout(WAIT_SECONDS if left is None else None):
                return await self._begin(asking)
        except TimeoutError:
            raise PlayerLateError("engine-silent", int(WAIT_SECONDS * 1000), seconds=f"{WAIT_SECONDS:g}") from None
        finally:
            self._waiting = None

    def _begin(self, dialogue: Dialogue[T]) -> "asyncio.Future[tuple[T, float]]":
        waiting: asyncio.Future[tuple[T, float]] = asyncio.get_running_loop().create_future()
        self._dialogue, self._waiting, self._said = dialogue, waiting, 0
        if self._fault is not None:
            self._fail(self._fault)
        else:
            self._go_on(None, monotonic())
        return waiting

    def _go_on(self, line: str | None, arrived: float) -> None:
        """Continue the dialogue with a line that came; without one, begin it."""
        if self._dialogue is None or self._waiting is None or self._waiting.done():
            return
        try:
            self._send(next(self._dialogue) if line is None else self._dialogue.send(line))
        except StopIteration as over:
            self._dialogue = None
            self._waiting.set_result((over.value, arrived))
        except PlayerError as fault:
            self._fail(fault)

    def _send(self, lines: Iterable[str]) -> None:
        data = b"".join(line.encode() + self.language.end for line in lines)
        if data and self._wire is not None:
            self._wire.write(data)

    def _heard(self, data: bytes, arrived: float) -> None:
        self._said += len(data)
        *lines, self._buffer = (self._buffer + data).split(self.language.end)
        if self._said > MOST_SAID:
            self._fail(PlayerGarbledError("engine-babbles", most=MOST_SAID))
        elif len(self._buffer) > LONGEST_LINE or any(len(line) > LONGEST_LINE for line in lines):
            self._fail(PlayerGarbledError("pipe-long-line", most=LONGEST_LINE))
        else:
            for line in lines:
                self._go_on(line.decode("utf-8", "backslashreplace").strip(), arrived)

    def _remark(self, turn: int, said: Said) -> None:
        if said.remark:
            self.remarks.append(Remark(turn, **{key: shorten(text, LONGEST_REMARK) for key, text in said.remark.items()}))

    def _check(self) -> None:
        if self._fault is not None:
            raise self._fault
        if self._wire is None:
            raise PlayerLeftError("never-started")

    def _fail(self, fault: PlayerError) -> None:
        if self._wire is not None and isinstance(fault, PlayerGarbledError):
            self._wire.deafen()
            self._buffer = b""
        self._fault = self._fault or fault
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(self._fault)
            self._waiting.exception()  # whoever waited may have been cancelled in the same moment
