"""Chance from a committed seed: every draw can be recomputed by anybody once the seed is revealed.

The referee commits to a secret seed before anybody else says anything. Each player who likes then promises a nonce of 32 octets,
and opens it when it has seen the opening, signed; the nonces are mixed in, so that a deal is unbiased as long as one of the
parties is honest. Without nonces a deal is recomputable, but nobody can know that the referee did not choose among seeds.

A draw is never derived from anything published: it is labelled SHAKE-256 of the mixed secret and the number of the draw, read
eight octets at a time, and rejected above the greatest multiple of the range, so each value is exactly equally likely.
"""

from collections.abc import Mapping
from hashlib import sha256, shake_256

from arbitre.errors import HouseError

NONCE_BYTES = 32


def promise(nonce: bytes, commitment: str, match: str, seat: int) -> str:
    """Return a player's commitment to a nonce, for one seat of one match whose seed is committed.

    It contains the referee's commitment, so the record proves that the seed was fixed first; and nobody can copy it, or use it
    elsewhere.
    """
    place = bytes.fromhex(commitment) + sha256(match.encode()).digest() + seat.to_bytes(4, "big")
    return sha256(b"arbitre/nonce/2" + place + nonce).hexdigest()


def mix(seed: bytes, nonces: Mapping[int, bytes]) -> bytes:
    """Return the secret of the draws: the seed with the players' nonces, by seat."""
    fields = b"".join(seat.to_bytes(4, "big") + nonces[seat] for seat in sorted(nonces))
    return sha256(b"arbitre/mix/1" + seed + fields).digest()


def draw(secret: bytes, number: int, below: int) -> int:
    """Return draw `number`, counted from 0, uniform among 0 … `below` - 1."""
    if not 1 <= below <= 2**64:
        raise HouseError("no draw has %(below)s outcomes: a game asks for 1 to 2^64", below=below)
    limit = 2**64 - 2**64 % below
    label = b"arbitre/draw/1" + secret + number.to_bytes(8, "big")
    size = 8
    while True:
        value = int.from_bytes(shake_256(label).digest(size)[-8:], "big")
        if value < limit:
            return value % below
        size += 8
