"""Reversi in words: how many discs a move turned, and where it stands."""

from arbitre.games.game import Seat
from arbitre.games.reversi.rules import Board
from arbitre.games.telling import Deed, Telling
from arbitre.reasons import Reason

CORNERS = frozenset({"A1", "H1", "A8", "H8"})


class ReversiTelling(Telling):
    """Tells what turns."""

    unit = Reason("discs")

    def goal(self) -> Reason:
        """Say what wins."""
        return Reason("More discs when neither side can move.")

    def move(self, text: str, seat: Seat, before: Board, view: Board, name: str) -> Deed | None:  # noqa: ARG002 - said of nobody
        """Count the discs that changed sides."""
        if text.upper() == "XX":
            return Deed(Reason("no move here: a pass"), instead=True)
        count = self.scores(view)[seat] - self.scores(before)[seat] - 1
        turned = Reason("one disc turned") if count == 1 else Reason("%(count)s discs turned", count=count)
        if text.upper() in CORNERS:
            return Deed(Reason("%(turned)s, a corner", turned=turned))
        edge = text[:1].upper() in ("A", "H") or text[1:2] in ("1", "8")
        return Deed(Reason("%(turned)s, on the edge", turned=turned) if edge else turned)

    def scores(self, view: Board) -> tuple[int, int]:
        """Count the discs."""
        return view.black.bit_count(), view.white.bit_count()
