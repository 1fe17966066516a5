"""The line protocol between the referee and a bot on a pipe, both sides, without any input or output of its own.

Lines are UTF-8 and end with LF (a CR before it is forgiven). Empty lines and lines that begin with `#` are comments. The page of
the manual is "Bots on a pipe"; this is all of it:

==========================================  =============================================================
the referee says                            the bot answers
==========================================  =============================================================
`hello 1 GAME SEAT [OPTION=VALUE …]`        `hello 1 [NAME …] [key=HEX] [nonce=HEX]`
`nonce`                                     `nonce HEX`; never asked of a bot that promised none
`position TEXT`                             nothing
`ask TURN MS [MOVE …]`                      `move TEXT` or `resign [WHY]`, one line for each `ask`, in their order
`refused REASON`                            nothing: `position` and `ask` come again
`end SCORE TERMINATION REASON`              nothing
`sign HEX`                                  `sign KEY SIGNATURE`; never asked of a bot that named no key
==========================================  =============================================================

**Who is at fault.** What a peer says wrong never raises: it comes out as one last event, `Garbled`, after the events before it,
and nothing the peer says afterwards is read. What *we* would say wrong raises `HouseError`.

**Speaking out of turn.** A bot owes one line for each `ask`. A line too many is garbled, so it cannot pass for the answer to the
next question. A line that comes when its question has run out of time is owed, and dropped: late is late, but no breach.

**Bounds.** A line has at most `LONGEST_LINE` octets, and between two questions comments have at most `MOST_COMMENT` octets.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from typing import TypeAlias, TypeVar

from arbitre.errors import HouseError, ProtocolError, RecordError, shorten
from arbitre.reasons import Reason, declare
from arbitre.records.event import read_reason, write_reason
from arbitre.values import value

VERSION = "1"

LONGEST_LINE = 1 << 16
"""Octets of a bot's line, without its end."""

LONGEST_REFEREE_LINE = 1 << 20
"""The referee lists up to a thousand moves, and positions may be long."""

MOST_COMMENT = 1 << 20
"""Octets of comments that a bot may say between two questions."""

REASONS = declare(
    {
        "pipe-version": (
            "version %(given)r of the protocol, not %(version)s: say hello %(version)s NAME",
            "version %(given)r du protocole, et non %(version)s : dites hello %(version)s NOM",
        ),
        "pipe-form": ("expected %(form)s", "attendu : %(form)s"),
        "pipe-number": ("a whole number is due, not %(given)r", "un nombre entier est attendu, et non %(given)r"),
        "pipe-hexadecimal": (
            "octets in hexadecimal are due, so many: %(octets)s",
            "des octets en hexadécimal sont attendus, au nombre de %(octets)s",
        ),
        "pipe-long-line": ("a line of more than %(most)s octets", "une ligne de plus de %(most)s octets"),
        "pipe-comments": ("more than %(most)s octets of comments", "plus de %(most)s octets de commentaires"),
        "pipe-not-utf-8": (
            "octet %(octet)s of %(line)r is not UTF-8",
            "l’octet %(octet)s de %(line)r n’est pas de l’UTF-8",
        ),
        "pipe-control": (
            "character %(character)s of %(line)r is a control character",
            "le caractère %(character)s de %(line)r est un caractère de commande",
        ),
        "pipe-unknown": (
            "%(line)r is no line of a bot: say move MOVE or resign, and debug on standard error",
            "%(line)r n’est pas une ligne d’un programme : dites move COUP ou resign, et tracez sur la sortie d’erreur",
        ),
        "pipe-line": ("%(line)r: %(why)s", "%(line)r : %(why)s"),
        "pipe-not-asked": ("%(line)r when nothing was asked", "%(line)r alors que rien n’était demandé"),
        "pipe-not-due": ("%(line)r when %(due)s was due", "%(line)r alors que %(due)s était attendu"),
    }
)

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
HEXADECIMAL = re.compile(r"(?:[0-9a-f]{2})+", re.ASCII)

