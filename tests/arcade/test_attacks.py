"""Each attack on the arcade's commitments succeeds against a checker that leaves something out, and fails against ours.

The checkers that leave something out are written here, in plain Python, as one would write them at first. An attack succeeds when
one commitment is opened in two ways, or when its sign is known before it is opened.
"""

import gmpy2
import pytest
from gmpy2 import mpz

from arbitre.arcade.bout import Bout, Ending, Refused, Step, hear
from arbitre.arcade.terms import DIFFICILE, FACILE, NORMAL, Encoding, Terms, encode
from arbitre.arcade.wire import Sign, read_command
from arbitre.crypto.elgamal import Commitment, Key, opens
from arbitre.crypto.groups import Group, check_deeply, check_key, check_shape, oakley
from arbitre.errors import GroupError, PlayerGarbledError
from arbitre.games.game import FIRST, SECOND
from tests.arcade.lines import PROLOGUE, Dialogue, round_of
from tests.reasons import raises

P, F, C = Sign.PIERRE, Sign.FEUILLE, Sign.CISEAUX
G14 = oakley(14)
p14, q14 = G14.p, G14.q


def naive(group: Group, h: int, r: int, c: int, element: int, k: int) -> bool:
    """Check an opening as the course's handout would: the two equations, and nothing else."""
    p = int(group.p)
    return pow(int(group.g), k, p) == r and element * pow(h, k, p) % p == c


def refused(group: Group, h: mpz) -> str:
    """Return the code of why our checks do not let this group and key in."""
    try:
        check_shape(group)
        check_key(group, h)
        check_deeply(group, h)
    except GroupError as error:
        return error.reason.code
    return pytest.fail("let in")


def test_a_key_outside_the_group() -> None:
    """The key h = 11 in group 14 is no square, so h^q = −1: k opens m, and k + q opens p − m."""
    h, k = 11, 0xC0FFEE
    element = int(encode(Encoding.SUBGROUP, G14, P))
    p, q = int(p14), int(q14)
    r, c = pow(2, k, p), element * pow(h, k, p) % p
    assert naive(G14, h, r, c, element, k)
    assert naive(G14, h, r, c, p - element, k + q)
    assert refused(G14, mpz(11)) == "key-square"
    assert not opens(G14, mpz(h), Commitment(mpz(r), mpz(c)), mpz(p - element), mpz(k + q))
    assert isinstance(Dialogue(DIFFICILE).say("J > PKEY b").news[-1], Refused)


