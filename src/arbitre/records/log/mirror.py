"""A copy of a log in a folder, laid as the log itself is: checkpoint, key, tiles, bundles of entries.

Only entries are fetched; tiles are computed from them. The checkpoint is written last, when everything below it fits its root,
so a copy that was interrupted is an older copy, whole. What is there already and full is not fetched again.
"""

import os
from collections.abc import Callable
from pathlib import Path

from arbitre.errors import HouseError, LogForkError, refusal
from arbitre.records.log.note import PLAIN, Verifier
from arbitre.records.log.reader import LONGEST_BUNDLE, FolderSource, LogReader
from arbitre.records.log.tiles import ENTRIES, WIDTH, Tile, bundled, levels_of, nodes_of, read_bundle, tiles_of
from arbitre.records.log.tree import folded, leaf_hash, tree_root


def mirror(reader: LogReader, folder: Path, told: Callable[[int], None] = lambda _: None) -> int:
    """Bring a copy up to date; return how many entries it has. `LogForkError` where they do not make the root that was signed."""
    made, copy = reader.checkpoint, FolderSource(folder)
    level: list[bytes] = []
    for tile in tiles_of(made.size, ENTRIES):
        entries = _kept(copy, tile)
        if entries is None:
            entries = reader.bundle(tile)
            _write(folder / tile.path, bundled(entries))
        level += [leaf_hash(one) for one in entries]
        told(tile.width)
    hashes: dict[tuple[int, int], list[bytes]] = {}
    for height in range(levels_of(made.size)):
        for tile in tiles_of(made.size, height):
            hashes[height, tile.number] = level[tile.number * WIDTH :][: tile.width]
            _write(folder / tile.path, b"".join(hashes[height, tile.number]))
        level = [folded(level[at : at + WIDTH]) for at in range(0, len(level) - WIDTH + 1, WIDTH)]
    root = tree_root(nodes_of(lambda tile: hashes[tile.level, tile.number], made.size), 0, made.size)
    if root != made.root:
        raise LogForkError("the entries of %(where)s do not make the root that it signed", where=reader.source.where)
    _write(folder / "key", f"{Verifier(made.origin, PLAIN, reader.key).text}\n".encode())
    _write(folder / "checkpoint", made.note.whole().encode())
    return made.size


def _kept(copy: FolderSource, tile: Tile) -> list[bytes] | None:
    """Return a full bundle that the copy has already."""
    data = copy.read(tile.path, LONGEST_BUNDLE) if tile.width == WIDTH else None
    return None if data is None else read_bundle(data, tile.width)


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