# ── what the referee says ──────────────────────────────────────────────────────────────────────────────────────────


@value
class Called:
    """A match begins: the game with the options that differ from the default, and the bot's own seat, from 0."""

    game: str
    seat: int
    options: tuple[tuple[str, str], ...] = ()

    def line(self) -> str:
        """Return the line, without its end."""
        return " ".join(["hello", VERSION, self.game, str(self.seat + 1), *(f"{key}={given}" for key, given in self.options)])


@value
class Shown:
    """What the bot's seat sees, in the canonical text of the game."""

    text: str

    def line(self) -> str:
        """Return the line, without its end."""
        return f"position {self.text}"


@value
class Asked:
    """The bot must move: the turn, the milliseconds left (None without a clock), and the legal moves if they can be listed."""

    turn: int
    left: int | None
    moves: tuple[str, ...] = ()

    def line(self) -> str:
        """Return the line, without its end."""
        return " ".join(["ask", str(self.turn), "-" if self.left is None else str(self.left), *self.moves])


@value
class Refused:
    """The last answer was no legal move; the question comes again."""

    why: Reason

    def line(self) -> str:
        """Return the line, without its end."""
        return f"refused {_one_line(self.why)}"


@value
class Ended:
    """The match is over: the bot's own score, None if the match was abandoned, how it stopped, and why."""

    score: Fraction | None
    termination: str
    why: Reason

    def line(self) -> str:
        """Return the line, without its end."""
        return f"end {'-' if self.score is None else self.score} {self.termination} {_one_line(self.why)}"


@value
class NonceDue:
    """The bot is to open its nonce."""

    def line(self) -> str:
        """Return the line, without its end."""
        return "nonce"


@value
class Sealed:
    """The head of the record, for the bot to sign."""

    message: bytes

    def line(self) -> str:
        """Return the line, without its end."""
        return f"sign {self.message.hex()}"


# ── what the bot says ──────────────────────────────────────────────────────────────────────────────────────────────


@value
class Hello:
    """The bot is there: its name, its public key and its promise of a nonce, in hexadecimal, if it has them."""

    name: str = ""
    key: str = ""
    promise: str = ""

    def line(self) -> str:
        """Return the line, without its end."""
        more = [f"{word}={given}" for word, given in (("key", self.key), ("nonce", self.promise)) if given]
        return " ".join(["hello", VERSION, *self.name.split(), *more])


@value
class Nonce:
    """The bot opens the nonce that it promised."""

    text: str

    def line(self) -> str:
        """Return the line, without its end."""
        return f"nonce {self.text}"


@value
class Moved:
    """The bot's answer: a move as it said it."""

    text: str

    def line(self) -> str:
        """Return the line, without its end."""
        return f"move {self.text}"


@value
class Resigned:
    """The bot's answer: it gives up."""

    why: str = ""

    def line(self) -> str:
        """Return the line, without its end."""
        return f"resign {self.why}".rstrip()


@value
class Signed:
    """The bot's public key and its signature of the head, in hexadecimal."""

    key: str
    signature: str

    def line(self) -> str:
        """Return the line, without its end."""
        return f"sign {self.key} {self.signature}"


@value
class Garbled:
    """The peer broke the protocol: `why` quotes the line. Nothing follows."""

    why: Reason


FromReferee: TypeAlias = Called | NonceDue | Shown | Asked | Refused | Ended | Sealed
FromBot: TypeAlias = Hello | Nonce | Moved | Resigned | Signed
E = TypeVar("E")

# ── reading ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _called(rest: str) -> Called:
    version, *words = rest.split() or [""]
    if version != VERSION:
        raise ProtocolError("pipe-version", given=shorten(version), version=VERSION)
    if len(words) < 2 or not all(word.isprintable() and word.partition("=")[1] for word in words[2:]):
        raise ProtocolError("pipe-form", form="hello 1 GAME SEAT [OPTION=VALUE …]")
    options = tuple((key, given) for key, _, given in (word.partition("=") for word in words[2:]))
    return Called(words[0], _count(words[1], least=1) - 1, options)


