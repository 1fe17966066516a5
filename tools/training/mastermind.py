"""The tree of guesses of MasterMind, four pegs of eight colours: `tools/train mastermind --out FOLDER`.

A tree is as good as the guesses that it needs for all 4,096 codes together. For each set of codes that can still be right, every
guess is tried for how it parts the set; the most promising ones, by what sets of such sizes came to before, are searched
to the end, unless even the least that their parts can need is too much. Guesses that differ only by colours which no line has
shown, or which no code of the set has, are tried once. The wider the beam, the more guesses are searched.

One part of the work is one second guess after one answer to the first: what each came to is kept in the folder.
The tree depends on the beam alone, not on the number of jobs.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations
from math import log
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from training.progress import Bar

PEGS, COLOURS = 4, 8
CODES = COLOURS**PEGS
ANSWERS = 15
"""How many pegs are well placed and how many have a common colour, in a row: the last is a code found."""
WON = ANSWERS - 1
DEEPEST = 12
WIDEST = 256
MEMORY = 1 << 18
FIRSTS = ("ABCD", "AABC")
"""The shapes of a first guess that come into question; the others part the codes less well."""
LETTERS = "ABCDEFGH"


def written(code: int) -> str:
    """Return a code as letters."""
    return "".join(LETTERS[code // COLOURS**nth % COLOURS] for nth in range(PEGS))


def read(word: str) -> int:
    """Return the number of a code."""
    return sum(LETTERS.index(letter) * COLOURS**nth for nth, letter in enumerate(word))


@njit("void(u1[:,::1])", nogil=True)
def fill(answers):  # type: ignore[no-untyped-def]
    """Find the answer to each guess for each code."""
    for guess in range(CODES):
        for code in range(CODES):
            placed = 0
            common = 0
            for colour in range(COLOURS):
                one = two = 0
                for peg in range(PEGS):
                    shift = 3 * peg
                    here, there = guess >> shift & 7, code >> shift & 7
                    one += here == colour
                    two += there == colour
                    placed += here == colour and there == colour
                common += min(one, two)
            answers[guess, code] = common * (common + 1) // 2 + placed


@njit("i8(u2[::1],i8,i8,i8,u2[::1])", nogil=True)
def guesses(codes, start, size, seen, out):  # type: ignore[no-untyped-def]  # noqa: PLR0912 - compiled: it is quicker in one piece
    """List the guesses that are not the same but for colours: those that no line has shown, and those that no code has."""
    live = 0
    for nth in range(start, start + size):
        for peg in range(PEGS):
            live |= 1 << (codes[nth] >> 3 * peg & 7)
    dead = -1
    fresh = np.zeros(COLOURS, np.int64)
    count = 0
    for colour in range(COLOURS):
        if not live >> colour & 1:
            dead = colour if dead < 0 else dead
        elif not seen >> colour & 1:
            fresh[count] = colour
            count += 1
    found = 0
    for guess in range(CODES):
        used = 0
        good = True
        for peg in range(PEGS):
            colour = guess >> 3 * peg & 7
            if not live >> colour & 1:
                good = good and colour == dead
            elif not seen >> colour & 1:
                if used < count and fresh[used] == colour:
                    used += 1
                else:
                    known = False
                    for nth in range(used):
                        known = known or fresh[nth] == colour
                    good = good and known
        if good:
            out[found] = guess
            found += 1
    return found


@njit("i8(i8)", nogil=True)
def floor_of(size):  # type: ignore[no-untyped-def]
    """Return the least that so many codes can need: one at once, one for each other answer with the next guess, then the rest."""
    left, need, line, room = size, 0, 1, 1
    while left > 0:
        here = min(left, room)
        need += here * line
        left -= here
        line += 1
        room = room * (WON - 1)
    return need


@njit(
    "i8(u1[:,::1],u8[::1],i8[::1],i8[::1],i8[::1],u8[:,::1],u2[:,::1],u2[:,::1],i8[:,::1],i8,i8,i8,i8,i8,i8[::1])",
    nogil=True,
)
def solve(answers, marks, floors, hopes, widths, memory, arena, lists, chosen, level, start, size, seen, most, best):  # type: ignore[no-untyped-def]  # noqa: PLR0912, PLR0915 - as above
    """Return the guesses that the codes of a set need together, `most` or more if not fewer; the first guess goes to `best`."""
    codes = arena[level]
    best[0] = codes[start]
    if size == 1:
        return 1
    if size == 2:
        return 3
    key = np.uint64(0)
    for nth in range(start, start + size):
        key += marks[codes[nth]]
    slot = np.int64(key >> np.uint64(20)) % MEMORY
    if memory[slot, 0] == key and memory[slot, 1] == np.uint64(1) << np.uint64(63) | np.uint64(size):
        best[0] = np.int64(memory[slot, 3])
        return np.int64(memory[slot, 2])
    if floors[size] >= most or level + 1 >= arena.shape[0]:
        return most
    width = widths[size]
    row = chosen[level]
    kept = 0
    histogram = np.zeros(ANSWERS, np.int64)
    listed = guesses(codes, start, size, seen, lists[level])
    found = most
    for turn in range(2):
        for nth in range(size if turn == 0 else listed):
            guess = np.int64(codes[start + nth]) if turn == 0 else np.int64(lists[level, nth])
            histogram[:] = 0
            for other in range(start, start + size):
                histogram[answers[guess, codes[other]]] += 1
            own = histogram[WON]
            if turn == 1 and own:
                continue
            largest = 0
            least = size
            hope = size << 10
            for answer in range(WON):
                part = histogram[answer]
                largest = max(largest, part)
                least += floors[part]
                hope += hopes[part]
            if least >= found or largest == size:
                continue
            if largest <= 1:
                found = least
                best[0] = guess
                if turn == 0:
                    break
                continue
            if kept == width and hope >= row[3 * kept - 3]:
                continue
            kept += kept < width
            at = kept - 1
            while at > 0 and row[3 * at - 3] > hope:
                row[3 * at], row[3 * at + 1], row[3 * at + 2] = row[3 * at - 3], row[3 * at - 2], row[3 * at - 1]
                at -= 1
            row[3 * at], row[3 * at + 1], row[3 * at + 2] = hope, guess, least
        if found == 2 * size - 1:
            break
    below = arena[level + 1]
    starts = np.zeros(ANSWERS + 1, np.int64)
    inner = np.zeros(1, np.int64)
    for nth in range(kept):
        guess, least = row[3 * nth + 1], row[3 * nth + 2]
        if least >= found:
            continue
        starts[:] = 0
        for other in range(start, start + size):
            starts[answers[guess, codes[other]] + 1] += 1
        for answer in range(ANSWERS):
            starts[answer + 1] += starts[answer]
        for other in range(start, start + size):
            answer = answers[guess, codes[other]]
            below[starts[answer]] = codes[other]
            starts[answer] += 1
        shown = seen
        for peg in range(PEGS):
            shown |= 1 << (guess >> 3 * peg & 7)
        total = least
        begin = 0
        for answer in range(WON):
            part = starts[answer] - begin
            if part > 2:
                total -= floors[part]
                total += solve(
                    answers, marks, floors, hopes, widths, memory, arena, lists, chosen,
                    level + 1, begin, part, shown, found - total, inner,
                )  # fmt: skip
                if total >= found:
                    break
            begin = starts[answer]
        if total < found:
            found = total
            best[0] = guess
    if found < most:
        memory[slot, 0], memory[slot, 1] = key, np.uint64(1) << np.uint64(63) | np.uint64(size)
        memory[slot, 2], memory[slot, 3] = found, best[0]
    return found


BONUS = 0.7
"""What it is worth that a guess can be right, beside what its answer tells."""


@njit("i8(u1[:,::1],u2[::1],f8[::1])", nogil=True)
def sharpest(answers, codes, weights):  # type: ignore[no-untyped-def]
    """Return the guess whose answer tells most of codes that are hidden so often; one that can be right, if two tell as much."""
    best, least = -1, 0.0
    parts = np.zeros(ANSWERS)
    for guess in range(CODES):
        parts[:] = 0
        for code in codes:
            parts[answers[guess, code]] += weights[code]
        left = -BONUS * parts[WON]
        for answer in range(ANSWERS):
            if parts[answer] > 0.0:
                left += parts[answer] * np.log(parts[answer])
        if best < 0 or left < least - 1e-12:
            best, least = guess, left
    return best


# ── the work ───────────────────────────────────────────────────────────────────────────────────────────────────────

KNOTS = (
    (3, 1.70), (4, 1.84), (5, 1.90), (6, 1.95), (8, 2.04), (10, 2.14), (13, 2.27), (17, 2.38), (22, 2.48), (30, 2.60), (40, 2.71),
    (60, 2.99), (90, 3.10), (140, 3.29), (220, 3.47), (600, 4.00), (CODES, 5.02),
)  # fmt: skip
"""What a code of a set of so many needs on average: sets of a search with a narrow beam came to that."""
BEAM = 8
SEEDS = 0x9E3779B97F4A7C15


def hoped() -> Any:
    """Return what sets of each size are expected to need, in parts of 1,024."""
    sizes = np.arange(CODES + 1)
    means = np.interp(np.log(np.maximum(sizes, 1)), [log(size) for size, _ in KNOTS], [mean for _, mean in KNOTS])
    hopes = (1024 * sizes * means).astype(np.int64)
    hopes[:3] = 0, 1024, 3072
    return hopes


def beams(beam: int) -> Any:
    """Return how many guesses are searched for sets of each size: more where that costs little."""
    sizes = np.arange(CODES + 1)
    return np.minimum(np.where(sizes > 40, beam, np.where(sizes > 12, max(2, 2 * beam // 3), 3 * beam // 2 + 1)), WIDEST)


def images(first: str) -> list[tuple[tuple[int, ...], dict[str, str]]]:
    """Return the ways to exchange pegs and colours that leave the first guess as it is."""
    found = []
    for pegs in permutations(range(PEGS)):
        names: dict[str, str] = {}
        if all(names.setdefault(first[peg], letter) == letter for peg, letter in zip(pegs, first, strict=True)):
            found.append((pegs, names))
    return found


def least_image(guess: str, first: str) -> str:
    """Return the one guess that stands for all that are the same after the first, but for the names of things."""
    words = []
    for pegs, names in images(first):
        fresh = iter(letter for letter in LETTERS if letter not in first)
        named = dict(names)
        letters = [guess[peg] for peg in pegs]
        words.append("".join(named[letter] if letter in named else named.setdefault(letter, next(fresh)) for letter in letters))
    return min(words)


Part = tuple[str, int, str]
"""A first guess, the answer to it, and a second guess."""


class Training:
    """One run and its folder: the parts of the work that are done are lines of a file."""

    def __init__(self, folder: Path, firsts: list[str], beam: int, jobs: int) -> None:
        self.firsts, self.beam, self.jobs, self.bar = firsts, beam, jobs, Bar()
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.kept = folder / f"parts-{beam}.jsonl"
        self.answers = np.zeros((CODES, CODES), np.uint8)
        fill(self.answers)
        self.marks = np.random.default_rng(SEEDS).integers(0, 1 << 63, CODES, dtype=np.uint64)
        self.floors = np.array([floor_of(size) for size in range(CODES + 1)], np.int64)
        self.hopes, self.widths = hoped(), beams(beam)

    def run(self) -> None:
        """Search all parts that are not done; write the best tree."""
        done = self.done()
        pairs = [(first, answer) for first in self.firsts for answer in range(WON)]
        parts = [(*pair, guess) for pair in pairs for guess in self.seconds(*pair)]
        todo = [part for part in parts if part not in done]
        self.bar.show("trees", len(parts) - len(todo), len(parts))
        with ThreadPoolExecutor(self.jobs) as pool, self.kept.open("a") as file:
            for count, (part, tree) in enumerate(pool.map(self.part, todo), start=1):
                done[part] = tree
                print(json.dumps([*part, tree]), file=file, flush=True)
                self.bar.show("trees", len(parts) - len(todo) + count, len(parts))
        best = min((self.joined(first, parts, done) for first in self.firsts), key=lambda tree: tree[0])
        (self.folder / "tree.txt").write_text(" ".join(best[1]) + "\n")
        print(f"{self.folder / 'tree.txt'}: {best[0]:,} guesses for {CODES:,} codes", file=sys.stderr)
        hiding = Hiding(self.answers)
        shares, lines, alike = hiding.run(self.bar)
        told = ", ".join(f"{name} {share:.3f}" for name, share in zip(hiding.names, shares, strict=True))
        print(f"hide {told}: {lines:.3f} lines on average, {alike:.3f} with all codes alike", file=sys.stderr)

    def done(self) -> dict[Part, str]:
        """Return the parts of a run before this one; a line that was cut off is none."""
        found = {}
        for line in self.kept.read_text().splitlines() if self.kept.exists() else ():
            if line.endswith("]"):
                first, answer, guess, tree = json.loads(line)
                found[first, answer, guess] = tree
        return found

    def codes(self, first: str, answer: int) -> list[int]:
        """Return the codes that give this answer to the first guess."""
        return [int(code) for code in np.nonzero(self.answers[read(first)] == answer)[0]]

    def seconds(self, first: str, answer: int) -> list[str]:
        """Return the second guesses to search, the most promising first."""
        codes = self.codes(first, answer)
        if not codes:
            return []
        hopes: dict[str, int] = {}
        for guess in map(written, range(CODES)):
            if guess == least_image(guess, first):
                counts = np.bincount(self.answers[read(guess), codes], minlength=ANSWERS)
                if len(codes) < 3 and not counts[WON]:
                    continue
                hopes[guess] = int(self.hopes[counts[:WON]].sum())
        return sorted(hopes, key=lambda guess: (hopes[guess], guess))[: self.beam if len(codes) > 2 else 1]

    def part(self, part: Part) -> tuple[Part, str]:
        """Return the tree from a second guess on, as words in order."""
        first, answer, guess = part
        grower = Grower(self)
        return part, " ".join(grower.grow(self.codes(first, answer), {*first}, read(guess)))

    def joined(self, first: str, parts: list[Part], done: dict[Part, str]) -> tuple[int, list[str]]:
        """Return the best tree that begins with a guess, and how many guesses it needs."""
        total, words = CODES, [first]
        for answer in range(WON):
            codes = self.codes(first, answer)
            trees = [done[part].split() for part in parts if part[:2] == (first, answer)]
            needs = [(self.needs(codes, iter(tree)), tree) for tree in trees]
            if needs:
                need, tree = min(needs)
                total, words = total + need, words + tree
        return total, words

    def needs(self, codes: list[int], words: Iterator[str]) -> int:
        """Return how many guesses a tree needs for some codes."""
        if len(codes) <= 2:
            return 2 * len(codes) - 1
        guess = self.answers[read(next(words))]
        parts = [[code for code in codes if guess[code] == answer] for answer in range(WON)]
        return len(codes) + sum(self.needs(part, words) for part in parts if part)


class Grower:
    """Grows one part of a tree, with a memory of its own."""

    def __init__(self, run: Training) -> None:
        self.run = run
        self.known = (run.answers, run.marks, run.floors, run.hopes, run.widths, np.zeros((MEMORY, 4), np.uint64))
        self.arena = np.zeros((DEEPEST, CODES), np.uint16)
        self.room = np.zeros((DEEPEST, CODES), np.uint16), np.zeros((DEEPEST, 3 * WIDEST), np.int64)

    def grow(self, codes: list[int], seen: set[str], guess: int | None = None) -> list[str]:
        """Return the guesses for some codes in order: one's own, then those for each answer. One or two codes need no word."""
        if len(codes) <= 2:
            return []
        if guess is None:
            guess = self.best(codes, seen)
        words = [written(guess)]
        for answer in range(WON):
            part = [code for code in codes if self.run.answers[guess, code] == answer]
            words += self.grow(part, seen | {*words[0]})
        return words

    def best(self, codes: list[int], seen: set[str]) -> int:
        """Return the best guess that was found."""
        self.arena[0, : len(codes)] = codes
        best = np.zeros(1, np.int64)
        shown = sum(1 << LETTERS.index(letter) for letter in seen)
        solve(*self.known, self.arena, *self.room, 0, 0, len(codes), shown, 1 << 40, best)
        return int(best[0])


