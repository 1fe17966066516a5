"""The tree of draughts, with moves told apart in each of the three ways in use (spec: draughts, section 1).

===  ============================================  ==========================================
D    by start, end and set of captured pieces      as positions tell them apart
O    by start, end and order of capture            as some published tables do
P    by all landing squares                        as the duel and its reports write them
===  ============================================  ==========================================

The same positions follow in all three; only how many ways lead to each differs. No limit of plies holds here: published tables
know none.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, TypeAlias

from arbitre.games.draughts.moves import Side, Squares, Step, after, count, moves, traces
from arbitre.games.draughts.rules import Board, Move
from arbitre.games.perft import Tree, perft

Way: TypeAlias = Literal["D", "O", "P"]
Orders: TypeAlias = frozenset[tuple[Squares, ...]]


def leaves(board: Board, depth: int, way: Way = "D") -> int:
    """Return the number of leaves `depth` plies below a board."""
    return perft(TREES[way], board.side, depth)


def divide(board: Board, depth: int, way: Way = "D") -> Iterator[tuple[Move, int]]:
    """Yield each move with the leaves below it, all ways of making it together."""
    ways = dict(TREES[way].children(board.side))
    for move in board.moves:
        child = board.after(move)
        yield move, ways[child.side] * leaves(child, depth - 1, way)


def _positions(side: Side) -> Iterable[tuple[Side, int]]:
    return [(after(side, step), 1) for step in moves(side)]


def _paths(side: Side) -> dict[Step, int]:
    """Count the landing paths of each capture."""
    return traces(side, lambda _: 1, lambda ways, *_: ways, int.__add__)


def _orders(side: Side) -> dict[Step, int]:
    """Count the orders in which the pieces of each capture can be taken."""

    def begin(_: Squares) -> Orders:
        return frozenset({()})

    def extend(orders: Orders, victim: Squares, _: Squares) -> Orders:
        return frozenset((*order, victim) for order in orders)

    def merge(some: Orders, others: Orders) -> Orders:
        return some | others

    return {step: len(orders) for step, orders in traces(side, begin, extend, merge).items()}


def _weighed(weigh: Callable[[Side], dict[Step, int]]) -> Tree[Side]:
    """Return the tree in which `weigh` says how many ways there are to make each capture."""

    def children(side: Side) -> Iterable[tuple[Side, int]]:
        ways = weigh(side)
        return [(after(side, step), ways.get(step, 1)) for step in moves(side)]

    return Tree(children, lambda side: sum(weigh(side).values()) or count(side))


TREES: dict[Way, Tree[Side]] = {"D": Tree(_positions, count), "O": _weighed(_orders), "P": _weighed(_paths)}
