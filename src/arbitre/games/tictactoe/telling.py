"""TicTacToe in words: where a mark stands."""

from arbitre.games.game import Seat
from arbitre.games.telling import Deed, Telling
from arbitre.games.tictactoe.rules import Board, line
from arbitre.reasons import Reason


class TicTacToeTelling(Telling):
    """Tells places."""

    def goal(self) -> Reason:
        """Say what wins."""
        return Reason("Three of your marks in one line.")

    def move(self, text: str, seat: Seat, before: Board, view: Board, name: str) -> Deed | None:  # noqa: ARG002 - said of nobody
        """Name the place, or the line that is complete."""
        if line(view) is not None:
            return Deed(Reason("three in a row"))
        return Deed(Reason("the centre") if text == "5" else Reason("a corner") if text in "1379" else Reason("a side"))
