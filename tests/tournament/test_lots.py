"""Lots are fair, and fixed by the seed and the label."""

from collections import Counter

from arbitre.tournament.lots import lot, shuffled


def test_lots_never_change() -> None:
    """Written down once: a tournament begun today is resumed by the program of next year."""
    assert [lot(b"seed", f"tie/{number}", 10) for number in range(8)] == [8, 3, 0, 5, 4, 6, 1, 9]
    assert shuffled(b"seed", "seeding", range(8)) == (5, 7, 1, 6, 3, 0, 2, 4)


def test_every_order_is_equally_likely() -> None:
    counts = Counter(shuffled(number.to_bytes(4, "big"), "order", "abc") for number in range(6000))
    assert len(counts) == 6
    assert all(850 < count < 1150 for count in counts.values())
