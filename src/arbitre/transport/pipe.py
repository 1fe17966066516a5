"""The line protocol between the referee and a bot on a pipe, both sides, without any input or output of its own.

Lines are UTF-8 and end with LF (a CR before it is forgiven). Empty lines and lines that begin with `#` are comments. The page of
the manual is "Bots on a pipe"; this is all of it:

==========================================  =============================================================
the referee says                            the bot answers
==========================================  =============================================================
`hello 2 GAME SEAT match=NAME               `hello 2 [NAME …] [key=HEX] [nonce=HEX]`
commitment=HEX referee=KEY [OPTION=VALUE …]`
`opening OCTETS SALT SIGNATURE`, then the   `agree [nonce=HEX] [sign=HEX]` or `decline CODE`; never asked of a bot that
opening's line, of so many octets           named no key and promised no nonce
`position TEXT`                             nothing
`ask TURN MS HEAD [MOVE …]`                 `move TEXT`, `offer TEXT`, `draw` or `resign [WHY]`, one line for each `ask`, in
                                            their order
`info TEXT` may come before any of these    nothing: what the bot says about its move; of several lines the last counts
`offered`                                   nothing: before `position`, where another offers a draw
`refused REASON`                            nothing: `position` and `ask` come again
`end SCORE TERMINATION REASON`              nothing
`record COUNT OCTETS`, then so many octets  `sign SIGNATURE` or `decline CODE SIGNATURE`; never asked of a bot that
                                            named no key
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
from arbitre.records.event import LONGEST_NOTE, MOST_OCTETS, noted, read_reason, write_reason
from arbitre.records.record import is_code
from arbitre.values import value

VERSION = "2"

LONGEST_LINE = 1 << 16
"""Octets of a bot's line, without its end."""

LONGEST_REFEREE_LINE = 1 << 20
"""The referee lists up to a thousand moves, and positions may be long."""

LONGEST_RECORD = 2 * MOST_OCTETS
"""Octets of a record that a bot reads; it signs none of more than half of that."""

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

INFO = "info"
"""The word before what a bot says about its move: `info score=+0.35 depth=12 pv=32-28 19-23`, or what it likes."""

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
HEXADECIMAL = re.compile(r"(?:[0-9a-f]{2})+", re.ASCII)

# ── what the referee says ──────────────────────────────────────────────────────────────────────────────────────────


@value
class Called:
    """A match begins: the game with the options that differ from the default, the bot's own seat, from 0, and who referees.

    Match, commitment and referee are empty where nothing is recorded: a bot is only being tried out.
    """

    game: str
    seat: int
    options: tuple[tuple[str, str], ...] = ()
    match: str = ""
    commitment: str = ""
    referee: str = ""

    def line(self) -> str:
        """Return the line, without its end."""
        proof = (("match", self.match), ("commitment", self.commitment), ("referee", self.referee)) if self.match else ()
        more = (f"{key}={given}" for key, given in (*proof, *self.options))
        return " ".join(["hello", VERSION, self.game, str(self.seat + 1), *more])


@value
class OpeningAhead:
    """The opening follows, in so many octets and a line feed, under the referee's signature."""

    octets: int
    salt: str
    signature: str

    def line(self) -> str:
        """Return the line, without its end."""
        return f"opening {self.octets} {self.salt} {self.signature}"


@value
class Opened:
    """The opening of the match: its line, its salt, and the referee's signature, in hexadecimal."""

    text: bytes
    salt: str
    signature: str


@value
class RecordAhead:
    """The record follows: so many events, in so many octets."""

    count: int
    octets: int

    def line(self) -> str:
        """Return the line, without its end."""
        return f"record {self.count} {self.octets}"


@value
class Recorded:
    """The record of the match, for the bot to check and to sign: the lines of all events, each with its end."""

    count: int
    text: bytes


@value
class Shown:
    """What the bot's seat sees, in the canonical text of the game."""

    text: str

    def line(self) -> str:
        """Return the line, without its end."""
        return f"position {self.text}"


@value
class Asked:
    """The bot must move: turn, milliseconds left (None without a clock), head of the chain, legal moves if they can be listed."""

    turn: int
    left: int | None
    head: str
    moves: tuple[str, ...] = ()

    def line(self) -> str:
        """Return the line, without its end."""
        return " ".join(["ask", str(self.turn), "-" if self.left is None else str(self.left), self.head, *self.moves])