def root(square: mpz) -> mpz:
    """Return a square root modulo p14, which is 3 modulo 4."""
    found = gmpy2.powmod(square, (p14 + 1) // 4, p14)
    assert found * found % p14 == square % p14
    return found


def test_a_group_of_two_elements() -> None:
    """`GROUP p14 p−1 2` with h = √(PIERRE/CISEAUX): exponents that differ by two have the same r, and exchange the signs."""
    group = Group(p14, p14 - 1, mpz(2))
    h = root(P.code * gmpy2.invert(C.code, p14))
    k = 12344
    r, c = pow(int(group.g), k, int(p14)), P.code * pow(int(h), k, int(p14)) % int(p14)
    assert naive(group, int(h), r, c, P.code, k)
    assert naive(group, int(h), r, c, C.code, k + 2)
    assert refused(group, h) == "generator-range"
    # the lower levels fall for it by design, and only they
    line = f"GROUP {p14.digits(16)} {(p14 - 1).digits(16)} 2"
    assert Bout(FACILE).step is Step.PROLOGUE
    for terms, falls in ((FACILE, True), (NORMAL, True), (DIFFICILE, False)):
        dialogue = Dialogue(terms).say(f"J > {line}", f"J > PKEY {h.digits(16)}", "A pkey")
        assert (dialogue.bout.locks[0] is not None and dialogue.bout.locks[0].group == group) is falls


def test_an_order_that_is_a_square() -> None:
    """An order q = q₁²: g has order q₁ only, h^q₁ = g, so each q₁ less in the exponent moves one sign on."""
    q1 = mpz(2) ** 255 + 95
    p = 2 * q1 * q1 * (mpz(2) ** 1536 + 2051) + 1
    assert gmpy2.is_prime(p)
    h = next(found for x in range(2, 100) if gmpy2.powmod(found := gmpy2.powmod(x, (p - 1) // (q1 * q1), p), q1, p) != 1)
    g = gmpy2.powmod(h, q1, p)
    group = Group(p, g, q1 * q1)
    k = 3 * q1 + 77
    r, c = gmpy2.powmod(g, k, p), encode(Encoding.SUBGROUP, group, P) * gmpy2.powmod(h, k, p) % p
    for steps, sign in enumerate((P, F, C)):
        exponent = k - steps * q1
        element = encode(Encoding.SUBGROUP, group, sign)
        assert 0 < exponent < group.q
        assert naive(group, int(h), int(r), int(c), int(element), int(exponent))
        # even the full check of the equations falls for it: only the test of q stands in the way
        assert opens(group, h, Commitment(r, c), element, exponent)
    assert gmpy2.powmod(g, group.q, p) == gmpy2.powmod(h, group.q, p) == 1
    check_shape(group)
    assert refused(group, h) == "order-not-prime"
    dialogue = Dialogue(DIFFICILE).say(
        f"J > GROUP {p.digits(16)} {g.digits(16)} {group.q.digits(16)}", f"J > PKEY {h.digits(16)}"
    )
    assert dialogue.bout.finish is not None
    assert (dialogue.bout.finish.winner, dialogue.bout.finish.ending) == (SECOND, Ending.FAULTS)


def test_an_order_that_is_all_of_p_minus_1() -> None:
    """An order q := p − 1: the range of exponents is twice too long, k and k + (p − 1)/2 have the same r."""
    group = Group(p14, mpz(2), p14 - 1)
    h, k = 11, 99
    element = int(encode(Encoding.SUBGROUP, group, P))
    p = int(p14)
    r, c = pow(2, k, p), element * pow(h, k, p) % p
    second = k + int(q14)
    assert 0 < second < int(group.q)
    assert naive(group, h, r, c, element, k)
    assert naive(group, h, r, c, p - element, second)
    assert refused(group, mpz(h)) == "order-of-modulus"
    q = mpz(2) ** 255 + 95
    stranger = 2 * q * (mpz(2) ** 1791 + 138) + 1
    assert refused(Group(stranger, mpz(2), stranger - 1), mpz(3)) == "order-not-prime"


def test_a_composite_modulus() -> None:
    """Who trusts a Jacobi symbol modulo p = a·b is shown a g of order two between 1 and p − 1: PIERRE and CISEAUX are one."""
    a, b = gmpy2.next_prime(mpz(2) ** 1030), gmpy2.next_prime(mpz(2) ** 1031)
    while b % 4 != 1:
        b = gmpy2.next_prime(b)
    p = a * b
    g = (a * gmpy2.invert(a, b) * (b - 1) + b * gmpy2.invert(b, a)) % p
    group = Group(p, g, (p - 1) // 2)
    h, k = mpz(4), 5
    assert 1 < g < p - 1
    assert gmpy2.jacobi(g, p) == gmpy2.jacobi(h, p) == 1
    r, c = pow(int(g), k, int(p)), int(g) * pow(4, k, int(p)) % int(p)
    for sign in (P, C):
        assert naive(group, 4, r, c, int(encode(Encoding.SUBGROUP, group, sign)), k)
    assert refused(group, h)


@pytest.mark.parametrize("g", [0, 1])
def test_r_that_says_nothing(g: int) -> None:
    """With g = 0 or 1 every k has the same r, and h = PIERRE/CISEAUX exchanges the signs with k + 1."""
    group = Group(p14, mpz(g), q14)
    h = int(P.code * gmpy2.invert(C.code, p14) % p14)
    k, p = 41, int(p14)
    r, c = pow(g, k, p), P.code * pow(h, k, p) % p
    assert r in (0, 1)
    assert naive(group, h, r, c, P.code, k)
    assert naive(group, h, r, c, C.code, k + 1)
    assert refused(group, mpz(h)) == "generator-range"
    dialogue = Dialogue(DIFFICILE).say(*PROLOGUE, f"J > COMMIT {r:x} {c:x}")
    assert isinstance(dialogue.news[-1], Refused)


def test_c_that_says_nothing() -> None:
    """With h = 0 the commitment c = 0 opens to every sign."""
    k = 7
    r = pow(2, k, int(p14))
    assert all(naive(G14, 0, r, 0, sign.code, k) for sign in Sign)
    assert refused(G14, mpz(0)) == "key-range"
    assert isinstance(Dialogue(DIFFICILE).say(*PROLOGUE, f"J > COMMIT {r:x} 0").news[-1], Refused)


def test_exponents_out_of_range() -> None:
    """Both k and k + q have the same r; who does not look at the range of k has more than one opening for a commitment."""
    key = Key(G14)
    element = encode(Encoding.SUBGROUP, G14, F)
    commitment, k = key.commit(element)
    assert naive(G14, int(key.h), int(commitment.r), int(commitment.c), int(element), int(k + q14))
    assert not opens(G14, key.h, commitment, element, k + q14)
    assert naive(G14, int(key.h), 1, int(element), int(element), 0)
    assert not opens(G14, key.h, Commitment(mpz(1), element), element, mpz(0))


class Forgetful:
    """A referee who takes each commitment for itself: any key, any commitment, at any time before the opening."""

    def __init__(self) -> None:
        self.commitment: tuple[int, int] | None = None

    def hear(self, line: str) -> None:
        verb, *numbers = line.split()
        if verb == "COMMIT":
            self.commitment = (int(numbers[0], 16), int(numbers[1], 16))


def test_a_commitment_after_the_answer() -> None:
    """Who may commit again after the answer commits to what beats it."""
    words = [*PROLOGUE, "J commit P", "A move F"]
    dialogue = Dialogue(DIFFICILE).say(*words)
    first = dialogue.bout.commitment
    forgetful = Forgetful()
    forgetful.hear(dialogue.lines[2][1])
    again = Dialogue(DIFFICILE).say(*PROLOGUE, "J commit C").lines[2][1]
    forgetful.hear(again)
    assert forgetful.commitment == tuple(int(word, 16) for word in again.split()[1:])
    dialogue.say(f"J > {again}")
    assert isinstance(dialogue.news[-1], Refused)
    assert dialogue.bout.commitment == first


def test_a_replayed_commitment() -> None:
    """Who declares the other's key can say the other's commitments again, and open them with what the other has told."""
    honest = Dialogue(DIFFICILE).say(*PROLOGUE, *round_of(0, "P", "F"))
    key = honest.bout.lock(FIRST)
    commit, opening = honest.lines[2][1], honest.lines[5][1]
    r, c = (int(word, 16) for word in commit.split()[1:])
    k = int(opening.split()[1], 16)
    assert naive(G14, int(key.h), r, c, int(encode(Encoding.SUBGROUP, G14, P)), k)
    copied = Dialogue(DIFFICILE).say("J pkey", f"A > PKEY {key.h.digits(16)}")
    assert isinstance(copied.news[-1], Refused)
    assert copied.news[-1].why.code == "key-of-the-other"
    honest.say(f"A > {commit}")
    assert isinstance(honest.news[-1], Refused)
    assert honest.news[-1].why.code == "used-before"


def test_an_exponent_used_twice_tells_the_difference_of_two_signs() -> None:
    """The same k for two commitments: c/c′ = E(m)/E(m′), which everybody can compute and nobody needs a key for."""
    key = Key(G14)
    pair = key.pair()
    one, _ = key.commit(encode(Encoding.SUBGROUP, G14, C), pair)
    two, _ = key.commit(encode(Encoding.SUBGROUP, G14, P), pair)
    assert one.c * gmpy2.invert(two.c, p14) % p14 == gmpy2.powmod(2, C - P, p14)
    dialogue = Dialogue(DIFFICILE).say(*PROLOGUE, *round_of(0, "P", "F"), *round_of(1, "P", "F"))
    dialogue.say(f"J > {dialogue.lines[2][1]}")
    assert isinstance(dialogue.news[-1], Refused)


def test_the_course_encoding_leaks() -> None:
    """The Legendre symbols of the words are −1, +1, −1, and c has that of its word: FEUILLE is known before it is opened."""
    assert [gmpy2.jacobi(sign.code, p14) for sign in Sign] == [-1, 1, -1]
    key = Key(G14)
    for sign in Sign:
        told = {
            encoding: {gmpy2.jacobi(key.commit(encode(encoding, G14, sign))[0].c, p14) for _ in range(8)} for encoding in Encoding
        }
        assert told[Encoding.ASCII] == {1 if sign is F else -1}
        assert told[Encoding.SUBGROUP] == {1}


@pytest.mark.parametrize("text", ["1_0", "+5", "５", "-5", " 5"])
def test_integers_that_python_would_take(text: str) -> None:
    assert abs(int(text, 16)) in (5, 16)
    with pytest.raises(PlayerGarbledError):
        read_command(f"OPEN\t{text}" if text != " 5" else "OPEN \u00a05")


def test_integers_of_a_million_digits() -> None:
    """Refused by their length, before anybody tries to make a number of them."""
    digits = "f" * 1_000_000
    assert int(digits, 16).bit_length() == 4_000_000
    with raises(PlayerGarbledError, "arcade-long-line"):
        read_command(f"OPEN {digits}")
    bout, news = hear(Bout(Terms("any")), FIRST, f"PKEY {digits}")
    assert isinstance(news[0], Refused)
    assert bout.locks == (None, None)
