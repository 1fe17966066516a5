"""The Tournoyons wire of games in which nothing is secret but a pending choice (spec: tournoyons, sections 4 and 8)."""

from collections.abc import Mapping
from typing import Any, ClassVar

from arbitre.errors import PositionError
from arbitre.games.bigtictactoe import rules as bigtictactoe
from arbitre.games.draughts import rules as draughts
from arbitre.games.draughts.moves import BIT
from arbitre.games.draughts.notation import write_fen
from arbitre.games.game import FIRST, SECOND, Seat, other
from arbitre.games.notation import read_cells
from arbitre.games.rochambeau import rules as rochambeau
from arbitre.games.rochambeau.notation import NAMES
from arbitre.games.tray import INIT, Earlier, Tray, Wire, count, digits

# ── boards that both see ───────────────────────────────────────────────────────────────────────────────────────────


class Cells(Tray):
    """A board without secrets where a move fills one empty cell; in canonical text, the board comes first."""

    def write(self, view: Any, seat: Seat) -> str:  # noqa: ARG002 - both see the same
        """Return the cells."""
        return self.notation.write_state(view).split()[0]

    def last(self, before: Any, view: Any, seat: Seat) -> str | None:
        """Return the one cell that was empty."""
        if before is None:
            return None
        pairs = zip(self.write(before, seat), self.write(view, seat), strict=True)
        filled = [at for at, (old, new) in enumerate(pairs) if old == "0" != new]
        return self.cell(filled[0]) if len(filled) == 1 else None

    def cell(self, at: int) -> str:
        """Return the name of a cell, counted row by row."""
        return str(at + 1)

    def read(self, wire: Wire, earlier: Earlier | None) -> Any:  # noqa: ARG002 - the board says it all
        """Return the board; the number of marks tells the turn."""
        return self.game.start() if wire.tray == INIT else self.notation.read_state(wire.tray)


class TicTacToeTray(Cells):
    """Nine cells, 1 to 9."""

    name = "TicTacToe"


class BigTicTacToeTray(Cells):
    """A hundred cells; a player's gain is his alignments, run together."""

    name = "BigTicTacToe"

    def cell(self, at: int) -> str:
        """Return column letter and row digit."""
        return f"{'ABCDEFGHIJ'[at % 10]}{at // 10}"

    def gains(self, view: bigtictactoe.Board) -> tuple[str, str]:
        """Return the ends of the alignments."""
        one, two = (
            "".join(f"{line.head}{line.tail}" for line in bigtictactoe.alignments(view.marks(seat))) for seat in (FIRST, SECOND)
        )
        return one, two