def counted(word: str) -> list[int]:
    """Return how often the colours of a code occur, the most frequent first."""
    return sorted((word.count(letter) for letter in {*word}), reverse=True)


class Hiding:
    """How often to hide codes of each shape, so that who knows it needs as many guesses as can be.

    Hider and guesser learn from each other in turn: the guesser takes at each step the guess that tells most when codes are
    hidden as the hider does; the hider hides the shapes more often that were found late so far. What the hider did on average
    is the result.
    """

    ROUNDS = 60
    STEP = 0.5

    def __init__(self, answers: Any) -> None:
        self.answers = answers
        words = [written(code) for code in range(CODES)]
        shapes = ["".join(letter * count for letter, count in zip(LETTERS, counted(word), strict=False)) for word in words]
        self.names = sorted({*shapes})
        self.shape = np.array([self.names.index(one) for one in shapes])
        self.sizes = np.bincount(self.shape)

    def lines(self, shares: Any) -> Any:
        """Return in which line each code is found by a guesser who knows how often each shape is hidden."""
        weights = (shares / self.sizes)[self.shape]
        found = np.zeros(CODES, np.int64)
        sets = [(np.arange(CODES, dtype=np.uint16), 1)]
        while sets:
            codes, line = sets.pop()
            guess = int(codes[np.argmax(weights[codes])]) if len(codes) < 3 else int(sharpest(self.answers, codes, weights))
            answers = self.answers[guess, codes]
            for answer in np.unique(answers):
                part = codes[answers == answer]
                if answer == WON:
                    found[part] = line
                else:
                    sets.append((part, line + 1))
        return found

    def run(self, bar: Bar) -> tuple[Any, float, float]:
        """Return the shares of the shapes, and the lines that their codes need: hidden so, and all codes alike."""
        late = np.zeros(len(self.names))
        mean = np.zeros(len(self.names))
        base = self.sizes / CODES
        for nth in range(1, self.ROUNDS + 1):
            shares = base * np.exp(self.STEP * late / np.sqrt(nth))
            shares /= shares.sum()
            late += np.bincount(self.shape, self.lines(shares)) / self.sizes - 5
            mean += shares
            bar.show("hiding", nth, self.ROUNDS)
        mean /= self.ROUNDS
        return mean, self.needed(mean), self.needed(base)

    def needed(self, shares: Any) -> float:
        """Return how many lines codes hidden so need on average."""
        return float(shares @ (np.bincount(self.shape, self.lines(shares)) / self.sizes))


def main(arguments: list[str]) -> None:
    """Read the arguments and search."""
    asked = argparse.ArgumentParser(
        prog="tools/train mastermind", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("--out", type=Path, required=True, help="the folder to work in; the same one goes on with a run")
    asked.add_argument("--beam", type=int, default=BEAM, help="guesses that are searched for a set of codes")
    asked.add_argument("--first", action="append", metavar="CODE", help="a first guess to search, again for others")
    asked.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    told = asked.parse_args(arguments)
    Training(told.out, told.first or [*FIRSTS], told.beam, told.jobs).run()
