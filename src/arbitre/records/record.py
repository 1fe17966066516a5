"""A record: the events of one match, their chain, and the seal that signs its head.

On disk a record is a text file. Each line but the last is an event; the last is the seal. Every octet counts: a file that differs
from the one canonical form in a single space is another record, and is refused.

The seal says of each seat whether it signed the record, declined to, or said nothing, and the referee signs all of that. The keys
stand in the opening, so nobody else can seal.
"""

from collections.abc import Iterable, Sequence
from dataclasses import field

from arbitre.crypto.chain import START, fold, leaf, salt
from arbitre.crypto.keys import Key
from arbitre.crypto.statements import SeatState, Statement, Subject, code_hash, opening_hash, seats_hash
from arbitre.errors import RecordError
from arbitre.reasons import CODE
from arbitre.records.event import LARGEST_INTEGER, MOST_EVENTS, MOST_OCTETS, Event, canonical, read_event, read_known
from arbitre.values import value

LARGEST_RECORD = MOST_OCTETS + (1 << 20)
"""Octets of a file: its events, and the seal."""

MOST_SEATS = 1_000

LONGEST_CODE = 40
"""Characters of the code with which a seat declines."""

STATES = {state.name.lower(): state for state in SeatState}


@value
class Word:
    """What one seat says of a record: its state, its signature in hexadecimal, and its code where it declines."""

    state: SeatState = SeatState.KEYLESS
    signature: str = ""
    code: str = ""

    def fields(self) -> dict[str, str]:
        """Return what the seal says of it."""
        return {"code": self.code, "signature": self.signature, "state": self.state.name.lower()}

    def holds(self, subject: Subject, seat: int, key: str) -> bool:
        """Tell whether the seat with this key, empty for none, said so."""
        if self.state is SeatState.KEYLESS or self.state is SeatState.SILENT:
            return not self.signature and not self.code and bool(key) == (self.state is SeatState.SILENT)
        declined = self.state is SeatState.DECLINED
        if not key or bool(self.code) != declined:
            return False
        signature, public = bytes.fromhex(self.signature), bytes.fromhex(key)
        if declined:
            return subject.signed(public, signature, Statement.DISPUTED, seat, code_hash(self.code))
        return subject.signed(public, signature, Statement.PLAYED, seat)


def unspoken(keys: Sequence[str]) -> tuple[Word, ...]:
    """Return the words of seats that were not asked, by their keys: nobody has spoken."""
    return tuple(Word(SeatState.SILENT if key else SeatState.KEYLESS) for key in keys)


@value
class Seal:
    """The end of a chain: how many events, their head, what each seat says of it, and the referee's signature."""

    count: int
    head: str
    seats: tuple[Word, ...] = ()
    signature: str = ""

    def subject(self, opening: bytes) -> Subject:
        """Return what is signed about, in the match with this opening."""
        return Subject(opening, self.count, bytes.fromhex(self.head))

    def rest(self, keys: Sequence[str]) -> bytes:
        """Return what the referee signs of the seats, by their keys."""
        return seats_hash(
            (word.state, bytes.fromhex(key), word.code, bytes.fromhex(word.signature))
            for word, key in zip(self.seats, keys, strict=True)
        )

    def line(self) -> str:
        """Return the canonical line, without its end."""
        seats = [word.fields() for word in self.seats]
        return canonical({"count": self.count, "head": self.head, "seats": seats, "signature": self.signature})


@value
class Record:
    """The transcript of one match, as far as it has come; sealed when it is complete."""

    events: tuple[Event, ...]
    seal: Seal | None = None
    lines: tuple[str, ...] | None = field(default=None, compare=False, repr=False)
    """The lines of the events, where they were read: whoever folds them need not write them again."""

    def text(self) -> str:
        """Return the file."""
        lines = [event.line() for event in self.events]
        if self.seal is not None:
            lines.append(self.seal.line())
        return "".join(f"{line}\n" for line in lines)


