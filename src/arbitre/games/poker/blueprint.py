"""What the best poker player has learned: how often to fold, call and raise with which cards, at every node of the betting.

Cards are put into groups, 169 before the flop and 200 in each later round: on flop and turn by the share of the others' hands
that they beat in the end on average and by how far that share may still go, on the river by the share alone. The file beside
this module holds the edges of the groups and, for each node and group, how often each word is said, in fifteenths.
`tools/train poker` makes it.
"""

import json
import lzma
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from itertools import combinations
from math import sqrt
from pathlib import Path
from random import Random
from typing import Any

from arbitre.games.poker.betting import Node, tree
from arbitre.games.poker.hands import DECK, Card, strength

FILE = "blueprint.xz"
LEVELS, SPREADS = 40, 5
GROUPS = LEVELS * SPREADS
WORDS = 4
"""Fold, and at most three totals."""

Edges = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Header:
    """Where groups begin: the means on flop and turn, and for each mean the spreads."""

    flop: Edges
    turn: Edges
    flop_spread: tuple[Edges, ...]
    turn_spread: tuple[Edges, ...]


def preflop_group(hole: Sequence[int]) -> int:
    """Return the number of two cards before the flop, 0 to 168: suits count only for whether they are the same."""
    low, high = sorted(card % 13 for card in hole)
    return 13 * high + low if hole[0] // 13 == hole[1] // 13 else 13 * low + high


def written(path: Path, header: Header, often: Any) -> None:
    """Write what was learned: an array of nodes, groups and words."""
    parts = bytes((often * 15).round().astype("uint8").tobytes())
    path.write_bytes(lzma.compress(json.dumps(asdict(header)).encode() + b"\n" + parts, preset=9))


class Blueprint:
    """The strategy as it was learned."""

    def __init__(self, octets: bytes) -> None:
        first, _, self.parts = lzma.decompress(octets).partition(b"\n")
        self.header = Header(**json.loads(first))
        if len(self.parts) != len(tree()) * GROUPS * WORDS:
            raise AssertionError(f"a blueprint of {len(self.parts)} parts")

    def weights(self, node: Node, group: int) -> bytes:
        """Return how often a fold and each total of a node are said, in fifteenths."""
        at = (node.number * GROUPS + group) * WORDS
        return self.parts[at : at + 1 + len(node.totals)]

    def group(self, rank: int, mean: float, square: float) -> int:
        """Return the group of a hand on the flop, turn or river by the mean of its share and of the share's square."""
        if rank == 3:
            return min(GROUPS - 1, int(mean * GROUPS))
        edges, inner = (self.header.flop, self.header.flop_spread) if rank == 1 else (self.header.turn, self.header.turn_spread)
        level = bisect_right(edges, mean)
        return level * SPREADS + bisect_right(inner[level], sqrt(max(0.0, square - mean * mean)))


RUNOUTS = 94
"""How many ways the board may go on are looked at on the flop; on the turn all, and on the river there is nothing to come."""
OTHERS = 60
"""Hands of the other that are looked at on each of them; on the river all."""


def outlook(cards: Sequence[Card], board: Sequence[Card], random: Random) -> tuple[float, float]:
    """Return the mean, over what may come, of the share of the others' hands that these cards beat, and that of its square."""
    deck = [Card(card) for card in range(DECK) if card not in cards and card not in board]
    total = square = 0.0
    boards = list(_ahead(board, deck, random))
    for whole in boards:
        left = [card for card in deck if card not in whole]
        pairs = list(combinations(left, 2))
        some = pairs if len(boards) == 1 else random.sample(pairs, OTHERS)
        mine = strength((*cards, *whole))
        points = 0
        for pair in some:
            theirs = strength((*pair, *whole))
            points += (mine > theirs) + (mine >= theirs)
        share = points / (2 * len(some))
        # what so few hands leave to luck is no part of how far the share may go
        luck = share * (1 - share) / len(some) if len(some) < len(pairs) else 0.0
        total += share
        square += share * share - luck
    return total / len(boards), square / len(boards)


def _ahead(board: Sequence[Card], deck: Sequence[Card], random: Random) -> Iterator[tuple[Card, ...]]:
    """Go through the boards of five that may come; on the flop each turn as often as any other."""
    if len(board) == 5:
        yield tuple(board)
    elif len(board) == 4:
        yield from ((*board, river) for river in deck)
    else:
        for nth in range(RUNOUTS):
            turn = deck[nth % len(deck)]
            yield (*board, turn, random.choice([card for card in deck if card != turn]))


@cache
def blueprint() -> Blueprint:
    """Return what lies in the package."""
    return Blueprint(files(__package__).joinpath(FILE).read_bytes())
