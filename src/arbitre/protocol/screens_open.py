"""What interfaces show of games in which nothing is secret (spec: tournoyons, sections 4, 5 and 8).

Interfaces get more than engines: what the last move did is still on the tray, under a digit of its own, so that the page can show
the move first and its effects after `Wait`. The tray is therefore the board *after* the move with what it changed marked.
"""

from typing import Any

from arbitre.protocol.screen import NEITHER, Pair, Phrase, Screen, Shown, by
from arbitre.rules import tictactoe
from arbitre.rules.game import FIRST, Eye, Seat, other


class OpenScreen(Screen):
    """A board that everybody sees alike."""

    def show(self, view: Any, eye: Eye, *, before: Any = None, asks: Seat | None = None) -> Shown:  # noqa: ARG002 - no secrets
        """Return the board, the last move, and whatever the game adds."""
        asked = asks if not self.over(view) and asks == view.mover else None
        return Shown(
            self.name,
            tray=self.cells(view, before, asked),
            method=self.method(view),
            moves=self.moves(view, before),
            gains=self.tray.gains(view) or NEITHER,
            count=view.turn - 1,
            asks=asked,
            legend=self.legend(view, before, asked),
        )

    def cells(self, view: Any, before: Any, asks: Seat | None) -> str:  # noqa: ARG002 - some games mark nothing
        """Return the tray with its marks."""
        return self.tray.write(view, FIRST)

    def moves(self, view: Any, before: Any) -> Pair:
        """Return the last move of who made it."""
        return NEITHER if before is None else by(before.mover, self.tray.last(before, view, other(before.mover)))

    def legend(self, view: Any, before: Any, asks: Seat | None) -> Phrase | None:  # noqa: ARG002 - most games say nothing
        """Return what there is to say."""
        return None


class TicTacToeScreen(OpenScreen):
    """Nine cells, 3 and 4 on the winning line.

    With a winning line there is no last move: interfaces put the mark of a move on the tray that they got, over the winning one.
    """

    name = "TicTacToe"

    def cells(self, view: tictactoe.Board, before: Any, asks: Seat | None) -> str:  # noqa: ARG002 - the line alone is marked
        """Return the cells, the winner's line marked."""
        line = tictactoe.line(view) or ()
        return "".join("34"[cell == "2"] if at in line else cell for at, cell in enumerate(view.cells, start=1))

    def moves(self, view: tictactoe.Board, before: Any) -> Pair:
        """Return the last move unless it won."""
        return NEITHER if tictactoe.line(view) else super().moves(view, before)
