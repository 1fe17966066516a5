"""What interfaces show of games in which nothing is secret (spec: tournoyons, sections 4, 5 and 8).

Interfaces get more than engines: what the last move did is still on the tray, under a digit of its own, so that the page can show
the move first and its effects after `Wait`. The tray is therefore the board *after* the move with what it changed marked.
"""

from dataclasses import replace
from typing import Any

from arbitre.games.game import FIRST, SECOND, Eye, Seat, other
from arbitre.games.pente import rules as pente
from arbitre.games.reversi import rules as reversi
from arbitre.games.screen import NEITHER, Pair, Phrase, Screen, Shown, by
from arbitre.games.stones import aligned
from arbitre.games.tictactoe import rules as tictactoe


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


class BigTicTacToeScreen(OpenScreen):
    """A hundred cells; what each player has aligned is his gain, and the interface draws the lines from it."""

    name = "BigTicTacToe"


class PenteScreen(OpenScreen):
    """361 cells, 3 and 4 in a winning row, 5 and 6 being taken, 9 where a person may not play."""

    name = "Pente"

    def cells(self, view: pente.Board, before: pente.Board | None, asks: Seat | None) -> str:
        """Return the board with the winner's row, the stones of the pairs just taken, and the cells that are barred now."""
        found = []
        rows = [aligned(view.stones(seat), pente.STEPS) for seat in (FIRST, SECOND)]
        gone = [0 if before is None else before.stones(seat) & ~view.stones(seat) for seat in (FIRST, SECOND)]
        barred = 0 if asks is None else pente.FULL ^ (view.first | view.second | view.open)
        for bit in pente.BITS:
            marked = (rows[0], rows[1], gone[0], gone[1], view.first, view.second, barred)
            found.append(next((code for code, cells in zip("3456129", marked, strict=True) if cells & bit), "0"))
        return "".join(found)


class ReversiScreen(OpenScreen):
    """64 cells, 1 and 2 where a person may play, 7 and 8 discs that turn black and white."""

    name = "Reversi"

    def cells(self, view: reversi.Board, before: reversi.Board | None, asks: Seat | None) -> str:
        """Return the discs, those that the last move turned and, for a person, the moves."""
        turned = (0, 0) if before is None else (before.white & view.black, before.black & view.white)
        marked = (*turned, view.black, view.white, view.moves if asks is not None else 0)
        codes = "7834" + ("1" if asks == FIRST else "2")
        return "".join(
            next((code for code, cells in zip(codes, marked, strict=True) if cells >> at & 1), "0") for at in range(64)
        )

    def legend(self, view: reversi.Board, before: reversi.Board | None, asks: Seat | None) -> Phrase | None:
        """Return who has passed, or the label of the control with which a person without a move passes."""
        if asks is not None and not view.moves:
            return Phrase.I_PASS
        if "XX" not in self.moves(view, before):
            return None
        return Phrase.WHITE_PASSES if view.mover == FIRST else Phrase.BLACK_PASSES


class DraughtsScreen(OpenScreen):
    """Fifty squares, as engines get them; the second player looks from his own side."""

    name = "Draughts"

    def show(self, view: Any, eye: Eye, *, before: Any = None, asks: Seat | None = None) -> Shown:
        """Return the board from the side of who looks."""
        return replace(super().show(view, eye, before=before, asks=asks), side=SECOND if eye == SECOND else None)
