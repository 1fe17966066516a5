"""Successors: a referee's key says which key comes after it, and the log says since when.

The statement is one line of canonical JSON, signed by both keys, and bound to one log:

    {"from":OLD,"log":LOG,"signatures":[BY_OLD,BY_NEW],"to":NEW}

Its entry in the log has the kind 3. What counts is the order of the log, not a date: a match whose opening is entered before it
may name the old key, whenever it is sealed; one that is entered behind it may not. Of two successors of one key the first
in the log is the one, so whoever steals an old key gains nothing by naming another.
"""

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from arbitre.crypto.keys import KEY_BYTES, Key, fingerprint, keep, keep_secret, signed
from arbitre.errors import LogError, RecordError
from arbitre.records.event import canonical, read_object
from arbitre.records.heads import replace
from arbitre.records.keyring import key_file, key_numbers
from arbitre.records.locks import FileLock
from arbitre.records.log.entries import TAG_BYTES, Entry, EntryKind
from arbitre.values import value

LONGEST_LINE = 1_000
MOST_SUCCESSORS = 1_000
LONGEST_KEYS = LONGEST_LINE * MOST_SUCCESSORS
"""Octets that a list of statements may have."""


@value
class Successor:
    """One statement: public keys and signatures."""

    old: bytes
    new: bytes
    log: bytes
    """The public key of the log that it is entered into."""
    signatures: tuple[bytes, bytes]
    """By the old key and by the new one."""

    @property
    def line(self) -> str:
        """The statement as it is handed out, without its line feed."""
        old, new, log = self.old.hex(), self.new.hex(), self.log.hex()
        return canonical({"from": old, "log": log, "signatures": [one.hex() for one in self.signatures], "to": new})

    @property
    def holds(self) -> bool:
        """Whether both keys have signed it."""
        message = successor_message(self.log, self.old, self.new)
        by_old, by_new = self.signatures
        return signed(self.old, message, by_old) and signed(self.new, message, by_new)

    @property
    def entry(self) -> Entry:
        """What the log holds of it."""
        leaf = sha256(b"arbitre/successor/leaf/1" + self.line.encode()).digest()
        return Entry(EntryKind.SUCCEEDED, successor_tag(self.old), leaf)


def successor_message(log: bytes, old: bytes, new: bytes) -> bytes:
    """Return the octets that both keys sign."""
    return b"arbitre/successor/1" + log + old + new


def successor_tag(old: bytes) -> bytes:
    """Return the tag of the entry that says which key comes after one."""
    return sha256(b"arbitre/successor/tag/1" + old).digest()[:TAG_BYTES]


def succeed(old: Key, new: Key, log: bytes) -> Successor:
    """Return the statement that one key comes after another."""
    message = successor_message(log, old.public, new.public)
    return Successor(old.public, new.public, log, (old.sign(message), new.sign(message)))


def read_successors(data: bytes) -> tuple[Successor, ...]:
    """Return the statements of a list, one a line; `LogError` where one is not in form or not signed."""
    lines = data.decode("utf-8", "replace").splitlines()
    if len(data) > LONGEST_KEYS or len(lines) > MOST_SUCCESSORS:
        raise LogError("a list of at most %(most)s successors is due", most=MOST_SUCCESSORS)
    return tuple(map(_read, lines))


def _read(line: str) -> Successor:
    found = None
    with suppress(RecordError, ValueError):
        match read_object(line):
            case {"from": str(old), "log": str(log), "signatures": [str(by_old), str(by_new)], "to": str(new)}:
                signatures = (bytes.fromhex(by_old), bytes.fromhex(by_new))
                found = Successor(bytes.fromhex(old), bytes.fromhex(new), bytes.fromhex(log), signatures)
    if found is None or found.line != line or len(found.log) != KEY_BYTES or not found.holds:
        raise LogError("no statement of a successor, or not signed: %(line)r", line=line[:80])
    return found


def heirs(statements: Iterable[Successor], key: str) -> frozenset[str]:
    """Return the fingerprints that come after one, by statements that its holder signed; not itself."""
    after: dict[str, set[str]] = {}
    for one in statements:
        after.setdefault(fingerprint(one.old), set()).add(fingerprint(one.new))
    found, rest = set[str](), [key]
    while rest:
        new = after.get(rest.pop(), set()) - found - {key}
        found |= new
        rest += new
    return frozenset(found)


def first_of(rotations: Mapping[Successor, int]) -> dict[bytes, tuple[Successor, int]]:
    """Return by old key the successor that counts, and its place: the first in the log."""
    first: dict[bytes, tuple[Successor, int]] = {}
    for one, index in sorted(rotations.items(), key=lambda pair: pair[1]):
        first.setdefault(one.old, (one, index))
    return first


def check_order(rotations: Mapping[Successor, int], referee: bytes, opened: int) -> tuple[Successor, int] | None:
    """Return the rotation, and its place in the log, that forbids a match which was opened at a place under a key; None: none.

    The old key may not open what is behind it, the new one nothing that is before it.
    """
    for one, index in first_of(rotations).values():
        if (one.old == referee and opened > index) or (one.new == referee and opened < index):
            return one, index
    return None


# ── in a data folder ───────────────────────────────────────────────────────────────────────────────────────────────


def succeed_key(folder: Path) -> Successor:
    """Make the next key of the referee of a folder, with the statement of the one that it comes after, and return that.

    The statement is on the disk before the key is: a key that nobody vouches for is never used. Two who do so at once make one
    key after the other, for a statement beside somebody else's key would leave the referee without one.
    """
    with FileLock(folder / "referee.lock"):
        number = max(key_numbers(folder), default=1)
        old, secret = keep(key_file(folder, number)), os.urandom(KEY_BYTES)
        made = succeed(old, Key(secret), keep(folder / "log.key").public)
        replace(_statement_file(folder, number + 1), f"{made.line}\n")
        keep_secret(key_file(folder, number + 1), secret)
    return made


def successors_in(folder: Path) -> tuple[Successor, ...]:
    """Return the statements of the keys of a folder, the oldest first."""
    files = [_statement_file(folder, number) for number in key_numbers(folder)]
    return tuple(_read(path.read_text(encoding="ascii").rstrip("\n")) for path in files if path.is_file())


def _statement_file(folder: Path, number: int) -> Path:
    return key_file(folder, number).with_suffix(".successor")
