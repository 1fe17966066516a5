"""Reads GIFs, for tests of what writes them: every frame is decoded, as any viewer does it (GIF89a)."""

from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class Frame:
    """What is drawn at once: where, for how many hundredths of a second, and the indices of its points."""

    left: int
    top: int
    width: int
    height: int
    hundredths: int
    indices: bytes


@dataclass(frozen=True)
class Film:
    """A whole file."""

    width: int
    height: int
    palette: bytes
    frames: tuple[Frame, ...]

    def screens(self) -> list[bytes]:
        """Return what is seen after each frame."""
        screen, found = bytearray(self.width * self.height), []
        for one in self.frames:
            for row in range(one.height):
                at = (one.top + row) * self.width + one.left
                screen[at : at + one.width] = one.indices[row * one.width : (row + 1) * one.width]
            found.append(bytes(screen))
        return found


def read_gif(data: bytes) -> Film:
    """Return what a file shows; fail where it breaks the format."""
    assert data[:6] == b"GIF89a"
    assert data[10] == 0xF7, "one palette of 256 colours"
    at, hundredths, frames = 13 + 768, 0, []
    while data[at] != 0x3B:
        if data[at] == 0x21:
            if data[at + 1] == 0xF9:
                hundredths = int.from_bytes(data[at + 4 : at + 6], "little")
            at, _ = _blocks(data, at + 2)
            continue
        assert data[at] == 0x2C
        left, top, width, height = (int.from_bytes(data[at + n : at + n + 2], "little") for n in (1, 3, 5, 7))
        size = data[at + 10]
        at, body = _blocks(data, at + 11)
        frames.append(Frame(left, top, width, height, hundredths, _unpacked(body, size)))
        assert len(frames[-1].indices) == width * height
    assert at == len(data) - 1
    width, height = (int.from_bytes(data[n : n + 2], "little") for n in (6, 8))
    return Film(width, height, data[13 : 13 + 768], tuple(frames))


def _blocks(data: bytes, at: int) -> tuple[int, bytes]:
    """Return what stands in blocks, each behind its length, and where they end."""
    found = b""
    while data[at]:
        found += data[at + 1 : at + 1 + data[at]]
        at += 1 + data[at]
    return at + 1, found


def _unpacked(body: bytes, size: int) -> bytes:
    clear, out = 1 << size, bytearray()
    bits, at, width = int.from_bytes(body, "little"), 0, size + 1
    table: list[bytes] = []
    before = b""
    while True:
        code = bits >> at & ((1 << width) - 1)
        at += width
        if code == clear:
            table, width, before = [bytes([n]) for n in range(clear)] + [b"", b""], size + 1, b""
            continue
        if code == clear + 1:
            return bytes(out)
        said = table[code] if code < len(table) else before + before[:1]
        assert code <= len(table)
        if before and len(table) < 1 << 12:
            table.append(before + said[:1])
            if len(table) == 1 << width and width < 12:
                width += 1
        out += said
        before = said


def still(film: Film) -> int:
    """Count the frames that change nothing."""
    return sum(one == other for one, other in pairwise(film.screens()))
