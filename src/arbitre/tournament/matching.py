"""Perfect matchings of any graph: can everybody be paired, and can the rest still be when one wish is granted.

The matching grows by augmenting paths; an odd cycle on the way is shrunk to a point (Edmonds' blossoms). A search from one free
vertex looks at each edge a bounded number of times, so a question is answered in time O(n·m) at worst, mostly far less.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence

Graph = dict[int, list[int]]
"""For each vertex its neighbours, in the order in which they are tried."""

Mates = dict[int, int]
"""For each matched vertex the other end of its edge."""


def graph(vertices: Sequence[int], allowed: Callable[[int, int], bool]) -> Graph:
    """Return the graph of the pairs that are allowed."""
    edges: Graph = {vertex: [] for vertex in vertices}
    for at, one in enumerate(vertices):
        for other in vertices[at + 1 :]:
            if allowed(one, other):
                edges[one].append(other)
                edges[other].append(one)
    return edges


def perfect(edges: Graph, among: Iterable[int] | None = None) -> Mates | None:
    """Return a matching that leaves nobody out (of `among`, if only they are to be matched), or None if there is none."""
    alive = set(edges if among is None else among)
    if len(alive) % 2:
        return None
    mates: Mates = {}
    order = [vertex for vertex in edges if vertex in alive]
    for one in order:
        if one not in mates:
            other = next((near for near in edges[one] if near in alive and near not in mates), None)
            if other is not None:
                mates[one], mates[other] = other, one
    for one in order:
        if one not in mates and not _Search(edges, alive, mates, one).augments():
            return None
    return mates


def without(edges: Graph, mates: Mates, one: int, other: int) -> Mates | None:
    """Return a perfect matching of everybody in `mates` but these two, or None if their edge leaves the rest unpairable."""
    rest = dict(mates)
    left, right = rest.pop(one), rest.pop(other)
    if left == other:
        return rest
    del rest[left], rest[right]
    alive = rest.keys() | {left, right}
    return rest if _Search(edges, alive, rest, left).augments() else None


class _Search:
    """The search for an augmenting path from one free vertex."""

    def __init__(self, edges: Graph, alive: Iterable[int], mates: Mates, root: int) -> None:
        self.edges = edges
        self.mates = mates
        self.base = {vertex: vertex for vertex in alive}
        """For each vertex the point to which it was shrunk."""
        self.parent: dict[int, int] = {}
        self.even = {root}
        """Reached over an even number of edges, so the path may go on from here over a free edge."""
        self.queue = deque([root])

    def augments(self) -> bool:
        """Extend the matching by one edge, if a path to another free vertex exists; tell whether it did."""
        base, mates, parent = self.base, self.mates, self.parent
        while self.queue:
            here = self.queue.popleft()
            for near in self.edges[here]:
                if near not in base or base[here] == base[near] or mates.get(here) == near:
                    continue
                if near in self.even:
                    self._shrink(here, near)
                elif near not in parent:
                    parent[near] = here
                    if near not in mates:
                        self._flip(near)
                        return True
                    self.even.add(mates[near])
                    self.queue.append(mates[near])
        return False

    def _shrink(self, here: int, near: int) -> None:
        """Make one point of the odd cycle that the edge from `here` to `near` closes."""
        stem = self._meeting(here, near)
        cycle: set[int] = set()
        for start, across in ((here, near), (near, here)):
            vertex, child = start, across
            while self.base[vertex] != stem:
                partner = self.mates[vertex]
                cycle |= {self.base[vertex], self.base[partner]}
                self.parent[vertex] = child
                child = partner
                vertex = self.parent[partner]
        for vertex, its in self.base.items():
            if its in cycle:
                self.base[vertex] = stem
                if vertex not in self.even:
                    self.even.add(vertex)
                    self.queue.append(vertex)

    def _meeting(self, one: int, other: int) -> int:
        """Return where the two ways back to the root meet first."""
        seen = {vertex := self.base[one]}
        while vertex in self.mates:
            vertex = self.base[self.parent[self.mates[vertex]]]
            seen.add(vertex)
        vertex = self.base[other]
        while vertex not in seen:
            vertex = self.base[self.parent[self.mates[vertex]]]
        return vertex

    def _flip(self, end: int) -> None:
        """Exchange the matched and the free edges of the path that ends here."""
        vertex: int | None = end
        while vertex is not None:
            before = self.parent[vertex]
            further = self.mates.get(before)
            self.mates[vertex], self.mates[before] = before, vertex
            vertex = further
