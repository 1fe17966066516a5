"""What is signed about a match, in one form of 123 octets (the manual's page "Records", *Signatures*).

    "arbitre/sign/2" ‖ kind(1) ‖ seat(4) ‖ opening(32) ‖ count(8) ‖ head(32) ‖ rest(32)

The kind says as what somebody signs, the seat who (the referee is ff ff ff ff), the opening in which match, count and head after
which events. So no signature passes for another: not a player's for the referee's, not one seat's for another's, not that of one
match in another, and "I agree to begin" never for "this is the game I played".
"""

from collections.abc import Iterable
from enum import IntEnum
from hashlib import sha256

from arbitre.crypto.keys import Key, signed
from arbitre.values import value

ZEROS = bytes(32)

REFEREE_SEAT = 0xFFFF_FFFF
"""The seat of whoever signs as referee."""

SIGNATURE_BYTES = 64


class Statement(IntEnum):
    """As what somebody signs."""

    CALLED = 1
    """The referee: this is the opening."""
    AGREED = 2
    """A seat: I play by this opening."""
    PLAYED = 3
    """A seat: this is the game I was asked and answered."""
    DISPUTED = 4
    """A seat: it is not; the rest names the code."""
    SEALED = 5
    """The referee: this is the record, and that is what the seats say of it."""


class SeatState(IntEnum):
    """What a seat says of a record."""

    KEYLESS = 0
    SIGNED = 1
    DECLINED = 2
    """It signed that this is not the game: nobody can be said to have declined."""
    SILENT = 3
    """It has a key and said nothing, by the referee's word."""


@value
class Subject:
    """What is signed about: a match by the hash of its opening, and a point of its chain."""

    opening: bytes
    count: int
    head: bytes

    def message(self, kind: Statement, seat: int = REFEREE_SEAT, rest: bytes = ZEROS) -> bytes:
        """Return the octets that are signed."""
        return b"".join(
            (
                b"arbitre/sign/2",
                kind.to_bytes(1, "big"),
                seat.to_bytes(4, "big"),
                self.opening,
                self.count.to_bytes(8, "big"),
                self.head,
                rest,
            )
        )

    def sign(self, key: Key, kind: Statement, seat: int = REFEREE_SEAT, rest: bytes = ZEROS) -> bytes:
        """Return a signature."""
        return key.sign(self.message(kind, seat, rest))

    def signed(self, public: bytes, signature: bytes, kind: Statement, seat: int = REFEREE_SEAT, rest: bytes = ZEROS) -> bool:
        """Tell whether the holder of a key signed this."""
        return signed(public, self.message(kind, seat, rest), signature)


def opening_hash(line: bytes) -> bytes:
    """Return what names a match: the hash of the line of its first event."""
    return sha256(b"arbitre/opening/2" + line).digest()


def code_hash(code: str) -> bytes:
    """Return the rest of a statement that disputes a record."""
    return sha256(code.encode()).digest()


def seats_hash(seats: Iterable[tuple[SeatState, bytes, str, bytes]]) -> bytes:
    """Return the rest of a seal: for each seat its state, key, code and signature, empty where there is none."""
    parts = [b"arbitre/seats/2"]
    for state, key, code, signature in seats:
        parts += (state.to_bytes(1, "big"), key or ZEROS, code_hash(code) if code else ZEROS, signature or bytes(SIGNATURE_BYTES))
    return sha256(b"".join(parts)).digest()


def view_hash(text: str) -> str:
    """Return what a record keeps of the position that a seat with a key was shown."""
    return sha256(b"arbitre/view/2" + text.encode()).hexdigest()
