"""House players of poker: they play by equity, the share of the pot that their cards win on average, and by what a word costs.

In this poker nobody checks: who opens a round stakes more or folds. So every decision is between the stake that a fold gives up
and a total that is won or lost. The best player also reckons with the other: who stakes the least has little, who raises has
something, and who faces a high total folds the hands for which a call costs more than it brings, but calls with better ones.

The strongest does not reckon with anybody: it plays a strategy that was learned beforehand against itself (`blueprint`, on the
tree of `betting`), and what it does with the same cards is drawn by lot, so that its words tell little of them.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import combinations
from random import Random
from time import perf_counter
from typing import ClassVar

from arbitre.games.engine import Budget, Clock, Engine, favourite
from arbitre.games.game import FIRST, Seat, other
from arbitre.games.player import Position
from arbitre.games.poker.betting import Node, Word, reached
from arbitre.games.poker.blueprint import blueprint, outlook, preflop_group
from arbitre.games.poker.hands import DECK, Card, strength
from arbitre.games.poker.rules import HANDS, MOST, Hand, TableView, Total

Hole = tuple[Card, Card]

Deal = tuple[float, int]
"""What the other's cards merit as things stand, and 2, 1 or 0 for won, shared and lost."""

Band = tuple[float, float]
"""Between which merits the other's cards seem to be."""

ANY: Band = (0.0, 1.0)
WEAK: Band = (0.0, 0.62)
STRONG = 0.58
UNLIKELY = 0.15
"""How likely cards outside a band are, compared with those within."""

RESPECT = 0.06
"""How much better than necessary a hand must be for the other to call."""
RISK = 0.12
"""What a chip at stake must bring: the better player does not need luck, and the best of several guesses is too good a guess."""
FAITH = 3.0
"""How many raises it takes to doubt a forecast."""

LOOK = 25
"""Deals between two looks at the clock."""


