"""What a seat keeps of a match, and what it does with the record in the end: hashing, no rules.

A seat that has a key writes down what it is shown and what it says, in a *journal*. When the record comes it must hold the same
opening, the same questions at the same heads, the same answers, refusals and end; then the seat signs it, and its signature
means: this is the game I was asked and answered. If not, the seat declines, with a code that it signs, and the journal is its
evidence.

The journal is a file of JSON lines, each canonical, one for each thing that happened:

===========  ==========================================================================================================
`called`     what `hello` said: `match`, `commitment`, `referee`, `game`, `options`, `seat`; and our `key`, `nonce`, `promise`
`opening`    the opening's `line`, its `salt`, the referee's `signature`
`agreed`     our `nonce` and `signature`; or `declined`, the `code`
`asked`      `turn`, `left`, `head`, `view` (the hash of the position), `refused` (the reason before it, or empty)
`said`       our move, `text`, before it `noted` where we said something about it, and `offered` where we offered a draw with it;
             or `settled`, we took one; or `resigned`, the reason as a record has it
`gave-up`    a person gave up, asked or not
`ended`      `score`, `termination`, `reason`; told again when the record is sealed later, the first counts
`signed`     `count`, `head`, `signature`; or `disputed`, with the `code` as well
===========  ==========================================================================================================
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from json import dumps
from typing import Any, TextIO

from arbitre.crypto.chain import START, commitment, fold, leaf, salt
from arbitre.crypto.statements import Statement, Subject, opening_hash
from arbitre.errors import RecordError
from arbitre.reasons import Reason
from arbitre.records.event import (
    LONGEST_LINE,
    MOST_EVENTS,
    MOST_OCTETS,
    Event,
    Kind,
    canonical,
    read_event,
    read_object,
)
from arbitre.values import value

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
PREFIX = re.compile(rb'\{"at":[0-9]{1,16},"kind":"([a-z]+)","seat":(-1|[0-9]{1,4}),"text":')
REVEALED = re.compile(rb'\{"at":[0-9]{1,16},"kind":"revealed","seat":-1,"text":"([0-9a-f]{64})","turn":[0-9]{1,16}\}')

OVERTAKING = frozenset({b"ticked", b"left", b"garbled", b"resigned", b"abandoned", b"settled", b"declined"})
"""What can end a match while somebody thinks."""

LARGEST_JOURNAL = 2 * MOST_OCTETS
"""Octets of a journal that is read."""


class Code(StrEnum):
    """Why a seat declines."""

    OPENING = "opening"
    """It is not the opening that I agreed to, or not one that I can agree to."""
    HEAD = "head"
    """The chain did not stand where I was told."""
    QUESTION = "question"
    """I was not asked this, or asked something else, or asked what the record leaves out."""
    ANSWER = "answer"
    """I did not say this, or what I said is left out."""
    REFUSAL = "refusal"
    """I was told another reason."""
    END = "end"
    """I was told another end."""
    CHAIN = "chain"
    """It is no whole record: cut, not in form, or its seed is not the one that was committed."""
    TOO_LONG = "too-long"
    """It has more events or octets than a record may have."""
    NO_JOURNAL = "no-journal"
    """I have no journal of this match, and so cannot tell."""


class Dispute(Exception):  # noqa: N818 - it is no error of ours
    """What a seat does not sign: the code, why in words, and the event of the record, from 1."""

    def __init__(self, code: Code, why: Reason, event: int | None = None) -> None:
        super().__init__(code.value)
        self.code = code
        self.why = why
        self.event = event


@value
class Called:
    """A match as its `hello` calls it, and what the seat brings."""

    match: str
    commitment: str
    referee: str
    game: str
    options: Mapping[str, str]
    seat: int
    key: str = ""
    nonce: str = ""
    promise: str = ""


@value
class Put:
    """One question as it was put, and what was answered: `said` or `resigned` with its text, nothing before that."""

    turn: int
    left: int | None
    head: str
    view: str
    refused: str = ""
    answer: tuple[str, str] | None = None
    offers: bool = False
    """Whether a draw was offered with the answer."""
    note: str = ""
    """What was said about the answer, as a record keeps it."""

    def text(self, keyed: bool) -> str:
        """Return what the record's `asked` says: where the seat has a key it fixes the view too."""
        if keyed:
            return canonical({"left": self.left, "view": self.view})
        return "" if self.left is None else str(self.left)


