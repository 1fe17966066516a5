"""Whoever tries too often waits, whatever he calls himself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbitre.errors import HasteError
from arbitre.site.limits import USUAL, name_key
from arbitre.transport.limits import Limit, Limits, household, neighbourhoods
from tests.reasons import raises

TEN = {"try": Limit(10, 60)}


def test_so_many_and_no_more() -> None:
    limits = Limits(TEN)
    for second in range(10):
        limits.take("try", "ann", 600 + second)
    with raises(HasteError, "wait") as caught:
        limits.take("try", "ann", 610)
    limits.take("try", "bob", 610)
    with pytest.raises(HasteError):
        limits.look("try", "ann", 610 + caught.value.wait - 0.5)
    limits.take("try", "ann", 610 + caught.value.wait + 0.001)
    limits.forgive("try", "ann")
    limits.look("try", "ann", 611)


@given(st.lists(st.floats(0, 20), min_size=1, max_size=120), st.integers(1, 8))
def test_no_window_holds_more_than_twice_and_the_wait_is_true(steps: list[float], most: int) -> None:
    limits, now = Limits({"try": Limit(most, 30)}), 1_000.0
    taken: list[float] = []
    for step in steps:
        now += step
        wait = 0.0
        try:
            limits.take("try", "x", now)
            taken.append(now)
        except HasteError as error:
            wait = error.wait
        assert 0 <= wait <= 60
        if taken[-1] != now:
            limits.look("try", "x", now + wait + 0.001)
        assert len([at for at in taken if now - 30 < at]) < 2 * most
        assert len([at for at in taken if at // 30 == now // 30]) <= most


def test_a_clock_that_is_set_back_forgives_nothing() -> None:
    limits = Limits(TEN)
    for _ in range(10):
        limits.take("try", "ann", 6_000)
    with pytest.raises(HasteError):
        limits.take("try", "ann", 100)


def test_what_is_counted_and_never_refused() -> None:
    limits = Limits(TEN)
    for _ in range(25):
        limits.count("try", "ann", 600)
    assert limits.share("try", "ann", 600) == 2.5
    assert limits.share("try", "ann", 660 + 30) == 1.25
    assert limits.share("try", "ann", 780) == limits.share("try", "bob", 600) == 0
    for _ in range(20):
        limits.give_back("try", "ann", 600)
    limits.take("try", "ann", 600)
    limits.give_back("try", "bob", 600)
    assert limits.share("try", "bob", 600) == 0, "nothing is owed"


def test_memory_is_bounded() -> None:
    limits = Limits(TEN, most_keys=100)
    for number in range(1_000):
        limits.take("try", str(number), 0)
    assert len(limits._counts) == 100


@pytest.mark.parametrize(
    ("address", "key", "near"),
    [
        ("192.0.2.7", "192.0.2.7", "192.0.0.0/16 192.0.2.0/24"),
        ("::ffff:192.0.2.7", "192.0.2.7", "192.0.0.0/16 192.0.2.0/24"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", "2001:db8::/32 2001:db8:1::/48"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64", "2001:db8::/32 2001:db8:1::/48"),
        ("fe80::1%eth0", "fe80::/64", "fe80::/32 fe80::/48"),
        ("nonsense", "unknown", "unknown unknown"),
        ("", "unknown", "unknown unknown"),
    ],
)
def test_what_an_address_is_counted_as(address: str, key: str, near: str) -> None:
    assert (household(address), " ".join(neighbourhoods(address))) == (key, near)


def test_spellings_of_a_name_share_a_counter() -> None:
    assert name_key("B1ll") == name_key("BILL") == name_key("bíll")
    assert len(name_key("x" * 10**6)) <= 100


def test_guessing_a_join_code_takes_longer_than_it_lives() -> None:
    """45 bits, at the usual limit, from ten thousand addresses at once, for the two weeks of a code."""
    limit = USUAL["code"]
    guesses = limit.most / limit.seconds * 14 * 86_400 * 10_000
    assert guesses / 2**45 < 0.001
