"""Tiles (C2SP tlog-tiles v0.1.0): how a tree is cut into files of 256 hashes, and its entries into bundles of 256.

Tile N of level L holds the hashes of 256 neighbouring full subtrees of 256^L leaves. The last one of a level may be partial:
`.p/W` in its path says how many hashes it has. A path is read strictly: every tile has one path, and nothing else is one.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from arbitre.errors import LogError
from arbitre.records.log.entries import ENTRY_BYTES
from arbitre.records.log.tree import HASH_BYTES, LARGEST_TREE, Nodes, folded
from arbitre.values import value

HEIGHT = 8
WIDTH = 1 << HEIGHT

ENTRIES = -1
"""The level of bundles of entries, beside the tiles of level 0."""

MOST_LEVELS = 8
"""A tree of 2^62 leaves has no more levels of tiles."""

PATH = re.compile(r"tile/(?P<level>entries|[0-7])/(?P<number>(?:x[0-9]{3}/){0,6}[0-9]{3})(?:\.p/(?P<width>[1-9][0-9]{0,2}))?")


@value
class Tile:
    """One tile, or one bundle of entries; full unless its width is less than 256."""

    level: int
    number: int
    width: int = WIDTH

    @property
    def path(self) -> str:
        """Where it lies below the address of the log."""
        digits = f"{self.number:d}"
        digits = digits.zfill(-(-len(digits) // 3) * 3)
        *high, low = (digits[at : at + 3] for at in range(0, len(digits), 3))
        part = "" if self.width == WIDTH else f".p/{self.width}"
        return f"tile/{'entries' if self.level == ENTRIES else self.level}/{''.join(f'x{one}/' for one in high)}{low}{part}"

    @property
    def octets(self) -> int:
        """How long it is."""
        return self.width * (ENTRY_BYTES + 2 if self.level == ENTRIES else HASH_BYTES)

    def within(self, size: int) -> bool:
        """Tell whether a tree of this size has so much of the tile."""
        return (self.number * WIDTH + self.width) << HEIGHT * max(0, self.level) <= size


def read_path(path: str) -> Tile | None:
    """Return the tile of a path; None for anything else."""
    found = PATH.fullmatch(path)
    if found is None:
        return None
    level = ENTRIES if found["level"] == "entries" else int(found["level"])
    tile = Tile(level, int(found["number"].replace("x", "").replace("/", "")), int(found["width"] or WIDTH))
    return tile if tile.path == path and tile.within(LARGEST_TREE) else None


def tiles_of(size: int, level: int) -> Iterator[Tile]:
    """Return the tiles of one level of a tree, or its bundles of entries."""
    full, part = divmod(size >> HEIGHT * max(0, level), WIDTH)
    yield from (Tile(level, number) for number in range(full))
    if part:
        yield Tile(level, full, part)


def levels_of(size: int) -> int:
    """Return how many levels of tiles a tree has."""
    return next(level for level in range(MOST_LEVELS + 1) if not size >> HEIGHT * level)


Hashes: TypeAlias = Callable[[Tile], Sequence[bytes]]
"""Returns the hashes of a tile."""


def nodes_of(hashes: Hashes, size: int) -> Nodes:
    """Return the full subtrees of a tree of this size, as its tiles have them."""

    def node(level: int, index: int) -> bytes:
        tall, low = divmod(level, HEIGHT)
        number, at = divmod(index << low, WIDTH)
        width = min(WIDTH, (size >> HEIGHT * tall) - number * WIDTH)
        return folded(hashes(Tile(tall, number, width))[at : at + (1 << low)])

    return node


def bundled(entries: Sequence[bytes]) -> bytes:
    """Return a bundle: each entry behind its length."""
    return b"".join(len(one).to_bytes(2, "big") + one for one in entries)


def read_bundle(data: bytes, width: int) -> list[bytes]:
    """Return the entries of a bundle; `LogError` where it is not exactly so many."""
    found: list[bytes] = []
    at = 0
    while at < len(data) and len(found) <= width:
        end = at + 2 + int.from_bytes(data[at : at + 2], "big")
        found.append(data[at + 2 : end])
        at = end
    if at != len(data) or len(found) != width:
        raise LogError("a bundle of entries is not in form: %(width)s entries were to be there", width=width)
    return found


def read_tile(data: bytes, width: int) -> list[bytes]:
    """Return the hashes of a tile; `LogError` where there are not so many."""
    if len(data) != width * HASH_BYTES:
        raise LogError("a tile of %(octets)s octets where %(width)s hashes were to be", octets=len(data), width=width)
    return [data[at : at + HASH_BYTES] for at in range(0, len(data), HASH_BYTES)]