def _asked(rest: str) -> Asked:
    words = rest.split()
    if len(words) < 2:
        raise ProtocolError("pipe-form", form="ask TURN MS [MOVE …]")
    left = None if words[1] == "-" else _count(words[1])
    return Asked(_count(words[0]), left, tuple(words[2:]))


def _ended(rest: str) -> Ended:
    words = rest.split(" ", 2)
    if len(words) < 2 or not re.fullmatch(r"-|[0-9]{1,9}(/[1-9][0-9]{0,8})?", words[0], re.ASCII):
        raise ProtocolError("pipe-form", form="end SCORE TERMINATION REASON")
    return Ended(None if words[0] == "-" else Fraction(words[0]), words[1], _reason(words[2] if len(words) > 2 else ""))


def _reason(text: str) -> Reason:
    try:
        return read_reason(text)
    except RecordError:
        raise ProtocolError("pipe-form", form='{"code":…}') from None


def _sealed(rest: str) -> Sealed:
    return Sealed(bytes.fromhex(_hexadecimal(rest)))


def _hello(rest: str) -> Hello:
    version, *words = rest.split() or [""]
    if version != VERSION:
        raise ProtocolError("pipe-version", given=shorten(version), version=VERSION)
    promise, key = (_last(words, "nonce="), _last(words, "key="))
    return Hello(shorten(" ".join(words)), key, promise)


def _last(words: list[str], prefix: str) -> str:
    """Take 32 octets off the end of a hello, if they are there."""
    return _hexadecimal(words.pop().removeprefix(prefix), 32) if words and words[-1].startswith(prefix) else ""


def _signed(rest: str) -> Signed:
    key, _, signature = rest.partition(" ")
    return Signed(_hexadecimal(key, 32), _hexadecimal(signature, 64))


def _count(word: str, least: int = 0) -> int:
    if not (word.isascii() and word.isdigit() and len(word) <= 12 and int(word) >= least):
        raise ProtocolError("pipe-number", given=shorten(word))
    return int(word)


