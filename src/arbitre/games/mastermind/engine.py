"""House players of MasterMind: all guess codes that can be right; the better ones choose the guess that tells most.

A code is kept as one integer: low bits say which colour is on which peg, high bits how often each colour occurs, in unary. So the
common bits of two codes are their marks: the low ones are pegs well placed, the high ones pegs of a common colour.
"""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count, islice, product
from math import log2
from random import Random
from typing import ClassVar, NewType

from arbitre.games.engine import Budget, Engine, favourite
from arbitre.games.game import Seat, other
from arbitre.games.mastermind.rules import COLOURS, Code, MasterMind, Sight
from arbitre.games.player import Position

Pegs = NewType("Pegs", int)
"""A code as bits."""

WIDTH = 6
"""Pegs at most, and bits for each colour: both halves are fields of so many bits, one for each colour."""
HIGH = WIDTH * len(COLOURS)
LOW = (1 << HIGH) - 1

Marks = tuple[Pegs, int, int]
"""A guess with how many of its pegs are well placed and how many have a common colour."""


def laid(code: Code) -> Pegs:
    """Return a code as bits."""
    bits = 0
    for peg, letter in enumerate(code):
        bits = add(bits, peg, COLOURS.index(letter))
    return Pegs(bits)


def add(bits: int, peg: int, colour: int) -> int:
    """Return a part of a code with one more peg: the unary number of its colour grows by one bit."""
    field = HIGH + WIDTH * colour
    count = bits >> field & (1 << WIDTH) - 1
    return bits | 1 << WIDTH * colour + peg | (count + 1) << field


def written(bits: Pegs, pegs: int) -> Code:
    """Return a code as letters."""
    return Code("".join(next(COLOURS[n] for n in range(len(COLOURS)) if bits >> WIDTH * n + peg & 1) for peg in range(pegs)))


def fitting(game: MasterMind, lines: Sequence[Marks], random: Random, budget: Budget) -> Iterator[Pegs]:
    """List the codes that would have got these marks: peg by peg, a code from each beginning in turn, in random order.

    So the first few hundred are spread over all, where there are more than one can list. The list ends early when time is up.
    """

    def grow(bits: int, peg: int) -> Iterator[Pegs]:
        left = game.pegs - peg
        for guess, placed, common in lines:
            shared = bits & guess
            here = (shared & LOW).bit_count()
            if not (here <= placed <= here + left and 0 <= common - (shared >> HIGH).bit_count() <= left):
                return
        if left:
            for colour in random.sample(range(game.colours), game.colours):
                yield from grow(add(bits, peg, colour), peg + 1)
        else:
            yield Pegs(bits)

    pairs = [add(add(0, 0, one), 1, two) for one, two in product(range(game.colours), repeat=2)]
    random.shuffle(pairs)
    branches = deque(grow(bits, 2) for bits in pairs)
    while branches and not budget.spent:
        branch = branches.popleft()
        for code in branch:
            yield code
            branches.append(branch)
            break


def fresh(game: MasterMind, seen: Sequence[int], random: Random) -> Iterator[Pegs]:
    """List the guesses that differ by more than the names of colours that no line has shown yet."""
    unseen = [colour for colour in range(game.colours) if colour not in seen]
    random.shuffle(unseen)

    def grow(bits: int, peg: int, used: int) -> Iterator[Pegs]:
        if peg == game.pegs:
            yield Pegs(bits)
            return
        for colour in (*seen, *unseen[:used]):
            yield from grow(add(bits, peg, colour), peg + 1, used)
        for colour in unseen[used : used + 1]:
            yield from grow(add(bits, peg, colour), peg + 1, used + 1)

    return grow(0, 0, 0)


def surprise(guess: Pegs, codes: Sequence[Pegs]) -> float:
    """Return how many bits the marks of a guess tell on average when each of `codes` is as likely."""
    shared = [code & guess for code in codes]
    counts = Counter([(both & LOW).bit_count() << 8 | both.bit_count() for both in shared]).values()
    return log2(len(codes)) - sum(n * log2(n) for n in counts) / len(codes)


class Guesser(Engine[Code]):
    """Guesses a code that can be right, for all it remembers."""

    memory: ClassVar[int] = 12
    """How many of its last lines it takes into account."""
    codes: ClassVar[int] = 1
    """How many codes that can be right it keeps in mind."""

    def choose(self, position: Position, budget: Budget) -> Code:
        """Hide any code; guess one that fits."""
        game, sight = position.game, position.view
        if isinstance(game, MasterMind) and sight.turn > 1:
            lines = sight.boards[position.seat][-self.memory :]
            marks = [(laid(line.guess), line.placed, line.placed + line.misplaced) for line in lines]
            codes = list(islice(fitting(game, marks, self.random, budget), self.codes))
            if codes:
                return written(self.guess(game, sight, codes, budget), game.pegs)
        code: Code = game.sample(sight, self.random)
        return code

    def guess(self, game: MasterMind, sight: Sight, codes: Sequence[Pegs], budget: Budget) -> Pegs:  # noqa: ARG002 - the first will do
        """Choose a guess when some of `codes` are known to be possible."""
        return codes[0]


class Novice(Guesser):
    """Remembers its last three lines only."""

    memory = 3


class Amateur(Guesser):
    """Guesses any code that can be right."""


class Player(Guesser):
    """Compares a few of the codes that can be right by what their marks would tell."""

    codes = 100
    guesses: ClassVar[int] = 10

    def guess(self, game: MasterMind, sight: Sight, codes: Sequence[Pegs], budget: Budget) -> Pegs:
        """Choose the guess that tells most; one that can be right too, if two tell as much."""
        right = set(codes)
        worths: dict[Pegs, float] = {codes[0]: 0.0}
        for guess in self.pool(game, sight, codes):
            if budget.spent:
                break
            worths[guess] = surprise(guess, codes) + (guess in right) / len(codes)
        return favourite(worths, self.random)

    def pool(self, game: MasterMind, sight: Sight, codes: Sequence[Pegs]) -> Iterable[Pegs]:  # noqa: ARG002 - what can be right
        """List the guesses to compare."""
        return codes[: self.guesses]


class Master(Player):
    """Compares all guesses, also those that cannot be right but tell more."""

    codes = 1_000
    guesses = 400_000
    """Guesses times codes."""

    def pool(self, game: MasterMind, sight: Sight, codes: Sequence[Pegs]) -> Iterable[Pegs]:
        """List the codes that can be right and others, unless it is now or never."""
        mine, theirs = sight.boards[sight.seat or 0], sight.boards[other(Seat(sight.seat or 0))]
        late = len(theirs) > len(mine) and theirs[-1].placed == game.pegs
        if late or len(mine) == game.lines - 1 or len(codes) <= 2:
            return codes[:1]
        if game.colours**game.pegs > 10_000:
            others: Iterator[Pegs] = (laid(game.sample(sight, self.random)) for _ in count())
        else:
            others = fresh(game, sorted({COLOURS.index(letter) for line in mine for letter in line.guess}), self.random)
        most = self.guesses // len(codes)
        return chain(codes[: most // 2], islice(others, most))


LEVELS = (Novice, Amateur, Player, Master)
