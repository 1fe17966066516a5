"""Sealing, the exchangeable module of games by file: `get_key`, `encrypt`, `decrypt` (spec: kriegspiel, section 2).

A file of a game holds what one of its bearers may not see. The program is published, so what keeps it from him is the key of a
*provider*, which need not be. A provider has three functions, as the seed wants them; both texts are in characters 35 to 126:

    get_key() -> key                          a key, whatever the provider takes for one
    encrypt(key, clear, about) -> sealed
    decrypt(key, sealed, about) -> clear      `SealingError` (or `ValueError`) for what it did not seal

`about` says what the text belongs to: version, game, ply, previous head. A good provider authenticates it; the file carries it
within the clear text as well, so with a poor one it is compared all the same.

=================  ===================================================================================================
`default`          XChaCha20-Poly1305 under a key that everybody can read here: it protects from accidents and from
                   strangers' edits, and leaves the rest to honour
`simulation`       turns the alphabet; for integration tests, it hides nothing
other names        from packages, by the entry point group `arbitre.sealing`
`command:NAME`     an external program NAME in the user's own folder of sealing commands, so that its source may stay
                   unpublished. A file only names it: what came by mail never chooses which program runs
`site:URL`         the site at that address seals and opens, with a secret that never leaves it (`Held`); no function of
                   the player's machine stands for it (`kref.sites` asks the site)
=================  ===================================================================================================

All but the last run on the player's own machine, and hide nothing from a player who looks for what they do there.
"""

import hmac
import re
import subprocess
from base64 import b64decode, b64encode
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from nacl.bindings import (
    crypto_aead_xchacha20poly1305_ietf_decrypt,
    crypto_aead_xchacha20poly1305_ietf_encrypt,
)
from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_NPUBBYTES as NONCE
from nacl.exceptions import CryptoError
from nacl.utils import random

from arbitre.errors import SealingError, shorten
from arbitre.reasons import Reason

GROUP = "arbitre.sealing"
LOWEST, HIGHEST = 35, 126
SITE = "site:"
NAME = re.compile(
    r"(?:command:)?[a-z][a-z0-9-]{0,39}|site:https?://[a-z0-9.-]{1,200}(?::[0-9]{1,5})?(?:/[A-Za-z0-9._-]{1,40}){0,2}"
    r"|site:https?://\[[0-9a-f:.]{2,45}\](?::[0-9]{1,5})?(?:/[A-Za-z0-9._-]{1,40}){0,2}"
)
LONGEST = 4 << 20
PADDED = 4 << 10
"""What a site seals is padded to steps of so many octets."""
PATIENCE = 20.0
"""Seconds that an external program may take."""

OUTSIDE = re.compile(rf"[^{re.escape(chr(LOWEST))}-{re.escape(chr(HIGHEST))}]")


class Sealing(Protocol):
    """What a provider is: a module, an object or a class with these three functions."""

    def get_key(self) -> Any:
        """Return the key."""

    def encrypt(self, key: Any, clear: str, about: str) -> str:
        """Return the sealed text."""

    def decrypt(self, key: Any, sealed: str, about: str) -> str:
        """Return the clear text."""


class Published:
    """The provider in the box."""

    def get_key(self) -> bytes:
        """Return a key that is no secret: this source is published."""
        return sha256(b"arbitre/sealing/default/1").digest()

    def encrypt(self, key: bytes, clear: str, about: str) -> str:
        """Seal and authenticate, the text and what it is about."""
        return b64encode(_locked(key, clear.encode(), about.encode(), random(NONCE))).decode()

    def decrypt(self, key: bytes, sealed: str, about: str) -> str:
        """Open what this provider sealed about the same."""
        return _unlocked(key, b64decode(sealed, validate=True), about.encode()).decode()


class Repeated(Published):
    """The provider in the box for who must say the same twice: the same text is sealed alike."""

    def encrypt(self, key: bytes, clear: str, about: str) -> str:
        """Seal and authenticate, the text and what it is about."""
        bound = about.encode()
        return b64encode(_locked(key, clear.encode(), bound, _nonce(key, clear.encode(), bound))).decode()


