"""Poker: heads-up hold'em, at most a hundred chips a hand (spec: tournoyons, sections 3 and 4).

A game is a row of independent hands, each from a full deck: twelve hands that came to a showdown end it, or ninety-nine in
all. Whoever then has more chips wins; equal chips are a draw. The first player deals the odd hands. What one says is always
one's *total* stake of the hand, 0 to fold. Where the spec leaves a corner, this module decides:

* **Who speaks** follows from the totals alone: the lower one, or the round's opener when they are equal. The opener is the
  dealer before the flop, the other player afterwards. The blinds, 1 for the dealer and 2 for the other, obey the same rule.
* **How much**: the opener of a round must *exceed* the other's total (so there is no check, and the dealer's first word is at
  least 3); whoever answers a bet must *match* it, which ends the round, or raise, by one chip or more. A raise by the second
  to speak returns to the round's first step on the same board, and there the opener answers: he matches or raises in turn.
* **A hundred** is the most. Who faces 100 matches or folds. Once both have 100 nobody speaks any more: the rest of the board
  is dealt and the cards are shown. So an opener never faces 100, and there is always a bet open to him.
* **Folding** is always allowed. Who folds loses to the other what he had staked before he spoke, blind included.
* **Showdown**: the loser's total goes to the winner; equal hands give both their stakes back. A showdown that nobody wins
  counts among the twelve like any other. A folded hand never does, whatever lay on the board.
* **Shown cards** are those of showdowns, to everybody, spectators included. The cards of a folded hand are never shown. Each
  view tells of the last two hands: a player deals every other hand and then speaks first, so he can miss neither.
* **Turn** is odd for the first player. Where a seat speaks twice running it advances by two.

Cards are drawn one at a time, each from those not yet dealt: the first player's two, the second's two, and the board street by
street when its round begins. A draw is hidden, for the number of a card among those left tells of the cards before it.
"""

from collections.abc import Iterator, Mapping
from random import Random
from typing import NewType, TypeAlias

from arbitre.errors import IllegalMoveError
from arbitre.games.game import ALONE, FIRST, SECOND, Awaits, Chance, Eye, Game, Outcome, Phase, Seat, drawn, other, won
from arbitre.games.poker.hands import DECK, Card, strength
from arbitre.reasons import Reason, declare
from arbitre.values import value

Total = NewType("Total", int)
"""A move: the whole stake of the seat that speaks, 0 to fold."""

Stakes: TypeAlias = tuple[int, int]
"""The totals of the first and of the second player."""

MOST = 100
SHOWDOWNS = 12
HANDS = 99
BOARD = (0, 3, 4, 5)
"""How many cards lie on the table in each of the four rounds: pre-flop, flop, turn, river."""

PLAYERS = ("first", "second")


REASONS = declare(
    {
        "dealing": ("the cards are being dealt", "les cartes sont en train d’être distribuées"),
        "too-much": ("a total is at most %(most)s, or 0 to fold", "un total est au plus %(most)s, ou 0 pour se coucher"),
        "must-exceed": (
            "it must exceed the other's total of %(total)s, or be 0 to fold",
            "il doit dépasser le total de l’autre, %(total)s, ou valoir 0 pour se coucher",
        ),
        "must-match": (
            "it must match or raise the other's total of %(total)s, or be 0 to fold",
            "il doit égaler ou relancer le total de l’autre, %(total)s, ou valoir 0 pour se coucher",
        ),
        "equal-chips-showdowns": ("equal chips after twelve showdowns", "autant de jetons après douze abattages"),
        "equal-chips-hands": ("equal chips after ninety-nine hands", "autant de jetons après quatre-vingt-dix-neuf donnes"),
        "more-chips-showdowns": ("more chips after twelve showdowns", "plus de jetons après douze abattages"),
        "more-chips-hands": ("more chips after ninety-nine hands", "plus de jetons après quatre-vingt-dix-neuf donnes"),
        "no-total": (
            "a move is your total stake of the hand, 0 to %(most)s",
            "un coup est votre mise totale de la donne, 0 à %(most)s",
        ),
    }
)


@value
class Hand:
    """What everybody sees of a hand."""

    rank: int = 1
    """1 to 99; the first player deals when it is odd."""
    showdowns: int = 0
    """How many hands before this one came to a showdown."""
    board: tuple[Card, ...] = ()
    rounds: tuple[Stakes, ...] = ((1, 2),)
    """The totals at the end of each betting round, the current round last."""

    @property
    def dealer(self) -> Seat:
        """The seat that deals."""
        return FIRST if self.rank % 2 else SECOND

    @property
    def opener(self) -> Seat:
        """The seat that speaks first in the current round."""
        return self.dealer if len(self.rounds) == 1 else other(self.dealer)

    @property
    def stakes(self) -> Stakes:
        """The totals as they stand."""
        return self.rounds[-1]

    @property
    def opening(self) -> bool:
        """Whether nobody has spoken in this round."""
        one, two = self.rounds[-1]
        return one == two or (len(self.rounds) == 1 and min(one, two) < 2)

    @property
    def speaker(self) -> Seat | None:
        """The seat that speaks next, unless both have staked all."""
        one, two = self.rounds[-1]
        if one == two:
            return None if one == MOST else self.opener
        return FIRST if one < two else SECOND

    @property
    def least(self) -> int:
        """The lowest total that the speaker may say, short of folding."""
        return max(self.rounds[-1]) + self.opening

    @property
    def due(self) -> int:
        """How many cards must lie on the table before anything else happens."""
        return 5 if self.rounds[-1] == (MOST, MOST) else BOARD[len(self.rounds) - 1]

    @property
    def step(self) -> int:
        """1 to 8, two for each round, the opener's odd; 9 when nobody speaks any more."""
        speaker = self.speaker
        return 9 if speaker is None else 2 * len(self.rounds) - (speaker == self.opener)


