"""A sealing provider in one class: the club's secretary, who does not play, changes `INGREDIENT` and hands out the build.

What is published here is the example. The ingredient of a real provider stays with its author, and its module is given away
compiled or as an external command: whoever can read the ingredient can read every file.
"""

from base64 import b64decode, b64encode
from hashlib import blake2b

from nacl.exceptions import CryptoError
from nacl.secret import Aead

INGREDIENT = b"replace these words before you build"


class Club:
    """XChaCha20-Poly1305 under a key that is mixed from the ingredient."""

    def get_key(self) -> bytes:
        """Return the key, made anew each time so that it lies in no file."""
        return blake2b(INGREDIENT, digest_size=32, person=b"arbitre/club/1").digest()

    def encrypt(self, key: bytes, clear: str, about: str) -> str:
        """Seal `clear`, and bind it to `about`; base64 keeps to characters 35 to 126."""
        return b64encode(bytes(Aead(key).encrypt(clear.encode(), about.encode()))).decode()

    def decrypt(self, key: bytes, sealed: str, about: str) -> str:
        """Open what `encrypt` sealed about the same."""
        try:
            return Aead(key).decrypt(b64decode(sealed, validate=True), about.encode()).decode()
        except CryptoError:
            raise ValueError("sealed by another build, about another file, or edited") from None
