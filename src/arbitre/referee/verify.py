"""Checks a record, offline, from its octets alone.

The recorded inputs are fed to the same judge that ran the match; the outputs must come out the same, the chain must lead to the
sealed head, and the seal must be signed. Whoever runs this need not trust the referee, the store, or the wire.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TypeVar

from arbitre.crypto.keys import fingerprint
from arbitre.crypto.statements import SeatState, Statement, opening_hash
from arbitre.errors import ArbitreError, FormatError, RecordError, TranscriptError, shorten
from arbitre.reasons import N_, Reason
from arbitre.records.event import OUTPUTS, Event, Kind, plain, read_object
from arbitre.records.record import Chain, Record, Word, read_record
from arbitre.referee.courts import Judge, Opened, court_of
from arbitre.referee.match import MatchStage
from arbitre.referee.terms import FORMAT, Opening
from arbitre.referee.verdict import Verdict
from arbitre.values import value


class Proof(StrEnum):
    """What can be said of a record."""

    VERIFIED = "verified"
    """Everything follows, and a key that we know or were given signed it."""
    ATTESTED = "attested"
    """Signed by a key that we know, and everything follows from what an external referee said; we cannot run his rules."""
    INTACT = "intact"
    """Everything follows, but nobody here knows the key that signed it."""
    INCOMPLETE = "incomplete"
    """There is no signed end. If the secrets were revealed everything so far follows; if not, nothing is proven."""
    FOREIGN = "foreign"
    """It has a format that this program does not know, of the past or of the future: nothing was checked."""
    BROKEN = "broken"
    """Something does not follow: `Finding.event` says where."""


TOLD = {
    Proof.VERIFIED: N_("verified: %(why)s"),
    Proof.ATTESTED: N_("attested: %(why)s"),
    Proof.INTACT: N_("intact: %(why)s"),
    Proof.INCOMPLETE: N_("incomplete: %(why)s"),
    Proof.FOREIGN: N_("of another format: %(why)s"),
    Proof.BROKEN: N_("broken: %(why)s"),
}


@value
class Finding:
    """The result of checking one record."""

    standing: Proof
    why: Reason
    """What was found."""
    event: int | None = None
    """The number of the first event that is wrong, from 1."""
    opening: Opened | None = None
    verdict: Verdict | None = None
    key: str = ""
    """The fingerprint of the referee's key."""
    events: int = 0
    pauses: int = 0
    """How often the referee was away in the middle."""
    kind: str = "record"
    """What was checked."""
    told: Mapping[str, object] | None = None
    """For programs, what was decided, where it was no match."""
    words: tuple[Word, ...] = ()
    """What each seat says of the record."""
    details: tuple[Reason, ...] = ()
    """What people are told besides, a line each."""

    @property
    def reason(self) -> Reason:
        """What was found, for whoever tells it."""
        return Reason(TOLD[self.standing], why=self.why)

    @property
    def line(self) -> str:
        """What was found, in one line, as programs are given it beside the other fields."""
        return one_line(str(self.reason))


A = TypeVar("A")


def steps(judge: Judge[A], events: Sequence[Event]) -> Iterator[tuple[Event, tuple[Event, ...], A]]:
    """Feed recorded inputs to the judge: each comes back with what followed and how the match stood then, the call first.

    `RecordError` at the first event that does not follow, at the latest behind the last step.
    """
    affairs, outputs = judge.open()
    yield outputs[0], outputs[1:], affairs
    expected = list(outputs)
    for number, event in enumerate(events, start=1):
        if expected:
            if event != expected[0]:
                raise RecordError("the referee's %(value)s reads otherwise", number, value=expected[0].kind.value)
            expected.pop(0)
            continue
        if event.kind in OUTPUTS or event.kind is Kind.OPENED:
            raise RecordError("nothing calls for this %(value)s", number, value=event.kind.value)
        try:
            affairs, outputs = judge.hear(affairs, event)
        except (RecordError, TranscriptError) as error:
            raise RecordError(error.reason, number) from None
        yield event, outputs, affairs
        expected = list(outputs)
    if expected:
        raise RecordError("the referee's %(value)s is missing", len(events) + 1, value=expected[0].kind.value)


def replay(judge: Judge[A], events: Sequence[Event]) -> A:
    """Return how a match stands after its recorded inputs; `RecordError` at the first event that does not follow."""
    course = steps(judge, events)
    _, _, affairs = next(course)
    for _, _, affairs in course:  # noqa: B007 - the last one counts
        pass
    return affairs


def check_format(text: str) -> None:
    """Refuse an opening of another format, whatever else it says."""
    if text.startswith(f'{{"arbitre":{FORMAT},'):  # as all do that are ours: thousands need not be read twice
        return
    version = read_object(text).get("arbitre")
    if type(version) is int and version != FORMAT:
        raise FormatError(
            "this record has format %(version)s; this program knows format %(known)s", version=version, known=FORMAT
        )


def verify(data: bytes, keys: Collection[str] = (), given: str | None = None) -> Finding:
    """Check the octets of a record; `keys` are fingerprints that we know, `given` is the one that must have signed."""
    try:
        record = read_record(data)
        return _judge(record, keys, given)
    except FormatError as error:
        return Finding(Proof.FOREIGN, error.reason)
    except RecordError as error:
        return Finding(Proof.BROKEN, error.reason, error.event)
    except ArbitreError as error:
        return Finding(Proof.BROKEN, RecordError(error.reason, 1).reason, 1)
    except Exception as error:
        # a fault of the rules (ours, or another package's) that a hostile record found: it must not stop the check of others
        why = Reason("the rules fail on it: %(kind)s: %(error)s", kind=type(error).__name__, error=str(error))
        return Finding(Proof.BROKEN, why)