class PenteTray(Cells):
    """361 cells; a player's gain is his captured pairs."""

    name = "Pente"

    def cell(self, at: int) -> str:
        """Return the letters of column and row."""
        letters = "ABCDEFGHIJKLMNOPQRS"
        return letters[at % 19] + letters[at // 19]

    def gains(self, view: Any) -> tuple[str, str]:
        """Return the captured pairs."""
        return str(view.pairs[0]), str(view.pairs[1])

    def read(self, wire: Wire, earlier: Earlier | None) -> Any:  # noqa: ARG002 - the board says it all
        """Return the board; the turn is what the stones tell if that is this seat's, for a game may begin from a photograph."""
        if wire.tray == INIT:
            return self.game.start()
        text = f"{wire.tray} {digits(wire.gains[0])} {digits(wire.gains[1])}"
        try:
            board = self.notation.read_state(text)
        except PositionError:
            board = None
        return board if board is not None and board.mover == wire.seat else self.notation.read_state(f"{text} {wire.turn}")


class ReversiTray(Cells):
    """64 cells, 3 black and 4 white; a player without a move says XX."""

    name = "Reversi"

    def cell(self, at: int) -> str:
        """Return column letter and row digit."""
        return f"{'ABCDEFGH'[at % 8]}{at // 8 + 1}"

    def last(self, before: Any, view: Any, seat: Seat) -> str | None:
        """Return the cell that was filled, or the pass where none was."""
        cell = Cells.last(self, before, view, seat)
        return "XX" if cell is None and before is not None and before.turn == view.turn - 1 else cell

    def read(self, wire: Wire, earlier: Earlier | None) -> Any:  # noqa: ARG002 - the board says it all
        """Return the board; passes leave no trace on it, so the turn is the wire's."""
        return self.game.start() if wire.tray == INIT else self.notation.read_state(f"{wire.tray} {wire.turn}")


class DraughtsTray(Tray):
    """Fifty squares: 1 and 2 the men of white and black, 3 and 4 their kings."""

    name = "Draughts"

    def write(self, view: draughts.Board, seat: Seat) -> str:  # noqa: ARG002 - both see the same
        """Return the squares 1 to 50."""
        return "".join(
            "0" if not bit & (view.white | view.black) else "12"[bool(bit & view.black)] if not bit & view.kings else
            "34"[bool(bit & view.black)]
            for bit in BIT[1:]
        )  # fmt: skip

    def last(self, before: Any, view: Any, seat: Seat) -> str | None:  # noqa: ARG002 - both see the same
        """Return the move that leads from one board to the other."""
        if before is None:
            return None
        found = [move for move in before.moves if before.after(move) == view]
        return str(found[0]) if found else None

    def read(self, wire: Wire, earlier: Earlier | None) -> draughts.Board:  # noqa: ARG002 - the board says it all
        """Return the board on the wire's turn."""
        if wire.tray == INIT:
            return draughts.Draughts().start()
        cells = read_cells(wire.tray, wire.tray, 50, "01234")
        white, black, kings = (
            sum(bit for bit, cell in zip(BIT[1:], cells, strict=True) if cell in those) for those in ("13", "24", "34")
        )
        fen = write_fen(draughts.Board(white, black, kings, wire.turn))
        board: draughts.Board = self.notation.read_state(f"{fen} {wire.turn}")
        return board


# ── moves at once ──────────────────────────────────────────────────────────────────────────────────────────────────


class RochambeauTray(Tray):
    """Rock 1, paper 2, scissors 3; there is no board, and only the round that is over is told."""

    name = "Rochambeau"
    together = True
    VALUES: ClassVar[Mapping[str, str]] = {"1": "rock", "2": "paper", "3": "scissors"}
    SIGNS: ClassVar[Mapping[str, str]] = {sign: number for number, sign in VALUES.items()}

    def write(self, view: Any, seat: Seat) -> str:  # noqa: ARG002 - there is no board
        """Return the same always."""
        return INIT

    def gains(self, view: rochambeau.Standing) -> tuple[str, str]:
        """Return the points."""
        return str(view.points[0]), str(view.points[1])

    def last(self, before: Any, view: rochambeau.Standing, seat: Seat) -> str | None:  # noqa: ARG002 - the view tells
        """Return what the other showed in the round that is over."""
        shown = view.shown[other(seat)] if view.shown else None
        return None if shown is None else self.SIGNS[NAMES[3][shown]]

    def after(self, view: Any, seat: Seat, said: str) -> Any:  # noqa: ARG002 - the round is not over yet
        """Return the view: what the other shows is not known."""
        return view

    def read_value(self, said: str) -> str:
        """Return the name of the sign: our own numbers mean others."""
        return self.VALUES.get(said.strip(), f"Value={said}")

    def read(self, wire: Wire, earlier: Earlier | None) -> rochambeau.Standing:
        """Return the standing, the own last sign as it is remembered."""
        points = tuple(count(gain) for gain in wire.gains)
        if max(points) > 10_000:
            raise PositionError(str(points), "nobody has so many points")
        shown: list[rochambeau.Sign | None] = [None, None]
        last = self.VALUES.get(wire.moves[other(wire.seat)] or "")
        if last is not None:
            shown[other(wire.seat)] = rochambeau.Sign(NAMES[3].index(last))
            if earlier is not None and earlier.said in NAMES[3]:
                shown[wire.seat] = rochambeau.Sign(NAMES[3].index(earlier.said))
        both = frozenset({FIRST, SECOND})
        return rochambeau.Standing((wire.turn + 1) // 2 - 1, points, both, () if last is None else tuple(shown))

    def write_value(self, move: str) -> str:
        """Return the number of a sign, whichever way it was said."""
        return self.SIGNS[self.notation.write(self.notation.read(move, None))]
