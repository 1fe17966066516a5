"""ElGamal encryption as commitment: hiding as long as the key's logarithm is, binding because the key lies in the group.

To commit to an element e of the group under the public key h is to publish r = g^k and c = e·h^k for a secret k; to open is to
tell k. The opening is valid exactly if 0 < k < q, r = g^k and c = e·h^k. With g of prime order q, r fixes k, and k fixes e:
there is one opening and no other (spec: arcade, section 2).

Whoever commits or checks often does it with tables of powers of g and h, and makes the pairs (g^k, h^k) in advance.
"""

from collections import OrderedDict, deque
from typing import Literal

import gmpy2
from gmpy2 import mpz

from arbitre.crypto.groups import Group, exponent, exponent_bits
from arbitre.values import value

FAMILIAR = 128
"""Keys of others for which tables are kept."""

VISITS = 2
"""Checks under a key before it is worth a table."""


@value
class Commitment:
    """What is published first."""

    r: mpz
    c: mpz


@value
class Pair:
    """A secret exponent with its powers, ready to hide one element; to be used once."""

    k: mpz
    r: mpz
    mask: mpz


class FixedBase:
    """Powers of one base modulo p for exponents up to some length, from a table of powers for each digit of the exponent.

    Digits of eight bits are for bases that stay, digits of four for those that come and go: a sixth of the table, twice the work.
    """

    def __init__(self, base: mpz, p: mpz, bits: int, digit: Literal[4, 8] = 8) -> None:
        self.p = p
        self.bits = bits
        self._digit = digit
        self._octets = -(-bits // 8)
        self._rows: list[list[mpz]] = []
        for _ in range(self._octets * 8 // digit):
            row = [mpz(1)]
            for _ in range((1 << digit) - 1):
                row.append(row[-1] * base % p)
            self._rows.append(row)
            base = row[-1] * base % p

    def power(self, k: mpz) -> mpz:
        """Return base^k mod p."""
        p, product = self.p, mpz(1)
        digits = k.to_bytes(self._octets, "little")
        if self._digit == 4:
            digits = bytes([half for octet in digits for half in (octet & 15, octet >> 4)])
        for row, digit in zip(self._rows, digits, strict=True):
            if digit:
                product = product * row[digit] % p
        return product


_GENERATORS: dict[Group, FixedBase] = {}
"""Tables of generators: one for each group, whoever uses it."""


def generator_table(group: Group) -> FixedBase:
    """Return the table of powers of a group's generator, made on first use; from then on `opens` uses it too."""
    if group not in _GENERATORS:
        _GENERATORS[group] = FixedBase(group.g, group.p, exponent_bits(group))
    return _GENERATORS[group]


class Familiar:
    """Tables of powers of other people's keys: one for each key that comes back, the longest unseen given up for a new one."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._seen: OrderedDict[tuple[mpz, mpz], int | FixedBase] = OrderedDict()

    def power(self, h: mpz, k: mpz, p: mpz, bits: int) -> mpz:
        """Return h^k mod p."""
        seen = self._seen.pop((p, h), 0)
        if isinstance(seen, int):
            seen = seen + 1 if seen < VISITS else FixedBase(h, p, bits, 4)
        self._seen[p, h] = seen
        if len(self._seen) > self._most:
            self._seen.popitem(last=False)
        return gmpy2.powmod(h, k, p) if isinstance(seen, int) else seen.power(k)


_FAMILIAR = Familiar(FAMILIAR)


class Key:
    """A secret key in a group, h = g^x; `tables` makes it fast, at the price of some megabytes and a fraction of a second."""

    def __init__(self, group: Group, x: mpz | None = None, *, tables: bool = False) -> None:
        self.group = group
        self.x = exponent(group) if x is None else x
        self.h = gmpy2.powmod(group.g, self.x, group.p)
        self._g = generator_table(group) if tables else None
        self._h = FixedBase(self.h, group.p, self._g.bits) if self._g is not None else None

    def pair(self, k: mpz | None = None) -> Pair:
        """Return a fresh pair, or the one of a given exponent."""
        k = exponent(self.group) if k is None else k
        if self._g is not None and self._h is not None and k.bit_length() <= self._g.bits:
            return Pair(k, self._g.power(k), self._h.power(k))
        return Pair(k, gmpy2.powmod(self.group.g, k, self.group.p), gmpy2.powmod(self.h, k, self.group.p))

    def commit(self, element: mpz, pair: Pair | None = None) -> tuple[Commitment, mpz]:
        """Return a commitment to an element of the group, and the exponent that opens it."""
        pair = pair or self.pair()
        return Commitment(pair.r, element * pair.mask % self.group.p), pair.k


class Pool:
    """Pairs made in advance, so that a commitment costs one multiplication when it is needed."""

    def __init__(self, key: Key, size: int) -> None:
        self.key = key
        self.size = size
        self._pairs: deque[Pair] = deque()

    @property
    def missing(self) -> int:
        """How many pairs the pool has room for."""
        return self.size - len(self._pairs)

    def fill(self, count: int) -> None:
        """Make up to so many pairs."""
        for _ in range(min(count, self.missing)):
            self._pairs.append(self.key.pair())

    def commit(self, element: mpz) -> tuple[Commitment, mpz]:
        """Commit with a pair of the pool, or with one made on the spot."""
        return self.key.commit(element, self._pairs.popleft() if self._pairs else None)


def opens(group: Group, h: mpz, commitment: Commitment, element: mpz, k: mpz) -> bool:
    """Tell whether k opens a commitment under a sound group and key to this element."""
    p = group.p
    if not 0 < k < group.q:
        return False
    table = _GENERATORS.get(group)
    if table is None or k.bit_length() > table.bits:
        return bool(gmpy2.powmod(group.g, k, p) == commitment.r and element * gmpy2.powmod(h, k, p) % p == commitment.c)
    return bool(table.power(k) == commitment.r and element * _FAMILIAR.power(h, k, p, table.bits) % p == commitment.c)
