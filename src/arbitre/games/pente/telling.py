"""Pente in words: pairs that were taken, five in a row."""

from arbitre.games.game import Seat
from arbitre.games.pente.rules import Board, five
from arbitre.games.telling import Deed, Telling
from arbitre.reasons import Reason


class PenteTelling(Telling):
    """Tells what is taken."""

    unit = Reason("pairs taken")

    def goal(self) -> Reason:
        """Say what wins."""
        return Reason("Five in a row, or five pairs taken: two between two of yours.")

    def move(self, text: str, seat: Seat, before: Board, view: Board, name: str) -> Deed | None:  # noqa: ARG002 - said of nobody
        """Count the pairs that went."""
        if five(view.stones(seat)):
            return Deed(Reason("five in a row"))
        pairs = view.pairs[seat] - before.pairs[seat]
        if not pairs:
            return None
        return Deed(Reason("a pair taken") if pairs == 1 else Reason("%(count)s pairs taken", count=pairs))

    def scores(self, view: Board) -> tuple[int, int]:
        """Count the pairs that each has taken."""
        return view.pairs
