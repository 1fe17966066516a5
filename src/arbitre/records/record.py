"""A record: the events of one match, their chain, and the seal that signs its head.

On disk a record is a text file. Each line but the last is an event; the last is the seal. Every octet counts: a file that differs
from the one canonical form in a single space is another record, and is refused.
"""

from collections.abc import Iterable, Sequence

from arbitre.crypto.chain import START, fold, leaf, salt
from arbitre.crypto.keys import Key, signed
from arbitre.errors import RecordError
from arbitre.records.event import LARGEST_INTEGER, NOBODY, Event, canonical, read_event, read_object
from arbitre.values import value

REFEREE = NOBODY
"""Who signs as referee."""

MOST_SIGNATURES = 1_001


@value
class Signature:
    """The signature of one party under the head: `by` is a seat, or the referee."""

    by: int
    key: str
    signature: str


@value
class Seal:
    """The end of a chain: how many events, their head, and who signed it."""

    count: int
    head: str
    signatures: tuple[Signature, ...] = ()

    def message(self, by: int) -> bytes:
        """Return what one of the parties signs."""
        return seal_message(self.count, bytes.fromhex(self.head), self.signatures[1:] if by == REFEREE else ())

    def line(self) -> str:
        """Return the canonical line, without its end."""
        signatures = [{"by": one.by, "key": one.key, "signature": one.signature} for one in self.signatures]
        return canonical({"count": self.count, "head": self.head, "signatures": signatures})


@value
class Record:
    """The transcript of one match, as far as it has come; sealed when it is complete."""

    events: tuple[Event, ...]
    seal: Seal | None = None

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

    def add(self, events: Iterable[Event]) -> None:
        """Fold events into the head."""
        self.extend(event.line() for event in events)

    def extend(self, lines: Iterable[str]) -> None:
        """Fold events into the head, given their lines."""
        head, count, seed = self.head, self.count, self.seed
        for line in lines:
            head = fold(head, leaf(salt(seed, count), line.encode()))
            count += 1
        self.head, self.count = head, count

    def seal(self, referee: Key, players: Sequence[Signature] = ()) -> Seal:
        """Sign the head as referee, beside what the players signed."""
        signature = referee.sign(seal_message(self.count, self.head, players)).hex()
        return Seal(self.count, self.head.hex(), (Signature(REFEREE, referee.public.hex(), signature), *players))


def seal_message(count: int, head: bytes, players: Sequence[Signature] = ()) -> bytes:
    """Return what is signed: a label, the number of events, the head.

    The referee signs what the players signed besides, so that nobody can take a player's signature off a seal.
    """
    under = (one.by.to_bytes(8, "big") + bytes.fromhex(one.key) + bytes.fromhex(one.signature) for one in players)
    return b"arbitre/seal/1" + count.to_bytes(8, "big") + head + b"".join(under)


def signs(signature: Signature, message: bytes) -> bool:
    """Tell whether a signature of a seal holds."""
    return signed(bytes.fromhex(signature.key), message, bytes.fromhex(signature.signature))


def read_record(data: bytes) -> Record:
    """Return the record in a file; `RecordError` says which event is not in form."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RecordError("not UTF-8", data.count(b"\n", 0, error.start) + 1) from None
    if not text:
        raise RecordError("the file is empty")
    if not text.endswith("\n"):
        raise RecordError("the last line has no end", text.count("\n") + 1)
    lines = text[:-1].split("\n")
    seal = read_seal(lines.pop()) if lines[-1].startswith('{"count":') else None
    events = []
    for number, line in enumerate(lines, start=1):
        try:
            events.append(read_event(line))
        except RecordError as error:
            raise RecordError(error.why, number) from None
    return Record(tuple(events), seal)


def read_seal(line: str) -> Seal:
    """Return the seal of a canonical line."""
    match read_object(line):
        case {"count": int(count), "head": str(head), "signatures": list(given)} if (
            0 < count <= LARGEST_INTEGER and len(given) <= MOST_SIGNATURES
        ):
            seal = Seal(count, _hexadecimal(head, 32), tuple(_signature(one) for one in given))
        case _:
            raise RecordError("the seal is not in form")
    if seal.line() != line:
        raise RecordError("the seal is not in canonical form")
    return seal


def _signature(given: object) -> Signature:
    match given:
        case {"by": int(by), "key": str(key), "signature": str(signature)} if not isinstance(by, bool):
            return Signature(by, _hexadecimal(key, 32), _hexadecimal(signature, 64))
        case _:
            raise RecordError("a signature of the seal is not in form")


def _hexadecimal(text: str, octets: int) -> str:
    if len(text) != 2 * octets or set(text) - set("0123456789abcdef"):
        raise RecordError("the seal needs %(octets)s octets in hexadecimal where it has %(text)r", octets=octets, text=text[:80])
    return text
