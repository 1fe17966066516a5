"""Signed notes (C2SP signed-note v1.0.0): a text, a blank line, and lines that sign it, by a log or by its witnesses.

A key has a name and signs in one of two ways: 1, Ed25519 over the text; 4, a witness's cosignature (C2SP tlog-cosignature),
Ed25519 over the text and a time. Which key signed is told by its name and by the first four octets of a hash of name and key.
Signatures of keys that we do not know are left alone; one that claims a key that we know and is false spoils the note.
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Iterable
from hashlib import sha256

from arbitre.crypto.keys import Key, signed
from arbitre.errors import LogError, LogForkError, shorten
from arbitre.values import value

PLAIN = 1
"""Signs the text."""
WITNESS = 4
"""Signs the text and the time."""

LONGEST_NOTE = 1 << 16
"""Octets of a note; room for a hundred witnesses."""

MOST_SIGNATURES = 128
LATEST = (1 << 63) - 1
NAME = re.compile(r"[^\s+]{1,255}")


@value
class Verifier:
    """A key that notes may be signed with: its name, how it signs, and the key itself."""

    name: str
    kind: int
    public: bytes

    @property
    def ident(self) -> bytes:
        """The four octets by which a signature names the key."""
        return sha256(self.name.encode() + b"\n" + bytes([self.kind]) + self.public).digest()[:4]

    @property
    def text(self) -> str:
        """The key in one line, as the format writes it."""
        return f"{self.name}+{self.ident.hex()}+{b64encode(bytes([self.kind]) + self.public).decode()}"


@value
class NoteSignature:
    """One signature under a note."""

    name: str
    ident: bytes
    octets: bytes

    def line(self) -> str:
        """Return the line, without its end."""
        return f"— {self.name} {b64encode(self.ident + self.octets).decode()}"


@value
class Note:
    """A text and the signatures under it; nothing is known of them before `check`."""

    text: str
    signatures: tuple[NoteSignature, ...]

    def whole(self) -> str:
        """Return the note as it is handed out."""
        return f"{self.text}\n" + "".join(f"{one.line()}\n" for one in self.signatures)


def sign(text: str, name: str, key: Key) -> NoteSignature:
    """Sign a text as a log."""
    verifier = Verifier(name, PLAIN, key.public)
    return NoteSignature(name, verifier.ident, key.sign(text.encode()))


def cosign(text: str, name: str, key: Key, at: int) -> NoteSignature:
    """Sign a text as a witness, who says when."""
    verifier = Verifier(name, WITNESS, key.public)
    return NoteSignature(name, verifier.ident, at.to_bytes(8, "big") + key.sign(_witnessed(text, at)))


def check(note: Note, verifier: Verifier) -> bool:
    """Tell whether the holder of a key signed a note; `LogForkError` where a signature that claims to be his is false."""
    found = False
    for one in note.signatures:
        if (one.name, one.ident) == (verifier.name, verifier.ident):
            if not _holds(note.text, one.octets, verifier):
                raise LogForkError("the signature of %(name)s under the checkpoint is false", name=shorten(one.name))
            found = True
    return found


def _holds(text: str, octets: bytes, verifier: Verifier) -> bool:
    if verifier.kind == PLAIN:
        return signed(verifier.public, text.encode(), octets)
    at = int.from_bytes(octets[:8], "big")
    return at <= LATEST and signed(verifier.public, _witnessed(text, at), octets[8:])


def _witnessed(text: str, at: int) -> bytes:
    return f"cosignature/v1\ntime {at}\n{text}".encode()


def read_note(data: bytes) -> Note:
    """Return the note in a text; `LogError` where it is not in form."""
    if len(data) > LONGEST_NOTE:
        raise LogError("a note of %(octets)s octets; the longest has %(most)s", octets=len(data), most=LONGEST_NOTE)
    try:
        whole = data.decode("utf-8")
    except UnicodeDecodeError:
        raise LogError("the note is not UTF-8") from None
    if any(one < " " and one != "\n" for one in whole):
        raise LogError("the note has control characters")
    text, blank, lines = whole.rpartition("\n\n")
    if not blank or not lines.endswith("\n") or not text:
        raise LogError("the note has no signatures below a blank line")
    return Note(text + "\n", read_signatures(lines))


def read_signatures(lines: str) -> tuple[NoteSignature, ...]:
    """Return the signatures of some lines."""
    found = lines.removesuffix("\n").split("\n")
    if len(found) > MOST_SIGNATURES:
        raise LogError("a note with %(count)s signatures; the most are %(most)s", count=len(found), most=MOST_SIGNATURES)
    return tuple(map(_signature, found))


def _signature(line: str) -> NoteSignature:
    dash, _, rest = line.partition(" ")
    name, _, text = rest.partition(" ")
    octets = read_base64(text)
    if dash != "—" or not NAME.fullmatch(name) or octets is None or len(octets) < 5:
        raise LogError("%(line)r is no signature of a note", line=shorten(line))
    return NoteSignature(name, octets[:4], octets[4:])


def read_verifier(text: str) -> Verifier:
    """Return the key of one line; `LogError` where it is none, or one that signs in a way that we do not know."""
    name, _, rest = text.strip().partition("+")
    ident, _, key = rest.partition("+")
    octets = read_base64(key)
    if not NAME.fullmatch(name) or octets is None or len(octets) != 33 or octets[0] not in (PLAIN, WITNESS):
        raise LogError("%(text)r is no key of a log or witness, NAME+ID+KEY with an Ed25519 key", text=shorten(text))
    verifier = Verifier(name, octets[0], octets[1:])
    if verifier.ident.hex() != ident:
        raise LogError("the key %(name)s is not the one that its number %(ident)r names", name=name, ident=shorten(ident, 20))
    return verifier


def read_base64(text: str) -> bytes | None:
    """Return the octets of standard base64 in its one canonical form; None for anything else."""
    try:
        octets = b64decode(text, validate=True)
    except ValueError:
        return None
    return octets if b64encode(octets).decode() == text else None


def merged(note: Note, more: Iterable[NoteSignature]) -> Note:
    """Return a note with further signatures, each key's once."""
    known = {(one.name, one.ident): one for one in (*note.signatures, *more)}
    return Note(note.text, tuple(known.values()))
