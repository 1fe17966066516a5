"""Reads a log as a doubter does: nothing that it hands out is believed before it fits a signed root.

A checkpoint must be signed by the log's key, carry the cosignatures of the witnesses that were asked for, and extend the
checkpoint that was seen last. Proofs are made from tiles, or handed out by the log; either way they are checked against that
root.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from arbitre.errors import LogError, LogForkError, LogMissingError, refusal
from arbitre.records.log.checkpoint import LONGEST_PROOF_FILE, Checkpoint, LogProof, read_checkpoint, read_proof
from arbitre.records.log.entries import Entry
from arbitre.records.log.memory import SeenLogs
from arbitre.records.log.note import LONGEST_NOTE, PLAIN, Verifier, check
from arbitre.records.log.tiles import ENTRIES, WIDTH, Hashes, Tile, nodes_of, read_bundle, read_tile, tiles_of
from arbitre.records.log.tree import consistency_proof, extends, includes, inclusion_proof, leaf_hash, node_hash

LONGEST_BUNDLE = WIDTH * (2 + (1 << 16))
"""A bundle of the longest entries that the format allows; ours are shorter."""

TILES_KEPT = 512

MOST_ENTRIES = 1 << 24
"""A log of more entries is not read as a whole: who keeps something of each needs memory for it."""


class Source(Protocol):
    """Where a log is read: an address, or a folder with a copy of it."""

    @property
    def where(self) -> str:
        """What people call it."""

    def read(self, path: str, most: int) -> bytes | None:
        """Return what lies at a path, None where nothing does; `LogError` where it has more octets."""


class FolderSource:
    """A folder with a copy of a log."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def where(self) -> str:
        """The folder."""
        return str(self.folder)

    def read(self, path: str, most: int) -> bytes | None:
        """Return a file below the folder."""
        try:
            with (self.folder / path).open("rb") as file:
                data = file.read(most + 1)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
        except OSError as error:
            raise LogError("cannot read %(path)s: %(why)s", path=self.folder / path, why=refusal(error)) from None
        if len(data) > most:
            raise LogError("%(path)s is longer than %(most)s octets", path=self.folder / path, most=most)
        return data