@value
class Past:
    """A hand that is over, as everybody may know it."""

    hand: Hand
    """As it was when a player folded, or at the showdown."""
    shown: tuple[Card, ...] = ()
    """At a showdown the first player's two cards, then the second's; nothing after a fold."""

    @property
    def folder(self) -> Seat | None:
        """The seat that folded, if one did."""
        return None if self.shown else self.hand.speaker

    @property
    def gain(self) -> int:
        """What the first player won, negative where he lost: the second's is the opposite."""
        stakes = self.hand.stakes
        folder = self.folder
        if folder is not None:
            return stakes[SECOND] if folder == SECOND else -stakes[FIRST]
        one, two = (strength(cards + self.hand.board) for cards in (self.shown[:2], self.shown[2:]))
        return stakes[FIRST] * ((one > two) - (one < two))

    @property
    def showdowns(self) -> int:
        """How many showdowns there were, this hand included."""
        return self.hand.showdowns + bool(self.shown)

    @property
    def final(self) -> bool:
        """Whether this hand ended the game."""
        return self.showdowns == SHOWDOWNS or self.hand.rank == HANDS


@value
class Table:
    """The whole truth."""

    hand: Hand | None = Hand()
    """The hand being played; None when the game is over."""
    holes: tuple[Card, ...] = ()
    """The first player's two cards, then the second's, as far as they are dealt."""
    gain: int = 0
    """What the first player won in the hands that are over; the second's is the opposite."""
    past: tuple[Past, ...] = ()
    """The last two hands that are over, the latest last."""
    turn: int = 1
    """The number of the turn to come."""


@value
class TableView:
    """What one eye sees of the table."""

    eye: Eye
    hand: Hand | None
    dealt: int
    """How many of the four hole cards are dealt: everybody sees the dealer's hands move."""
    cards: tuple[Card, ...]
    """A player's own two cards as far as they are dealt; none for a spectator; for the referee all four."""
    gain: int
    past: tuple[Past, ...]
    turn: int

    @property
    def speaker(self) -> Seat | None:
        """The seat that must speak now: none while cards are dealt, none after the end."""
        hand = self.hand
        return hand.speaker if hand is not None and self.dealt == 4 and len(hand.board) == hand.due else None


def own(holes: tuple[Card, ...], eye: Eye) -> tuple[Card, ...]:
    """Return those of the hole cards that `eye` may see."""
    return holes if eye == "referee" else () if eye == "spectator" else holes[2 * eye : 2 * eye + 2]


def flaw(hand: Hand, shown: bool = False) -> Reason | None:
    """Say why no play leads to these totals and this board, or None if some does; `shown`: at a showdown."""
    base = 2
    for one, two in hand.rounds[:-1]:
        if one != two or not base < one < MOST:
            return Reason(
                "a round before the last ends with equal totals above %(base)s and below %(most)s, not %(one)s-%(two)s",
                base=base,
                most=MOST,
                one=one,
                two=two,
            )
        base = one
    one, two = hand.stakes
    number = len(hand.rounds) - 1
    cards = len(hand.board)
    if shown:
        if not (one == two and base < one <= MOST) or (number < 3 and one < MOST):
            return Reason("no showdown at %(one)s-%(two)s", one=one, two=two)
        return None if cards == 5 else Reason("a showdown has five cards on the board")
    fresh = (base, base) if number else ((1, 2) if hand.dealer == FIRST else (2, 1))
    if hand.stakes == fresh:
        dealt = BOARD[max(number - 1, 0)] <= cards <= BOARD[number]
    elif one == two == MOST:
        dealt = BOARD[number] <= cards < 5
    else:
        low, high = sorted(hand.stakes)
        # The opener has said more than the base; the other has said nothing yet, or raised what the opener said.
        spoken = low > base if hand.speaker == hand.opener else low == base or low > base + 1
        if not (spoken and low < high <= MOST):
            return Reason("no bets lead to %(one)s-%(two)s", one=one, two=two)
        dealt = cards == BOARD[number]
    return None if dealt else Reason("%(cards)s cards on the board do not fit the bets", cards=cards)


