"""The tables of the log: what waits to be numbered, the entries in their order, hashes of full tiles, and the newest checkpoint.

Tiles of level 0 are made of the entries when they are asked for; of the levels above one row holds the hash of one full tile
below, so a root, a proof or a tile takes a few hundred hashes at most, however large the tree is.
"""

from collections.abc import Sequence

from arbitre.errors import StoreError
from arbitre.records.backend import Execute
from arbitre.records.log.checkpoint import Checkpoint, read_checkpoint
from arbitre.records.log.entries import Entry, EntryKind
from arbitre.records.log.tiles import HEIGHT, WIDTH, Tile, nodes_of
from arbitre.records.log.tree import Nodes, folded, leaf_hash, tree_root
from arbitre.records.store import Store
from arbitre.values import value

AT_ONCE = 1 << 14
"""Entries that one transaction numbers; what is more waits for the next."""


def enter(store: Store, entry: Entry) -> None:
    """Queue an entry, in the same transaction as the step of the match that it follows from."""
    store.append("INSERT INTO log_pending (entry) VALUES (?)", (entry.octets(),))


@value
class Head:
    """The newest checkpoint of the tables, and the lineage that its origin ends with where a backup was restored."""

    lineage: str
    checkpoint: Checkpoint


class LogRows:
    """The tables, read and written by whatever executes statements: the store's reader, or a transaction."""

    def __init__(self, execute: Execute) -> None:
        self._execute = execute

    # ── reading ────────────────────────────────────────────────────────────────────────────────────────────────────

    def head(self) -> Head | None:
        """Return the newest checkpoint; None where the log has not begun. `StoreError` where the row contradicts itself."""
        rows = self._execute("SELECT origin, lineage, size, root, note FROM log_head WHERE id = 1", ())
        if not rows:
            return None
        origin, lineage, size, root, note = rows[0]
        found = read_checkpoint(str(note).encode())
        if (found.origin, *found.tree) != (origin, size, root):
            raise StoreError(
                "the checkpoint of the log is not the one of its row: bring back a backup (arbitre operator restore)"
            )
        return Head(lineage, found)

    def hashes(self, tile: Tile) -> Sequence[bytes]:
        """Return the hashes of a tile, as many as there are up to its width."""
        first = tile.number * WIDTH
        if tile.level == 0:
            return [leaf_hash(one) for one in self.entries(first, tile.width)]
        query = "SELECT hash FROM log_nodes WHERE level = ? AND number >= ? AND number < ? ORDER BY number"
        return [one for (one,) in self._execute(query, (tile.level, first, first + tile.width))]

    def entries(self, first: int, count: int) -> list[bytes]:
        """Return so many entries from one on, as far as there are some."""
        query = "SELECT entry FROM log_entries WHERE number >= ? AND number < ? ORDER BY number"
        return [one for (one,) in self._execute(query, (first, first + count))]

    def nodes(self, size: int) -> Nodes:
        """Return the full subtrees of the tree of a size."""
        return nodes_of(self.hashes, size)

    def root(self, size: int) -> bytes:
        """Return the root of the tree of a size."""
        return tree_root(self.nodes(size), 0, size)

    def find(self, kind: EntryKind, tag: bytes) -> int | None:
        """Return the index of the first entry of this kind with this tag; None where there is none."""
        prefix = bytes([kind]) + tag
        query = "SELECT min(number) FROM log_entries WHERE entry >= ? AND entry <= ?"
        found: int | None = self._execute(query, (prefix, prefix + b"\xff" * 32))[0][0]
        return found

    def waiting(self) -> int:
        """Return how many entries wait to be numbered."""
        count: int = self._execute("SELECT count(*) FROM log_pending", ())[0][0]
        return count

    def find_waiting(self, entry: bytes) -> bool:
        """Tell whether an entry waits to be numbered."""
        return bool(self._execute("SELECT 1 FROM log_pending WHERE entry = ? LIMIT 1", (entry,)))

    # ── writing: within one transaction ────────────────────────────────────────────────────────────────────────────

    def announce(self, entry: Entry) -> None:
        """Queue the entry of a successor behind everything that was queued, unless it is in the log, or waits."""
        if self.find(entry.kind, entry.tag) is None and not self.find_waiting(entry.octets()):
            self._execute("INSERT INTO log_pending (entry) VALUES (?)", (entry.octets(),))

    def number(self, size: int) -> int:
        """Give the entries that wait their numbers behind a tree of a size, write its hashes, and return the new size."""
        rows = self._execute("SELECT number, entry FROM log_pending ORDER BY number LIMIT ?", (AT_ONCE,))
        for index, (_, entry) in enumerate(rows, start=size):
            self._execute("INSERT INTO log_entries (number, entry) VALUES (?, ?)", (index, entry))
        if rows:
            self._execute("DELETE FROM log_pending WHERE number <= ?", (rows[-1][0],))
        new, level = size + len(rows), 1
        while new >> HEIGHT * level:
            for index in range(size >> HEIGHT * level, new >> HEIGHT * level):
                hashed = folded(self.hashes(Tile(level - 1, index)))
                self._execute("INSERT INTO log_nodes (level, number, hash) VALUES (?, ?, ?)", (level, index, hashed))
            level += 1
        return new

    def begin(self, head: Head) -> None:
        """Write the first checkpoint."""
        made = head.checkpoint
        values = (made.origin, head.lineage, made.size, made.root, made.note.whole())
        self._execute("INSERT INTO log_head (id, origin, lineage, size, root, note) VALUES (1, ?, ?, ?, ?, ?)", values)

    def replace(self, old: Checkpoint, head: Head) -> None:
        """Replace the newest checkpoint, which must be the old one still: of two sequencers one fails."""
        made = head.checkpoint
        values = (made.origin, head.lineage, made.size, made.root, made.note.whole(), old.size, old.origin)
        query = "UPDATE log_head SET origin = ?, lineage = ?, size = ?, root = ?, note = ? WHERE size = ? AND origin = ?"
        if not self._execute(query + " RETURNING id", values):
            raise StoreError("another process has written a checkpoint of the log")
