"""What the parties of an election sign about it: the sets that they hold, and their verdict on them (spec proof, section 6).

A set is listed by author, in the order of the octets of the names, numbers big-endian::

    listing   1 octet stage (1 Commits, 2 Reveals); 2 number of authors; for each 1 length, name, 32 SHA-256 of its payload
    hash      SHA-256("arbitre/rochambeau/set/2" ‖ call (32) ‖ listing)
    verdict   32 hash of the Commits; 32 hash of the Reveals; 2 length, announced value; 2 length, winner (empty: nobody)

An echo is the hash of the Commits; behind a hub, with the hub's signature below its closing, the stage and the same hash.

Each party signs one verdict. A **certificate** is so many equal ones, `quorum`, that no two different certificates can be, as
long as no more parties lie than the call says: who holds one has settled, who holds none is undecided.
"""

import struct
from collections import Counter
from collections.abc import Mapping
from hashlib import sha256
from typing import Final

from arbitre.elections.terms import LONGEST_NAME
from arbitre.errors import PayloadError
from arbitre.values import value

COMMITS: Final = b"\1"
REVEALS: Final = b"\2"
DIGEST: Final = 32
LONGEST_VALUE: Final = 2**16 - 1
"""Octets of an announced value."""


def write_listing(stage: bytes, said: Mapping[str, bytes]) -> bytes:
    """Return the list of authors, each with the digest of what it said."""
    rows = ((name, sha256(said[name.decode()]).digest()) for name in sorted(name.encode() for name in said))
    return stage + struct.pack(">H", len(said)) + b"".join(bytes([len(name)]) + name + digest for name, digest in rows)


def read_listing(body: bytes) -> tuple[bytes, dict[str, bytes]]:
    """Return the stage of a list and the digest for each author."""
    listed: dict[str, bytes] = {}
    at = 3
    for _ in range(int.from_bytes(body[1:3], "big")):
        size = body[at] if at < len(body) else 0
        name, digest = body[at + 1 : at + 1 + size], body[at + 1 + size : at + 33 + size]
        at += 33 + size
        if len(digest) < DIGEST or not size:
            raise PayloadError("listing", "cut off")
        try:
            listed[name.decode()] = digest
        except UnicodeDecodeError:
            raise PayloadError("listing", "a name is not UTF-8") from None
    if at != len(body) or body[:1] not in {COMMITS, REVEALS}:
        raise PayloadError("listing", "%(body)s octets of stage %(body2)s", body=len(body), body2=body[:1].hex())
    return body[:1], listed


def listing_hash(tag: bytes, listing: bytes) -> bytes:
    """Return the hash of a set that is listed, in one call."""
    return sha256(b"arbitre/rochambeau/set/2" + tag + listing).digest()


def set_hash(tag: bytes, stage: bytes, said: Mapping[str, bytes]) -> bytes:
    """Return the hash of a set of payloads by author, in one call."""
    return listing_hash(tag, write_listing(stage, said))


@value
class Ruling:
    """What a party signs in the end: on these sets, with this announced value, this is the winner."""

    commits: bytes
    reveals: bytes
    announced: bytes
    winner: str | None

    def octets(self) -> bytes:
        """Return the body of the statement."""
        winner = (self.winner or "").encode()
        value_ = struct.pack(">H", len(self.announced)) + self.announced
        return self.commits + self.reveals + value_ + struct.pack(">H", len(winner)) + winner


def read_ruling(body: bytes) -> Ruling:
    """Return the ruling that a body says."""
    at = 2 * DIGEST
    parts = []
    for _ in range(2):
        size = int.from_bytes(body[at : at + 2], "big")
        parts.append(body[at + 2 : at + 2 + size])
        at += 2 + size
    if at != len(body) or len(parts[1]) > LONGEST_NAME:
        raise PayloadError("verdict", "%(octets)s octets", octets=len(body))
    try:
        return Ruling(body[:DIGEST], body[DIGEST : 2 * DIGEST], parts[0], parts[1].decode() or None)
    except UnicodeDecodeError:
        raise PayloadError("verdict", "a name is not UTF-8") from None


def quorum(parties: int, liars: int) -> int:
    """Return how many equal verdicts make a certificate; of two parties both."""
    return (parties + liars) // 2 + 1


def certified(verdicts: Mapping[str, bytes], needed: int) -> bytes | None:
    """Return the verdict that so many parties signed; None where there is none."""
    counted = Counter(verdicts.values())
    return next((body for body, times in counted.items() if times >= needed), None)
