"""Commitments open to what was committed, to nothing else, with tables or without."""

import pytest
from gmpy2 import mpz
from hypothesis import given, settings
from hypothesis import strategies as st

from arbitre.arcade.terms import Encoding, encode
from arbitre.arcade.wire import Sign
from arbitre.crypto.elgamal import Commitment, Familiar, FixedBase, Key, Pool, opens
from arbitre.crypto.groups import Group, oakley

TOY = Group(mpz(0x17), mpz(2), mpz(0xB))

VECTOR = [(Sign.PIERRE, 5, "9 8"), (Sign.FEUILLE, 5, "9 10"), (Sign.CISEAUX, 9, "6 1")]
"""The toy vector of the specification, x = 7."""


@pytest.mark.parametrize(("sign", "k", "line"), VECTOR)
def test_toy_vector(sign: Sign, k: int, line: str) -> None:
    key = Key(TOY, mpz(7))
    assert key.h == 0xD
    commitment, opening = key.commit(encode(Encoding.SUBGROUP, TOY, sign), key.pair(mpz(k)))
    assert f"{commitment.r.digits(16)} {commitment.c.digits(16)}" == line
    assert opening == k


def test_the_toy_group_binds() -> None:
    """Every commitment of the toy group opens in exactly one way: all of them are tried."""
    key = Key(TOY, mpz(7))
    for r in range(23):
        for c in range(23):
            ways = [
                (sign, k)
                for sign in Sign
                for k in range(40)
                if opens(TOY, key.h, Commitment(mpz(r), mpz(c)), encode(Encoding.SUBGROUP, TOY, sign), mpz(k))
            ]
            assert len(ways) <= 1
            assert all(0 < k < 11 for _, k in ways)


TABLED = Key(oakley(14), tables=True)
PLAIN = Key(oakley(14), TABLED.x)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 2**320 - 1))
def test_tables_change_nothing(k: int) -> None:
    assert TABLED.pair(mpz(k)) == PLAIN.pair(mpz(k))


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 2**64), st.integers(3, 2**64), st.integers(0, 2**40 - 1))
def test_fixed_base_is_pow(base: int, p: int, k: int) -> None:
    assert FixedBase(mpz(base % p), mpz(p), 40).power(mpz(k)) % p == pow(base, k, p)


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 2**64), st.integers(3, 2**64), st.integers(0, 2**40 - 1))
def test_short_digits_change_nothing(base: int, p: int, k: int) -> None:
    assert FixedBase(mpz(base % p), mpz(p), 40, 4).power(mpz(k)) % p == pow(base, k, p)


def test_familiar_keys_are_checked_alike() -> None:
    """The first checks under a key go without a table, the later ones with one, and keys that stay away are forgotten."""
    familiar = Familiar(2)
    p = mpz(2**61 - 1)
    for h in (3, 3, 3, 3, 5, 7, 7, 7, 7, 3, 3, 3, 3):
        for k in (1, 12345, 2**40 - 1):
            assert familiar.power(mpz(h), mpz(k), p, 40) == pow(h, k, int(p))
        assert len(familiar._seen) <= 2
    other = Key(oakley(14))
    element = encode(Encoding.SUBGROUP, oakley(14), Sign.PIERRE)
    for _ in range(5):
        commitment, k = other.commit(element)
        assert opens(oakley(14), other.h, commitment, element, k)
        assert not opens(oakley(14), other.h, commitment, element, k + 1)
        assert not opens(oakley(14), other.h, commitment, element * 2, k)


def test_exponents_longer_than_the_table_still_work() -> None:
    k = oakley(14).q - 1
    assert TABLED.pair(k) == PLAIN.pair(k)


def test_openings_have_a_range() -> None:
    group = oakley(14)
    element = encode(Encoding.SUBGROUP, group, Sign.FEUILLE)
    commitment, k = PLAIN.commit(element)
    assert opens(group, PLAIN.h, commitment, element, k)
    for wrong in (mpz(0), k + 1, k + group.q, k - group.q, group.q):
        assert not opens(group, PLAIN.h, commitment, element, wrong)
    for sign in (Sign.PIERRE, Sign.CISEAUX):
        assert not opens(group, PLAIN.h, commitment, encode(Encoding.SUBGROUP, group, sign), k)


def test_a_pool_gives_each_pair_once() -> None:
    pool = Pool(PLAIN, 3)
    pool.fill(10)
    assert pool.missing == 0
    made = [pool.commit(mpz(4)) for _ in range(5)]
    assert pool.missing == 3
    assert len({k for _, k in made}) == 5
    assert all(opens(PLAIN.group, PLAIN.h, commitment, mpz(4), k) for commitment, k in made)
