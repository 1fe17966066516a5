"""Groups of prime order modulo a prime: the named ones, and the checks that make a stranger's group safe (spec: arcade, 2).

A group is {g^i mod p: 0 ≤ i < q} with q prime. The named groups of RFC 3526 and RFC 7919 are computed from the formulas by which
they are defined, digits of π and of e, so nobody need trust a page of hexadecimal; in each, q = (p − 1)/2 is prime and g = 2.

Checks go from cheap to dear: lengths, ranges, is the group known, and only then arithmetic. The primes of a stranger are tested
with random bases that he cannot foresee: a library's own test uses bases that are always the same.
"""

from collections.abc import Iterator
from functools import cache
from secrets import randbelow

import gmpy2
from gmpy2 import mpz

from arbitre.errors import GroupError
from arbitre.reasons import declare
from arbitre.values import value

SHORTEST, LONGEST = 2048, 4096
"""Bits of the modulus of a group that has no name."""

SHORTEST_ORDER = 256
"""Bits of the order: below, somebody finds discrete logarithms."""

ROUNDS = 64
"""Miller–Rabin rounds on top of BPSW: a composite number passes with a probability below 4⁻⁶⁴."""

SHORT = 320
"""Bits of a secret exponent in a group of safe prime: twice what the best attack on exponents of this length would need."""


@value
class Group:
    """The group {g^i mod p: 0 ≤ i < q}; not necessarily a sound one."""

    p: mpz
    g: mpz
    q: mpz

    @property
    def bits(self) -> int:
        """The length of the modulus."""
        return int(self.p.bit_length())

    @property
    def known(self) -> bool:
        """Whether p and q are those of a named group, so that nobody need test them."""
        return named_order(self.p) == self.q

    def __str__(self) -> str:
        return name_of(self) or f"a group of {self.bits} bits"


# ── named groups ───────────────────────────────────────────────────────────────────────────────────────────────────

PI = {14: (2048, 124476), 15: (3072, 1690314), 16: (4096, 240904), 17: (6144, 929484), 18: (8192, 4743158)}
"""RFC 3526: the number of the group, its bits, and the constant of its formula."""

E = {2048: 560316, 3072: 2625351, 4096: 5736041, 6144: 15705020, 8192: 10965728}
"""RFC 7919: the bits of the group, and the constant of its formula."""


@cache
def oakley(number: int) -> Group:
    """Return a group of RFC 3526, by its number."""
    if number not in PI:
        raise GroupError("RFC 3526 has no group %(number)s; it has %(pi)s to %(pi2)s", number=number, pi=min(PI), pi2=max(PI))
    bits, constant = PI[number]
    with gmpy2.context(precision=bits + 64):
        digits = mpz(gmpy2.floor(gmpy2.const_pi() * mpz(2) ** (bits - 130)))
    return _safe(mpz(2) ** bits - mpz(2) ** (bits - 64) - 1 + mpz(2) ** 64 * (digits + constant))


@cache
def ffdhe(bits: int) -> Group:
    """Return a group of RFC 7919, by its bits."""
    if bits not in E:
        raise GroupError("RFC 7919 has no group of %(bits)s bits; it has %(e)s", bits=bits, e=", ".join(map(str, E)))
    with gmpy2.context(precision=bits + 64):
        digits = mpz(gmpy2.floor(gmpy2.exp(1) * mpz(2) ** (bits - 130)))
    return _safe(mpz(2) ** bits - mpz(2) ** (bits - 64) + (digits + E[bits]) * mpz(2) ** 64 - 1)


