"""Draughts in words: pieces that were taken, men that became kings."""

from arbitre.games.draughts.rules import Board
from arbitre.games.game import Seat, other
from arbitre.games.telling import Deed, Telling
from arbitre.reasons import Reason


class DraughtsTelling(Telling):
    """Tells what is taken."""

    unit = Reason("pieces")

    def goal(self) -> Reason:
        """Say what wins."""
        return Reason("Take all men of the other side, or leave it no move; who can take must take.")

    def move(self, text: str, seat: Seat, before: Board, view: Board, name: str) -> Deed | None:  # noqa: ARG002 - said of nobody
        """Count what went, and see who was crowned."""
        against = other(seat)
        count = self.scores(before)[against] - self.scores(view)[against]
        taken = Reason("one piece taken") if count == 1 else Reason("%(count)s pieces taken", count=count) if count else None
        own = (view.white, view.black)[seat]
        crowned = (view.kings & own).bit_count() > (before.kings & (before.white, before.black)[seat]).bit_count()
        if crowned:
            return Deed(Reason("%(taken)s, and a king", taken=taken) if taken else Reason("a king"))
        return None if taken is None else Deed(taken)

    def scores(self, view: Board) -> tuple[int, int]:
        """Count the pieces."""
        return view.white.bit_count(), view.black.bit_count()
