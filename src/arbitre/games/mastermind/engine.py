"""House players of MasterMind: all guess codes that can be right, for the lines they look at; the best one overlooks none.

With four pegs of eight colours, the usual game, the best one follows a tree of guesses (`tree`); otherwise it compares guesses by
what their marks would tell. It hides codes so that who knows how it hides them needs as many guesses as can be.
"""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count, islice, product
from math import log2
from random import Random
from time import perf_counter
from typing import ClassVar, TypeGuard

from arbitre.games.engine import Budget, Clock, Engine, favourite
from arbitre.games.game import AnyGame, Seat, other
from arbitre.games.mastermind import tree
from arbitre.games.mastermind.pegs import HIGH, LOW, Pegs, add, laid, written
from arbitre.games.mastermind.rules import COLOURS, Code, Line, MasterMind, Sight
from arbitre.games.player import Position

Marks = tuple[Pegs, int, int]
"""A guess with how many of its pegs are well placed and how many have a common colour."""

SHAPES = {"AABC": 0.56, "ABCD": 0.35, "AAAB": 0.05, "AABB": 0.04}
"""How often a code of each shape is hidden (`tools/train mastermind`): who knows these numbers finds the codes no sooner."""


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
    """Guesses a code that can be right, for all the lines it looks at."""

    overlooks: ClassVar[float] = 0.0
    """How likely it overlooks a line, each time anew."""

    def choose(self, position: Position, budget: Budget) -> Code:
        """Hide a code; guess one that fits."""
        game, sight = position.game, position.view
        if not isinstance(game, MasterMind) or sight.turn == 1:
            return self.hide(position)
        return self.guess(game, sight, sight.boards[position.seat], budget)

    def hide(self, position: Position) -> Code:
        """Choose a code to hide: any."""
        code: Code = position.game.sample(position.view, self.random)
        return code

    def guess(self, game: MasterMind, sight: Sight, lines: Sequence[Line], budget: Budget) -> Code:
        """Choose a code that fits the lines that were not overlooked, and was not guessed before."""
        before = {line.guess for line in lines}
        seen = [line for line in lines if self.random.random() >= self.overlooks]
        for pegs in fitting(game, read(seen), self.random, budget):
            if (code := written(pegs, game.pegs)) not in before:
                return code
        return game.sample(sight, self.random)


def read(lines: Sequence[Line]) -> list[Marks]:
    """Return lines as bits."""
    return [(laid(line.guess), line.placed, line.placed + line.misplaced) for line in lines]


class Novice(Guesser):
    """Guesses what can be right, but overlooks many of its lines."""

    overlooks = 0.42


class Amateur(Guesser):
    """Overlooks one of its lines in five."""

    overlooks = 0.2


class Player(Guesser):
    """Overlooks one of its lines in twenty-five."""

    overlooks = 0.04


class Master(Guesser):
    """Follows the best tree of guesses known to us, and hides codes that such trees find late."""

    codes: ClassVar[int] = 1_000
    """How many codes that can be right it keeps in mind where it has no tree."""
    guesses: ClassVar[int] = 400_000
    """Guesses times codes that it compares there."""

    def __init__(self, random: Random | None = None, clock: Clock = perf_counter) -> None:
        super().__init__(random, clock)
        self.order = self.random.sample(range(tree.PEGS), tree.PEGS)
        self.names = dict(zip(tree.PALETTE, self.random.sample(tree.PALETTE, len(tree.PALETTE)), strict=True))

    def hide(self, position: Position) -> Code:
        """Draw a shape, then colours and places for it."""
        game = position.game
        if not usual(game):
            return super().hide(position)
        (shape,) = self.random.choices([*SHAPES], [*SHAPES.values()])
        colours = dict(zip(sorted({*shape}), self.random.sample(game.palette, len({*shape})), strict=True))
        return Code("".join(colours[letter] for letter in self.random.sample(shape, len(shape))))

    def guess(self, game: MasterMind, sight: Sight, lines: Sequence[Line], budget: Budget) -> Code:
        """Follow the tree as long as the lines lead along it; now or never, guess what can be right."""
        marked = read(lines)
        theirs = sight.boards[other(Seat(sight.seat or 0))]
        late = len(theirs) > len(lines) and theirs[-1].placed == game.pegs
        last = late or len(lines) == game.lines - 1
        node = self.walked(lines) if usual(game) else None
        if node is not None and (node.right or not last):
            return self.named(node)
        codes = list(islice(fitting(game, marked, self.random, budget), self.codes))
        if not codes:
            return game.sample(sight, self.random)
        return written(codes[0] if last or len(codes) <= 2 else self.sharpest(game, lines, codes, budget), game.pegs)

    def walked(self, lines: Sequence[Line]) -> tree.Node | None:
        """Return where lines lead in the tree, None if out of it."""
        node: tree.Node | None = tree.loaded()
        for line in lines:
            if node is None or self.named(node) != line.guess:
                return None
            node = node.after.get((line.placed + line.misplaced, line.placed))
        return node

    def named(self, node: tree.Node) -> Code:
        """Return the guess of a node, places and colours exchanged: each player has a tree of its own, so none is hidden from."""
        word = written(node.guess, tree.PEGS)
        return Code("".join(self.names[word[peg]] for peg in self.order))

    def sharpest(self, game: MasterMind, lines: Sequence[Line], codes: Sequence[Pegs], budget: Budget) -> Pegs:
        """Choose the guess that tells most; one that can be right too, if two tell as much."""
        right = set(codes)
        worths: dict[Pegs, float] = {codes[0]: 0.0}
        for guess in self.pool(game, lines, codes):
            if budget.spent:
                break
            worths[guess] = surprise(guess, codes) + (guess in right) / len(codes)
        return favourite(worths, self.random)

    def pool(self, game: MasterMind, lines: Sequence[Line], codes: Sequence[Pegs]) -> Iterable[Pegs]:
        """List the codes that can be right, and others that may tell more."""
        if game.colours**game.pegs > 10_000:
            others: Iterator[Pegs] = (laid(Code("".join(self.random.choices(game.palette, k=game.pegs)))) for _ in count())
        else:
            others = fresh(game, sorted({COLOURS.index(letter) for line in lines for letter in line.guess}), self.random)
        most = self.guesses // len(codes)
        return chain(codes[: most // 2], islice(others, most))


def usual(game: AnyGame) -> TypeGuard[MasterMind]:
    """Tell whether a game is the one that the tree is for."""
    return isinstance(game, MasterMind) and (game.pegs, game.palette) == (tree.PEGS, tree.PALETTE)


LEVELS = (Novice, Amateur, Player, Master)