def _safe(p: mpz) -> Group:
    return Group(p, mpz(2), (p - 1) // 2)


@cache
def _names() -> dict[Group, str]:
    names = {oakley(number): f"Oakley group {number}" for number in PI}
    return names | {ffdhe(bits): f"ffdhe{bits}" for bits in E}


@cache
def _orders() -> dict[mpz, mpz]:
    return {group.p: group.q for group in _names()}


def name_of(group: Group) -> str:
    """Return the name of a named group, or nothing."""
    return _names().get(group, "")


def named_order(p: mpz) -> mpz | None:
    """Return the order of the named group with this modulus, if there is one."""
    return _orders().get(p)


# ── checks ─────────────────────────────────────────────────────────────────────────────────────────────────────────


REASONS = declare(
    {
        "modulus-bits": (
            "a modulus has %(shortest)s to %(longest)s bits or a name, not %(bits)s bits",
            "un module a %(shortest)s à %(longest)s bits ou un nom, et non %(bits)s bits",
        ),
        "generator-range": ("the generator must lie between 1 and p − 1", "le générateur doit être entre 1 et p − 1"),
        "order-of-modulus": (
            "the order of this modulus is (p − 1)/2, not a number of %(bits)s bits",
            "l’ordre de ce module est (p − 1)/2, et non un nombre de %(bits)s bits",
        ),
        "order-bits": (
            "an order has at least %(least)s bits, not %(bits)s",
            "un ordre a au moins %(least)s bits, et non %(bits)s",
        ),
        "order-divides": ("the order does not divide p − 1", "l’ordre ne divise pas p − 1"),
        "key-range": ("a public key must lie between 1 and p − 1", "une clé publique doit être entre 1 et p − 1"),
        "generator-square": (
            "the generator is not of order q: it is no square modulo p",
            "le générateur n’est pas d’ordre q : il n’est pas un carré modulo p",
        ),
        "key-square": (
            "the public key lies outside the group: it is no square modulo p",
            "la clé publique est hors du groupe : elle n’est pas un carré modulo p",
        ),
        "group-order": ("the generator is not of order q: g^q is not 1", "le générateur n’est pas d’ordre q : g^q n’est pas 1"),
        "key-order": (
            "the public key lies outside the group: h^q is not 1",
            "la clé publique est hors du groupe : h^q n’est pas 1",
        ),
        "order-not-prime": ("the order is not prime", "l’ordre n’est pas premier"),
        "modulus-not-prime": ("the modulus is not prime", "le module n’est pas premier"),
    }
)


def check_shape(group: Group) -> None:
    """Refuse a group by lengths and ranges alone, in microseconds: `GroupError` says why."""
    p, g, q = group.p, group.g, group.q
    known = named_order(p)
    if known is None and not SHORTEST <= group.bits <= LONGEST:
        raise GroupError(
            "modulus-bits",
            shortest=SHORTEST,
            longest=LONGEST,
            bits=group.bits,
        )
    if not 1 < g < p - 1:
        raise GroupError("generator-range")
    if known is not None and q != known:
        raise GroupError("order-of-modulus", bits=q.bit_length())
    if q.bit_length() < SHORTEST_ORDER:
        raise GroupError("order-bits", least=SHORTEST_ORDER, bits=q.bit_length())
    if (p - 1) % q:
        raise GroupError("order-divides")


def check_key(group: Group, h: mpz) -> None:
    """Refuse a public key by its range alone."""
    if not 1 < h < group.p - 1:
        raise GroupError("key-range")


def dear(group: Group) -> bool:
    """Tell whether `check_deeply` of this group takes long enough to be done beside."""
    return not group.known


def check_deeply(group: Group, h: mpz) -> None:
    """Refuse a group that is none, or a key outside it; up to seconds for a stranger's group, microseconds for a named one."""
    if group.known:
        # p is a safe prime, so the subgroup of order q is exactly the squares
        if gmpy2.jacobi(group.g, group.p) != 1:
            raise GroupError("generator-square")
        if gmpy2.jacobi(h, group.p) != 1:
            raise GroupError("key-square")
        return
    if not group.p & 1 or gmpy2.powmod(group.g, group.q, group.p) != 1:
        raise GroupError("group-order")
    if gmpy2.powmod(h, group.q, group.p) != 1:
        raise GroupError("key-order")
    for code, number in (("order-not-prime", group.q), ("modulus-not-prime", group.p)):
        if not probably_prime(number):
            raise GroupError(code)


def probably_prime(number: mpz) -> bool:
    """Tell whether a number is prime, though its maker knows this function: BPSW, then random bases."""
    if number < 5:
        return number in (2, 3)
    return bool(gmpy2.is_strong_bpsw_prp(number)) and all(gmpy2.is_strong_prp(number, base) for base in _bases(number))


def _bases(number: mpz) -> Iterator[int]:
    for _ in range(ROUNDS):
        yield 2 + randbelow(int(number) - 3)


def exponent_bits(group: Group) -> int:
    """Return how long the secret exponents in a group are: short where the prime is safe, else as long as the order allows."""
    return SHORT if group.known else int(group.q.bit_length()) - 1


def exponent(group: Group) -> mpz:
    """Draw a secret exponent."""
    return mpz(1 + randbelow((1 << exponent_bits(group)) - 1))
