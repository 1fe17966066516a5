"""The entries of the log: 49 octets for each opening and each seal, alike for all games, private and public.

A third kind says that one key of the referee comes after another (`records.log.successors`).

`kind(1) ‖ tag(16) ‖ leaf(32)`. The tag is made of the match's first salt: whoever has the record finds both entries of it,
nobody else knows whose they are; when a record and its seed are erased, what stays is a hash without its salt.
"""

from enum import IntEnum
from hashlib import sha256

from arbitre.crypto.chain import leaf, salt
from arbitre.errors import LogError
from arbitre.reasons import N_, Reason
from arbitre.records.event import Kind
from arbitre.records.record import Record, Seal
from arbitre.values import value

ENTRY_BYTES = 49
TAG_BYTES = 16


class EntryKind(IntEnum):
    """What an entry says of a match."""

    OPENED = 1
    SEALED = 2
    SUCCEEDED = 3
    """Of a referee's key: another comes after it."""

    @property
    def word(self) -> str:
        """How addresses and commands call it."""
        return self.name.lower()

    @property
    def said(self) -> Reason:
        """How people call it."""
        return Reason(WORDS[self])


WORDS = {EntryKind.OPENED: N_("opened"), EntryKind.SEALED: N_("sealed"), EntryKind.SUCCEEDED: N_("succeeded")}


@value
class Entry:
    """One entry of the log."""

    kind: EntryKind
    tag: bytes
    leaf: bytes

    def octets(self) -> bytes:
        """Return what is hashed into the tree."""
        return bytes([self.kind]) + self.tag + self.leaf


def tag_of(salt_0: bytes) -> bytes:
    """Return what both entries of a match have in common."""
    return sha256(b"arbitre/tag/1" + salt_0).digest()[:TAG_BYTES]


def opened_entry(salt_0: bytes, leaf_0: bytes) -> Entry:
    """Return the entry of an opening: the leaf of event 0."""
    return Entry(EntryKind.OPENED, tag_of(salt_0), leaf_0)


def sealed_entry(salt_0: bytes, salt_count: bytes, seal_line: str) -> Entry:
    """Return the entry of a seal; the salt behind that of the last event keeps it from being guessed."""
    return Entry(EntryKind.SEALED, tag_of(salt_0), sha256(b"arbitre/sealed/2" + salt_count + seal_line.encode()).digest())


def opening_of(seed: bytes, line: str) -> Entry:
    """Return the entry of the opening that is event 0 of a match."""
    first = salt(seed, 0)
    return opened_entry(first, leaf(first, line.encode()))


def sealing_of(seed: bytes, seal: Seal) -> Entry:
    """Return the entry of a match's seal."""
    return sealed_entry(salt(seed, 0), salt(seed, seal.count), seal.line())


def entries_of(record: Record) -> tuple[Entry, ...]:
    """Return what a log must hold of a record whose secrets are open: its opening, and its seal where it has one."""
    end = record.events[-1]
    if end.kind is not Kind.REVEALED:
        raise LogError("the secrets of the record are not open, so nobody can find it in a log")
    seed = bytes.fromhex(end.text)
    opened = opening_of(seed, record.events[0].line())
    return (opened,) if record.seal is None else (opened, sealing_of(seed, record.seal))


def read_entry(octets: bytes) -> Entry:
    """Return an entry; `LogError` for anything else."""
    if len(octets) != ENTRY_BYTES or octets[0] not in frozenset(EntryKind):
        raise LogError("no entry of a log of games: %(octets)s octets", octets=len(octets))
    return Entry(EntryKind(octets[0]), octets[1 : 1 + TAG_BYTES], octets[1 + TAG_BYTES :])