class LogReader:
    """A log that is read from somewhere, under the key that it must have."""

    def __init__(self, source: Source, key: bytes, memory: SeenLogs | None = None, witnesses: Sequence[Verifier] = ()) -> None:
        self.source = source
        self.key = key
        self._memory = memory
        self._witnesses = witnesses
        self._pinned: Checkpoint | None = None
        self.hashes: Hashes = lru_cache(TILES_KEPT)(self._hashes)

    # ── checkpoints ────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def checkpoint(self) -> Checkpoint:
        """The checkpoint that was accepted; read and judged when it is first asked for."""
        return self._pinned or self.advance()

    def advance(self) -> Checkpoint:
        """Read the newest checkpoint and accept it; `LogForkError` where it does not extend what was seen before."""
        with nullcontext() if self._memory is None else self._memory.locked():  # nobody sees a newer one meanwhile
            data = self.source.read("checkpoint", LONGEST_NOTE)
            if data is None:
                raise LogError("there is no log at %(where)s: it has no checkpoint", where=self.source.where)
            return self._accept(read_checkpoint(data))

    def _accept(self, checkpoint: Checkpoint) -> Checkpoint:
        """Take a checkpoint for true if it is signed and extends the one that was seen last, and remember it."""
        self._signed(checkpoint)
        seen = self._pinned if self._memory is None else self._memory.seen(self.key)
        if seen is not None:
            self._extends(seen, checkpoint)
        if self._memory is not None and seen != checkpoint:
            self._memory.remember(self.key, checkpoint)
        self._pinned = checkpoint
        return checkpoint

    def _signed(self, checkpoint: Checkpoint) -> None:
        if not check(checkpoint.note, Verifier(checkpoint.origin, PLAIN, self.key)):
            raise LogForkError(
                "the checkpoint at %(where)s is not signed with the key of the log, %(key)s…",
                where=self.source.where,
                key=self.key.hex()[:16],
            )
        for witness in self._witnesses:
            if not check(checkpoint.note, witness):
                raise LogMissingError("the witness %(name)s has not signed the checkpoint", name=witness.name)

    def _extends(self, old: Checkpoint, new: Checkpoint) -> None:
        """Refuse a checkpoint that does not extend an older one."""
        if new.tree == old.tree:
            return
        if new.size < old.size:
            why = "%(where)s shows %(new)s entries, and showed %(old)s before: it has forgotten some, or this is an old copy"
            raise self._accusation(why, old, new)
        if not extends(*old.tree, *new.tree, self._consistency(old.size, new.size)):
            why = "%(where)s shows another tree than before: its %(new)s entries do not begin with the %(old)s that were seen"
            raise self._accusation(why, old, new)

    def _accusation(self, why: str, old: Checkpoint, new: Checkpoint) -> LogForkError:
        error = LogForkError(why, where=self.source.where, new=new.size, old=old.size)
        if new.origin != old.origin:
            anew = "%(where)s began anew as %(origin)s: of the %(old)s entries that were seen as %(former)s some may be gone"
            error = LogForkError(anew, where=self.source.where, origin=new.origin, old=old.size, former=old.origin)
        if self._memory is not None:
            error.evidence = str(self._memory.accuse(self.key, old, new))
        return error

    def _consistency(self, old: int, new: int) -> list[bytes]:
        return consistency_proof(nodes_of(self.hashes, new), old, new)

    # ── tiles and entries ──────────────────────────────────────────────────────────────────────────────────────────

    def _hashes(self, tile: Tile) -> list[bytes]:
        return read_tile(self._octets(tile, tile.octets), tile.width)

    def bundle(self, tile: Tile) -> list[bytes]:
        """Return the entries of a bundle, as they were handed out."""
        return read_bundle(self._octets(tile, LONGEST_BUNDLE), tile.width)

    def _octets(self, tile: Tile, most: int) -> bytes:
        """Return a tile, or as much of the full one as is wanted: a log may drop a partial tile when the full one is there."""
        data = self.source.read(tile.path, most)
        if data is None and tile.width < WIDTH:
            whole = self.source.read(Tile(tile.level, tile.number).path, LONGEST_BUNDLE)
            if whole is not None:
                data = whole[:most] if tile.level != ENTRIES else _shortened(whole, tile.width)
        if data is None:
            raise LogForkError(
                "%(where)s has no %(path)s, though its checkpoint needs it", where=self.source.where, path=tile.path
            )
        return data

    def entries(self, told: Callable[[int], None] = lambda _: None) -> Iterator[bytes]:
        """Return all entries of the accepted tree; `LogForkError` behind the last where they do not make its root."""
        made, stack = self.checkpoint, list[tuple[int, bytes]]()
        if made.size > MOST_ENTRIES:
            raise LogError(
                "%(where)s has %(size)s entries; a log of more than %(most)s is not read as a whole",
                where=self.source.where,
                size=made.size,
                most=MOST_ENTRIES,
            )
        for tile in tiles_of(made.size, ENTRIES):
            for entry in self.bundle(tile):
                stack.append((0, leaf_hash(entry)))
                while len(stack) > 1 and stack[-1][0] == stack[-2][0]:
                    (level, left), (_, right) = stack[-2:]
                    stack[-2:] = [(level + 1, node_hash(left, right))]
                yield entry
            told(tile.width)
        root = stack.pop()[1] if stack else made.root
        while stack:
            root = node_hash(stack.pop()[1], root)
        if root != made.root:
            raise LogForkError("the entries of %(where)s do not make the root that it signed", where=self.source.where)

    # ── proofs ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def proof(self, match: str, entry: Entry) -> LogProof:
        """Return a proof that an entry of a match is in the tree, checked; `LogMissingError` where it is not there."""
        data = self.source.read(f"proof/{match}.{entry.kind.word}", LONGEST_PROOF_FILE)
        if data is None:
            raise LogMissingError(
                "%(where)s does not hold the match %(match)s as %(kind)s",
                where=self.source.where,
                match=match,
                kind=entry.kind.said,
            )
        found = read_proof(data)
        self.accept_proof(found, entry)
        return found

    def accept_proof(self, proof: LogProof, entry: Entry) -> None:
        """Check a proof that somebody hands out, and its checkpoint."""
        made = proof.checkpoint
        if not self.holds(proof, entry):
            raise LogMissingError(
                "what %(where)s proves is not that this match was %(kind)s", where=self.source.where, kind=entry.kind.said
            )
        if made.size > self.checkpoint.size:
            self.advance()  # the proof is of a moment later than our last look
        pinned = self.checkpoint
        if made.tree != pinned.tree and not extends(*made.tree, *pinned.tree, self._consistency(made.size, pinned.size)):
            why = "%(where)s shows two trees at once, of %(new)s and of %(old)s entries"
            raise self._accusation(why, pinned, made)

    def holds(self, proof: LogProof, entry: Entry) -> bool:
        """Tell whether a proof shows that an entry is in the tree of its checkpoint, which must be signed."""
        made = proof.checkpoint
        self._signed(made)
        return includes(made.root, made.size, proof.index, leaf_hash(entry.octets()), proof.hashes)

    def located(self, index: int, entry: Entry) -> LogProof:
        """Return the proof for an entry that was found at an index, made from tiles and checked."""
        made = self.checkpoint
        hashes = tuple(inclusion_proof(nodes_of(self.hashes, made.size), index, made.size))
        found = LogProof(index, hashes, made)
        if not includes(made.root, made.size, index, leaf_hash(entry.octets()), hashes):
            raise LogForkError("the tiles of %(where)s do not make the root that it signed", where=self.source.where)
        return found


def _shortened(bundle: bytes, width: int) -> bytes:
    at = 0
    for _ in range(width):
        at += 2 + int.from_bytes(bundle[at : at + 2], "big")
    return bundle[:at]
