"""The hash chain of a record.

Each event is folded into a head: `leaf = H(salt_i, body)`, `head = H(head, leaf)`. The salts come from the match's secret seed,
so a leaf may be published long before its body: four thousand MasterMind codes are quickly guessed from an unsalted hash, and
not at all from a salted one. Once the seed is revealed anybody recomputes all salts, leaves and heads.

H is SHA-256 over a label and fields of fixed length, the body last; the label keeps one use of the hash apart from another.
"""

from hashlib import sha256

SEED_BYTES = 32

START = bytes(32)
"""The head before the first event."""


def salt(seed: bytes, index: int) -> bytes:
    """Return the salt of event `index`, counted from 0."""
    return sha256(b"arbitre/salt/1" + seed + index.to_bytes(8, "big")).digest()


def leaf(salt: bytes, body: bytes) -> bytes:
    """Return what may be published of an event before its body may."""
    return sha256(b"arbitre/leaf/1" + salt + body).digest()


def fold(head: bytes, leaf: bytes) -> bytes:
    """Return the head after one more event."""
    return sha256(b"arbitre/head/1" + head + leaf).digest()


def commitment(seed: bytes) -> str:
    """Return what the referee publishes of the seed before the first move."""
    return sha256(b"arbitre/seed/1" + seed).hexdigest()


def derive(seed: bytes, label: str) -> bytes:
    """Return a secret of its own for one use, from which neither the seed nor another use can be told."""
    return sha256(b"arbitre/derive/1" + seed + label.encode()).digest()