class Chain:
    """A chain that grows with its events."""

    def __init__(self, seed: bytes) -> None:
        self.seed = seed
        self.count = 0
        self.head = START
        self.opening = b""
        """The hash of the first line, which names the match in everything that is signed."""

    @property
    def subject(self) -> Subject:
        """What is signed about now."""
        return Subject(self.opening, self.count, self.head)

    def add(self, events: Iterable[Event]) -> None:
        """Fold events into the head."""
        self.extend([event.line() for event in events])

    def extend(self, lines: Sequence[str]) -> list[bytes]:
        """Fold events into the head, given their lines; return the head after each."""
        head, count, seed = self.head, self.count, self.seed
        if not count and lines:
            self.opening = opening_hash(lines[0].encode())
        heads = []
        for line in lines:
            head = fold(head, leaf(salt(seed, count), line.encode()))
            count += 1
            heads.append(head)
        self.head, self.count = head, count
        return heads

    def seal(self, referee: Key, keys: Sequence[str], words: Sequence[Word] | None = None) -> Seal:
        """Sign as referee what the seats, by their keys, say of the record; None: nobody was asked."""
        seal = Seal(self.count, self.head.hex(), unspoken(keys) if words is None else tuple(words))
        signature = self.subject.sign(referee, Statement.SEALED, rest=seal.rest(keys))
        return Seal(seal.count, seal.head, seal.seats, signature.hex())


def read_record(data: bytes) -> Record:
    """Return the record in a file; `RecordError` says which event is not in form."""
    if len(data) > LARGEST_RECORD:
        raise RecordError("larger than %(most)s octets", most=LARGEST_RECORD)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RecordError("not UTF-8", data.count(b"\n", 0, error.start) + 1) from None
    if not text:
        raise RecordError("the file is empty")
    if not text.endswith("\n"):
        raise RecordError("the last line has no end", text.count("\n") + 1)
    lines = text[:-1].split("\n")
    rest = lines.pop() if lines[-1].startswith('{"count":') else ""
    seal = read_seal(rest) if rest else None
    if len(lines) > MOST_EVENTS or len(data) - len(rest) > MOST_OCTETS:
        raise RecordError("more than %(events)s events or %(octets)s octets", events=MOST_EVENTS, octets=MOST_OCTETS)
    events = []
    for number, line in enumerate(lines, start=1):
        try:
            events.append(read_event(line))
        except RecordError as error:
            raise RecordError(error.why, number) from None
    return Record(tuple(events), seal, tuple(lines))


def read_seal(line: str) -> Seal:
    """Return the seal of a canonical line."""
    match read_known(line):
        case {"count": int(count), "head": str(head), "seats": list(given), "signature": str(signature)} if (
            0 < count <= LARGEST_INTEGER and len(given) <= MOST_SEATS
        ):
            seal = Seal(count, _hexadecimal(head, 32), tuple(_word(one) for one in given), _hexadecimal(signature, 64))
        case _:
            raise RecordError("the seal is not in form")
    if seal.line() != line:
        raise RecordError("the seal is not in canonical form")
    return seal


def _word(given: object) -> Word:
    match given:
        case {"code": str(code), "signature": str(signature), "state": str(state)} if state in STATES and (
            not code or is_code(code)
        ):
            return Word(STATES[state], _hexadecimal(signature, 64) if signature else "", code)
        case _:
            raise RecordError("a seat of the seal is not in form")


def is_code(text: str) -> bool:
    """Tell whether a seat may decline with this code."""
    return len(text) <= LONGEST_CODE and CODE.fullmatch(text) is not None


def _hexadecimal(text: str, octets: int) -> str:
    if len(text) != 2 * octets or set(text) - set("0123456789abcdef"):
        raise RecordError("the seal needs %(octets)s octets in hexadecimal where it has %(text)r", octets=octets, text=text[:80])
    return text
