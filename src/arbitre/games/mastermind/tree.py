"""The tree of guesses for four pegs of eight colours: what to guess after which marks, whatever the code.

The file has the guesses in order: the first, then those for each answer to it, the answers with fewer common colours first and
among those the ones with fewer pegs well placed. Where one or two codes are left no word is needed. `tools/train mastermind`
makes it.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import product
from typing import NamedTuple

from arbitre.games.mastermind.pegs import Answer, Pegs, laid, marks
from arbitre.games.mastermind.rules import COLOURS, Code

FILE = "tree.txt"
PEGS, PALETTE = 4, COLOURS[:8]


class Node(NamedTuple):
    """What to guess, and what then."""

    guess: Pegs
    right: bool
    """Whether the guess can be right."""
    after: dict[Answer, "Node"]

    def lines(self) -> Iterator[int]:
        """List for each code in which line it is found."""
        if self.right:
            yield 1
        yield from (line + 1 for node in self.after.values() for line in node.lines())


def grown(codes: Sequence[Pegs], words: Iterator[str]) -> Node:
    """Return the tree for some codes, the guesses read from words."""
    guess = codes[0] if len(codes) < 3 else laid(Code(next(words)))
    parts: dict[Answer, list[Pegs]] = {}
    for code in codes:
        parts.setdefault(marks(guess, code), []).append(code)
    right = bool(parts.pop((PEGS, PEGS), None))
    return Node(guess, right, {answer: grown(parts[answer], words) for answer in sorted(parts)})


@cache
def loaded() -> Node:
    """Return the tree of the package."""
    words = iter(files(__package__).joinpath(FILE).read_text(encoding="ascii").split())
    tree = grown([laid(Code("".join(pegs))) for pegs in product(PALETTE, repeat=PEGS)], words)
    if next(words, None) is not None:
        raise AssertionError("the tree has words that nothing leads to")
    return tree