def one_line(text: str) -> str:
    """Return a reason of a record as the wire says it: spaces for what steers a terminal."""
    return CONTROL.sub(" ", text)


@dataclass
class SeatJournal:
    """What one seat knows of one match, as it comes; written to a file where there is one."""

    called: Called
    file: TextIO | None = None
    opening: bytes | None = None
    agreed: str = ""
    """The text of our `agreed` as the record has it."""
    questions: list[Put] = field(default_factory=list)
    ended: tuple[str, str, str] | None = None
    gave_up: bool = False
    """Whether we gave up, asked or not: a person may at any time."""

    def _write(self, kind: str, **fields: object) -> None:
        if self.file is not None:
            self.file.write(dumps({"kind": kind, **fields}, ensure_ascii=False, separators=(",", ":"), sort_keys=True) + "\n")
            self.file.flush()

    def begin(self) -> None:
        """Write down how the match was called."""
        called = self.called
        names = ("match", "commitment", "referee", "game", "seat", "key", "nonce", "promise")
        self._write("called", options=dict(called.options), **{name: getattr(called, name) for name in names})

    def open(self, line: bytes, salt: str, signature: str) -> None:
        """Write the opening down; `Dispute` where the seat cannot agree to it."""
        self._write("opening", line=line.decode("utf-8", "replace"), salt=salt, signature=signature)
        check_opening(self.called, line, bytes.fromhex(salt), bytes.fromhex(signature))
        self.opening = line

    def agree(self, nonce: str | None, signature: str | None) -> None:
        """Write down that the seat agrees."""
        self.agreed = canonical({"nonce": nonce, "signature": signature})
        self._write("agreed", nonce=nonce, signature=signature)

    def decline(self, code: str) -> None:
        """Write down that it does not."""
        self._write("declined", code=code)

    def ask(self, put: Put) -> None:
        """Write a question down."""
        self.questions.append(put)
        self._write("asked", turn=put.turn, left=put.left, head=put.head, view=put.view, refused=put.refused)

    def answer(self, kind: str, text: str, *, offers: bool = False) -> None:
        """Write an answer down, before it is given."""
        if offers:
            self.offer()
        self.questions[-1] = replace(self.questions[-1], answer=(kind, text))
        self._write(kind, text=text)

    def note(self, text: str) -> None:
        """Write down what is said about the answer that follows, as a record keeps it."""
        self.questions[-1] = replace(self.questions[-1], note=text)
        self._write("noted", text=text)

    def offer(self) -> None:
        """Write down that a draw is offered with the answer that follows."""
        self.questions[-1] = replace(self.questions[-1], offers=True)
        self._write("offered")

    def end(self, score: str, termination: str, reason: str) -> None:
        """Write the end down; it may be told again when the record is sealed, and what was told first is what holds."""
        self.ended = self.ended or (score, termination, reason)
        self._write("ended", score=score, termination=termination, reason=reason)

    def close(self, subject: Subject, signature: str, code: str = "") -> None:
        """Write down what was signed about the record."""
        about = {"count": subject.count, "head": subject.head.hex(), "signature": signature}
        self._write("disputed", **about, code=code) if code else self._write("signed", **about)
        self.shut()

    def shut(self) -> None:
        """Close the file: nothing more is written."""
        if self.file is not None:
            self.file.close()
            self.file = None


def check_opening(called: Called, line: bytes, salt: bytes, signature: bytes) -> None:
    """Check that an opening is the one of the match that was called, signed by its referee; `Dispute`."""

    def need(true: bool, what: Reason) -> None:
        if not true:
            raise Dispute(Code.OPENING, what, 1)

    subject = Subject(opening_hash(line), 1, fold(START, leaf(salt, line)))
    signed = subject.signed(bytes.fromhex(called.referee), signature, Statement.CALLED)
    need(signed, Reason("the referee did not sign the opening"))
    try:
        event = read_event(line.decode())
        fields = read_object(event.text)
    except (RecordError, UnicodeDecodeError):
        raise Dispute(Code.OPENING, Reason("the opening is not in form"), 1) from None
    need(event.kind is Kind.OPENED, Reason("the opening is not in form"))
    wanted = {
        "arbitre": 2,
        "match": called.match,
        "commitment": called.commitment,
        "referee": called.referee,
        "game": called.game,
    }
    for name, one in wanted.items():
        need(fields.get(name) == one, Reason("the opening has another %(name)s than the hello", name=name))
    need(_spelt(fields.get("options")) == dict(called.options), Reason("the opening has other options than the hello"))
    chairs, promises = fields.get("chairs"), fields.get("promises")
    own = chairs[called.seat] if isinstance(chairs, list) and called.seat < len(chairs) else None
    need(isinstance(own, dict) and own.get("key") == called.key, Reason("the opening has not our key on our seat"))
    given = promises.get(str(called.seat), "") if isinstance(promises, dict) else None
    need(given == called.promise, Reason("the opening has not our promise on our seat"))


