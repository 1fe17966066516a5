"""The weights of the Reversi engine: kept small in the package, spread out once for the kernel.

A shape is symmetric, and what is seen in its mirror is worth the same: so only one weight is kept of each such pair of codes,
as short integers in parts of a disc, compressed. The kernel has two tables for each stage, one as the root's side sees the codes
and one as the other side does, for whom the digits 1 and 2 are exchanged. `tools/train reversi` makes the file.
"""

import lzma
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

FILE = "weights.xz"
FILTERS: list[dict[str, int]] = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 0, "lp": 1, "pb": 1}]

Codes = NDArray[np.int64]
Weights = NDArray[np.int16]


def digits(size: int) -> NDArray[np.int64]:
    """Return the digits to the base three of all codes of so many cells, the lowest first."""
    codes = np.arange(3**size)
    return np.stack([codes // 3**nth % 3 for nth in range(size)], axis=1)


def mirror(names: str) -> list[int]:
    """Return where each cell of a shape goes when the shape is mirrored onto itself."""
    cells = [("ABCDEFGH".index(name[0]), int(name[1]) - 1) for name in names.split()]
    for image in (
        [(row, column) for column, row in cells],
        [(7 - column, row) for column, row in cells],
        [(7 - row, 7 - column) for column, row in cells],
    ):
        if image != cells and set(image) == set(cells):
            return [cells.index(cell) for cell in image]
    raise AssertionError(f"{names} is not symmetric")


@cache
def spread(shapes: tuple[str, ...]) -> tuple[Codes, Codes]:
    """Return, for all codes of all shapes in a row, which kept weight is theirs: as the root's side sees them, and the other."""
    own, other = [], []
    kept = 0
    for names in shapes:
        size = len(names.split())
        read = digits(size)
        powers = 3 ** np.arange(size)
        codes = np.arange(3**size)
        least = np.minimum(codes, read[:, mirror(names)] @ powers)
        found, which = np.unique(least, return_inverse=True)
        own.append(kept + which)
        other.append((kept + which)[(read * 2 % 3) @ powers])
        kept += len(found)
    return np.concatenate(own), np.concatenate(other)


def table(shapes: tuple[str, ...], kept: Weights) -> Weights:
    """Return the weights as the kernel reads them: for each stage, for either side, one for each code."""
    own, other = spread(shapes)
    return np.ascontiguousarray(np.stack([kept[:, own], kept[:, other]], axis=1)).reshape(-1)


def packed(kept: Weights) -> bytes:
    """Return weights as the file has them."""
    return lzma.compress(kept.astype("<i2").tobytes(), format=lzma.FORMAT_XZ, filters=FILTERS)


def unpacked(content: bytes, stages: int) -> Weights:
    """Return the weights of a file, a row for each stage."""
    return np.frombuffer(lzma.decompress(content), dtype="<i2").astype(np.int16).reshape(stages, -1)


@cache
def loaded(kernel: Any) -> Weights:
    """Return the weights of the package, as the kernel reads them."""
    return table(kernel.SHAPES, unpacked(files(__package__).joinpath(FILE).read_bytes(), kernel.STAGES))
