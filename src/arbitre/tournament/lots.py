"""Lots of a tournament, drawn from its seed: who begins, who goes through, who is listed first among equals.

Each use has a label, so no lot depends on how many were drawn before it, and anybody who knows the seed draws the same.
"""

from collections.abc import Sequence
from typing import TypeVar

from arbitre.crypto.chain import derive
from arbitre.crypto.draws import draw

T = TypeVar("T")


def lot(seed: bytes, label: str, below: int) -> int:
    """Return the lot of this label, uniform among 0 … `below` - 1."""
    return draw(derive(seed, f"tournament/lot/{label}"), 0, below)


def shuffled(seed: bytes, label: str, items: Sequence[T]) -> tuple[T, ...]:
    """Return the items in the order that the lots of this label give them, each order equally likely."""
    secret = derive(seed, f"tournament/order/{label}")
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        other = draw(secret, last, last + 1)
        order[last], order[other] = order[other], order[last]
    return tuple(order)