def _spelt(options: object) -> dict[str, str] | None:
    """Return the options of an opening as a hello spells them."""
    return {name: spelt(one) for name, one in options.items()} if isinstance(options, dict) else None


def spelt(option: object) -> str:
    """Return one option of a game as a hello spells it."""
    return {True: "yes", False: "no"}[option] if isinstance(option, bool) else str(option)


def check_record(journal: SeatJournal, octets: bytes, count: int | None = None) -> Subject:
    """Return what the seat may sign about a record, given its events; `Dispute` where it is not the game of the journal."""
    lines = _cut(octets, count)
    if journal.opening is None:
        raise Dispute(Code.NO_JOURNAL, Reason("there is no journal of how this match was opened"))
    if lines[0] != journal.opening:
        raise Dispute(Code.OPENING, Reason("the record has another opening than the one that was agreed to"), 1)
    heads = _heads(lines, journal.called.commitment)
    _Comparison(journal, lines, heads).run()
    return Subject(opening_hash(lines[0]), len(lines), heads[-1])


def _cut(octets: bytes, count: int | None) -> list[bytes]:
    *lines, rest = octets.split(b"\n")
    if len(octets) > MOST_OCTETS or len(lines) > MOST_EVENTS or max(map(len, lines), default=0) > LONGEST_LINE:
        raise Dispute(Code.TOO_LONG, Reason("the record is longer than one may be"))
    if rest or not lines or count not in (None, len(lines)):
        raise Dispute(Code.CHAIN, Reason("the record is cut, or has more events than it says"))
    return lines


def _heads(lines: Sequence[bytes], committed: str | None) -> list[bytes]:
    """Return the head after each event, with the seed that the last one reveals."""
    found = REVEALED.fullmatch(lines[-1])
    if found is None:
        raise Dispute(Code.CHAIN, Reason("the record ends before its seed is revealed"), len(lines))
    seed = bytes.fromhex(found[1].decode())
    if committed is not None and commitment(seed) != committed:
        raise Dispute(Code.CHAIN, Reason("the seed is not the one that was committed"), len(lines))
    head, heads = START, []
    for number, line in enumerate(lines):
        head = fold(head, leaf(salt(seed, number), line))
        heads.append(head)
    return heads


