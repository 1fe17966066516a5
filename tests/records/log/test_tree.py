"""Trees of the log: roots and proofs are those of RFC 6962, and no other proof holds."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbitre.records.log.tiles import Tile, nodes_of
from arbitre.records.log.tree import (
    EMPTY,
    LARGEST_TREE,
    Nodes,
    consistency_proof,
    extends,
    folded,
    includes,
    inclusion_proof,
    leaf_hash,
    tree_root,
)
from tests.records.log.naive import naive_consistency, naive_path, naive_root

CT_LEAVES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
"""The inputs that implementations of certificate transparency share."""


def entries(count: int) -> list[bytes]:
    return [number.to_bytes(4, "big") for number in range(count)]


def nodes(leaves: list[bytes]) -> Nodes:
    hashes = [leaf_hash(one) for one in leaves]
    return lambda level, index: folded(hashes[index << level : (index + 1) << level])


def test_the_root_of_the_eight_leaves_of_certificate_transparency() -> None:
    leaves = [bytes.fromhex(one) for one in CT_LEAVES]
    root = tree_root(nodes(leaves), 0, 8)
    assert root.hex() == "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"
    assert tree_root(nodes([]), 0, 0) == EMPTY == naive_root([])


@pytest.mark.parametrize("size", range(1, 34))
def test_proofs_are_those_of_the_definition(size: int) -> None:
    whole = entries(size)
    root = tree_root(nodes(whole), 0, size)
    assert root == naive_root(whole)
    for index in range(size):
        proof = inclusion_proof(nodes(whole), index, size)
        assert proof == naive_path(index, whole)
        assert includes(root, size, index, leaf_hash(whole[index]), proof)
    for old in range(size + 1):
        proof = consistency_proof(nodes(whole), old, size)
        assert proof == (naive_consistency(old, whole) if old else [])
        assert extends(old, naive_root(whole[:old]), size, root, proof)


@given(st.integers(1, 3_000), st.data())
def test_no_other_proof_holds(size: int, data: st.DataObject) -> None:
    whole = entries(size)
    index, old = data.draw(st.integers(0, size - 1)), data.draw(st.integers(1, size))
    root, before = naive_root(whole), naive_root(whole[:old])
    proof, longer = inclusion_proof(nodes(whole), index, size), consistency_proof(nodes(whole), old, size)
    leaf = leaf_hash(whole[index])
    assert includes(root, size, index, leaf, proof)
    assert extends(old, before, size, root, longer)
    random = Random(data.draw(st.integers(0, 1 << 30)))
    for wrong in mutants(proof, random):
        assert not includes(root, size, index, leaf, wrong)
    for wrong in mutants(longer, random):
        assert not extends(old, before, size, root, wrong)
    assert not includes(root, size, index, leaf_hash(b"another"), proof)
    assert not includes(root, size, index + size, leaf, proof)
    assert not includes(naive_root([*whole, b"more"]), size, index, leaf, proof)
    assert not extends(old, naive_root([*whole[: old - 1], b"another"]), size, root, longer)
    assert not extends(old, before, size, naive_root([b"another", *whole[1:]]), longer) or size == 1


def mutants(proof: list[bytes], random: Random) -> list[list[bytes]]:
    stray = random.randbytes(32)
    found = [[*proof, stray], [stray, *proof], [stray] * 64]
    if proof:
        at = random.randrange(len(proof))
        found += [proof[:at] + proof[at + 1 :], [*proof[:at], stray, *proof[at + 1 :]]]
    if len(set(proof)) > 1:
        found.append(proof[::-1])
    return found


def test_numbers_out_of_bounds_prove_nothing() -> None:
    leaf = leaf_hash(b"")
    for index, size in ((-1, 1), (1, 1), (0, 0), (0, -1), (0, LARGEST_TREE + 1)):
        assert not includes(leaf, size, index, leaf, [])
    for old, new in ((2, 1), (-1, 1), (1, LARGEST_TREE + 1)):
        assert not extends(old, leaf, new, leaf, [])
    assert not extends(1, leaf, 2, leaf, [])
    assert not extends(0, leaf, 2, leaf, [])
    assert extends(0, EMPTY, 2, leaf, [])


@pytest.mark.parametrize("size", [1, 255, 256, 257, 511, 512, 1_000])
def test_tiles_know_all_full_subtrees(size: int) -> None:
    whole = entries(size)

    def hashes(tile: Tile) -> list[bytes]:
        assert tile.within(size)
        first, width = tile.number * 256, tile.width
        level = [leaf_hash(one) for one in whole]
        for _ in range(8 * tile.level):
            level = [folded(level[at : at + 2]) for at in range(0, len(level) // 2 * 2, 2)]
        return level[first : first + width]

    assert tree_root(nodes_of(hashes, size), 0, size) == naive_root(whole)
    for index in {0, size // 3, size - 1}:
        assert inclusion_proof(nodes_of(hashes, size), index, size) == naive_path(index, whole)
