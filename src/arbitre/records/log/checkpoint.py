"""Checkpoints (C2SP tlog-checkpoint v1.0.0) and proofs in a file (C2SP tlog-proof v1).

A checkpoint is a signed note of three lines: the origin, which names the log, the size of its tree, and its root. A proof that
can be checked without the log is an index, the hashes of an inclusion proof, and the checkpoint that they lead to.
"""

import re
from base64 import b64encode
from collections.abc import Sequence

from arbitre.crypto.keys import Key
from arbitre.errors import LogError, shorten
from arbitre.records.log.note import LONGEST_NOTE, Note, read_base64, read_note, sign
from arbitre.records.log.tree import HASH_BYTES, LARGEST_TREE, LONGEST_PROOF
from arbitre.values import value

PROOF = "c2sp.org/tlog-proof@v1"
LONGEST_PROOF_FILE = LONGEST_NOTE + 8_192
DECIMAL = re.compile(r"0|[1-9][0-9]{0,18}")
ORIGIN = re.compile(r"[^\s+]{1,255}")


@value
class Checkpoint:
    """What a log signed: its origin, how many entries it has, their root; `note` holds the signatures."""

    origin: str
    size: int
    root: bytes
    note: Note

    @property
    def tree(self) -> tuple[int, bytes]:
        """Size and root."""
        return self.size, self.root


def checkpoint_text(origin: str, size: int, root: bytes) -> str:
    """Return what is signed."""
    return f"{origin}\n{size}\n{b64encode(root).decode()}\n"


def sign_checkpoint(origin: str, size: int, root: bytes, key: Key) -> Checkpoint:
    """Return the checkpoint of a tree, signed by its log."""
    text = checkpoint_text(origin, size, root)
    return Checkpoint(origin, size, root, Note(text, (sign(text, origin, key),)))


def read_checkpoint(data: bytes) -> Checkpoint:
    """Return a checkpoint; `LogError` where it is not in form. Whether it is signed is `note.check`'s to say."""
    note = read_note(data)
    lines = note.text[:-1].split("\n")
    if len(lines) < 3 or not all(lines):
        raise LogError("a checkpoint has three lines at least: origin, size, root")
    origin, size, root = lines[:3]
    octets = read_base64(root)
    if not ORIGIN.fullmatch(origin):
        raise LogError("%(origin)r is no origin of a log", origin=shorten(origin))
    if octets is None or len(octets) != HASH_BYTES:
        raise LogError("%(root)r is no root of a tree", root=shorten(root))
    return Checkpoint(origin, read_count(size), octets, note)


def read_count(text: str) -> int:
    """Return a decimal number without leading zeros; `LogError` for anything else, and for more than any tree has."""
    if not DECIMAL.fullmatch(text) or int(text) > LARGEST_TREE:
        raise LogError("%(text)r is no size of a tree", text=shorten(text, 40))
    return int(text)


@value
class LogProof:
    """A proof that the entry with an index is in the tree of a checkpoint."""

    index: int
    hashes: tuple[bytes, ...]
    checkpoint: Checkpoint

    def text(self) -> str:
        """Return the file."""
        lines = [PROOF, f"index {self.index}", *hash_lines(self.hashes), "", self.checkpoint.note.whole()]
        return "\n".join(lines)


def hash_lines(hashes: Sequence[bytes]) -> list[str]:
    """Return hashes as lines of base64."""
    return [b64encode(one).decode() for one in hashes]


def read_hashes(lines: Sequence[str]) -> tuple[bytes, ...]:
    """Return the hashes of lines of base64; `LogError` where one is none, or where there are too many."""
    if len(lines) > LONGEST_PROOF:
        raise LogError("a proof with %(count)s hashes; the longest has %(most)s", count=len(lines), most=LONGEST_PROOF)
    found = [read_base64(line) for line in lines]
    for line, one in zip(lines, found, strict=True):
        if one is None or len(one) != HASH_BYTES:
            raise LogError("%(line)r is no hash of a proof", line=shorten(line))
    return tuple(one for one in found if one is not None)


def read_proof(data: bytes) -> LogProof:
    """Return the proof in a file; `LogError` where it is not in form."""
    if len(data) > LONGEST_PROOF_FILE:
        raise LogError("a proof of %(octets)s octets; the longest has %(most)s", octets=len(data), most=LONGEST_PROOF_FILE)
    head, blank, note = data.partition(b"\n\n")
    try:
        lines = head.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        raise LogError("the proof is not UTF-8") from None
    if not blank or lines.pop(0) != PROOF:
        raise LogError("no proof of a log: it begins with %(proof)s", proof=PROOF)
    if lines and lines[0].startswith("extra ") and read_base64(lines.pop(0).removeprefix("extra ")) is None:
        raise LogError("what is extra in a proof is base64")
    word, _, index = (lines.pop(0) if lines else "").partition(" ")
    if word != "index":
        raise LogError("a proof says which index it is for")
    return LogProof(read_count(index), read_hashes(lines), read_checkpoint(note))