class _Comparison:
    """Walks through a record beside a journal.

    A question that was never put counts for nothing only if nothing followed from the silence: the referee came back and asked
    again, or the match was over. An answer that the record leaves out was given too late, as far as the referee says so
    (`ticked`), or overtaken: by a pause, or by something else that ended the match.
    """

    def __init__(self, journal: SeatJournal, lines: Sequence[bytes], heads: Sequence[bytes]) -> None:
        self.journal = journal
        self.own = str(journal.called.seat).encode()
        self.keyed = bool(journal.called.key)
        self.lines = lines
        self.heads = heads
        self.next = 0
        """Which question of the journal comes next."""
        self.put: Put | None = None
        """The question that waits for its answer."""
        self.noted = ""
        """What the record has said about the answer that comes."""
        self.unput: Event | None = None
        """A question that was never put, while silence would count."""
        self.overtaken = False
        """Whether something happened since the last question that can end a match without its answer."""
        self.refused = ""
        self.ended = False

    def run(self) -> None:
        """Compare everything; `Dispute` at the first difference."""
        before = False
        for number, line in enumerate(self.lines, start=1):
            found = PREFIX.match(line)
            if found is None:
                raise Dispute(Code.CHAIN, Reason("the event is not in form"), number)
            kind, seat = found[1], found[2]
            if kind in OVERTAKING or (kind == b"ended" and before):
                self.overtaken = True
            before = kind == b"refused" and seat != self.own  # another's illegal move, which may end a match in which all think
            if seat == self.own:
                self._ours(self._read(line, number), number)
            elif kind == b"ticked":
                self._ticked(number)
            elif kind == b"resumed":
                self.put = self.unput = None
            elif kind == b"ended":
                self._end(self._read(line, number), number)
        self._left_out(len(self.lines))
        if not self.ended:
            raise Dispute(Code.END, Reason("the record has no end"), len(self.lines))

    @staticmethod
    def _read(line: bytes, number: int) -> Event:
        try:
            return read_event(line.decode())
        except (RecordError, UnicodeDecodeError):
            raise Dispute(Code.CHAIN, Reason("the event is not in form"), number) from None

    def _ours(self, event: Event, number: int) -> None:
        match event.kind:
            case Kind.ASKED:
                self._asked(event, number)
            case Kind.RESIGNED if self.journal.gave_up and not event.text:
                self.put = self.unput = None
            case Kind.NOTED:
                self._noted(event, number)
            case Kind.SETTLED | Kind.OFFERED if self.put is not None and self.put.offers:
                self.put = None if event.kind is Kind.SETTLED else self.put  # the other offered one too, and the match is over
            case Kind.SAID | Kind.RESIGNED | Kind.SETTLED:
                self.refused = ""
                self._answered(event, number)
            case Kind.REFUSED:
                self.refused = one_line(event.text)
            case Kind.TICKED:
                self._ticked(number)
            case Kind.AGREED:
                if event.text != self.journal.agreed:
                    raise Dispute(Code.OPENING, Reason("we agreed with other words"), number)
            case Kind.LEFT | Kind.GARBLED | Kind.ACKNOWLEDGED | Kind.STRAY:
                pass  # the referee's word
            case _:
                raise Dispute(Code.ANSWER, Reason("we never said this: %(kind)s", kind=event.kind.value), number)

    def _asked(self, event: Event, number: int) -> None:
        self._unheard(number)
        put = self.journal.questions[self.next] if self.next < len(self.journal.questions) else None
        if put is None or put.head != self.heads[number - 1].hex():
            self.put, self.unput = None, event
            return
        if (event.turn, event.text) != (put.turn, put.text(self.keyed)):
            raise Dispute(Code.QUESTION, Reason("we were asked something else"), number)
        if self.refused != put.refused:
            raise Dispute(Code.REFUSAL, Reason("we were told another reason for the refusal"), number)
        self.put, self.unput, self.overtaken, self.noted = put, None, False, ""
        self.next += 1

    def _noted(self, event: Event, number: int) -> None:
        """Find our own words about our move before it, once."""
        if self.put is None or self.noted or not event.text or (self.put.turn, self.put.note) != (event.turn, event.text):
            raise Dispute(Code.ANSWER, Reason("we did not say this about our move"), number)
        self.noted = event.text

    def _answered(self, event: Event, number: int) -> None:
        if self.unput is not None and self.next < len(self.journal.questions):
            put = self.journal.questions[self.next]
            if (put.turn, put.text(self.keyed)) != (self.unput.turn, self.unput.text):
                raise Dispute(Code.QUESTION, Reason("we were asked something else"), number - 1)
            raise Dispute(Code.HEAD, Reason("the chain did not stand where we were told when we were asked"), number - 1)
        if self.put is None or self.put.turn != event.turn or self.put.answer != (event.kind.value, event.text):
            what = Reason("we did not say %(text)r", text=event.text[:80])
            raise Dispute(Code.ANSWER, what, number)
        if self.put.note != self.noted:
            raise Dispute(Code.ANSWER, Reason("what we said about our move is left out"), number)
        self.put = None

    def _ticked(self, number: int) -> None:
        if self.unput is not None:
            raise Dispute(Code.QUESTION, Reason("our time is said to have run out on a question that was never put"), number)
        self.put = None

    def _unheard(self, number: int) -> None:
        if self.put is not None and self.put.answer is not None:
            raise Dispute(Code.ANSWER, Reason("our answer is left out"), number)
        if self.put is not None:
            raise Dispute(Code.QUESTION, Reason("we are asked again before we answered"), number)

    def _left_out(self, number: int) -> None:
        """Find questions of the journal that the record has not, or has elsewhere in the chain."""
        if self.next == len(self.journal.questions):
            return
        put = self.journal.questions[self.next]
        for at, line in enumerate(self.lines, start=1):
            if line.startswith(b'{"at":') and b'"kind":"asked","seat":' + self.own + b"," in line[:80]:
                event = self._read(line, at)
                if (event.turn, event.text) == (put.turn, put.text(self.keyed)) and self.heads[at - 1].hex() != put.head:
                    raise Dispute(Code.HEAD, Reason("the chain did not stand where we were told when we were asked"), at)
        raise Dispute(Code.QUESTION, Reason("a question that we were asked is left out: turn %(turn)s", turn=put.turn), number)

    def _end(self, event: Event, number: int) -> None:
        self.ended = True
        if self.put is not None and not self.overtaken:
            raise Dispute(Code.ANSWER, Reason("our answer is left out"), number)
        self.put = self.unput = None
        if told_end(event.text, self.journal.called.seat) != self.journal.ended:
            raise Dispute(Code.END, Reason("we were told another end"), number)


