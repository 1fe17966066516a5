"""Named groups are what the RFCs print; a stranger's group passes only if it is one."""

import gmpy2
import pytest
from gmpy2 import mpz

from arbitre.crypto.groups import (
    PI,
    E,
    Group,
    check_deeply,
    check_key,
    check_shape,
    exponent,
    ffdhe,
    name_of,
    oakley,
    probably_prime,
)
from arbitre.errors import GroupError
from arbitre.reasons import Reason
from tests.reasons import raises

Q = mpz(2) ** 255 + 95
"""A prime of 256 bits."""

SOUND = Group(2 * Q * (mpz(2) ** 1791 + 138) + 1, mpz(2), Q)
"""A sound group without a name, but for its generator: see `sound`."""


def sound() -> Group:
    return Group(SOUND.p, gmpy2.powmod(2, (SOUND.p - 1) // Q, SOUND.p), Q)


PRINTED = {
    # the ends of each modulus as its RFC prints them; what is between follows from the formula and from being prime
    "Oakley group 14": ("ffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd1", "98fa051015728e5a8aacaa68ffffffffffffffff"),
    "Oakley group 15": ("ffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd1", "4b82d120a93ad2caffffffffffffffff"),
    "Oakley group 16": ("ffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd1", "4df435c934063199ffffffffffffffff"),
    "Oakley group 17": ("ffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd1", "6dcc4024ffffffffffffffff"),
    "Oakley group 18": ("ffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd1", "60c980dd98edd3dfffffffffffffffff"),
    "ffdhe2048": ("ffffffffffffffffadf85458a2bb4a9aafdc5620", "886b423861285c97ffffffffffffffff"),
    "ffdhe3072": ("ffffffffffffffffadf85458a2bb4a9aafdc5620", "25e41d2b66c62e37ffffffffffffffff"),
    "ffdhe4096": ("ffffffffffffffffadf85458a2bb4a9aafdc5620", "c68a007e5e655f6affffffffffffffff"),
    "ffdhe6144": ("ffffffffffffffffadf85458a2bb4a9aafdc5620", "a40e329cd0e40e65ffffffffffffffff"),
    "ffdhe8192": ("ffffffffffffffffadf85458a2bb4a9aafdc5620", "d68c8bb7c5c6424cffffffffffffffff"),
}

NAMED = [oakley(number) for number in PI] + [ffdhe(bits) for bits in E]


@pytest.mark.parametrize("group", NAMED, ids=str)
def test_named_groups_are_the_printed_ones(group: Group) -> None:
    start, end = PRINTED[name_of(group)]
    assert group.p.digits(16).startswith(start)
    assert group.p.digits(16).endswith(end)
    assert group.bits == len(group.p.digits(16)) * 4
    assert (group.g, group.q) == (2, (group.p - 1) // 2)
    check_shape(group)
    check_deeply(group, mpz(4))


@pytest.mark.parametrize("group", [group for group in NAMED if group.bits <= 3072], ids=str)
def test_named_primes_are_safe(group: Group) -> None:
    assert gmpy2.is_strong_bpsw_prp(group.p)
    assert gmpy2.is_strong_bpsw_prp(group.q)
    assert gmpy2.powmod(group.g, group.q, group.p) == 1


def test_a_sound_stranger_is_let_in() -> None:
    group = sound()
    assert str(group) == "a group of 2048 bits"
    check_shape(group)
    key = gmpy2.powmod(group.g, exponent(group), group.p)
    check_key(group, key)
    check_deeply(group, key)


p14, q14 = oakley(14).p, oakley(14).q

BY_SHAPE = {
    "p of 2047 bits": (Group(mpz(2) ** 2047 - 1, mpz(2), Q), Reason("modulus-bits", bits=2047)),
    "p of 4097 bits without a name": (Group(mpz(2) ** 4097 - 1, mpz(2), Q), Reason("modulus-bits", bits=4097)),
    "p = 0": (Group(mpz(0), mpz(2), Q), Reason("modulus-bits", bits=0)),
    "g = 0": (Group(p14, mpz(0), q14), "generator-range"),
    "g = 1": (Group(p14, mpz(1), q14), "generator-range"),
    "g = p - 1": (Group(p14, p14 - 1, q14), "generator-range"),
    "g = p": (Group(p14, p14, q14), "generator-range"),
    "q = p - 1 in group 14": (Group(p14, mpz(2), p14 - 1), "order-of-modulus"),
    "q of 255 bits": (Group(SOUND.p, mpz(2), mpz(2) ** 254 + 79), Reason("order-bits", least=256)),
    "q = 0": (Group(SOUND.p, mpz(2), mpz(0)), Reason("order-bits", least=256)),
    "q no divisor of p - 1": (Group(SOUND.p, mpz(2), Q + 2), "order-divides"),
}


@pytest.mark.parametrize(("group", "why"), BY_SHAPE.values(), ids=BY_SHAPE)
def test_refused_by_shape(group: Group, why: str | Reason) -> None:
    with raises(GroupError, why):
        check_shape(group)


@pytest.mark.parametrize("h", [0, 1, -1, 0x5], ids=["0", "1", "p - 1", "p + 5"])
def test_keys_out_of_range_are_refused(h: int) -> None:
    key = mpz(h) % p14 if h < 2 else p14 + h
    with raises(GroupError, "key-range"):
        check_key(oakley(14), key)


def test_refused_by_arithmetic() -> None:
    group = sound()
    nonresidue = next(mpz(n) for n in range(2, 100) if gmpy2.jacobi(n, p14) == -1)
    refused = {
        "key-square": (oakley(14), nonresidue),
        "generator-square": (Group(p14, nonresidue, q14), mpz(4)),
        "group-order": (Group(group.p, mpz(3), group.q), group.g),
        "key-order": (group, mpz(3)),
    }
    for why, (bad, h) in refused.items():
        with raises(GroupError, why):
            check_deeply(bad, h)


def test_primes_and_what_is_none() -> None:
    small = [n for n in range(200) if probably_prime(mpz(n))]
    assert small == [n for n in range(200) if n > 1 and all(n % d for d in range(2, n))]
    carmichael = mpz(1590231231043178376951698401)
    arnault = mpz(
        2887148238050771212671429597130393991977609459279722700926516024197432303799152733116328983144639225941977803110929349655578418949441740933805615113979999421542416933972905423711002751042080134966731755152859226962916775325475044445856101949404200039904432116776619949629539250452698719329070373564032273701278453899126120309244841494728976885406024976768122077071687938121709811322297802059565867
    )
    assert not probably_prime(carmichael)
    assert not probably_prime(arnault)


def test_unknown_names_are_explained() -> None:
    with raises(GroupError, "RFC 3526 has no group", number=13):
        oakley(13)
    with raises(GroupError, "RFC 7919 has no group of", bits=1024):
        ffdhe(1024)
