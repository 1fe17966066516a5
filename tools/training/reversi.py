"""The weights of Reversi: `tools/train reversi --out FOLDER`.

Reversi is learned from its end: of positions with twelve empty
cells or fewer the count of discs is exact; of all others a search four discs deep tells it with the weights of the next stage.
Each stage's weights are fitted to that by least squares. Positions come from games of the engine with itself after random
openings: in the first round it knows only how many moves each side has, then it plays by the weights of the round before.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from training.progress import Bar, begun_with

from arbitre.games import kernels

kernel: Any = kernels.load("reversi")
from arbitre.games.reversi.weights import FILE, packed, spread, table  # noqa: E402 - the kernel is compiled first

STAGES, STAGE, SPAN, NUMBER, DISC, MOST = (getattr(kernel, n) for n in ("STAGES", "STAGE", "SPAN", "NUMBER", "DISC", "MOST"))
CODES, MOVES, ENTRY, TABLE, BUCKET = (getattr(kernel, n) for n in ("CODES", "MOVES", "ENTRY", "TABLE", "BUCKET"))
NODES, ENDED, OFFSETS = (getattr(kernel, n) for n in ("NODES", "ENDED", "OFFSETS"))
begin, order, search, mobility, key_of = (getattr(kernel, n) for n in ("begin", "order", "search", "mobility", "key_of"))
load, store, code, number, count_bits = (getattr(kernel, n) for n in ("load", "store", "code", "number", "count_bits"))

COUNTED = 12
"""With so few empty cells a position is counted out."""
DEPTH = 4
CHUNK = 2_000
BUCKETS = 1 << 9
PARTS = 16
"""Into so many parts sums are split, whatever the number of jobs: floating-point sums depend on their order."""
RIDGE = 8.0
"""What keeps the weights of patterns that were hardly ever seen near nothing."""
STEPS, NEGLIGIBLE = 80, 1e-9
"""The fit ends after so many steps, or when so small a part is left of what there was: beyond, only rounding is fitted."""
ASIDE = 20
"""Every so many-th position is not fitted: the error on those is told."""
CARELESS = 10
"""Of a hundred moves of a game so many are random."""
OPENING = 30
"""A game begins with fewer random plies than this."""
SPOILT = 10
"""Of a hundred positions after a random move so many are kept: there the side to move is better off than after a good one, and a
search comes to positions after good moves."""

ZERO, ONE = np.uint64(0), np.uint64(1)


# ── compiled ───────────────────────────────────────────────────────────────────────────────────────────────────────


@njit("i8(u8,u8,i8)", nogil=True)
def drawn(seed, count, below):  # type: ignore[no-untyped-def]
    """Return the number of that count in a row of random ones, less than `below`."""
    return number(key_of(seed, count) >> np.uint64(20)) % below


@njit("void(i8,i8,u8,u8[:,:,:])", nogil=True)
def play(memory, weights, seed, boards):  # type: ignore[no-untyped-def]
    """Play games with oneself; keep one position of each stage of each."""
    count = ZERO
    wanted = np.zeros(STAGES, np.int64)
    for game in range(boards.shape[0]):
        for stage in range(STAGES):
            count += ONE
            wanted[stage] = 4 + STAGE * stage + drawn(seed, count, STAGE)
        count += ONE
        opening = 4 + drawn(seed, count, OPENING)
        spoilt = False
        own, foes = np.uint64(1 << 28 | 1 << 35), np.uint64(1 << 27 | 1 << 36)
        while True:
            moves = mobility(own, foes)
            if moves == ZERO and mobility(foes, own) == ZERO:
                break
            discs = count_bits(own | foes)
            stage = (discs - 4) // STAGE
            count += ONE
            if wanted[stage] == discs and (not spoilt or drawn(seed, count, 100) < SPOILT):
                wanted[stage] = 0
                boards[game, stage, 0], boards[game, stage, 1] = own, foes
            if moves == ZERO:
                own, foes = foes, own
                continue
            begin(memory, own, foes)
            listed = order(memory, weights, own, foes, moves, 0, 3, 0, MOVES, 64)
            count += np.uint64(2)
            best = MOVES + ENTRY * drawn(seed, count, listed)
            spoilt = discs < opening or drawn(seed, count - ONE, 100) < CARELESS
            if not spoilt:
                for entry in range(MOVES, MOVES + listed * ENTRY, ENTRY):
                    if load(memory, entry + 2) > load(memory, best + 2):
                        best = entry
            cell, turned = load(memory, best), load(memory, best + 1)
            own, foes = foes ^ turned, own | turned | ONE << cell


@njit("void(i8,i8,u8[:,:],i8,f4[:])", nogil=True)
def label(memory, weights, boards, depth, labels):  # type: ignore[no-untyped-def]
    """Search positions; the labels are discs."""
    for nth in range(boards.shape[0]):
        own, foes = boards[nth, 0], boards[nth, 1]
        empties = 64 - count_bits(own | foes)
        store(memory, NODES, ZERO)
        store(memory, ENDED, ZERO)
        for word in range(TABLE, TABLE + BUCKET * BUCKETS):  # what was found deeper would not be told from the same depth
            store(memory, word, ZERO)
        begin(memory, own, foes)
        deep = empties if empties <= COUNTED else depth
        labels[nth] = search(memory, weights, own, foes, 0, deep, -2 * MOST, 2 * MOST, 0, MOVES) / DISC


@njit("void(i8,u8[:,:],i8[:],i4[:,:])", nogil=True)
def read(memory, boards, kept, features):  # type: ignore[no-untyped-def]
    """Find which weights judge each position."""
    for nth in range(boards.shape[0]):
        begin(memory, boards[nth, 0], boards[nth, 1])
        for pattern in range(NUMBER):
            features[nth, pattern] = kept[OFFSETS[pattern] + code(memory, 4 * CODES + pattern)]


@njit("void(i4[:,:],f8[:],f8[:])", nogil=True)
def applied(features, vector, out):  # type: ignore[no-untyped-def]
    """Add the transposed times the matrix of features times a vector."""
    for nth in range(features.shape[0]):
        total = 0.0
        for pattern in range(NUMBER):
            total += vector[features[nth, pattern]]
        for pattern in range(NUMBER):
            out[features[nth, pattern]] += total


@njit("void(i4[:,:],f4[:],f8[:],f8[:])", nogil=True)
def gathered(features, labels, sums, counts):  # type: ignore[no-untyped-def]
    """Add the labels of each weight, and how often it was seen."""
    for nth in range(features.shape[0]):
        for pattern in range(NUMBER):
            sums[features[nth, pattern]] += labels[nth]
            counts[features[nth, pattern]] += 1.0


# ── the work ───────────────────────────────────────────────────────────────────────────────────────────────────────


class Training:
    """One run, its folder and its threads: the compiled functions hold no lock, so that each keeps a core busy."""

    def __init__(self, folder: Path, positions: int, rounds: int, seed: int, jobs: int) -> None:
        self.folder, self.positions, self.rounds, self.seed = folder, positions, rounds, seed
        self.pool = ThreadPoolExecutor(jobs)
        self.bar = Bar()
        self.own, _ = spread(kernel.SHAPES)
        self.size = int(self.own.max()) + 1
        begun_with(folder, {"positions": positions, "rounds": rounds, "seed": seed})

    def run(self) -> None:
        """Train round after round; write the weights."""
        kept = np.zeros((STAGES, self.size), np.int16)
        for nth in range(self.rounds):
            kept = self.one_round(nth, kept)
        (self.folder / FILE).write_bytes(packed(kept))
        size = (self.folder / FILE).stat().st_size
        print(f"{self.folder / FILE}: {size:,} octets, {self.bar.spent:.0f} s", file=sys.stderr)

    def one_round(self, nth: int, before: Any) -> Any:
        """Return the weights after a round; what is in the folder is not made again."""
        kept = before.copy()
        boards: Any = None
        for stage in reversed(range(STAGES)):
            path = self.folder / f"round-{nth + 1}-stage-{stage:02}.npy"
            if not path.exists():
                boards = self.played(nth, before) if boards is None else boards
                found, error = self.stage(boards[:, stage], kept, f"round {nth + 1}, stage {stage:2}")
                _save(path, found)
                with (self.folder / "errors.txt").open("a") as file:
                    print(f"round {nth + 1} stage {stage:2}: error {error:.2f} discs", file=file)
            kept[stage] = np.load(path)
        return kept

    def played(self, nth: int, kept: Any) -> Any:
        """Return the positions of a round: for each game one of each stage."""
        path = self.folder / f"round-{nth + 1}-positions.npy"
        if not path.exists():
            weights = table(kernel.SHAPES, kept)
            games = self.positions if nth == self.rounds - 1 else self.positions // 4
            boards = np.zeros((games, STAGES, 2), np.uint64)

            def part(first: int) -> None:
                memory = kernel.memory_for(1)
                seed = np.uint64(self.seed << 40 | nth << 32 | first)
                play(kernel.address(memory), kernel.address(weights), seed, boards[first : first + CHUNK])

            self.all(part, range(0, games, CHUNK), f"round {nth + 1}, games")
            _save(path, boards)
        return np.load(path)

    def stage(self, boards: Any, kept: Any, what: str) -> tuple[Any, float]:
        """Return the weights of a stage and their error."""
        boards = np.ascontiguousarray(boards[boards[:, 0] | boards[:, 1] != 0])
        weights = table(kernel.SHAPES, kept)
        labels = np.zeros(len(boards), np.float32)
        features = np.zeros((len(boards), NUMBER), np.int32)

        def part(first: int) -> None:
            memory = kernel.memory_for(BUCKETS)
            some = slice(first, first + CHUNK)
            label(kernel.address(memory), kernel.address(weights), boards[some], DEPTH, labels[some])
            read(kernel.address(memory), boards[some], self.own, features[some])

        self.all(part, range(0, len(boards), CHUNK), what)
        aside = np.arange(len(boards)) % ASIDE == 0
        fitted = self.fit(features[~aside], labels[~aside])
        error = fitted[features[aside]].sum(axis=1) - labels[aside]
        return np.clip(np.rint(fitted * DISC), -32767, 32767).astype(np.int16), float(np.sqrt((error**2).mean()))

    def fit(self, features: Any, labels: Any) -> Any:
        """Return the weights with the least squared error, by conjugate gradients; the more often seen, the larger the step."""
        cuts = np.array_split(np.arange(len(labels)), PARTS)
        parts = [(features[cut], labels[cut]) for cut in cuts if len(cut)]

        def summed(one: Callable[[Any, Any, Any], None], rows: int) -> Any:
            def made(part: Any) -> Any:
                out = np.zeros((rows, self.size))
                one(part[0], part[1], out)
                return out

            total = np.zeros((rows, self.size))
            for out in self.pool.map(made, parts):
                total += out
            return total

        rest, counts = summed(lambda some, told, out: gathered(some, told, out[0], out[1]), 2)
        scale = 1 / (counts + RIDGE)
        weights = np.zeros(self.size)
        step = scaled = scale * rest
        power = rest @ scaled
        enough = NEGLIGIBLE * power
        for _ in range(STEPS):
            if power <= enough:
                break
            image = summed(lambda some, _, out, step=step: applied(some, step, out[0]), 1)[0] + RIDGE * step
            length = power / (step @ image)
            weights = weights + length * step
            rest = rest - length * image
            scaled = scale * rest
            power, last = rest @ scaled, power
            step = scaled + power / last * step
        return weights

    def all(self, work: Callable[[int], None], items: Iterable[int], what: str) -> None:
        """Do all the parts of a work, and show how far it is."""
        listed = list(items)
        for done, _ in enumerate(self.pool.map(work, listed), start=1):
            self.bar.show(what, done, len(listed))


def _save(path: Path, array: Any) -> None:
    """Write a file whole or not at all."""
    new = path.with_suffix(".part")
    with new.open("wb") as file:
        np.save(file, array)
    new.replace(path)


def main(arguments: list[str]) -> None:
    """Read the arguments and train."""
    asked = argparse.ArgumentParser(
        prog="tools/train reversi", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("--out", type=Path, required=True, help="the folder to work in; the same one goes on with a run")
    asked.add_argument(
        "--positions", type=int, default=500_000, help="of each stage; the rounds before the last one make do with a quarter"
    )
    asked.add_argument("--rounds", type=int, default=2)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    told = asked.parse_args(arguments)
    Training(told.out, told.positions, told.rounds, told.seed, told.jobs).run()