@value
class Refused:
    """The last answer was no legal move; the question comes again."""

    why: Reason

    def line(self) -> str:
        """Return the line, without its end."""
        return f"refused {_one_line(self.why)}"


@value
class Offered:
    """Another seat offers a draw; the question follows."""

    def line(self) -> str:
        """Return the line, without its end."""
        return "offered"


@value
class Ended:
    """The match is over: the bot's own score, None if the match was abandoned, how it stopped, and why."""

    score: Fraction | None
    termination: str
    why: Reason

    def line(self) -> str:
        """Return the line, without its end."""
        return f"end {'-' if self.score is None else self.score} {self.termination} {_one_line(self.why)}"


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
class Agreed:
    """The bot agrees to the opening, with the nonce that it promised and its signature, in hexadecimal, if it has them."""

    nonce: str = ""
    signature: str = ""

    def line(self) -> str:
        """Return the line, without its end."""
        more = [f"{word}={given}" for word, given in (("nonce", self.nonce), ("sign", self.signature)) if given]
        return " ".join(["agree", *more])


@value
class Declined:
    """The bot does not agree to the opening, or under its signature to the record."""

    code: str
    signature: str = ""

    def line(self) -> str:
        """Return the line, without its end."""
        return f"decline {self.code} {self.signature}".rstrip()


@value
class Moved:
    """The bot's answer: a move as it said it."""

    text: str
    offers: bool = False
    """Whether a draw is offered with it."""

    def line(self) -> str:
        """Return the line, without its end."""
        return f"{'offer' if self.offers else 'move'} {self.text}"


@value
class Drawn:
    """The bot's answer: it takes the draw that is offered."""

    def line(self) -> str:
        """Return the line, without its end."""
        return "draw"


@value
class Resigned:
    """The bot's answer: it gives up."""

    why: str = ""

    def line(self) -> str:
        """Return the line, without its end."""
        return f"resign {self.why}".rstrip()


@value
class Signed:
    """The bot's signature of the record, in hexadecimal."""

    signature: str

    def line(self) -> str:
        """Return the line, without its end."""
        return f"sign {self.signature}"


@value
class Garbled:
    """The peer broke the protocol: `why` quotes the line. Nothing follows."""

    why: Reason


Line: TypeAlias = Called | Shown | Asked | Refused | Offered | Ended
Ahead: TypeAlias = OpeningAhead | RecordAhead
FromReferee: TypeAlias = Line | Opened | Recorded
Said: TypeAlias = Moved | Drawn | Resigned
"""The answer to a question."""
FromBot: TypeAlias = Hello | Agreed | Declined | Said | Signed
E = TypeVar("E")

# ── reading ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _called(rest: str) -> Called:
    version, *words = rest.split() or [""]
    if version != VERSION:
        raise ProtocolError("pipe-version", given=shorten(version), version=VERSION)
    if len(words) < 2 or not all(word.isprintable() and word.partition("=")[1] for word in words[2:]):
        raise ProtocolError("pipe-form", form=f"hello {VERSION} GAME SEAT [OPTION=VALUE …]")
    options = {key: given for key, _, given in (word.partition("=") for word in words[2:])}
    match, commitment, referee = (options.pop(key, "") for key in ("match", "commitment", "referee"))
    for given in (commitment, referee):
        _hexadecimal(given or "00" * 32, 32)
    return Called(words[0], _count(words[1], least=1) - 1, tuple(options.items()), match, commitment, referee)


def _opening(rest: str) -> OpeningAhead:
    match rest.split():
        case [octets, salt, signature]:
            return OpeningAhead(_count(octets, 1, LONGEST_REFEREE_LINE), _hexadecimal(salt, 32), _hexadecimal(signature, 64))
        case _:
            raise ProtocolError("pipe-form", form="opening OCTETS SALT SIGNATURE")


def _record(rest: str) -> RecordAhead:
    match rest.split():
        case [count, octets]:
            return RecordAhead(_count(count), _count(octets, 1, LONGEST_RECORD))
        case _:
            raise ProtocolError("pipe-form", form="record COUNT OCTETS")


def _asked(rest: str) -> Asked:
    words = rest.split()
    if len(words) < 3:
        raise ProtocolError("pipe-form", form="ask TURN MS HEAD [MOVE …]")
    left = None if words[1] == "-" else _count(words[1])
    return Asked(_count(words[0]), left, _hexadecimal(words[2], 32), tuple(words[3:]))


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


