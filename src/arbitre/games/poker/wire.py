"""Poker on the wire: the hand as its seat sees it, chips as gains, totals as moves (spec: tournoyons, sections 4 and 5)."""

from typing import Any

from arbitre.games.game import Eye, Seat, other
from arbitre.games.poker import rules as poker
from arbitre.games.poker.notation import engine_tray, interface_tray, past_tray
from arbitre.games.screen import NEITHER, Pair, ScreenWire, Shown, by
from arbitre.games.wire import Earlier, EngineWire, Received
from arbitre.games.wires import Wire


class PokerEngineWire(EngineWire):
    """The hand with one group of totals for each betting round begun; gains are chips, moves are totals."""

    init = False

    def write(self, view: poker.TableView, seat: Seat) -> str:  # noqa: ARG002 - a view knows its seat
        """Return the hand as this seat sees it."""
        return engine_tray(view)

    def gains(self, view: poker.TableView) -> tuple[str, str]:
        """Return what the hands that are over brought."""
        return str(view.gain), str(-view.gain)

    def last(self, before: Any, view: poker.TableView, seat: Seat) -> str | None:  # noqa: ARG002 - the view tells
        """Return the other's last total: of this hand if he has spoken in it, else of the hand before."""
        them = other(seat)
        if view.hand is not None and spoke(view.hand, them):
            return str(view.hand.stakes[them])
        for past in reversed(view.past):
            if past.folder == them:
                return "0"
            if spoke(past.hand, them):
                return str(past.hand.stakes[them])
        return None

    def read(self, wire: Received, earlier: Earlier | None) -> poker.TableView:  # noqa: ARG002 - the tray says it all
        """Return the table without the hands before."""
        eye = ("first", "second")[wire.seat]
        view: poker.TableView = self.notation.read_view(f"{wire.tray} {wire.gains[0] or 0} - {eye} {wire.turn}")
        return view


def spoke(hand: poker.Hand, seat: Seat) -> bool:
    """Tell whether a player has said a total in this hand, beyond his blind."""
    return len(hand.rounds) > 1 or hand.stakes[seat] > (1 if seat == hand.dealer else 2)


LABELS = {
    "fold": "Fold",
    "call": "Call {more}",
    "least": "Bet {more}",
    "stake": "your stake in all, from {least} to {most}",
    "bet": "Bet {more}",
    "raise": "Raise to {total}",
    "most": "All in",
    "table": "hand {rank}; {name1}: {cards1}, staked {one}; {name2}: {cards2}, staked {two}; on the table: {table}",
    "card": "{value} of {suit}",
    "S": "spades",
    "C": "clubs",
    "H": "hearts",
    "D": "diamonds",
    "J": "jack",
    "Q": "queen",
    "K": "king",
    "A": "ace",
    "??": "a card face down",
    "none": "nothing",
}
"""Translated by the page that tells them."""


class PokerScreenWire(ScreenWire):
    """The hand that is played, its last betting round alone; a gain is chips won or lost, a move a total.

    While the cards of a hand are dealt the table shows the hand before: with the cards where they were shown, with a total of 0
    for who folded. `between` shows it to those who must already speak in the next.
    """

    labels = LABELS

    def show(self, view: poker.TableView, eye: Eye, *, before: Any = None, asks: Seat | None = None) -> Shown:  # noqa: ARG002
        """Return the table as the view sees it."""
        hand = view.hand
        dealing = hand is None or (view.dealt < 4 and bool(view.past))
        if hand is None or dealing:
            return self._past(view, before)
        return Shown(
            self.name,
            tray=interface_tray(view),
            moves=_said(before, view),
            gains=self.tray.gains(view) or NEITHER,
            count=hand.rank - 1,
            asks=asks if asks == view.speaker else None,
        )

    def between(self, view: poker.TableView, before: Any) -> Shown | None:
        """Return the hand that ended since `before`, if one did."""
        if before is None or before.hand is None or not view.past or view.past[-1].hand.rank < before.hand.rank:
            return None
        return self._past(view, before)

    def _past(self, view: poker.TableView, before: Any) -> Shown:
        past = view.past[-1]
        return Shown(
            self.name,
            tray=past_tray(past),
            method="End" if view.hand is None else "Standard",
            moves=_said(before, view),
            gains=self.tray.gains(view) or NEITHER,
            count=past.hand.rank,
        )


def _said(before: poker.TableView | None, view: poker.TableView) -> Pair:
    """Return the total that was said between two views, 0 for a fold."""
    if before is None or before.hand is None or before.speaker is None:
        return NEITHER
    seat, rank = before.speaker, before.hand.rank
    past = next((one for one in view.past if one.hand.rank == rank), None)
    if past is not None:
        return by(seat, "0" if past.folder == seat else str(past.hand.stakes[seat]))
    if view.hand is None or view.hand.rank != rank or view.hand.stakes[seat] == before.hand.stakes[seat]:
        return NEITHER
    return by(seat, str(view.hand.stakes[seat]))


WIRE = Wire(PokerEngineWire, PokerScreenWire)
