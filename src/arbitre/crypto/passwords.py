"""A seat's password: argon2id makes of it the key that signs the seat's moves and the key that hides the seat's notes.

Nothing of the password is kept but the public half of the signing key: a wrong password makes another key, and that is how it is
found to be wrong. Whoever changes the entry cannot sign the past with the new key.
"""

from hashlib import sha256
from typing import NamedTuple

from nacl.exceptions import CryptoError, InvalidkeyError
from nacl.pwhash import argon2id
from nacl.secret import SecretBox

from arbitre.crypto.keys import Key
from arbitre.errors import PasswordError
from arbitre.values import value

SALT_BYTES = argon2id.SALTBYTES
LONGEST = 1_024


@value
class Work:
    """How hard a guess is: passes over so many KiB of memory."""

    passes: int
    kibibytes: int

    def __post_init__(self) -> None:
        # a hostile file must not make its reader work for minutes
        if not (1 <= self.passes <= 16 and 8 <= self.kibibytes <= 1 << 20 and self.passes * self.kibibytes <= 1 << 22):
            raise PasswordError(
                "argon2id with %(passes)s passes over %(kibibytes)s KiB is out of bounds",
                passes=self.passes,
                kibibytes=self.kibibytes,
            )


USUAL = Work(2, 64 << 10)
"""A tenth of a second or two: what libsodium recommends for logging in."""

HIGH = Work(3, 256 << 10)
LIGHT = Work(1, 8)
"""For tests, and for games in which nothing is at stake: guessing is cheap."""


class Secret(NamedTuple):
    """What a password and a salt make."""

    key: Key
    notes: bytes
    """The key of the seat's private notes."""

    def sign(self, message: bytes) -> bytes:
        """Return the seat's signature."""
        return self.key.sign(message)

    def hide(self, clear: str) -> str:
        """Return a note that only this password opens, in hexadecimal."""
        return SecretBox(self.notes).encrypt(clear.encode()).hex()

    def open(self, hidden: str) -> str | None:
        """Return a note; None where another password or nobody wrote it."""
        try:
            return SecretBox(self.notes).decrypt(bytes.fromhex(hidden)).decode()
        except (CryptoError, ValueError, TypeError):
            return None


def secret(password: str, salt: bytes, work: Work) -> Secret:
    """Return the keys of a seat."""
    if not password or len(password) > LONGEST:
        raise PasswordError("a password is 1 to 1024 characters")
    made = argon2id.kdf(64, _folded(b"arbitre/password/1", password), salt, opslimit=work.passes, memlimit=work.kibibytes << 10)
    return Secret(Key(made[:32]), made[32:])


def keep_password(password: str, work: Work) -> str:
    """Return what a house keeps to recognise a password: salted, and as hard to guess as `work` says."""
    return argon2id.str(_folded(b"arbitre/login/1", password), opslimit=work.passes, memlimit=work.kibibytes << 10).decode()


def fits(password: str, kept: str) -> bool:
    """Tell whether a password is the one that was kept; takes the same time either way."""
    try:
        return argon2id.verify(kept.encode(), _folded(b"arbitre/login/1", password))
    except InvalidkeyError:
        return False


def _folded(label: bytes, password: str) -> bytes:
    """Return the hash that argon2id is given: its own limit is counted in octets."""
    return sha256(label + password.encode("utf-8", "surrogatepass")).digest()
