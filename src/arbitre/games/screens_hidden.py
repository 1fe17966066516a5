"""What interfaces show of games with secrets or with moves made at once (spec: tournoyons, sections 4 and 5).

A fleet, a code or a card goes to an interface only where the view of its viewer holds it; the view is the gate, and nothing here
asks anything else. Half N of a tray of two boards is what player N shot or guessed, so it lies on the other's waters or code.
"""

from abc import abstractmethod
from typing import Any

from arbitre.games.game import FIRST, SECOND, Eye, Seat, other
from arbitre.games.mastermind import rules as mastermind
from arbitre.games.poker import rules as poker
from arbitre.games.poker.notation import interface_tray, past_tray
from arbitre.games.rochambeau import rules as rochambeau
from arbitre.games.rochambeau.notation import NAMES
from arbitre.games.screen import NEITHER, Method, Pair, Phrase, Screen, Shown, by
from arbitre.games.seafight import rules as seafight
from arbitre.games.trays_open import RochambeauTray

BETWEEN = "***"


class RochambeauScreen(Screen):
    """There is no board: the hands of the last round are its moves, the points its gains. The end looks like any round."""

    name = "Rochambeau"

    def show(
        self,
        view: rochambeau.Standing,
        eye: Eye,  # noqa: ARG002 - what is about to be shown is in no view
        *,
        before: Any = None,  # noqa: ARG002 - the hands of the last round are all there is to see
        asks: Seat | None = None,
    ) -> Shown:
        """Return the points and the last hands."""
        return Shown(
            self.name,
            moves=(_sign(view, FIRST), _sign(view, SECOND)),
            gains=self.tray.gains(view) or NEITHER,
            count=view.played,
            asks=None if self.over(view) else asks,
        )


def _sign(view: rochambeau.Standing, seat: Seat) -> str | None:
    sign = view.shown[seat] if view.shown else None
    return None if sign is None else RochambeauTray.SIGNS[NAMES[3][sign]]


class TwoBoards(Screen):
    """A game in which each prepares a secret and then looks for the other's."""

    def show(self, view: Any, eye: Eye, *, before: Any = None, asks: Seat | None = None) -> Shown:
        """Return both boards and the secrets that the viewer may see; in turn 1, the preparation of his own."""
        if view.turn == 1 and asks is not None:
            return Shown(self.name, method="Prepare", count=0, asks=asks, legend=Phrase.READY)
        over = self.over(view)
        return Shown(
            self.name,
            tray=BETWEEN.join(self.half(view, seat) for seat in (FIRST, SECOND)),
            method="End" if over else self.layout(eye),
            moves=NEITHER if before is None else self.moves(before, view),
            gains=(self.secret(view, FIRST), self.secret(view, SECOND)),
            count=0 if view.turn == 1 else view.turn - 1,
            asks=asks if not over and asks == Seat((view.turn - 1) % 2) else None,
        )

    def half(self, view: Any, seat: Seat) -> str:
        """Return what a player shot or guessed."""
        return self.tray.write(view, seat)

    def moves(self, before: Any, view: Any) -> Pair:  # noqa: ARG002 - MasterMind tells no moves
        """Return the last move of who made it."""
        return NEITHER

    @abstractmethod
    def secret(self, view: Any, seat: Seat) -> str | None:
        """Return what the viewer may know of a player's secret."""

    def layout(self, eye: Eye) -> Method:  # noqa: ARG002 - Seafight alone has several
        """Return how the boards are laid out while the game lasts."""
        return "Standard"


class MasterMindScreen(TwoBoards):
    """Both boards line by line; a gain is a player's code."""

    name = "MasterMind"
    game: mastermind.MasterMind

    def over(self, view: mastermind.View) -> bool:
        """Tell by the boards, which everybody sees."""
        return self.game.end(view.boards) is not None

    def secret(self, view: mastermind.View, seat: Seat) -> str | None:
        """Return the code: of both to the referee and after the end, else one's own."""
        if isinstance(view, mastermind.Table):
            return None if view.codes is None else view.codes[seat]
        return view.code if seat == view.seat else None


class SeafightScreen(TwoBoards):
    """Both players' hundred shots; a gain is a player's fleet, or the ships of it that everybody saw sink."""

    name = "Seafight"

    def over(self, view: seafight.View) -> bool:
        """Tell by the shots, which everybody sees."""
        return any(shots.count("3") == seafight.HOLDS for shots in view.shots)

    def moves(self, before: seafight.View, view: seafight.View) -> Pair:
        """Return the one shot that is new, and what it did."""
        shots = {seat: self.tray.last(before, view, other(seat)) for seat in (FIRST, SECOND)}
        return shots[FIRST], shots[SECOND]

    def secret(self, view: seafight.View, seat: Seat) -> str | None:
        """Return the fleet: both to the referee and after the end, else one's own, and the sunk ships of the other."""
        if isinstance(view, seafight.Sea):
            return None if view.fleets is None else str(view.fleets[seat])
        fleet = view.fleet if seat == view.seat else view.sunk[seat]
        return None if fleet is None else str(fleet) or None

    def layout(self, eye: Eye) -> Method:
        """Return `Double` for two people or two engines; for a person against an engine which seat is his, whoever looks."""
        people = self.people or ({eye} if isinstance(eye, int) else set())
        if len(people) != 1:
            return "Double"
        return "Inverse" if FIRST in people else "Standard"


class PokerScreen(Screen):
    """The hand that is played, its last betting round alone; a gain is chips won or lost, a move a total.

    While the cards of a hand are dealt the table shows the hand before: with the cards where they were shown, with a total of 0
    for who folded. `between` shows it to those who must already speak in the next.
    """

    name = "Poker"

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