def _judge(record: Record, keys: Collection[str], given: str | None) -> Finding:
    events, seal = record.events, record.seal
    if not events or events[0].kind is not Kind.OPENED:
        raise RecordError("a record begins with the opening", 1)
    try:
        check_format(events[0].text)
        court = court_of(events[0].text)
        opening = court.read(events[0].text)
    except FormatError:
        raise
    except RecordError as error:
        raise RecordError(error.why, 1) from None
    if events[-1].kind is not Kind.REVEALED:
        if seal is not None:
            raise RecordError("sealed before the secrets were revealed", len(events))
        why = Reason("%(events)s events, no end; without the seed nothing is proven", events=len(events))
        return Finding(Proof.INCOMPLETE, why, opening=opening, events=len(events))
    seed = _seed(events[-1].text, len(events))
    end = replay(court.judge(opening, seed), events)
    verdict = end.verdict
    if end.stage is not MatchStage.CLOSED or verdict is None:
        raise RecordError("revealed before the end", len(events))
    template = "%(events)s events follow, but nobody signed them"
    if isinstance(opening, Opening) and opening.after:
        template = "%(events)s events follow: decided, and sealed when the event is over"
    why = Reason(template, events=len(events))
    found = Finding(Proof.INCOMPLETE, why, None, opening, verdict, "", len(events))
    if seal is None:
        return found
    chain = Chain(seed)
    chain.extend(record.lines or [event.line() for event in events])
    if (seal.count, seal.head) != (chain.count, chain.head.hex()):
        raise RecordError("the seal closes another chain", len(events))
    return _signed(record, found, keys, given)


def read_opened(text: str) -> Opened:
    """Return the opening of a record; it says which judge applies."""
    opened: Opened = court_of(text).read(text)
    return opened


def _signed(record: Record, found: Finding, keys: Collection[str], given: str | None) -> Finding:
    seal, opening = record.seal, found.opening
    assert seal is not None  # noqa: S101 - for the type checker: the caller looked
    assert opening is not None  # noqa: S101
    end = len(record.events)
    seats = [chair.key for chair in opening.chairs]
    if len(seal.seats) != len(seats):
        raise RecordError(
            "the seal speaks of %(found)s seats, the opening of %(seats)s", end, found=len(seal.seats), seats=len(seats)
        )
    subject = seal.subject(opening_hash(record.events[0].line().encode()))
    referee = bytes.fromhex(opening.referee)
    if not subject.signed(referee, bytes.fromhex(seal.signature), Statement.SEALED, rest=seal.rest(seats)):
        raise RecordError("the signature of the referee whom the opening names is false", end)
    for seat, word in enumerate(seal.seats):
        if not word.holds(subject, seat, seats[seat]):
            raise RecordError("what the seal says of seat %(number)s is false", end, number=seat + 1)
    key = fingerprint(referee)
    if given is not None and key != given:
        raise RecordError("signed by key %(key)s, not by %(given)s", end, key=key, given=given)
    standing = Proof.VERIFIED if given is not None or key in keys else Proof.INTACT
    if standing is Proof.VERIFIED and isinstance(opening, Opening) and opening.game.neutral:
        standing = Proof.ATTESTED
    pauses = sum(event.kind is Kind.RESUMED for event in record.events)
    return replace(
        found, standing=standing, why=_summary(found, pauses, seal.seats, key), key=key, pauses=pauses, words=seal.seats
    )


def _summary(found: Finding, pauses: int, words: Sequence[Word], key: str) -> Reason:
    verdict, opening = found.verdict, found.opening
    assert verdict is not None  # noqa: S101 - for the type checker: complete records have both
    assert opening is not None  # noqa: S101
    said = Reason(
        "%(title)s, %(names)s, %(scores)s (%(termination)s: %(reason)s), %(events)s events",
        title=opening.title,
        names=_few([chair.name for chair in opening.chairs]),
        scores=Reason("no result") if verdict.scores is None else _few([str(score) for score in verdict.scores]),
        termination=verdict.termination,
        reason=verdict.reason,
        events=found.events,
    )
    if pauses:
        said = Reason(
            "%(summary)s, interrupted once" if pauses == 1 else "%(summary)s, interrupted %(pauses)s times",
            summary=said,
            pauses=pauses,
        )
    names = [plain(chair.name) for chair in opening.chairs]
    if signers := [name for name, word in zip(names, words, strict=True) if word.state is SeatState.SIGNED]:
        said = Reason("%(summary)s, signed by %(names)s", summary=said, names=", ".join(signers[:3]))
    if disputes := [f"{name} ({word.code})" for name, word in zip(names, words, strict=True) if word.code]:
        said = Reason("%(summary)s, disputed by %(names)s", summary=said, names=", ".join(disputes[:3]))
    if silent := [name for name, word in zip(names, words, strict=True) if word.state is SeatState.SILENT]:
        said = Reason("%(summary)s, not signed by %(names)s", summary=said, names=", ".join(silent[:3]))
    return Reason("%(summary)s, key %(key)s", summary=said, key=key)


def _few(words: Sequence[str], most: int = 8) -> str:
    """Join words, the first few of very many."""
    return " – ".join(words if len(words) <= most else [*words[:most], f"… ({len(words)})"])


def one_line(words: str) -> str:
    """Make one line of what was found, whatever a hostile record brings into it."""
    return plain(shorten(words, 400))


def _seed(text: str, number: int) -> bytes:
    try:
        seed = bytes.fromhex(text)
    except ValueError:
        seed = b""
    if len(seed) != 32 or seed.hex() != text:
        raise RecordError("a seed is 32 octets in hexadecimal", number)
    return seed
