"""What all entries of a log tell together: which matches were opened and never sealed, and what does not fit.

With records beside the log more is known: which match an entry belongs to, which were abandoned after somebody had opened a
nonce (so that the deal was known to who stopped it), and which records the log does not hold.
"""

from collections.abc import Iterable, Iterator

from arbitre.errors import LogError
from arbitre.records.event import Kind, read_object
from arbitre.records.log.entries import TAG_BYTES, Entry, EntryKind, entries_of, read_entry
from arbitre.records.record import Record
from arbitre.values import value


@value
class KnownRecord:
    """A record that lies beside the log."""

    name: str
    entries: tuple[Entry, ...]
    abandoned: bool
    """Whether it was abandoned after somebody had opened a nonce."""
    decided: bool = False
    """Whether it is decided, and sealed when its event is over."""


@value
class Audit:
    """What was found; entries are named by their index, in the order of the log."""

    size: int
    unsealed: dict[bytes, int]
    """By tag, matches that were opened and not sealed."""
    unopened: tuple[int, ...]
    """Seals of matches that were never opened."""
    repeated: tuple[int, ...]
    """Entries of a match that has one of this kind already."""
    foreign: tuple[int, ...]
    """Entries that no log of games has."""
    abandoned: tuple[str, ...]
    """Records of matches that the referee stopped after a nonce was opened."""
    absent: tuple[str, ...]
    """Records that the log does not hold, or holds otherwise."""
    rotations: tuple[tuple[int, bytes], ...]
    """Where a key of the referee was succeeded, and the octets of that entry."""
    names: dict[bytes, str]
    """By tag, the records that lie beside the log."""
    decided: frozenset[bytes] = frozenset()
    """The tags of those of them that are decided, and sealed when their event is over."""

    @property
    def clean(self) -> bool:
        """Whether everything fits that must: a match that is still played has no seal yet."""
        return not (self.unopened or self.repeated or self.foreign or self.absent)


def known_record(name: str, record: Record) -> KnownRecord:
    """Return what a record says that lies beside a log."""
    stopped = any(event.kind is Kind.ABANDONED for event in record.events)
    opened = any(event.kind is Kind.AGREED and read_object(event.text).get("nonce") for event in record.events)
    notes = read_object(record.events[0].text).get("notes")
    decided = record.seal is None and isinstance(notes, dict) and notes.get("records") == "after"
    return KnownRecord(name, entries_of(record), stopped and opened, decided)


def audit(entries: Iterable[bytes], records: Iterable[KnownRecord] = ()) -> Audit:
    """Judge all entries of a log; the tags of matches that are not sealed, and of records, are all that is kept."""
    beside = tuple(records)
    wanted = {entry.octets() for one in beside for entry in one.entries}
    opened: dict[bytes, int] = {}
    sealed, held = set[bytes](), set[bytes]()
    unopened, repeated, foreign = [], [], []
    rotations: list[tuple[int, bytes]] = []
    size = 0
    for index, octets in enumerate(entries):
        size = index + 1
        if octets in wanted:
            held.add(octets)
        try:
            entry = read_entry(octets)
        except LogError:
            foreign.append(index)
            continue
        if entry.kind is EntryKind.SUCCEEDED:
            if any(octets[: 1 + TAG_BYTES] == other[: 1 + TAG_BYTES] for _, other in rotations):
                repeated.append(index)
            rotations.append((index, octets))
        elif entry.kind is EntryKind.OPENED:
            if entry.tag in opened or entry.tag in sealed:
                repeated.append(index)
            else:
                opened[entry.tag] = index
        elif entry.tag in sealed:
            repeated.append(index)
        else:
            sealed.add(entry.tag)
            if opened.pop(entry.tag, None) is None:
                unopened.append(index)
    absent = tuple(one.name for one in beside if not all(entry.octets() in held for entry in one.entries))
    names = {one.entries[0].tag: one.name for one in beside}
    return Audit(
        size,
        opened,
        tuple(unopened),
        tuple(repeated),
        tuple(foreign),
        tuple(one.name for one in beside if one.abandoned),
        absent,
        tuple(rotations),
        names,
        frozenset(one.entries[0].tag for one in beside if one.decided),
    )


def named(found: Audit) -> Iterator[tuple[int, bytes, str]]:
    """Return what was opened and never sealed: index, tag, and the name of its record where that is known."""
    for tag, index in found.unsealed.items():
        yield index, tag, found.names.get(tag, "")