def _hexadecimal(word: str, octets: int | None = None) -> str:
    if not HEXADECIMAL.fullmatch(word) or octets not in (None, len(word) // 2):
        raise ProtocolError("pipe-hexadecimal", octets=octets or 0)
    return word


REFEREE_WORDS: Mapping[str, Callable[[str], FromReferee]] = {
    "hello": _called,
    "nonce": lambda _rest: NonceDue(),
    "position": Shown,
    "ask": _asked,
    "refused": lambda rest: Refused(_reason(rest)),
    "end": _ended,
    "sign": _sealed,
}

BOT_WORDS: Mapping[str, Callable[[str], FromBot]] = {
    "hello": _hello,
    "nonce": lambda rest: Nonce(_hexadecimal(rest, 32)),
    "move": Moved,
    "resign": Resigned,
    "sign": _signed,
}


class _Lines:
    """Cuts octets into lines, comments left out; `ProtocolError` where a bound is passed or a line is no text."""

    def __init__(self, longest: int, most_comment: int | None) -> None:
        self.rest = b""
        self.comment = 0
        self._longest = longest
        self._most_comment = most_comment

    def feed(self, data: bytes) -> Iterator[str]:
        """Return the lines that are complete now."""
        *whole, self.rest = (self.rest + data).split(b"\n")
        for octets in whole:
            if len(octets) > self._longest:
                raise ProtocolError("pipe-long-line", most=self._longest)
            if octets.startswith(b"#") or octets in (b"", b"\r"):
                self._count(len(octets) + 1)
                continue
            yield _text(octets)
        if len(self.rest) > self._longest:
            raise ProtocolError("pipe-long-line", most=self._longest)

    def _count(self, octets: int) -> None:
        self.comment += octets
        if self._most_comment is not None and self.comment > self._most_comment:
            raise ProtocolError("pipe-comments", most=self._most_comment)


def _text(octets: bytes) -> str:
    try:
        line = octets.decode("utf-8").removesuffix("\r").rstrip(" ")
    except UnicodeDecodeError as error:
        evidence = octets[:80].decode("utf-8", "backslashreplace")
        raise ProtocolError("pipe-not-utf-8", octet=error.start + 1, line=shorten(evidence)) from None
    if found := CONTROL.search(line):
        raise ProtocolError("pipe-control", character=found.start() + 1, line=shorten(line))
    return line


def _read(line: str, words: Mapping[str, Callable[[str], E]], *, strict: bool) -> E | None:
    """Return what a line says; if its first word is unknown, None, or `ProtocolError` where that is strict."""
    word, _, rest = line.partition(" ")
    reader = words.get(word)
    if reader is None:
        if strict:
            raise ProtocolError("pipe-unknown", line=shorten(line))
        return None
    try:
        return reader(rest.lstrip(" "))
    except ProtocolError as error:
        raise ProtocolError("pipe-line", line=shorten(line), why=error) from None


def flat(text: str, most: int = 1000) -> str:
    """Return free text so that it fits a line: bounded, in one line, without halves of characters."""
    return CONTROL.sub(" ", text[:most]).strip().encode("utf-8", "replace").decode("utf-8")


def _one_line(why: Reason) -> str:
    """Return a reason as a record has it, with spaces for what steers a terminal in somebody's words within it."""
    return CONTROL.sub(" ", write_reason(why))


def _send(*events: FromReferee | FromBot) -> bytes:
    lines = [event.line().rstrip(" ") for event in events]
    for line in lines:
        if CONTROL.search(line):
            raise HouseError("%(line)r is more than one line", line=shorten(line))
    return "".join(f"{line}\n" for line in lines).encode("utf-8")


# ── the two sides ──────────────────────────────────────────────────────────────────────────────────────────────────


class Expects(Enum):
    """What the referee waits for."""

    HELLO = "hello"
    NONCE = "nonce"
    NOTHING = "nothing"
    ANSWER = "move or resign"
    SIGNATURE = "sign"
    SILENCE = "silence"
    """The match is over: whatever comes is late, and dropped."""


FITS: Mapping[Expects, tuple[type, ...]] = {
    Expects.HELLO: (Hello,),
    Expects.NONCE: (Nonce,),
    Expects.NOTHING: (),
    Expects.ANSWER: (Moved, Resigned),
    Expects.SIGNATURE: (Signed,),
    Expects.SILENCE: (),
}


class RefereeSide:
    """The referee's end of one match: what to write, and what was read."""

    def __init__(self) -> None:
        self.expects = Expects.HELLO
        self.owed = 0
        """Answers to questions that ran out of time: they may still come, and are dropped."""
        self.ended = False
        self._broken = False
        self._lines = _Lines(LONGEST_LINE, MOST_COMMENT)

    @property
    def unfinished(self) -> bytes:
        """What the bot began to say: a line that has no end yet."""
        return self._lines.rest

    def hello(self, game: str, seat: int, options: Mapping[str, object] | None = None) -> bytes:
        """Call the match."""
        spelt = {True: "yes", False: "no"}
        given = ((key, spelt[one] if isinstance(one, bool) else str(one)) for key, one in (options or {}).items())
        called = Called(game, seat, tuple(given))
        if len(called.line().split()) != 4 + len(called.options):
            raise HouseError("%(called)r has a blank inside an option", called=called.line())
        return _send(called)

    def nonce(self) -> bytes:
        """Ask a bot that promised a nonce to open it."""
        if self.expects is not Expects.NOTHING:
            raise HouseError("a nonce is asked for while %(value)s is due", value=self.expects.value)
        self.expects = Expects.NONCE
        return _send(NonceDue())

    def ask(self, text: str, turn: int, left: int | None, moves: Sequence[str] = (), refused: Reason | None = None) -> bytes:
        """Show what the seat sees, and ask for a move."""
        if self.expects is not Expects.NOTHING:
            raise HouseError("a bot is asked while %(value)s is due", value=self.expects.value)
        self.expects = Expects.ANSWER
        self._lines.comment = 0
        listed = () if any(" " in move or not move for move in moves) else tuple(moves)
        question = (Shown(text), Asked(turn, left, listed))
        return _send(Refused(refused), *question) if refused is not None else _send(*question)

    def expire(self) -> None:
        """Give up waiting for the answer; the next question may follow, and the answer to this one still comes first."""
        if self.expects is Expects.ANSWER:
            self.expects = Expects.NOTHING
            self.owed += 1

    def end(self, score: Fraction | None, termination: str, why: Reason) -> bytes:
        """Tell the verdict; what the bot says then is dropped."""
        self.expects, self.ended = Expects.SILENCE, True
        return _send(Ended(score, termination, why))

    def sign(self, message: bytes) -> bytes:
        """Ask for a signature, after the end; other lines are late answers, and dropped."""
        if not self.ended:
            raise HouseError("a signature is asked before the end")
        self.expects = Expects.SIGNATURE
        return _send(Sealed(message))

    def receive(self, data: bytes) -> list[FromBot | Garbled]:
        """Return what the bot said, as far as its lines are complete."""
        if self._broken:
            return []
        events: list[FromBot | Garbled] = []
        try:
            for line in self._lines.feed(data):
                if self.expects is Expects.SILENCE:
                    continue
                event = _read(line, BOT_WORDS, strict=True)
                if event is not None and self._fits(event, line):
                    events.append(event)
        except ProtocolError as error:
            self._broken = True
            events.append(Garbled(error.reason))
        return events

    def _fits(self, event: FromBot, line: str) -> bool:
        """Tell whether an event is what was waited for; drop what was owed; `ProtocolError` for anything else."""
        answers = isinstance(event, Moved | Resigned)
        if self.owed and answers:
            self.owed -= 1
            return False
        if isinstance(event, FITS[self.expects]):
            self.expects = Expects.NOTHING if not self.ended else Expects.SILENCE
            return True
        if self.ended and answers:
            return False
        if self.expects is Expects.NOTHING:
            raise ProtocolError("pipe-not-asked", line=shorten(line))
        raise ProtocolError("pipe-not-due", line=shorten(line), due=self.expects.value)


class BotSide:
    """The bot's end: what to write, and what was read. Lines of unknown kinds are passed over: a later version may have more."""

    def __init__(self) -> None:
        self._lines = _Lines(LONGEST_REFEREE_LINE, None)
        self._garbled = False

    def receive(self, data: bytes) -> list[FromReferee | Garbled]:
        """Return what the referee said, as far as its lines are complete."""
        if self._garbled:
            return []
        events: list[FromReferee | Garbled] = []
        try:
            for line in self._lines.feed(data):
                event = _read(line, REFEREE_WORDS, strict=False)
                if event is not None:
                    events.append(event)
        except ProtocolError as error:
            self._garbled = True
            events.append(Garbled(error.reason))
        return events

    def hello(self, name: str = "", key: str = "", promise: str = "") -> bytes:
        """Answer the call."""
        return _send(Hello(flat(name, 80), key, promise))

    def nonce(self, nonce: bytes) -> bytes:
        """Open the nonce that was promised."""
        return _send(Nonce(nonce.hex()))

    def move(self, text: str) -> bytes:
        """Answer with a move."""
        return _send(Moved(flat(text, LONGEST_LINE // 8)))

    def resign(self, why: str = "") -> bytes:
        """Answer by giving up."""
        return _send(Resigned(flat(why)))

    def sign(self, key: str, signature: str) -> bytes:
        """Answer with a signature."""
        return _send(Signed(key, signature))
