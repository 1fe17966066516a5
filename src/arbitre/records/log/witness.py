"""A witness of logs (C2SP tlog-witness): signs the newest checkpoint of a log if it extends the last one that it signed.

Whoever asks for the witness's signature under a checkpoint sees the tree that everybody sees who asks for it: a log that shows
two trees finds the witness refusing one of them. What was signed is on the disk before the answer leaves, and looking at the
last one and replacing it is one step.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from threading import Lock
from time import time

from arbitre.crypto.keys import Key
from arbitre.errors import HouseError, LogError, LogForkError, refusal
from arbitre.records.heads import replace
from arbitre.records.locks import FileLock
from arbitre.records.log.checkpoint import Checkpoint, hash_lines, read_checkpoint, read_count, read_hashes
from arbitre.records.log.note import LONGEST_NOTE, WITNESS, NoteSignature, Verifier, check, cosign, merged, read_signatures
from arbitre.records.log.tree import EMPTY, extends
from arbitre.values import value

LONGEST_REQUEST = LONGEST_NOTE + 8_192
SIZE = "text/x.tlog.size"
TEXT = "text/plain"


@value
class WitnessAnswer:
    """What a witness answers: a status of HTTP, what kind of text, and the text."""

    status: int
    text: str
    kind: str = TEXT


class Witness:
    """A witness with its name, its key and the logs it watches; what it signed last lies in a folder."""

    def __init__(self, folder: Path, name: str, key: Key, logs: Sequence[Verifier], now: Callable[[], float] = time) -> None:
        self._folder = folder
        self._name = name
        self._key = key
        self._logs = {one.name: one for one in logs}
        self._now = now
        self._lock = Lock()

    @property
    def verifier(self) -> Verifier:
        """The key that its signatures are checked with."""
        return Verifier(self._name, WITNESS, self._key.public)

    def add(self, body: bytes) -> WitnessAnswer:
        """Answer `add-checkpoint`."""
        try:
            old, proof, new = read_request(body)
        except LogError as error:
            return WitnessAnswer(400, f"{error}\n")
        log = self._logs.get(new.origin)
        if log is None:
            return WitnessAnswer(404, "this witness does not watch that log\n")
        try:
            if not check(new.note, log):
                return WitnessAnswer(403, "the checkpoint is not signed by its log\n")
        except LogForkError as error:
            return WitnessAnswer(403, f"{error}\n")
        if old > new.size:
            return WitnessAnswer(400, "the old size is larger than the new one\n")
        with self._alone():
            return self._judged(old, proof, new)

    def _judged(self, old: int, proof: Sequence[bytes], new: Checkpoint) -> WitnessAnswer:
        last = self.seen(new.origin)
        size, root = (0, EMPTY) if last is None else last.tree
        if old != size:
            return WitnessAnswer(409, f"{size}\n", SIZE)
        if not extends(size, root, *new.tree, proof) or (not new.size and new.root != EMPTY):
            return WitnessAnswer(422, "the checkpoint does not extend the last one\n")
        made = cosign(new.note.text, self._name, self._key, int(self._now()))
        replace(self._path(new.origin), merged(new.note, [made]).whole())
        return WitnessAnswer(200, f"{made.line()}\n")

    def seen(self, origin: str) -> Checkpoint | None:
        """Return the last checkpoint of a log that was signed, with the signature; None where there is none."""
        return self._read(self._path(origin))

    def monitored(self, digest: str) -> WitnessAnswer:
        """Answer who asks for the last checkpoint of a log by the hash of its origin."""
        for origin in self._logs:
            found = self.seen(origin) if sha256(origin.encode()).hexdigest() == digest else None
            if found is not None:
                return WitnessAnswer(200, found.note.whole())
        return WitnessAnswer(404, "this witness has signed no such log\n")

    def _path(self, origin: str) -> Path:
        return self._folder / f"{sha256(origin.encode()).hexdigest()}.checkpoint"

    def _read(self, path: Path) -> Checkpoint | None:
        try:
            with path.open("rb") as file:
                return read_checkpoint(file.read(LONGEST_NOTE + 1))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise HouseError("cannot read %(path)s: %(strerror)s", path=path, strerror=refusal(error)) from None

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other threads, and other processes with the same folder, out."""
        with self._lock:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with FileLock(self._folder / "lock"):
                yield


def write_request(old: int, proof: Sequence[bytes], checkpoint: Checkpoint) -> bytes:
    """Return what a log sends to a witness."""
    return "\n".join([f"old {old}", *hash_lines(proof), "", checkpoint.note.whole()]).encode()


def read_request(body: bytes) -> tuple[int, tuple[bytes, ...], Checkpoint]:
    """Return old size, proof and checkpoint of what a log sends; `LogError` where it is not in form."""
    if len(body) > LONGEST_REQUEST:
        raise LogError("a request of %(octets)s octets; the longest has %(most)s", octets=len(body), most=LONGEST_REQUEST)
    head, blank, note = body.partition(b"\n\n")
    first, *rest = head.decode("utf-8", "replace").split("\n")
    word, _, size = first.partition(" ")
    if not blank or word != "old":
        raise LogError("a request to a witness begins with the old size and has a checkpoint below a blank line")
    return read_count(size), read_hashes(rest), read_checkpoint(note)


def read_cosignatures(data: bytes, checkpoint: Checkpoint, witness: Verifier) -> tuple[NoteSignature, ...]:
    """Return the signatures of a witness in its answer; `LogError` where none of them is his, or one is false."""
    found = read_signatures(data[:LONGEST_NOTE].decode("utf-8", "replace"))
    ours = tuple(one for one in found if (one.name, one.ident) == (witness.name, witness.ident))
    if not check(type(checkpoint.note)(checkpoint.note.text, ours), witness):
        raise LogError("the witness %(name)s answers without a signature of his", name=witness.name)
    return ours
