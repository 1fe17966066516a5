"""The poker players know what their cards are worth."""

from random import Random

import pytest

from arbitre.games.engine import Budget
from arbitre.games.game import FIRST, SECOND, Seat
from arbitre.games.levels import levels
from arbitre.games.poker.engine import ANY, WEAK, Odds, band, equity, preflop
from arbitre.games.poker.hands import Card
from arbitre.games.poker.rules import Hand, Poker, Table
from tests.games.arena import ask

GAME = Poker()

RANKS = "23456789TJQKA"
SUITS = "cdhs"


def cards(text: str) -> tuple[Card, ...]:
    return tuple(Card(13 * SUITS.index(suit) + RANKS.index(rank)) for rank, suit in zip(text[::2], text[1::2], strict=True))


@pytest.mark.parametrize(
    ("hole", "board", "share"),
    [("AcAd", "", 0.852), ("7c2d", "", 0.346), ("AcKc", "", 0.670), ("9c9d", "", 0.721), ("AcAd", "AhAs2c2d3h", 1.0)],
)
def test_equity_is_what_it_is_known_to_be(hole: str, board: str, share: float) -> None:
    """Against any cards, within three standard deviations of so many deals; the crude formula within seven hundredths."""
    rounds = ((1, 2),) if not board else ((3, 3), (4, 4), (5, 5), (6, 6))
    table = Table(Hand(board=cards(board), rounds=rounds), (*cards(hole), *cards("4c4d")))
    view = GAME.view(table, FIRST)
    assert view.hand is not None
    found = equity(Odds(view, view.hand).deals(3_000, ANY, Random(1), Budget(None)))
    assert found == pytest.approx(share, abs=0.028)
    if not board:
        assert preflop(cards(hole)) == pytest.approx(share, abs=0.07)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_best_hand_is_never_folded_and_the_worst_never_called_all_in(number: int) -> None:
    make = levels("poker")[number - 1]
    river = Hand(board=cards("2c7d9hJsKd"), rounds=((3, 3), (4, 4), (5, 5), (5, 100)))
    for luck in range(4):
        best = Table(river, (*cards("KhKc"), *cards("3c4d")), turn=7)
        assert ask(GAME, make(Random(luck)), best, FIRST, turn=7) == 100
        worst = Table(river, (*cards("3c4d"), *cards("KhKc")), turn=7)
        assert ask(GAME, make(Random(luck)), worst, FIRST, turn=7) == 0


@pytest.mark.parametrize(
    ("rounds", "seat", "least"),
    [
        (((1, 2),), FIRST, 0.0),
        (((3, 2),), SECOND, 0.0),
        (((9, 2),), SECOND, 0.58),
        (((3, 4),), FIRST, 0.58),
        (((4, 4), (4, 5)), FIRST, 0.0),
        (((4, 4), (4, 40)), FIRST, 0.7),
    ],
    ids=["the blinds say nothing", "the least is weak", "more is strong", "a raise is strong", "weak on the flop", "very strong"],
)
def test_words_tell_of_cards(rounds: tuple[tuple[int, int], ...], seat: Seat, least: float) -> None:
    low, high = band(Hand(rounds=rounds), seat)
    assert low >= least
    assert (low == 0) == ((low, high) in (ANY, WEAK))