class Held:
    """The seal of a site: secrets that never leave it, by number; the highest seals, all of them open.

    Sealed are: the key's number (4 octets), a nonce of XChaCha20-Poly1305 (24), the text, padded; bound to version, key number
    and game. The same text is sealed alike, so a request that is repeated is answered with the same file to the last octet.
    """

    def __init__(self, secrets: Mapping[int, bytes]) -> None:
        self._keys = {number: _derived(secret, b"seal") for number, secret in secrets.items()}
        self._newest = max(secrets)
        self._seeds = _derived(secrets[self._newest], b"seed")

    def get_key(self) -> int:
        """Return the number of the key that seals."""
        return self._newest

    def encrypt(self, key: int, clear: str, about: str) -> str:
        """Seal a text, padded with spaces."""
        octets = clear.encode()
        padded = octets.ljust(-(-len(octets) // PADDED) * PADDED)
        own, bound = self._keys[key], _bound(key, about)
        return b64encode(key.to_bytes(4, "big") + _locked(own, padded, bound, _nonce(own, padded, bound))).decode()

    def decrypt(self, key: int, sealed: str, about: str) -> str:  # noqa: ARG002 - the text names its key
        """Open what one of our keys sealed."""
        octets = b64decode(sealed, validate=True)
        number = int.from_bytes(octets[:4], "big")
        if number not in self._keys:
            raise SealingError("the seal is broken: no key has the number %(number)s", number=number)
        return _unlocked(self._keys[number], octets[4:], _bound(number, about)).decode().rstrip(" ")

    def seed(self, request: bytes) -> bytes:
        """Return 32 octets that nobody else can know, and that are the same for the same request."""
        return hmac.digest(self._seeds, request, "sha256")


def _bound(number: int, about: str) -> bytes:
    """Return version, key number and game of what a site seals."""
    version, game, *_ = about.split("#")
    return bytes([int(version)]) + number.to_bytes(4, "big") + bytes.fromhex(game)


def _derived(secret: bytes, purpose: bytes) -> bytes:
    return hmac.digest(secret, b"arbitre/sealing/site/1 " + purpose, "sha256")


def _nonce(key: bytes, clear: bytes, bound: bytes) -> bytes:
    """Return a nonce that is a keyed hash of what is sealed: it differs where that does."""
    return hmac.digest(_derived(key, b"nonce"), sha256(bound).digest() + clear, "sha256")[:NONCE]


def _locked(key: bytes, clear: bytes, bound: bytes, nonce: bytes) -> bytes:
    return nonce + crypto_aead_xchacha20poly1305_ietf_encrypt(clear, bound, nonce, key)


def _unlocked(key: bytes, octets: bytes, bound: bytes) -> bytes:
    try:
        return crypto_aead_xchacha20poly1305_ietf_decrypt(octets[NONCE:], bound, octets[:NONCE], key)
    except CryptoError:
        raise SealingError("the seal is broken: the text was edited, or belongs to another file") from None


class Simulation:
    """The seed's first step of integration: the interface without the secrecy."""

    def get_key(self) -> float:
        """Return a number, as the seed's GetKey# does."""
        return 29.0

    def encrypt(self, key: float, clear: str, about: str) -> str:  # noqa: ARG002 - it binds nothing
        """Turn the alphabet by the key."""
        return _turned(clear, int(key))

    def decrypt(self, key: float, sealed: str, about: str) -> str:  # noqa: ARG002
        """Turn it back."""
        return _turned(sealed, -int(key))


def _turned(text: str, by: int) -> str:
    wide = HIGHEST - LOWEST + 1
    return "".join(chr((ord(character) - LOWEST + by) % wide + LOWEST) for character in text)


class Command:
    """An external program: `PROGRAM get_key`, `PROGRAM encrypt` and `PROGRAM decrypt`.

    It reads lines, the key, what the text is about, the text, and prints one line, the answer. A status other than 0 refuses.
    """

    def __init__(self, program: Path) -> None:
        self.program = program

    def get_key(self) -> str:
        """Ask for the key: a line in characters 35 to 126, which the program may use or ignore."""
        return plain(self._ask("get_key"), Reason("the key"))

    def encrypt(self, key: str, clear: str, about: str) -> str:
        """Let the program seal."""
        return self._ask("encrypt", key, about, clear)

    def decrypt(self, key: str, sealed: str, about: str) -> str:
        """Let the program open."""
        return self._ask("decrypt", key, about, sealed)

    def _ask(self, what: str, *lines: str) -> str:
        said = "".join(f"{line}\n" for line in lines).encode()
        try:
            done = subprocess.run(  # noqa: S603 - a program that the user put into his own folder
                [str(self.program), what], input=said, capture_output=True, timeout=PATIENCE, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SealingError(
                "the sealing command %(name)s failed to %(what)s: %(error)s", name=self.program.name, what=what, error=error
            ) from None
        if done.returncode:
            why = shorten(done.stderr.decode("utf-8", "replace").strip()) or Reason("status %(status)s", status=done.returncode)
            raise SealingError(
                "the sealing command %(name)s refused to %(what)s: %(why)s", name=self.program.name, what=what, why=why
            )
        return done.stdout.decode("ascii", "replace").rstrip("\r\n")


BUILT_IN: Mapping[str, type[Sealing]] = {"default": Published, "simulation": Simulation}
"""The house's providers; they stand in the entry point group as well, and are found without searching it."""


def provider(name: str, commands: Path | None = None) -> Sealing:
    """Return a provider by name; `commands` is the folder in which `command:NAME` may be found."""
    if not NAME.fullmatch(name):
        raise SealingError("no sealing provider can be called %(name)r", name=shorten(name))
    if name.startswith(SITE):
        raise SealingError("only %(site)s opens this game: ask it with arbitre kref", site=name.removeprefix(SITE))
    if name in BUILT_IN:
        return BUILT_IN[name]()
    if name.startswith("command:"):
        program = (commands or Path("/nonexistent")) / name.removeprefix("command:")
        if commands is None or not program.is_file():
            raise SealingError(
                "the game is sealed by %(name)s: put the program that its author gave you into %(commands)s",
                name=name,
                commands=commands,
            )
        return Command(program.absolute())
    return _installed(name)


def _installed(name: str) -> Sealing:
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow, and most games use a built-in provider

    found = list(entry_points(group=GROUP, name=name))
    if not found:
        known = sorted({*BUILT_IN, *(one.name for one in entry_points(group=GROUP))})
        raise SealingError(
            "no sealing provider %(name)r is installed; there are: %(known)s command:NAME", name=name, known=" ".join(known)
        )
    if len(found) > 1:
        raise SealingError("%(found)s packages claim the sealing provider %(name)r", found=len(found), name=name)
    loaded = found[0].load()
    made = loaded() if isinstance(loaded, type) else loaded
    if not all(callable(getattr(made, function, None)) for function in ("get_key", "encrypt", "decrypt")):
        raise SealingError("entry point %(name)r of %(group)s has not get_key, encrypt and decrypt", name=name, group=GROUP)
    sealing: Sealing = made
    return sealing


def seal(sealing: Sealing, clear: str, about: str) -> str:
    """Seal a text, holding the provider to the alphabet on both sides."""
    return plain(
        _tried(lambda: sealing.encrypt(sealing.get_key(), plain(clear, Reason("the clear text")), about)),
        Reason("the sealed text"),
    )


def unseal(sealing: Sealing, sealed: str, about: str) -> str:
    """Open a text; `SealingError` for whatever this provider did not seal."""
    return plain(
        _tried(lambda: sealing.decrypt(sealing.get_key(), plain(sealed, Reason("the sealed text")), about)),
        Reason("the clear text"),
    )


def _tried(work: Any) -> str:
    try:
        return str(work())
    except SealingError:
        raise
    except Exception as error:
        # a provider is somebody else's code, fed with a stranger's text: whatever it throws means that it will not open this
        raise SealingError(
            "the sealing provider cannot open this: %(error)s", error=shorten(str(error)) or type(error).__name__
        ) from None


def plain(text: str, what: Reason) -> str:
    """Return a text of characters 35 to 126; `SealingError` for any other."""
    if len(text) > LONGEST:
        raise SealingError("%(what)s is longer than %(longest)s characters", what=what, longest=LONGEST)
    if found := OUTSIDE.search(text):
        raise SealingError(
            "%(what)s has %(found)r at character %(found2)s: only characters 35 to 126 are allowed",
            what=what,
            found=found[0],
            found2=found.start() + 1,
        )
    return text
