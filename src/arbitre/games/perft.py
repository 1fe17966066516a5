"""Perft: the number of leaves of a game's tree at a given depth, the figure by which move generators are compared.

A `Tree` says what follows a node and how often, so that one count serves any game, and draughts counted in three ways. The
last ply is counted in bulk: its moves are counted, not played.
"""

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from arbitre.games.game import Awaits, Game
from arbitre.values import value

N = TypeVar("N")
S = TypeVar("S")
M = TypeVar("M")
V = TypeVar("V")


@value
class Tree(Generic[N]):
    """The moves of a game, seen from far: from each node so many ways to each next one."""

    children: Callable[[N], Iterable[tuple[N, int]]]
    count: Callable[[N], int]
    """How many ways lead on from a node, all children together."""


def perft(tree: Tree[N], node: N, depth: int) -> int:
    """Return the number of ways to make `depth` moves from `node`."""
    if depth == 0:
        return 1
    return _leaves(tree.children, tree.count, node, depth)


def _leaves(children: Callable[[N], Iterable[tuple[N, int]]], count: Callable[[N], int], node: N, depth: int) -> int:
    if depth == 1:
        return count(node)
    if depth == 2:
        return sum([ways * count(child) for child, ways in children(node)])
    return sum([ways * _leaves(children, count, child, depth - 1) for child, ways in children(node)])


def tree_of(game: Game[S, M, V]) -> Tree[S]:
    """Return the tree of any game that is played turn by turn without chance, through its contract."""

    def moves(state: S) -> Iterable[tuple[M, S]]:
        phase = game.phase(state)
        if isinstance(phase, Awaits):
            (seat,) = phase.seats
            for move in game.legal(game.view(state, seat)):
                yield move, game.play(state, {seat: move})

    def count(state: S) -> int:
        phase = game.phase(state)
        return sum(1 for seat in phase.seats for _ in game.legal(game.view(state, seat))) if isinstance(phase, Awaits) else 0

    return Tree(lambda state: ((after, 1) for _, after in moves(state)), count)
