"""The betting of a hand with a few sizes: the tree on which the best player has learned, and the way of a real hand in it.

In the tree a speaker may fold, stake the least (a chip more to open, the other's total to answer), double the other's total, or
stake all; after four raises in a round he may only fold or answer. Real players stake what they like: their words are taken
for one of the two nearest sizes, at random, so that no size in between is taken for the same one always.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random

from arbitre.games.poker.rules import MOST

RAISES = 4
"""How often the totals go up in a round of the tree."""
FULL = 80
"""A total above that is all there is."""


@dataclass(frozen=True, slots=True)
class Node:
    """Where somebody speaks."""

    number: int
    round: int
    """0 before the flop, 3 on the river."""
    dealer: bool
    """Whether the dealer speaks."""
    own: int
    """What the speaker has staked."""
    facing: int
    """What the other has staked."""
    totals: tuple[int, ...]
    """What may be said besides folding, the least first."""
    next: tuple["Node | None", ...] = field(repr=False)
    """Where each total leads to; None where the cards are shown."""


def totals(facing: int, raises: int, *, opening: bool) -> tuple[int, ...]:
    """Return what may be said in the tree to somebody's total."""
    found = {facing + opening}
    if facing < MOST and raises < RAISES:
        if 2 * facing <= FULL:
            found.add(2 * facing)
        found.add(MOST)
    return tuple(sorted(found))


@cache
def tree() -> tuple[Node, ...]:
    """Return all nodes, numbered from the deepest to the root: whoever comes later is the last."""
    nodes: list[Node] = []

    def grown(rank: int, own: int, facing: int, raises: int, *, dealer: bool, opening: bool) -> Node:
        said = totals(facing, raises, opening=opening)
        following: list[Node | None] = []
        for total in said:
            if total > facing:
                following.append(grown(rank, facing, total, raises + 1, dealer=not dealer, opening=False))
            elif rank == 3 or total == MOST:
                following.append(None)
            else:
                following.append(grown(rank + 1, total, total, 0, dealer=False, opening=True))
        nodes.append(Node(len(nodes), rank, dealer, own, facing, said, tuple(following)))
        return nodes[-1]

    grown(0, 1, 2, 0, dealer=True, opening=True)
    return tuple(nodes)


@dataclass(frozen=True, slots=True)
class Word:
    """What somebody said in a hand: his total, and the other's at that time."""

    round: int
    total: int
    facing: int


def nearest(node: Node, word: Word, random: Random) -> int:
    """Return the number of the total of a node for which a real word is taken: one of its two neighbours, more likely the nearer.

    How likely follows from the shares of the pot that somebody must win to call either, so that a stake in between is answered as
    often as if it were mixed of the two. A raise is never taken for a call, where the tree still has one.
    """
    answers = node.totals[0] == node.facing
    if answers and (word.total == word.facing or len(node.totals) == 1):
        return 0
    first = 1 if answers else 0
    sizes = node.totals[first:]
    if word.total == MOST:
        return len(node.totals) - 1
    here = (word.total - word.facing) / (2 * word.facing)
    shares = [(total - node.facing) / (2 * node.facing) for total in sizes]
    at = bisect_right(shares, here)
    if at in (0, len(sizes)) or word.total == word.facing + 1:
        return first + max(0, min(at, len(sizes)) - 1)
    low, high = shares[at - 1], shares[at]
    smaller = (high - here) * (1 + low) / ((high - low) * (1 + here))
    return first + (at - 1 if random.random() < smaller else at)


def reached(words: Sequence[Word], rank: int, random: Random) -> Node | None:
    """Return the node of the tree where a real hand is in a round, after these words of both; None where the tree has ended.

    After more raises than the tree has, the round goes on in the hand and is over in the tree: those words are passed over.
    """
    node: Node | None = tree()[-1]
    for word in words:
        while node is not None and node.round < word.round:
            node = node.next[0]
        if node is not None and node.round == word.round:
            node = node.next[nearest(node, word, random)]
    while node is not None and node.round < rank:
        node = node.next[0]
    return node
