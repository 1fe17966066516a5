"""What parties say to each other: items, and the packets that carry them.

An item is a statement of one author: "here is my Commit". In strong mode the author signs it with Ed25519, and whoever
relays it adds a signature of his own, so that an item shows how many have held it. On the wire, numbers big-endian::

    packet   4 octets "RCB2", 32 octets tag of the call, items
    item     1 kind; 1 length, author; 4 length, body; 1 number of signatures, each 1 length, signer; 64 signature

What is signed is the text "arbitre/rochambeau/2", the tag, the kind, and author and body with their lengths as above: nothing
that was signed for one call and roster or one purpose serves for another. The tag is the hash of the whole call (`call`).
"""

import struct
from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum
from typing import Final

from arbitre.crypto.keys import Key, signed
from arbitre.errors import PayloadError
from arbitre.reasons import Reason
from arbitre.values import value

MAGIC: Final = b"RCB2"
TAG_OCTETS: Final = 32
SIGNATURE_OCTETS: Final = 64
LONGEST_BODY: Final = 1 << 17
"""More than the longest Reveal, and than the closing of a hub with a thousand parties."""
MOST_SIGNATURES: Final = 64
LONGEST_PACKET: Final = 1 << 18
DATAGRAM: Final = 1_200
"""Octets that fit into one datagram on any path; a packet is not filled beyond this."""
HUB: Final = ""
"""The author of what a hub says."""


class Kind(IntEnum):
    """What an item says."""

    HELLO = 1
    """I am here."""
    BEGIN = 2
    """I have waited long enough, or everybody is here: we begin."""
    COMMIT = 3
    """The Commit payload."""
    ECHO = 4
    """The hash of the set of Commits that counts for me; with a hub, followed by the hub's signature below its closing."""
    UNITED = 5
    """I have seen the same FULL from everybody."""
    REVEAL = 6
    """The Reveal payload."""
    VERDICT = 7
    """My verdict: the hashes of both sets, the announced value, the winner."""
    TERMS = 8
    """From a hub: what is played, with whom, until when."""
    WELCOME = 9
    """From a hub: its public key, and sixteen octets to be signed by whoever joins."""
    LISTING = 10
    """From a hub: the set that counts, each author with the digest of what it sent."""
    CLOSING = 11
    """From a hub, signed: the stage and the hash of the set that it listed. Two different ones convict it."""
    REFUSED = 12
    """From a hub: why somebody cannot take part, a code with fields."""
    FULL = 13
    """Without a hub: I hold a Commit of everybody; the hash of these."""


@value
class Item:
    """One statement."""

    kind: Kind
    author: str
    body: bytes
    signatures: tuple[tuple[str, bytes], ...] = ()

    def statement(self, tag: bytes) -> bytes:
        """Return what is signed."""
        author = self.author.encode()
        head = b"arbitre/rochambeau/2" + tag + bytes([self.kind, len(author)]) + author
        return head + struct.pack(">I", len(self.body)) + self.body

    def sign(self, tag: bytes, signer: str, key: Key | None) -> "Item":
        """Return the item with one more signature, or as it is where nobody signs."""
        if key is None or any(name == signer for name, _ in self.signatures):
            return self
        return Item(self.kind, self.author, self.body, (*self.signatures, (signer, key.sign(self.statement(tag)))))

    def signature(self, signer: str) -> bytes | None:
        """Return somebody's signature."""
        return next((octets for name, octets in self.signatures if name == signer), None)

    def verified(self, tag: bytes, keys: Mapping[str, bytes]) -> "Item":
        """Return the item with only those signatures that are right, each signer once."""
        statement = self.statement(tag)
        good = {name: octets for name, octets in self.signatures if name in keys and signed(keys[name], statement, octets)}
        return Item(self.kind, self.author, self.body, tuple(good.items()))

    def octets(self) -> bytes:
        """Return the item as it travels."""
        author = self.author.encode()
        parts = [bytes([self.kind, len(author)]), author, struct.pack(">I", len(self.body)), self.body]
        parts.append(bytes([len(self.signatures)]))
        for name, octets in self.signatures:
            parts += [bytes([len(name.encode())]), name.encode(), octets]
        return b"".join(parts)


STATEMENTS: Final = (Kind.COMMIT, Kind.ECHO, Kind.REVEAL, Kind.VERDICT)
"""What each party signs once in a call, and what a transcript keeps."""


class _Reader:
    """Takes octets from the front; `PayloadError` where they end too soon."""

    def __init__(self, octets: bytes, at: int) -> None:
        self.octets = octets
        self.at = at

    def take(self, size: int) -> bytes:
        if self.at + size > len(self.octets):
            raise PayloadError("packet", "cut off at octet %(octets)s", octets=len(self.octets))
        self.at += size
        return self.octets[self.at - size : self.at]

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def name(self) -> str:
        try:
            return self.take(self.number(1)).decode()
        except UnicodeDecodeError:
            raise PayloadError("packet", "a name is not UTF-8") from None


def read_packet(packet: bytes) -> tuple[bytes, tuple[Item, ...]]:
    """Return the tag and the items of a packet."""
    if len(packet) > LONGEST_PACKET:
        raise PayloadError("packet", "%(packet)s octets", packet=len(packet))
    if packet[:4] != MAGIC:
        raise PayloadError("packet", "begins with %(packet)s", packet=packet[:4].hex() or Reason("nothing"))
    reader = _Reader(packet, 4)
    tag = reader.take(TAG_OCTETS)
    items = []
    while reader.at < len(packet):
        items.append(_read_item(reader))
    return tag, tuple(items)


def _read_item(reader: _Reader) -> Item:
    number = reader.number(1)
    try:
        kind = Kind(number)
    except ValueError:
        raise PayloadError("packet", "no kind of item is %(number)s", number=number) from None
    author = reader.name()
    size = reader.number(4)
    if size > LONGEST_BODY:
        raise PayloadError("packet", "a body of %(size)s octets", size=size)
    body = reader.take(size)
    count = reader.number(1)
    if count > MOST_SIGNATURES:
        raise PayloadError("packet", "%(count)s signatures", count=count)
    return Item(kind, author, body, tuple((reader.name(), reader.take(SIGNATURE_OCTETS)) for _ in range(count)))


def write_packets(tag: bytes, items: Iterable[Item]) -> Iterator[bytes]:
    """Return packets that carry the items, each filled as far as a datagram goes."""
    head = MAGIC + tag
    packet = bytearray(head)
    for item in items:
        octets = item.octets()
        if len(packet) > len(head) and len(packet) + len(octets) > DATAGRAM:
            yield bytes(packet)
            packet = bytearray(head)
        packet += octets
    if len(packet) > len(head):
        yield bytes(packet)
