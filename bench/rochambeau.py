"""What it costs to settle an election of a thousand to ten million parties.

The peer is the bare hashing of the same Commits, Reveals and tweaks: two calls of `hashlib.sha256` for each party, in one
process on one core, with nothing read, compared or counted. "The command" is `arbitre rochambeau settle FILE` as a user
starts it, with its start and the loading of the kernels; "settled" is the same work in a program that has loaded them. Aimed
at: a million parties within 1.5 times the bare hashing, which is a ratio of 0.67.

Brute force plays every pair: it is measured up to four thousand parties, and grows with their square. Ten million parties
are measured when `ARBITRE_BENCH_LARGE` is set; they take a gigabyte of disk.

![cost of settling](rochambeau.svg)
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from hashlib import sha256
from math import log10
from pathlib import Path
from random import Random
from time import perf_counter

from arbitre.elections import Opening, Terms, write_commit, write_reveal
from arbitre.elections.bulk import Steps, settle_source
from arbitre.elections.transcript import Entry, Header, open_source, write_compact, write_lines
from arbitre.games.rochambeau.rules import Sign, beats
from bench.table import ROOT, Row, wall

TERMS = Terms()
WITHIN = 1 / 1.5
CURVE = ROOT / "docs" / "figures" / "rochambeau.svg"


def sizes() -> list[int]:
    """Return the numbers of parties to measure."""
    return [10**3, 10**4, 10**5, 10**6] + ([10**7] if os.environ.get("ARBITRE_BENCH_LARGE") else [])


def parties(count: int) -> Iterator[Entry]:
    """Return honest parties; chance need not be good here."""
    random = Random(count)
    for number in range(count):
        opening = Opening(random.randbytes(32), random.randrange(1, TERMS.states))
        yield Entry(f"player{number}", write_commit(TERMS, opening), write_reveal(TERMS, opening))


def hashing(count: int) -> Callable[[], object]:
    """Return the bare hashing of so many parties, or of a million of them."""
    some = min(count, 10**6)
    messages = [os.urandom(36) for _ in range(some)] + [os.urandom(33) for _ in range(some)]

    def work() -> None:
        for message in messages:
            sha256(message).digest()

    return work


def settling(path: Path, steps: Steps = "auto") -> Callable[[], object]:
    """Return the settling of a file, in a program that has loaded everything."""

    def work() -> None:
        with open_source(path) as source:
            settle_source(source, steps)

    work()
    return work


def command(path: Path) -> Callable[[], object]:
    """Return the settling of a file as a user starts it."""
    words = [sys.executable, "-m", "arbitre", "rochambeau", "settle", str(path)]
    return lambda: subprocess.run(words, check=True, capture_output=True)


def shortest(*works: Callable[[], object], times: int = 5) -> list[float]:
    """Return the shortest time of each, taken in turns: what is left when nobody else uses the machine."""
    found = [1e9] * len(works)
    for _ in range(times):
        for index, work in enumerate(works):
            start = perf_counter()
            work()
            found[index] = min(found[index], perf_counter() - start)
    return found


def brute_force(count: int) -> float:
    """Return the seconds in which every pair of one round is played."""
    random = Random(count)
    states = [Sign(random.randrange(TERMS.states)) for _ in range(count)]

    def work() -> None:
        for one in states:
            sum(0 if one == two else 1 if beats(one, two, TERMS.states) else -1 for two in states)

    return shortest(work, times=1)[0]


def measure() -> Iterator[Row]:
    """Measure hashing in batches, each size in both forms, and brute force; draw the curve."""
    yield from _batches()
    curves: dict[str, list[tuple[int, float]]] = {"bare hashing": [], "settled": [], "the command": [], "brute force": []}
    with tempfile.TemporaryDirectory() as folder:
        for count in sizes():
            yield from _size(Path(folder), count, curves)
    for count in (1_000, 2_000, 4_000):
        curves["brute force"].append((count, brute_force(count)))
    CURVE.write_text(drawn(curves), encoding="utf-8")
    count, seconds = curves["brute force"][0]
    ours = dict(curves["settled"])[count]
    yield Row(f"{count:,} parties settled, against every pair", count / ours, "brute force", count / seconds)


def _size(folder: Path, count: int, curves: dict[str, list[tuple[int, float]]]) -> Iterator[Row]:
    aim = WITHIN if count == 10**6 else None
    bare = hashing(count)
    scale = max(1, count // 10**6)
    for form, write in (("lines", write_lines), ("compact", write_compact)):
        if count > 10**6 and form == "lines":
            continue
        path = folder / form
        with path.open("wb") as file:
            write(file, Header(TERMS), parties(count))
        limit, here, whole = shortest(bare, settling(path), command(path), times=3 if scale > 1 else 7)
        limit *= scale
        yield Row(f"{count:,} parties settled, {form}", count / here, "bare hashing", count / limit, aim)
        yield Row(f"{count:,} parties, {form}, the command", count / whole, "bare hashing", count / limit)
        if form == "compact":
            curves["bare hashing"].append((count, limit))
            curves["settled"].append((count, here))
            curves["the command"].append((count, whole))
        if count == 10**5 and form == "lines":
            limit, plain = shortest(bare, settling(path, "plain"))
            yield Row(f"{count:,} parties settled, {form}, without numba", count / plain, "bare hashing", count / limit)
        path.unlink()


def _batches() -> Iterator[Row]:
    try:
        import numpy as np  # noqa: PLC0415 - an extra

        from arbitre.crypto.lanes import sha256_many  # noqa: PLC0415 - an extra
    except ImportError:
        return
    count = 200_000
    data = np.frombuffer(os.urandom(36 * count), np.uint8)
    starts, long = np.arange(count) * 36, np.full(count, 36)
    messages = [bytes(data[at : at + 36]) for at in range(0, 36 * count, 36)]

    def one_by_one() -> int:
        for message in messages:
            sha256(message).digest()
        return count

    def together() -> int:
        sha256_many(data, starts, long)
        return count

    yield Row("SHA-256 of 36 octets, in batches on one core", wall(together), "hashlib, one by one", wall(one_by_one), 1.0)


# ── the curve ──────────────────────────────────────────────────────────────────────────────────────────────────────

WIDE, HIGH, LEFT, TOP = 560, 340, 64, 16
COLOURS = {"bare hashing": "#888888", "settled": "#1f6f43", "the command": "#1f4e8c", "brute force": "#a33b2a"}


def drawn(curves: dict[str, list[tuple[int, float]]]) -> str:
    """Draw seconds over parties, both in powers of ten."""
    low, high = -4, 4

    def at(count: float, seconds: float) -> tuple[float, float]:
        x = LEFT + (log10(count) - 3) / 4 * (WIDE - LEFT - 120)
        return x, TOP + (high - log10(seconds)) / (high - low) * (HIGH - TOP - 36)

    label = "seconds to settle an election, over the number of parties"
    frame = f'viewBox="0 0 {WIDE} {HIGH}" font-family="sans-serif" font-size="12" role="img" aria-label="{label}"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {frame}>']
    for power in range(3, 8):
        x, y = at(10**power, 10.0**low)
        parts.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{y:.1f}" stroke="#cccccc"/>')
        parts.append(
            f'<text x="{x:.1f}" y="{y + 18:.1f}" text-anchor="middle">10<tspan dy="-4" font-size="9">{power}</tspan></text>'
        )
    for power in range(low, high + 1, 2):
        x, y = at(10**3, 10.0**power)
        end, _ = at(10**7, 10.0**power)
        parts.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{end:.1f}" y2="{y:.1f}" stroke="#cccccc"/>')
        label = f"{10**power:,} s" if power >= 0 else f"{10**-power:,}⁻¹ s"
        parts.append(f'<text x="{x - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    for name, points in curves.items():
        line = " ".join("{:.1f},{:.1f}".format(*at(*point)) for point in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{COLOURS[name]}" stroke-width="2"/>')
        count, seconds = points[-1]
        if name == "brute force":
            # beyond what was measured it grows with the square
            far = [(10**power, seconds * (10**power / count) ** 2) for power in (4, 5)]
            dashed = " ".join("{:.1f},{:.1f}".format(*at(*point)) for point in [points[-1], *far])
            parts.append(f'<polyline points="{dashed}" fill="none" stroke="{COLOURS[name]}" stroke-dasharray="4 4"/>')
            count, seconds = far[-1]
        x, y = at(count, seconds)
        lift = {"settled": 12, "the command": -6}.get(name, 4)
        parts.append(f'<text x="{x + 8:.1f}" y="{y + lift:.1f}" fill="{COLOURS[name]}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])
