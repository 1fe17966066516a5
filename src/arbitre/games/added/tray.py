"""The Tournoyons wire of games that users add (spec: tournoyons, section 6): their words go through as they are.

`Set` is what the game calls itself; its engines know its trays, and ours know none of it. In a game of two boards an engine gets
its own board, both where the game keeps none secret.
"""

from typing import Any

from arbitre.errors import PositionError
from arbitre.games.added.rules import SEPARATOR, Added, Course
from arbitre.games.game import Seat, other
from arbitre.games.tray import Earlier, Tray, Wire


class AddedTray(Tray):
    """The words of one added game."""

    game: Added

    def __init__(self, game: Added) -> None:
        super().__init__(game)
        self.name = game.key
        self.prepares = game.boards == 2
        self.together = game.simultaneous

    def write(self, view: Course, seat: Seat) -> str:
        """Return what there is to see of the boards, the own one alone where the other is hidden."""
        return SEPARATOR.join(tray for tray in view.trays if tray) or view.trays[seat % len(view.trays)]

    def gains(self, view: Course) -> tuple[str, str] | None:
        """Return the gains, where the referee counts any."""
        return view.gains if any(view.gains) else None

    def last(self, before: Any, view: Course, seat: Seat) -> str | None:  # noqa: ARG002 - it is in the view
        """Return the other player's last move, which the referee has let pass."""
        return view.moves[other(seat)] or None

    def after(self, view: Any, seat: Seat, said: str) -> Any:  # noqa: ARG002 - only the referee knows what a move does
        """Return what is known: nothing changes before the referee has spoken."""
        return view

    def counted(self, turn: int, first: int, seat: Seat) -> int:
        """Return the `Turn` of a ply: the referee's turns between are none of the engines'."""
        ply, begun = (turn + 1) // 2, (first + 1) // 2
        if self.prepares and ply == 1:
            return 1
        if self.together:
            return 2 * (ply - begun) + 1 + seat
        return ply if self.prepares else ply - begun + (2 - begun % 2)

    def read(self, wire: Wire, earlier: Earlier | None) -> Any:  # noqa: ARG002 - nothing to read it with
        """Refuse: only the game's own engines can read its trays."""
        raise PositionError(wire.tray, "only engines of %(name)s read its trays", name=self.name)
