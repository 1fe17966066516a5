"""Hands of poker: the famous counts, the order of categories, and an independent evaluator."""

from collections import Counter
from itertools import combinations, combinations_with_replacement, pairwise
from math import comb, prod
from random import Random

import pytest
from treys import Card as TreysCard  # type: ignore[import-untyped]
from treys import Evaluator

from arbitre.games.poker.hands import CATEGORIES, DECK, Card, Strength, category, strength
from arbitre.games.poker.notation import CARDS, NUMBERS


def hand(names: str) -> Strength:
    return strength(NUMBERS[name] for name in names.split())


LADDER = [
    ("H7 S5 S4 S3 S2", "high card"),
    ("H7 S6 S4 S3 S2", "high card"),
    ("HA SK SQ SJ S9", "high card"),
    ("S2 H2 C3 C4 C5", "a pair"),
    ("S2 H2 CA CK C4", "a pair"),
    ("S2 H2 CA CK CQ", "a pair"),
    ("SA HA CK CQ CJ", "a pair"),
    ("S2 H2 C3 D3 C4", "two pairs"),
    ("SA HA C2 D2 C3", "two pairs"),
    ("SA HA C2 D2 CK", "two pairs"),
    ("SA HA CK DK CQ", "two pairs"),
    ("S2 H2 C2 D3 C4", "three of a kind"),
    ("SA HA CA DK CQ", "three of a kind"),
    ("SA H2 C3 D4 C5", "a straight"),
    ("S2 H3 C4 D5 C6", "a straight"),
    ("ST HJ CQ DK CA", "a straight"),
    ("S7 S5 S4 S3 S2", "a flush"),
    ("SA SK SQ SJ S9", "a flush"),
    ("S2 H2 C2 D3 C3", "a full house"),
    ("S2 H2 C2 DA CA", "a full house"),
    ("S3 H3 C3 D2 C2", "a full house"),
    ("S2 H2 C2 D2 C3", "four of a kind"),
    ("SA HA CA DA CK", "four of a kind"),
    ("SA S2 S3 S4 S5", "a straight flush"),
    ("S2 S3 S4 S5 S6", "a straight flush"),
    ("ST SJ SQ SK SA", "a straight flush"),
]
"""Ever stronger hands: every boundary between categories, and the kickers within."""


def test_each_hand_of_the_ladder_beats_the_one_before() -> None:
    assert [category(hand(names)) for names, _ in LADDER] == [name for _, name in LADDER]
    for (weaker, _), (stronger, _) in pairwise(LADDER):
        assert hand(weaker) < hand(stronger)


@pytest.mark.parametrize(
    ("seven", "best", "why"),
    [
        ("SA HK C9 D7 S5 H3 C2", "SA HK C9 D7 S5", "the five highest"),
        ("SA HA CK DK SQ HQ C2", "SA HA CK DK SQ", "of three pairs the third gives the kicker"),
        ("SA HA CK DK SQ HQ CJ", "SA HA CK DK SQ", "and not a lower single card"),
        ("SA HA C3 D3 S2 H2 CK", "SA HA C3 D3 CK", "unless a single card is higher than the third pair"),
        ("SA HA CA DK SK HK C2", "SA HA CA DK SK", "two triplets make a full house"),
        ("SA HA CA DK SK HQ CQ", "SA HA CA DK SK", "the higher of two pairs fills the house"),
        ("S2 H2 C2 D2 S3 H3 C3", "S2 H2 C2 D2 S3", "four of a kind and a triplet"),
        ("S2 H2 C2 D2 SK HQ CQ", "S2 H2 C2 D2 SK", "four of a kind takes the highest of the others"),
        ("S2 S3 S4 S5 S7 H6 C8", "S2 S3 S4 S5 S7", "a flush before a straight"),
        ("S2 S3 S4 S5 S6 H7 C8", "S2 S3 S4 S5 S6", "a straight flush before a higher straight"),
        ("S2 S3 S4 S5 S6 SK SA", "S2 S3 S4 S5 S6", "the higher straight flush before the wheel and the flush"),
        ("SA H2 C3 D4 S5 HK CQ", "SA H2 C3 D4 S5", "the ace below the deuce, not around the corner"),
        ("SA H2 C3 D4 SK HQ CJ", "SA SK HQ CJ D4", "no straight around the corner"),
        ("S9 H9 C9 D5 S6 H7 C8", "S9 H8 C7 D6 S5", "a straight before three of a kind"),
    ],
)
def test_the_best_five_of_seven(seven: str, best: str, why: str) -> None:
    assert hand(seven) == hand(best), why


FAMOUS = [1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 40]


def test_the_famous_counts_of_five_cards_by_one_hand_of_each_kind() -> None:
    """One hand for each choice of ranks, and one for each flush: 7,462 that all differ, each standing for so many hands."""
    found: dict[Strength, int] = {}
    for ranks in combinations_with_replacement("23456789TJQKA", 5):
        times = Counter(ranks)
        if max(times.values()) == 5:
            continue
        many = prod(comb(4, number) for number in times.values())
        if len(times) == 5:
            found[hand(" ".join("S" + rank for rank in ranks))] = 4
            many -= 4
        ordered = sorted(ranks, key=lambda one: (-times[one], one))  # so that suits in turn give no card twice, and no flush
        found[hand(" ".join(suit + rank for suit, rank in zip("SHCDH", ordered, strict=True)))] = many
    assert len(found) == 7_462
    totals: Counter[str] = Counter()
    for one, number in found.items():
        totals[category(one)] += number
    assert [totals[name] for name in CATEGORIES] == FAMOUS


@pytest.mark.campaign
def test_the_famous_counts_of_five_cards() -> None:
    """All 2,598,960 hands: how many of each category, and 7,462 that differ in strength."""
    counts = Counter(strength(five) for five in combinations(map(Card, range(DECK)), 5))
    assert len(counts) == 7_462
    totals: Counter[str] = Counter()
    for one, number in counts.items():
        totals[category(one)] += number
    assert [totals[name] for name in CATEGORIES] == FAMOUS


@pytest.mark.parametrize("deals", [10_000, pytest.param(100_000, marks=pytest.mark.campaign)])
def test_showdowns_of_many_deals_agree_with_another_evaluator(deals: int) -> None:
    random = Random(2013)
    judge = Evaluator()
    theirs = [TreysCard.new(name[1] + name[0].lower()) for name in CARDS]
    deck = [Card(number) for number in range(DECK)]
    for _ in range(deals):
        deal = random.sample(deck, 9)
        board = deal[4:]
        ours = [strength(deal[:2] + board), strength(deal[2:4] + board)]
        table = [theirs[card] for card in board]
        ranks = [judge.evaluate(table, [theirs[card] for card in deal[n : n + 2]]) for n in (0, 2)]
        # Theirs counts from 1 for the best hand downwards.
        assert (ours[0] > ours[1], ours[0] == ours[1]) == (ranks[0] < ranks[1], ranks[0] == ranks[1]), deal
        assert CATEGORIES.index(category(ours[0])) == 9 - max(judge.get_rank_class(ranks[0]), 1)