@value
class Poker(Game[Table, Total, TableView]):
    """Heads-up hold'em with a hundred chips a hand."""

    name = "poker"
    hides = True
    offers = False

    def start(self) -> Table:
        """Return the first hand before its deal, the blinds posted."""
        return Table()

    def phase(self, state: Table) -> Phase:
        """Deal what is due, then ask the speaker; end after twelve showdowns or ninety-nine hands."""
        hand = state.hand
        if hand is None:
            return _outcome(state)
        dealt = len(state.holes) + len(hand.board)
        speaker = hand.speaker
        if dealt < 4 + hand.due or speaker is None:
            return Chance(DECK - dealt, hidden=True)
        return Awaits(ALONE[speaker], state.turn)

    def view(self, state: Table, eye: Eye) -> TableView:
        """Show a player his own cards and what everybody sees, a spectator the latter."""
        holes = state.holes
        return TableView(eye, state.hand, len(holes), own(holes, eye), state.gain, state.past, state.turn)

    def legal(self, view: TableView) -> Iterator[Total]:
        """List 0 to fold, then every total the speaker may say; nobody else has a move."""
        hand = view.hand
        if hand is not None and view.speaker == view.eye:
            yield Total(0)
            yield from map(Total, range(hand.least, MOST + 1))

    def check(self, view: TableView, move: Total) -> None:
        """Refuse a total out of turn, above a hundred, or below what the bets ask for."""
        hand = view.hand
        if hand is None:
            raise IllegalMoveError(move, "game-over")
        speaker = view.speaker
        if speaker is None:
            raise IllegalMoveError(move, "dealing")
        if speaker != view.eye:
            raise IllegalMoveError(move, "not-your-turn")
        if move == 0:
            return
        if not 0 < move <= MOST:
            raise IllegalMoveError(move, "too-much", most=MOST)
        if move < hand.least:
            raise IllegalMoveError(move, "must-exceed" if hand.opening else "must-match", total=max(hand.stakes))

    def sample(self, view: TableView, random: Random) -> Total:
        """Choose a fold now and then, mostly a low total, at times any."""
        hand = _running(view.hand)
        if random.random() < 0.1:
            return Total(0)
        most = random.choice((hand.least, hand.least, hand.least + 8, MOST))
        return Total(random.randint(hand.least, min(most, MOST)))

    def play(self, state: Table, moves: Mapping[Seat, Total]) -> Table:
        """Raise the speaker's total, end the round when it matches, or end the hand."""
        hand = _running(state.hand)
        ((speaker, total),) = moves.items()
        if total == 0:
            return _settled(state, Past(hand), state.turn + 1)
        one, two = hand.stakes
        stakes = (int(total), two) if speaker == FIRST else (one, int(total))
        rounds = (*hand.rounds[:-1], stakes)
        if stakes[FIRST] == stakes[SECOND]:
            if len(hand.board) == 5:
                return _settled(state, Past(Hand(hand.rank, hand.showdowns, hand.board, rounds), state.holes), state.turn + 1)
            if total < MOST:
                rounds = (*rounds, stakes)
        hand = Hand(hand.rank, hand.showdowns, hand.board, rounds)
        return Table(hand, state.holes, state.gain, state.past, turn_of(hand.speaker, state.turn + 1))

    def draw(self, state: Table, drawn: int) -> Table:
        """Deal the card of that number among those not yet dealt, and show the cards after the last one of an all-in."""
        hand = _running(state.hand)
        card = drawn
        for taken in sorted(state.holes + hand.board):
            card += taken <= card
        if len(state.holes) < 4:
            return Table(hand, (*state.holes, Card(card)), state.gain, state.past, state.turn)
        hand = Hand(hand.rank, hand.showdowns, (*hand.board, Card(card)), hand.rounds)
        if hand.speaker is None and len(hand.board) == 5:
            return _settled(state, Past(hand, state.holes), state.turn)
        return Table(hand, state.holes, state.gain, state.past, state.turn)


def turn_of(speaker: Seat | None, least: int) -> int:
    """Return the first turn number from `least` on that belongs to the speaker: odd ones are the first player's."""
    return least if speaker is None else least + (least % 2 == speaker)


def _running(hand: Hand | None) -> Hand:
    if hand is None:
        raise AssertionError("nothing follows the end of the game")
    return hand


def _settled(state: Table, past: Past, turn: int) -> Table:
    """Pay the winner of a hand, and begin the next one unless that was the last."""
    gain = state.gain + past.gain
    kept = (*state.past[-1:], past)
    if past.final:
        return Table(None, (), gain, kept, turn)
    rank = past.hand.rank + 1
    hand = Hand(rank, past.showdowns, (), ((1, 2),) if rank % 2 else ((2, 1),))
    return Table(hand, (), gain, kept, turn_of(hand.dealer, turn))


def _outcome(state: Table) -> Outcome:
    shown = state.past[-1].showdowns == SHOWDOWNS
    tally = (state.gain, -state.gain)
    if state.gain == 0:
        return drawn("equal-chips-showdowns" if shown else "equal-chips-hands", tally)
    return won(FIRST if state.gain > 0 else SECOND, "more-chips-showdowns" if shown else "more-chips-hands", tally)