def _hello(rest: str) -> Hello:
    version, *words = rest.split() or [""]
    if version != VERSION:
        raise ProtocolError("pipe-version", given=shorten(version), version=VERSION)
    promise, key = (_last(words, "nonce="), _last(words, "key="))
    return Hello(shorten(" ".join(words)), key, promise)


def _last(words: list[str], prefix: str, octets: int = 32) -> str:
    """Take octets off the end of a line, if they are there."""
    return _hexadecimal(words.pop().removeprefix(prefix), octets) if words and words[-1].startswith(prefix) else ""


def _agreed(rest: str) -> Agreed:
    words = rest.split()
    signature, nonce = _last(words, "sign=", 64), _last(words, "nonce=")
    if words:
        raise ProtocolError("pipe-form", form="agree [nonce=HEX] [sign=HEX]")
    return Agreed(nonce, signature)


def _declined(rest: str) -> Declined:
    code, _, signature = rest.partition(" ")
    if not is_code(code):
        raise ProtocolError("pipe-form", form="decline CODE [SIGNATURE]")
    return Declined(code, _hexadecimal(signature, 64) if signature else "")


def _drawn(rest: str) -> Drawn:
    if rest.strip():
        raise ProtocolError("pipe-form", form="draw")
    return Drawn()


def _count(word: str, least: int = 0, most: int = 10**12) -> int:
    if not (word.isascii() and word.isdigit() and len(word) <= 12 and least <= int(word) <= most):
        raise ProtocolError("pipe-number", given=shorten(word))
    return int(word)


