"""Poker hands: the best five of up to seven cards, as one integer that compares.

A card is a number from 0 to 51: thirteen values, deuce to ace, of each suit in turn. A hand's *strength* holds its category in
the top bits and below it the values that break ties, four bits each, the most telling first: of two hands the stronger is the
greater number, and equal numbers share the pot. Suits never break a tie.

The theory in three lines. Every card adds one to a counter of its suit and one to a counter of its value, all packed into one
integer, so a hand is a sum. Five or more of one suit among seven cards leave no room for four of a kind or a full house, so
a flush is judged by its own suit alone. Anything else depends on the counters of values only, and those are few enough (49,205
for seven cards) to remember each answer.
"""

from collections.abc import Iterable
from functools import cache
from typing import NewType

Card = NewType("Card", int)
"""A card, 0 to 51: thirteen times its suit plus its value, the deuce being 0 and the ace 12."""

Strength = NewType("Strength", int)
"""How good a hand is: the greater wins, equal ones share."""

DECK = 52

CATEGORIES = (
    "high card",
    "a pair",
    "two pairs",
    "three of a kind",
    "a straight",
    "a flush",
    "a full house",
    "four of a kind",
    "a straight flush",
)
"""The nine categories, weakest first; a royal flush is the highest straight flush."""

HIGH, PAIR, TWO_PAIRS, THREE, STRAIGHT, FLUSH, FULL, FOUR, STRAIGHT_FLUSH = range(9)

SUIT_AT = 39
"""The counters of the suits lie above those of the values, which take three bits each."""
COUNTS = tuple((1 << 3 * (card % 13)) | (1 << SUIT_AT + 4 * (card // 13)) for card in range(DECK))
THREE_EACH = 0x3333 << SUIT_AT
"""Added to the counters of the suits, it carries into the top bit of one that has reached five."""
FLUSHED = 0x8888 << SUIT_AT
VALUES = (1 << SUIT_AT) - 1


def strength(cards: Iterable[Card]) -> Strength:
    """Return the strength of the best five of five to seven cards."""
    cards = tuple(cards)
    counts = THREE_EACH
    for card in cards:
        counts += COUNTS[card]
    flushed = counts & FLUSHED
    if flushed:
        suit = (flushed.bit_length() - 1 - SUIT_AT) // 4
        return _suited(sum(1 << card % 13 for card in cards if card // 13 == suit))
    return _counted(counts & VALUES)


def category(hand: Strength) -> str:
    """Name the category of a hand: `two pairs`."""
    return CATEGORIES[hand >> 20]


@cache
def _suited(mask: int) -> Strength:
    """Judge the values of a suit that has at least five."""
    top = _straight(mask)
    return _strength(STRAIGHT_FLUSH, [top]) if top else _strength(FLUSH, _values(mask)[:5])


@cache
def _counted(counts: int) -> Strength:
    """Judge a hand without a flush by how many it has of each value."""
    number = [counts >> 3 * n & 7 for n in range(13)]
    groups = sorted((n for n in range(13) if number[n]), key=lambda n: (number[n], n), reverse=True)
    most = number[groups[0]]
    second = number[groups[1]]
    if most == 4:
        return _strength(FOUR, [groups[0], max(groups[1:])])
    if most == 3 and second >= 2:
        return _strength(FULL, groups[:2])
    top = _straight(sum(1 << n for n in groups))
    if top:
        return _strength(STRAIGHT, [top])
    if most == 3:
        return _strength(THREE, groups[:3])
    if second == 2:
        return _strength(TWO_PAIRS, [*groups[:2], max(groups[2:])])
    return _strength(PAIR, groups[:4]) if most == 2 else _strength(HIGH, groups[:5])


def _straight(mask: int) -> int:
    """Return the highest value of the best straight, or 0: below the deuce, the ace counts as one more value."""
    run = mask << 1 | mask >> 12
    for _ in range(4):
        run &= run << 1
    # Bit n of `run` now says that five values in a row end at value n - 1, and none can end below the five.
    return max(run.bit_length() - 2, 0)


def _values(mask: int) -> list[int]:
    return [n for n in reversed(range(13)) if mask >> n & 1]


def _strength(kind: int, values: list[int]) -> Strength:
    packed = kind
    for n in range(5):
        packed = packed << 4 | (values[n] if n < len(values) else 0)
    return Strength(packed)
