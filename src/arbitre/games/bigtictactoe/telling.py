"""BigTicTacToe in words: rows of five or more."""

from arbitre.games.bigtictactoe.rules import BigTicTacToe, Board, count
from arbitre.games.game import Seat
from arbitre.games.telling import Deed, Telling
from arbitre.reasons import Reason


class BigTicTacToeTelling(Telling):
    """Tells rows."""

    game: BigTicTacToe
    unit = Reason("rows")

    def goal(self) -> Reason:
        """Say what wins."""
        if self.game.first:
            return Reason("The first row of five.")
        return Reason("More rows of five when the board is full.")

    def move(self, text: str, seat: Seat, before: Board, view: Board, name: str) -> Deed | None:  # noqa: ARG002 - said of nobody
        """Tell of a row that a mark made, or made longer."""
        more = self.scores(view)[seat] - self.scores(before)[seat]
        if more <= 0:
            return None
        return Deed(Reason("a row of five") if more == 1 else Reason("%(count)s rows at once", count=more))

    def scores(self, view: Board) -> tuple[int, int]:
        """Count the rows."""
        return count(view.first), count(view.second)