def _hexadecimal(word: str, octets: int | None = None) -> str:
    if not HEXADECIMAL.fullmatch(word) or octets not in (None, len(word) // 2):
        raise ProtocolError("pipe-hexadecimal", octets=octets or 0)
    return word


REFEREE_WORDS: Mapping[str, Callable[[str], Line | Ahead]] = {
    "hello": _called,
    "opening": _opening,
    "position": Shown,
    "ask": _asked,
    "refused": lambda rest: Refused(_reason(rest)),
    "offered": lambda _: Offered(),
    "end": _ended,
    "record": _record,
}

BOT_WORDS: Mapping[str, Callable[[str], FromBot]] = {
    "hello": _hello,
    "agree": _agreed,
    "decline": _declined,
    "move": Moved,
    "offer": lambda rest: Moved(rest, offers=True),
    "draw": _drawn,
    "resign": Resigned,
    "sign": lambda rest: Signed(_hexadecimal(rest, 64)),
}


class _Lines:
    """Cuts octets into lines, comments left out; `ProtocolError` where a bound is passed or a line is no text.

    Between two lines there may be a block of so many octets, whatever they are: `block` says that one comes.
    """

    def __init__(self, longest: int, most_comment: int | None) -> None:
        self.rest = b""
        self.comment = 0
        self._longest = longest
        self._most_comment = most_comment
        self._block: list[bytes] = []
        self._due = 0

    def block(self, octets: int) -> None:
        """Take the next so many octets as they are."""
        self._due = octets

    def feed(self, data: bytes) -> Iterator[str | bytes]:
        """Return the lines, and blocks, that are complete now."""
        self.rest, data = b"", self.rest + data
        while data:
            if self._due:
                taken, data = data[: self._due], data[self._due :]
                self._block.append(taken)
                self._due -= len(taken)
                if not self._due:
                    whole, self._block = b"".join(self._block), []
                    yield whole
                continue
            octets, end, rest = data.partition(b"\n")
            if len(octets) > self._longest:
                self.rest = octets
                raise ProtocolError("pipe-long-line", most=self._longest)
            if not end:
                self.rest = octets
                return
            data = rest
            if octets.startswith(b"#") or octets in (b"", b"\r"):
                self.count(len(octets) + 1)
                continue
            yield _text(octets)

    def count(self, octets: int) -> None:
        """Count octets of comments; `ProtocolError` where there are too many."""
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


def note_of(text: str) -> str:
    """Return what a bot says about its move as a line holds it, and after it the record: it is not cut or cleaned on its way."""
    return noted(flat(text, LONGEST_NOTE)).strip()


def _one_line(why: Reason) -> str:
    """Return a reason as a record has it, with spaces for what steers a terminal in somebody's words within it."""
    return CONTROL.sub(" ", write_reason(why))


def _send(*events: Line | Ahead | FromBot) -> bytes:
    lines = [event.line().rstrip(" ") for event in events]
    for line in lines:
        if CONTROL.search(line):
            raise HouseError("%(line)r is more than one line", line=shorten(line))
    return "".join(f"{line}\n" for line in lines).encode("utf-8")


# ── the two sides ──────────────────────────────────────────────────────────────────────────────────────────────────


class Expects(Enum):
    """What the referee waits for."""

    HELLO = "hello"
    AGREEMENT = "agree or decline"
    NOTHING = "nothing"
    ANSWER = "move or resign"
    SIGNATURE = "sign or decline"
    SILENCE = "silence"
    """The match is over: whatever comes is late, and dropped."""


FITS: Mapping[Expects, tuple[type, ...]] = {
    Expects.HELLO: (Hello,),
    Expects.AGREEMENT: (Agreed, Declined),
    Expects.NOTHING: (),
    Expects.ANSWER: (Moved, Drawn, Resigned),
    Expects.SIGNATURE: (Signed, Declined),
    Expects.SILENCE: (),
}


def read_answer(text: str, due: Expects) -> FromBot:
    """Return what a bot says in one line where just this is due; `ProtocolError` says what is wrong with it."""
    octets = text.encode("utf-8", "surrogatepass")
    if len(octets) > LONGEST_LINE:
        raise ProtocolError("pipe-long-line", most=LONGEST_LINE)
    line = _text(octets)
    said = _read(line, BOT_WORDS, strict=True)
    if said is None or not isinstance(said, FITS[due]):
        raise ProtocolError("pipe-not-due", line=shorten(line), due=due.value)
    return said


class RefereeSide:
    """The referee's end of one match: what to write, and what was read."""

    def __init__(self) -> None:
        self.expects = Expects.HELLO
        self.owed = 0
        """Answers to questions that ran out of time: they may still come, and are dropped."""
        self.ended = False
        self.note = ""
        """What the bot last said about the move that it is asked for."""
        self._broken = False
        self._lines = _Lines(LONGEST_LINE, MOST_COMMENT)

    @property
    def unfinished(self) -> bytes:
        """What the bot began to say: a line that has no end yet."""
        return self._lines.rest

    def hello(
        self,
        game: str,
        seat: int,
        options: Mapping[str, object] | None = None,
        *,
        match: str = "",
        commitment: str = "",
        referee: str = "",
    ) -> bytes:
        """Call the match."""
        spelt = {True: "yes", False: "no"}
        given = ((key, spelt[one] if isinstance(one, bool) else str(one)) for key, one in (options or {}).items())
        called = Called(game, seat, tuple(given), match, commitment, referee)
        if len(called.line().split()) != (7 if match else 4) + len(called.options):
            raise HouseError("%(called)r has a blank inside an option", called=called.line())
        return _send(called)

    def opening(self, line: str, salt: bytes, signature: bytes) -> bytes:
        """Show the opening to a bot that named a key or promised a nonce, and ask whether it agrees."""
        if self.expects is not Expects.NOTHING:
            raise HouseError("an agreement is asked for while %(value)s is due", value=self.expects.value)
        self.expects = Expects.AGREEMENT
        octets = line.encode()
        return _send(OpeningAhead(len(octets), salt.hex(), signature.hex())) + octets + b"\n"

    def ask(
        self,
        text: str,
        turn: int,
        left: int | None,
        head: str,
        moves: Sequence[str] = (),
        refused: Reason | None = None,
        *,
        offered: bool = False,
    ) -> bytes:
        """Show what the seat sees, and ask for a move."""
        if self.expects is not Expects.NOTHING:
            raise HouseError("a bot is asked while %(value)s is due", value=self.expects.value)
        self.expects = Expects.ANSWER
        self._lines.comment, self.note = 0, ""
        listed = () if any(" " in move or not move for move in moves) else tuple(moves)
        before = (*((Refused(refused),) if refused is not None else ()), *((Offered(),) if offered else ()))
        return _send(*before, Shown(text), Asked(turn, left, head, listed))

    def expire(self) -> None:
        """Give up waiting for the answer; the next question may follow, and the answer to this one still comes first."""
        if self.expects is Expects.ANSWER:
            self.expects = Expects.NOTHING
            self.owed += 1

    def settle(self) -> None:
        """Wait for nothing: what was asked was answered by its own name (`read_answer`), or is not asked any more."""
        self.expects = Expects.NOTHING

    def end(self, score: Fraction | None, termination: str, why: Reason) -> bytes:
        """Tell the verdict; what the bot says then is dropped."""
        self.expects, self.ended = Expects.SILENCE, True
        return _send(Ended(score, termination, why))

    def record(self, lines: Sequence[str]) -> bytes:
        """Hand over the record and ask for a signature, after the end; other lines are late answers, and dropped."""
        if not self.ended:
            raise HouseError("a signature is asked before the end")
        self.expects = Expects.SIGNATURE
        octets = "".join(f"{line}\n" for line in lines).encode()
        return _send(RecordAhead(len(lines), len(octets))) + octets

    def receive(self, data: bytes) -> list[FromBot | Garbled]:
        """Return what the bot said, as far as its lines are complete."""
        if self._broken:
            return []
        events: list[FromBot | Garbled] = []
        try:
            for line in self._lines.feed(data):
                if self.expects is Expects.SILENCE or isinstance(line, bytes):
                    continue
                word, _, rest = line.partition(" ")
                if word == INFO:
                    self._inform(rest)
                    continue
                event = _read(line, BOT_WORDS, strict=True)
                if event is not None and self._fits(event, line):
                    events.append(event)
        except ProtocolError as error:
            self._broken = True
            events.append(Garbled(error.reason))
        return events

    def _inform(self, text: str) -> None:
        """Keep what a bot says about the move that it is asked for; at any other time it is a comment."""
        self._lines.count(len(text.encode()) + len(INFO) + 2)
        if self.expects is Expects.ANSWER and not self.owed:
            self.note = text.strip(" ")

    def _fits(self, event: FromBot, line: str) -> bool:
        """Tell whether an event is what was waited for; drop what was owed; `ProtocolError` for anything else."""
        answers = isinstance(event, Said)
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
        self._ahead: Ahead | None = None
        """What the block that comes belongs to."""

    def receive(self, data: bytes) -> list[FromReferee | Garbled]:
        """Return what the referee said, as far as its lines are complete."""
        if self._garbled:
            return []
        events: list[FromReferee | Garbled] = []
        try:
            for line in self._lines.feed(data):
                event = self._followed(line) if isinstance(line, bytes) else _read(line, REFEREE_WORDS, strict=False)
                if isinstance(event, Ahead):
                    self._ahead = event
                    self._lines.block(event.octets + isinstance(event, OpeningAhead))
                elif event is not None:
                    events.append(event)
        except ProtocolError as error:
            self._garbled = True
            events.append(Garbled(error.reason))
        return events

    def _followed(self, block: bytes) -> FromReferee:
        """Return what a block says that was announced."""
        if isinstance(self._ahead, OpeningAhead):
            return Opened(block.removesuffix(b"\n"), self._ahead.salt, self._ahead.signature)
        return Recorded(self._ahead.count if self._ahead is not None else 0, block)

    def hello(self, name: str = "", key: str = "", promise: str = "") -> bytes:
        """Answer the call."""
        return _send(Hello(flat(name, 80), key, promise))

    def agree(self, nonce: str = "", signature: str = "") -> bytes:
        """Agree to the opening, with the nonce that was promised and a signature."""
        return _send(Agreed(nonce, signature))

    def decline(self, code: str, signature: str = "") -> bytes:
        """Decline the opening, or under a signature the record."""
        return _send(Declined(code, signature))

    def move(self, text: str, *, offers: bool = False) -> bytes:
        """Answer with a move, and perhaps offer a draw."""
        return _send(Moved(flat(text, LONGEST_LINE // 8), offers))

    def info(self, text: str) -> bytes:
        """Say something about the move that is asked for, before the answer."""
        return f"{INFO} {note_of(text)}\n".encode()

    def draw(self) -> bytes:
        """Answer by taking the draw that is offered."""
        return _send(Drawn())

    def resign(self, why: str = "") -> bytes:
        """Answer by giving up."""
        return _send(Resigned(flat(why)))

    def sign(self, signature: str) -> bytes:
        """Sign the record."""
        return _send(Signed(signature))
