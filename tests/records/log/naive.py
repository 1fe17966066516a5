"""Trees and proofs by the definitions of RFC 6962, section 2.1, word for word: slow, and as plain as can be."""

from collections.abc import Sequence
from hashlib import sha256


def naive_root(entries: Sequence[bytes]) -> bytes:
    if not entries:
        return sha256(b"").digest()
    if len(entries) == 1:
        return sha256(b"\0" + entries[0]).digest()
    k = cut(len(entries))
    return sha256(b"\1" + naive_root(entries[:k]) + naive_root(entries[k:])).digest()


def naive_path(m: int, entries: Sequence[bytes]) -> list[bytes]:
    if len(entries) == 1:
        return []
    k = cut(len(entries))
    if m < k:
        return [*naive_path(m, entries[:k]), naive_root(entries[k:])]
    return [*naive_path(m - k, entries[k:]), naive_root(entries[:k])]


def naive_consistency(m: int, entries: Sequence[bytes], whole: bool = True) -> list[bytes]:
    if m == len(entries):
        return [] if whole else [naive_root(entries)]
    k = cut(len(entries))
    if m <= k:
        return [*naive_consistency(m, entries[:k], whole), naive_root(entries[k:])]
    return [*naive_consistency(m - k, entries[k:], False), naive_root(entries[:k])]


def cut(n: int) -> int:
    k = 1
    while k * 2 < n:
        k *= 2
    return k