def preflop(hole: Sequence[Card]) -> float:
    """Return roughly how often two cards win against any others: a straight line through what is known of them."""
    low, high = sorted(card % 13 for card in hole)
    if low == high:
        return 0.50 + 0.029 * low
    return 0.302 + 0.0205 * high + 0.0093 * low + 0.025 * (hole[0] // 13 == hole[1] // 13)


class Odds:
    """What a player knows of a hand: which hole cards the other may have, and how good each is as things stand."""

    def __init__(self, view: TableView, hand: Hand) -> None:
        self.cards, self.board = view.cards, hand.board
        seen = {*self.cards, *self.board}
        self.deck = [Card(card) for card in range(DECK) if card not in seen]
        self.holes: list[Hole] = list(combinations(self.deck, 2))
        if self.board:
            strengths = [strength((*hole, *self.board)) for hole in self.holes]
            ranked = sorted(strengths)
            self.merits = [bisect_left(ranked, one) / len(ranked) for one in strengths]
        else:
            self.merits = [preflop(hole) for hole in self.holes]

    def deals(self, number: int, band: Band, random: Random, budget: Budget) -> list[Deal]:
        """Deal the rest of the hand so often; hole cards of a merit outside `band` are taken for less likely."""
        low, high = band
        weights = [1.0 if low <= merit <= high else UNLIKELY for merit in self.merits]
        missing = 5 - len(self.board)
        found = []
        for count, at in enumerate(random.choices(range(len(self.holes)), weights, k=number)):
            hole = self.holes[at]
            board = self.board
            while len(board) < 5:
                drawn = random.sample(self.deck, missing)
                if not {*hole} & {*drawn}:
                    board = (*board, *drawn)
            mine, theirs = strength((*self.cards, *board)), strength((*hole, *board))
            found.append((self.merits[at], (mine > theirs) + (mine >= theirs)))
            if count % LOOK == 0 and budget.spent:
                break
        return found


def equity(deals: Sequence[Deal]) -> float:
    """Return the share of the pot that is won on average; an even one where nothing was dealt."""
    return sum(result for _, result in deals) / (2 * len(deals)) if deals else 0.5


def due(total: int, before: int) -> float:
    """Return the merit from which on it pays to call `total` for someone who has staked `before`."""
    return (total - before) / (2 * total)


def band(hand: Hand, seat: Seat) -> Band:
    """Return what the other's last word in this round tells `seat` of his cards: the least is weak, anything more is strong."""
    mine, theirs = hand.stakes[seat], hand.stakes[other(seat)]
    if theirs <= mine or hand.opening:
        return ANY
    before = hand.rounds[-2][seat] if len(hand.rounds) > 1 else 2
    if mine == before and theirs == mine + 1:
        return WEAK
    return min(0.85, STRONG + (theirs - mine) / 200), 1.0


class Gambler(Engine[Total]):
    """Plays by equity."""

    number: ClassVar[int] = 100
    """How often it deals the rest of a hand."""

    def choose(self, position: Position, budget: Budget) -> Total:
        """Say a total."""
        view: TableView = position.view
        if view.hand is None:
            raise AssertionError("nobody is asked after the end")
        return self.total(position, view.hand, budget)

    def total(self, position: Position, hand: Hand, budget: Budget) -> Total:
        """Choose a total, 0 to fold."""
        raise NotImplementedError

    def deals(self, position: Position, hand: Hand, budget: Budget, band: Band = ANY) -> list[Deal]:
        """Deal the rest of the hand many times."""
        return Odds(position.view, hand).deals(self.number, band, self.random, budget)


class Novice(Gambler):
    """Likes to see the cards: folds bad ones only, raises a little with good ones, and does not count what it costs."""

    number = 30

    def total(self, position: Position, hand: Hand, budget: Budget) -> Total:
        """Judge the cards alone."""
        share = equity(self.deals(position, hand, budget))
        if share < 0.3:
            return Total(0)
        most = hand.least + 20 if share > 0.65 else hand.least
        return Total(self.random.randint(hand.least, min(most, MOST)))


class Amateur(Gambler):
    """Stays when that costs less than a fold on average, and stakes more on better cards."""

    number = 150

    def total(self, position: Position, hand: Hand, budget: Budget) -> Total:
        """Compare equity with the odds."""
        mine, theirs = hand.stakes[position.seat], hand.stakes[other(position.seat)]
        doubt = due(theirs, mine) if theirs > mine > 2 else 0.0
        share = equity(self.deals(position, hand, budget, (doubt, 1.0)))
        if (2 * share - 1) * hand.least < -mine:
            return Total(0)
        if share < 0.6:
            return Total(hand.least)
        bold = round((MOST - hand.least) * (share - 0.5) * self.random.uniform(0.2, 0.8))
        return Total(min(hand.least + bold, MOST))


class Player(Gambler):
    """Reckons with what the other would stake his chips on, and with how often he folds."""

    number = 500
    sizes: ClassVar[tuple[float, ...]] = (0, 0.04, 0.1, 0.2, 0.4, 0.7, 1)
    """The totals that it considers, from the least to all."""

    def __init__(self, random: Random | None = None, clock: Clock = perf_counter) -> None:
        super().__init__(random, clock)
        self.folds = self.forecast = FAITH
        """How often the other folded to a raise, and how often that was to be expected."""
        self.raised: tuple[int, float] | None = None
        """The hand of the last raise, and how likely a fold was."""

    def total(self, position: Position, hand: Hand, budget: Budget) -> Total:
        """Choose the total that brings most."""
        self.learn(position)
        mine, theirs = hand.stakes[position.seat], hand.stakes[other(position.seat)]
        deals = self.deals(position, hand, budget, band(hand, position.seat))
        worths: dict[int, float] = {0: -mine}
        folds: dict[int, float] = {}
        for size in self.sizes if deals else ():
            total = hand.least + round(size * (MOST - hand.least))
            if total > theirs:
                folds[total], worths[total] = self.worth(deals, total, theirs)
            else:
                worths[total] = (2 * equity(deals) - 1) * total
        best = favourite(worths, self.random, 0.5)
        self.raised = (hand.rank, folds[best]) if best in folds else None
        return Total(best)

    def learn(self, position: Position) -> None:
        """Take to heart how the other answered the last raise."""
        if self.raised is None:
            return
        rank, likely = self.raised
        self.raised = None
        self.forecast += likely
        self.folds += any(past.hand.rank == rank and past.folder == other(position.seat) for past in position.view.past)

    def worth(self, deals: Sequence[Deal], total: int, theirs: int) -> tuple[float, float]:
        """Return how likely a raise to `total` makes the other fold, and what it brings: his stake, or else a showdown."""
        bar = due(total, theirs) + RESPECT
        called = [deal for deal in deals if deal[0] >= bar] or deals
        likely = sum(deal[0] < bar for deal in deals) / len(deals)
        folded = min(1.0, likely * self.folds / self.forecast)
        return likely, folded * theirs + (1 - folded) * (2 * equity(called) - 1 - RISK) * total


class Expert(Player):
    """Plays what it learned on 128,000 boards, drawn by lot so that knowing it helps little, and folds a safe lead home."""

    def __init__(self, random: Random | None = None, clock: Clock = perf_counter) -> None:
        super().__init__(random, clock)
        self.rank = 0
        """The hand whose words are remembered."""
        self.words: list[Word] = []
        self.luck = 0
        """Decides for what the words of this hand are taken: each for the same, whenever it is asked."""

    def total(self, position: Position, hand: Hand, budget: Budget) -> Total:
        """Draw a word by what was learned."""
        seat = position.seat
        gain = position.view.gain if seat == FIRST else -position.view.gain
        if gain > homeward(hand, seat):
            return Total(0)
        self.listen(hand, seat)
        node = reached(self.words, len(hand.rounds) - 1, Random(self.luck))
        if node is None or node.round != len(hand.rounds) - 1 or node.dealer != (seat == hand.dealer):
            return super().total(position, hand, budget)
        facing = hand.stakes[other(seat)]
        weights = blueprint().weights(node, self.group(position.view, hand))
        said = self.random.choices((0, *node.totals), weights)[0]
        total = scaled(said, node, facing, hand.least)
        if total:
            self.words.append(Word(node.round, total, facing))
        return Total(total)

    def listen(self, hand: Hand, seat: Seat) -> None:
        """Take down what the other has said since this seat spoke last, as far as the totals tell."""
        if hand.rank != self.rank:
            self.rank, self.words, self.luck = hand.rank, [], self.random.getrandbits(64)
        for rank, stakes in enumerate(hand.rounds):
            mine, theirs = stakes[seat], stakes[other(seat)]
            opener = hand.dealer if rank == 0 else other(hand.dealer)
            before = max(hand.rounds[rank - 1]) if rank else 2
            known = [word for word in self.words if word.round == rank]
            if not known and opener == seat and mine > before:  # words that were said before this player sat down
                self.words.append(Word(rank, mine, before))
                known = self.words[-1:]
            last = known[-1].total if known else before
            if theirs > last:
                self.words.append(Word(rank, theirs, last))
                if mine == theirs:
                    self.words.append(Word(rank, mine, theirs))
            elif known and theirs == last == mine and known[-1].facing != last:
                self.words.append(Word(rank, theirs, last))

    def group(self, view: TableView, hand: Hand) -> int:
        """Return the group of the cards as they stand, looking at a part of what may come."""
        rank = len(hand.rounds) - 1
        if rank == 0:
            return preflop_group(view.cards)
        mean, square = outlook(view.cards, hand.board, self.random)
        return blueprint().group(rank, mean, square)


def homeward(hand: Hand, seat: Seat) -> int:
    """Return what it costs at most to fold this hand and all that may follow: who is ahead by more has won."""
    blinds = sum(1 if (rank % 2 == 1) == (seat == FIRST) else 2 for rank in range(hand.rank + 1, HANDS + 1))
    return hand.stakes[seat] + blinds


def scaled(said: int, node: Node, facing: int, least: int) -> int:
    """Return the real total for one of the tree: the same answer, or the same share of what the other has staked."""
    if said in (0, MOST):
        return said
    if said == node.totals[0]:
        return least
    return max(least, min(MOST, round(facing * said / node.facing)))


LEVELS = (Novice, Amateur, Player, Expert)
