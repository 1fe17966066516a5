"""A copy of a log in a folder, laid as the log itself is: checkpoint, key, tiles, bundles of entries.

Only entries are fetched; tiles are computed from them. The checkpoint is written last, when everything below it fits its root,
so a copy that was interrupted is an older copy, whole. What an earlier checkpoint of the copy vouches for is not fetched
again.
"""

import os
from collections.abc import Callable
from pathlib import Path

from arbitre.errors import HouseError, LogForkError, refusal
from arbitre.records.log.checkpoint import read_checkpoint
from arbitre.records.log.note import LONGEST_NOTE, PLAIN, Verifier
from arbitre.records.log.reader import LONGEST_BUNDLE, FolderSource, LogReader
from arbitre.records.log.successors import LONGEST_KEYS
from arbitre.records.log.tiles import ENTRIES, WIDTH, Tile, bundled, nodes_of, read_bundle, read_tile, tiles_of
from arbitre.records.log.tree import folded, leaf_hash, tree_root


def mirror(reader: LogReader, folder: Path, told: Callable[[int], None] = lambda _: None) -> int:
    """Bring a copy up to date; return how many entries it has. `LogForkError` where they do not make the root that was signed."""
    made, copy = reader.checkpoint, FolderSource(folder)
    tiles, before = _Tiles(folder), copy.read("checkpoint", LONGEST_NOTE)
    known = 0 if before is None else read_checkpoint(before).size // WIDTH
    for tile in tiles_of(made.size, ENTRIES):
        kept = copy.read(tile.path, LONGEST_BUNDLE) if tile.number < known else None
        if kept is not None:
            entries = read_bundle(kept, tile.width)
        else:
            entries = reader.bundle(tile)
            _write(folder / tile.path, bundled(entries))
        tiles.add(0, [leaf_hash(one) for one in entries])
        told(tile.width)
    tiles.finish()
    nodes = nodes_of(lambda tile: read_tile(copy.read(tile.path, tile.octets) or b"", tile.width), made.size)
    if tree_root(nodes, 0, made.size) != made.root:
        raise LogForkError("the entries of %(where)s do not make the root that it signed", where=reader.source.where)
    _write(folder / "key", f"{Verifier(made.origin, PLAIN, reader.key).text}\n".encode())
    if stated := reader.source.read("keys", LONGEST_KEYS):
        _write(folder / "keys", stated)
    _write(folder / "checkpoint", made.note.whole().encode())
    return made.size


class _Tiles:
    """The tiles of a tree that grows, written as they fill up; of each level only the last one is kept."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: list[tuple[int, list[bytes]]] = []
        """Of each level the number of its last tile, and the hashes in it."""

    def add(self, level: int, hashes: list[bytes]) -> None:
        """Add hashes to a level: no more than one tile takes."""
        if level == len(self._open):
            self._open.append((0, []))
        number, held = self._open[level]
        held += hashes
        if len(held) == WIDTH:
            self._put(Tile(level, number), held)
            self._open[level] = (number + 1, [])
            self.add(level + 1, [folded(held)])

    def finish(self) -> None:
        """Write the partial tiles."""
        for level, (number, held) in enumerate(self._open):
            if held:
                self._put(Tile(level, number, len(held)), held)

    def _put(self, tile: Tile, hashes: list[bytes]) -> None:
        _write(self._folder / tile.path, b"".join(hashes))


def _write(path: Path, data: bytes) -> None:
    """Write a file at once or not at all."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(data)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise HouseError("cannot write %(path)s: %(strerror)s", path=path, strerror=refusal(error)) from None
