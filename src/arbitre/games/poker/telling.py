"""Poker in words: what a total means, the cards that are dealt, who wins a hand and with what."""

from collections.abc import Iterator, Sequence

from arbitre.games.game import FIRST, SECOND, Seat, other
from arbitre.games.poker.hands import (
    FLUSH,
    FOUR,
    FULL,
    HIGH,
    PAIR,
    STRAIGHT,
    STRAIGHT_FLUSH,
    THREE,
    TWO_PAIRS,
    Card,
    Strength,
    strength,
)
from arbitre.games.poker.rules import MOST, Past, TableView
from arbitre.games.telling import Deed, Telling
from arbitre.reasons import Reason

SUITS = "♠♣♥♦"
VALUES = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
STREETS = {3: Reason("flop"), 4: Reason("turn"), 5: Reason("river")}

MANY = (
    Reason("twos"), Reason("threes"), Reason("fours"), Reason("fives"), Reason("sixes"), Reason("sevens"), Reason("eights"),
    Reason("nines"), Reason("tens"), Reason("jacks"), Reason("queens"), Reason("kings"), Reason("aces"),
)  # fmt: skip
"""Several cards of each value."""


def cards_in(cards: Sequence[Card]) -> str:
    """Return cards as people write them."""
    return " ".join(VALUES[card % 13] + SUITS[card // 13] for card in cards)


def called(hand: Strength) -> Reason:
    """Return what a hand is called."""
    one, two = MANY[hand >> 16 & 15], MANY[hand >> 12 & 15]
    names = {
        HIGH: Reason("a high card"),
        PAIR: Reason("a pair of %(one)s", one=one),
        TWO_PAIRS: Reason("two pairs, %(one)s and %(two)s", one=one, two=two),
        THREE: Reason("three %(one)s", one=one),
        STRAIGHT: Reason("a straight"),
        FLUSH: Reason("a flush"),
        FULL: Reason("a full house, %(one)s over %(two)s", one=one, two=two),
        FOUR: Reason("four %(one)s", one=one),
        STRAIGHT_FLUSH: Reason("a straight flush"),
    }
    return names[hand >> 20]


class PokerTelling(Telling):
    """Tells bets and hands."""

    unit = Reason("chips")

    def goal(self) -> Reason:
        """Say what wins."""
        return Reason("More chips in the end; every hand begins with a hundred.")

    def move(self, text: str, seat: Seat, before: TableView, view: TableView, name: str) -> Deed | None:  # noqa: ARG002 - stakes say it
        """Tell what a total means after the other's."""
        hand = before.hand
        if hand is None or not text.isdigit():
            return None
        total, more, against = int(text), int(text) - hand.stakes[seat], hand.stakes[other(seat)]
        if total == 0:
            words = Reason("%(name)s folds", name=name) if name else Reason("You fold")
        elif total == against:
            words = Reason("%(name)s calls %(more)s", name=name, more=more) if name else Reason("You call %(more)s", more=more)
        elif total == MOST:
            words = Reason("%(name)s goes all in", name=name) if name else Reason("You go all in")
        elif hand.opening and len(hand.rounds) > 1:
            words = Reason("%(name)s bets %(more)s", name=name, more=more) if name else Reason("You bet %(more)s", more=more)
        elif name:
            words = Reason("%(name)s raises to %(total)s", name=name, total=total)
        else:
            words = Reason("You raise to %(total)s", total=total)
        return Deed(words, instead=True)

    def called(self, text: str, seat: Seat, before: TableView) -> Reason | None:
        """Call a total what it is after the other's."""
        hand = before.hand
        if hand is None or not text.isdigit():
            return None
        total, more, against = int(text), int(text) - hand.stakes[seat], hand.stakes[other(seat)]
        if total == 0:
            return Reason("folding")
        if total == against:
            return Reason("calling %(more)s", more=more)
        if total == MOST:
            return Reason("going all in")
        if hand.opening and len(hand.rounds) > 1:
            return Reason("betting %(more)s", more=more)
        return Reason("raising to %(total)s", total=total)

    def since(self, before: TableView, view: TableView, names: Sequence[str]) -> tuple[Reason, ...]:
        """Tell the end of a hand, the cards on the table, and one's own."""
        return (*self._ended(before, view, names), *self._dealt(before, view))

    def _ended(self, before: TableView, view: TableView, names: Sequence[str]) -> Iterator[Reason]:
        known = {past.hand.rank for past in before.past}
        for past in view.past:
            if past.hand.rank not in known:
                yield _won(past, names)

    def _dealt(self, before: TableView, view: TableView) -> Iterator[Reason]:
        hand = view.hand
        if hand is None:
            return
        fresh = before.hand is None or before.hand.rank != hand.rank
        if view.eye in (FIRST, SECOND) and len(view.cards) == 2 and (fresh or len(before.cards) < 2):
            yield Reason("hand %(rank)s: your cards are %(cards)s", rank=hand.rank, cards=cards_in(view.cards))
        lay = 0 if fresh or before.hand is None else len(before.hand.board)
        if len(hand.board) > lay and len(hand.board) in STREETS:
            yield Reason("%(street)s: %(cards)s", street=STREETS[len(hand.board)], cards=cards_in(hand.board[lay:]))

    def scores(self, view: TableView) -> tuple[int, int]:
        """Return what each has won."""
        return view.gain, -view.gain


def _won(past: Past, names: Sequence[str]) -> Reason:
    """Tell who won a hand, how much, and with what."""
    rank, gain = past.hand.rank, past.gain
    if past.folder is not None:
        return Reason("hand %(rank)s: %(name)s wins %(chips)s", rank=rank, name=names[other(past.folder)], chips=abs(gain))
    if gain == 0:
        return Reason(
            "hand %(rank)s: shared, %(hand)s each", rank=rank, hand=called(strength((*past.shown[:2], *past.hand.board)))
        )
    winner = FIRST if gain > 0 else SECOND
    hand = called(strength((*past.shown[2 * winner : 2 * winner + 2], *past.hand.board)))
    return Reason(
        "hand %(rank)s: %(name)s wins %(chips)s with %(hand)s", rank=rank, name=names[winner], chips=abs(gain), hand=hand
    )
