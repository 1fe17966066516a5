"""Ed25519 keys of referees and players: made on first use, kept with mode 0600, named by a fingerprint.

The fingerprint is short enough to be compared by eye and long enough (128 bits) that nobody finds another key with the same one.
"""

import os
from hashlib import sha256
from pathlib import Path

from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

from arbitre.errors import KeyFileError, refusal

KEY_BYTES = 32

ORDER = 2**252 + 27742317777372353535851937790883648493

PRIME = 2**255 - 19

SMALL_ORDER = frozenset(
    (
        0,
        1,
        PRIME - 1,
        0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826,
        0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7,
    )
)
"""The ordinates of the eight points that eight times are nothing: with such a key a signature fits every message."""


def fingerprint(public: bytes) -> str:
    """Return the name of a public key: 32 hexadecimal digits."""
    return sha256(b"arbitre/key/1" + public).hexdigest()[:32]


class Key:
    """A signing key."""

    def __init__(self, secret: bytes) -> None:
        self._key = SigningKey(secret)
        self.public = bytes(self._key.verify_key)
        self.fingerprint = fingerprint(self.public)

    def sign(self, message: bytes) -> bytes:
        """Return the signature of a message, 64 octets, always the same for the same message."""
        return self._key.sign(message).signature


def signed(public: bytes, message: bytes, signature: bytes) -> bool:
    """Tell whether the holder of the key signed this message, strictly, so that every verifier says the same.

    S is below the order, key and R are canonical and not of small order, R is compared as octets, no cofactor. libsodium does the
    same; it is said here all the same, for it depends on how and when that was built.
    """
    if len(signature) != 64 or not _is_sound(public) or not _is_sound(signature[:32]):
        return False
    if int.from_bytes(signature[32:], "little") >= ORDER:
        return False
    try:
        VerifyKey(public).verify(message, signature)
    except BadSignatureError:
        return False
    return True


def _is_sound(point: bytes) -> bool:
    """Tell whether a point is written in the one right way and is not of small order, whatever its sign."""
    ordinate = int.from_bytes(point, "little") & (1 << 255) - 1
    return len(point) == KEY_BYTES and ordinate < PRIME and ordinate not in SMALL_ORDER


def keep(path: Path) -> Key:
    """Return the key kept in a file, made on first use; two programs that start at once agree on one key."""
    return Key(keep_secret(path))


def keep_secret(path: Path, fresh: bytes = b"") -> bytes:
    """Return the secret of 32 octets kept in a file, made on first use as a key is, of `fresh` octets where there are any."""
    try:
        return _read(path)
    except FileNotFoundError:
        pass
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write((fresh or os.urandom(KEY_BYTES)).hex() + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    except FileExistsError:
        pass  # somebody else's key came first: it is the one
    except OSError as error:
        raise KeyFileError("cannot keep a key in %(path)s: %(strerror)s", path=path, strerror=refusal(error)) from error
    finally:
        draft.unlink(missing_ok=True)
    return _read(path)


def _read(path: Path) -> bytes:
    try:
        text = path.read_text(encoding="ascii")
        secret = bytes.fromhex(text.strip())
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise KeyFileError("cannot read a key from %(path)s: %(error)s", path=path, error=error) from error
    if len(secret) != KEY_BYTES:
        raise KeyFileError(
            "%(path)s holds %(secret)s octets; a key has %(key_bytes)s", path=path, secret=len(secret), key_bytes=KEY_BYTES
        )
    return secret