def told_end(verdict: str, seat: int) -> tuple[str, str, str] | None:
    """Return what a verdict of a record tells one seat: score, termination and reason, as the wire says them."""
    try:
        match read_object(verdict):
            case {"reason": dict(reason), "scores": list() | None as scores, "termination": str(termination)}:
                score = "-" if scores is None else str(scores[seat])
                return score, termination, one_line(canonical(reason))
    except (RecordError, IndexError):
        pass
    return None


def read_journal(octets: bytes) -> SeatJournal:
    """Return the journal of a file; `RecordError` says which line is not in form."""
    if len(octets) > LARGEST_JOURNAL:
        raise RecordError("a journal of more than %(most)s octets", most=LARGEST_JOURNAL)
    try:
        lines = octets.decode("utf-8").split("\n")[:-1]  # a last line without its end was being written when its writer stopped
    except UnicodeDecodeError:
        raise RecordError("the journal is not UTF-8") from None
    journal: SeatJournal | None = None
    for number, line in enumerate(lines, start=1):
        try:
            fields = read_object(line)
            if journal is None:
                journal = SeatJournal(_called(fields))
            else:
                _entered(journal, fields)
        except (RecordError, ValueError, TypeError, KeyError, AttributeError, IndexError):
            raise RecordError("line %(number)s of the journal is not in form", number=number) from None
    if journal is None:
        raise RecordError("the journal is empty")
    return journal


def _called(fields: Mapping[str, Any]) -> Called:
    if fields["kind"] != "called":
        raise ValueError("a journal begins with the call")
    names = ("match", "commitment", "referee", "game", "options", "seat", "key", "nonce", "promise")
    return Called(*(_checked(fields[name], {"options": dict, "seat": int}.get(name, str)) for name in names))


def _entered(journal: SeatJournal, fields: Mapping[str, Any]) -> None:
    """Take one line of a journal."""
    match fields["kind"]:
        case "opening":
            journal.opening = _checked(fields["line"], str).encode()
        case "agreed":
            journal.agreed = canonical({"nonce": fields["nonce"], "signature": fields["signature"]})
        case "asked":
            left = fields["left"]
            words = (_checked(fields[name], str) for name in ("head", "view", "refused"))
            journal.questions.append(Put(_checked(fields["turn"], int), left, *words))
        case "noted":
            journal.note(_checked(fields["text"], str))
        case "offered":
            journal.offer()
        case "said" | "resigned" | "settled" as kind:
            journal.answer(kind, _checked(fields["text"], str))
        case "gave-up":
            journal.gave_up = True
        case "ended":
            journal.ended = journal.ended or (fields["score"], fields["termination"], fields["reason"])
        case "called" if _called(fields) != journal.called:
            raise ValueError("two matches in one journal")


def _checked(given: object, kind: type) -> Any:
    if type(given) is not kind:
        raise TypeError(f"{kind.__name__} is due")
    return given


def subject_of(octets: bytes) -> Subject:
    """Return what a dispute is about: the record as far as its chain can be computed, with zeros where it cannot."""
    lines = [line for line in octets.split(b"\n") if line]
    try:
        heads = _heads(lines, None) if lines else []
    except Dispute:
        heads = []
    opening = opening_hash(lines[0]) if lines else START
    return Subject(opening, len(lines), heads[-1] if heads else START)


def event_lines(octets: bytes) -> bytes:
    """Return the events of a record's file, without its seal."""
    lines = octets.split(b"\n")
    return b"\n".join(line for line in lines if not line.startswith(b'{"count":'))
