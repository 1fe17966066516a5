"""Merkle trees as RFC 6962, section 2.1, has them: hashes, proofs that a leaf is in a tree, proofs that one tree extends another.

A tree is known by the hashes of its *full* subtrees: `Nodes` returns the hash of the subtree of 2^level leaves with a given
index on its level. Whoever keeps a log reads them from its tables, whoever checks one from tiles; both make proofs by the same
functions. Checking a proof needs no tree, and takes as many steps as the proof has hashes.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import TypeAlias

HASH_BYTES = 32

LONGEST_PROOF = 63
"""No proof has more hashes: a tree of 2^63 leaves has no more levels."""

LARGEST_TREE = 1 << 62
"""No tree is larger; whoever claims one is refused before anything is computed."""

EMPTY = sha256(b"").digest()
"""The root of the tree without leaves."""

Nodes: TypeAlias = Callable[[int, int], bytes]
"""Returns the hash of a full subtree by its level (0: a leaf) and its index there."""


def leaf_hash(entry: bytes) -> bytes:
    """Return the hash of one entry."""
    return sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of two subtrees."""
    return sha256(b"\x01" + left + right).digest()


def folded(hashes: Sequence[bytes]) -> bytes:
    """Return the root of a full tree, given the hashes of any of its levels: their number is a power of two."""
    level = list(hashes)
    while len(level) > 1:
        level = [node_hash(*level[at : at + 2]) for at in range(0, len(level), 2)]
    return level[0]


def tree_root(nodes: Nodes, start: int, end: int) -> bytes:
    """Return the root of the leaves from `start` to before `end`, a range that some split of a tree makes."""
    size = end - start
    if not size:
        return EMPTY
    if size & (size - 1) == 0:
        return nodes(size.bit_length() - 1, start // size)
    middle = start + _left(size)
    return node_hash(tree_root(nodes, start, middle), tree_root(nodes, middle, end))


def inclusion_proof(nodes: Nodes, index: int, size: int) -> list[bytes]:
    """Return the proof that a leaf is in the tree of a size, from its sibling up."""
    proof, start, end = [], 0, size
    while end - start > 1:
        middle = start + _left(end - start)
        if index < middle:
            proof.append(tree_root(nodes, middle, end))
            end = middle
        else:
            proof.append(tree_root(nodes, start, middle))
            start = middle
    return proof[::-1]


def consistency_proof(nodes: Nodes, old: int, new: int) -> list[bytes]:
    """Return the proof that the tree of the new size extends the one of the old; empty where nothing is to be proven."""
    if old in (0, new):
        return []
    proof, start, end, known = [], 0, new, True
    while old != end:
        middle = start + _left(end - start)
        if old <= middle:
            proof.append(tree_root(nodes, middle, end))
            end = middle
        else:
            proof.append(tree_root(nodes, start, middle))
            start, known = middle, False
    if not known:  # who holds the old root knows it unless the split has left it behind
        proof.append(tree_root(nodes, start, end))
    return proof[::-1]


def includes(root: bytes, size: int, index: int, leaf: bytes, proof: Sequence[bytes]) -> bool:
    """Tell whether a proof shows that a leaf is in the tree with this root."""
    if not 0 <= index < size <= LARGEST_TREE or len(proof) > LONGEST_PROOF:
        return False
    at, last, found = index, size - 1, leaf
    for sibling in proof:
        if not last:
            return False
        if at & 1 or at == last:
            found = node_hash(sibling, found)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            found = node_hash(found, sibling)
        at, last = at >> 1, last >> 1
    return not last and found == root


def extends(old: int, old_root: bytes, new: int, new_root: bytes, proof: Sequence[bytes]) -> bool:
    """Tell whether a proof shows that the tree with the new root begins with all leaves of the old one."""
    if not 0 <= old <= new <= LARGEST_TREE or len(proof) > LONGEST_PROOF:
        return False
    if old == new:
        return not proof and old_root == new_root
    if not old:
        return not proof and old_root == EMPTY
    hashes = [old_root, *proof] if old & (old - 1) == 0 else list(proof)
    if not hashes:
        return False
    at, last = old - 1, new - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    before = after = hashes[0]
    for sibling in hashes[1:]:
        if not last:
            return False
        if at & 1 or at == last:
            before, after = node_hash(sibling, before), node_hash(sibling, after)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            after = node_hash(after, sibling)
        at, last = at >> 1, last >> 1
    return not last and before == old_root and after == new_root


def _left(size: int) -> int:
    """Return how many of several leaves are in the left subtree: the largest power of two that leaves some for the right."""
    return 1 << ((size - 1).bit_length() - 1)
