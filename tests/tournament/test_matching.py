"""The matching finds what trying everything finds."""

from itertools import combinations
from random import Random

import pytest

from arbitre.tournament.matching import Graph, graph, perfect, without


def can_be_paired(edges: Graph, left: frozenset[int]) -> bool:
    """Try everything."""
    if not left:
        return True
    one = min(left)
    return any(can_be_paired(edges, left - {one, other}) for other in edges[one] if other in left)


def some_graph(random: Random, size: int) -> Graph:
    density = random.random()
    pairs = {pair for pair in combinations(range(size), 2) if random.random() < density}
    return graph(range(size), lambda one, other: (one, other) in pairs)


@pytest.mark.parametrize("size", [2, 4, 6, 8, 10])
def test_agrees_with_trying_everything(size: int) -> None:
    random = Random(size)
    found = 0
    for _ in range(400):
        edges = some_graph(random, size)
        mates = perfect(edges)
        assert (mates is not None) == can_be_paired(edges, frozenset(range(size)))
        if mates is None:
            continue
        found += 1
        assert all(mates[mates[one]] == one and mates[one] in edges[one] for one in range(size))
        one = random.randrange(size)
        for other in edges[one]:
            rest = without(edges, mates, one, other)
            left = frozenset(range(size)) - {one, other}
            assert (rest is not None) == can_be_paired(edges, left)
            if rest is not None:
                assert set(rest) == left
                assert all(rest[rest[each]] == each and rest[each] in edges[each] for each in left)
    assert found > 20


def test_an_odd_number_cannot_be_paired() -> None:
    assert perfect(graph(range(3), lambda *_: True)) is None


def test_only_some_are_to_be_paired() -> None:
    edges = graph(range(5), lambda *_: True)
    mates = perfect(edges, [0, 1, 2, 4])
    assert mates is not None
    assert set(mates) == {0, 1, 2, 4}


def test_blossoms_within_blossoms() -> None:
    """A chain of triangles: the only perfect matching uses the links between them, which a greedy start misses."""
    pairs = set()
    for corner in range(0, 30, 3):
        pairs |= {(corner, corner + 1), (corner + 1, corner + 2), (corner, corner + 2)}
        if corner:
            pairs.add((corner - 1, corner))
    edges = graph(range(30), lambda one, other: (one, other) in pairs)
    mates = perfect(edges)
    assert mates is not None
    assert len(mates) == 30


def test_two_odd_halves_cannot_be_paired() -> None:
    edges = graph(range(202), lambda one, other: (one < 101) == (other < 101))
    assert perfect(edges) is None
