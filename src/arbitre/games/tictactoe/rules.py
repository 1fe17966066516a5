"""TicTacToe: three in a row on nine cells (spec: tournoyons, section 4).

The whole game on one page, and so the one to read before writing another. Nothing is secret: a view is the state.
"""

from collections.abc import Iterator, Mapping
from typing import NewType

from arbitre.errors import IllegalMoveError
from arbitre.games.game import ALONE, FIRST, SECOND, Awaits, Eye, Game, Outcome, Phase, Seat, drawn, won
from arbitre.reasons import declare
from arbitre.values import value

REASONS = declare(
    {
        "three-in-a-row": ("three in a row", "trois d’affilée"),
        "no-digit": ("a move is a cell, one digit from 1 to 9", "un coup est une case, un chiffre de 1 à 9"),
    }
)


Cell = NewType("Cell", int)
"""A cell, 1 to 9, row by row from the top left; also the move that fills it."""

LINES = ((1, 2, 3), (4, 5, 6), (7, 8, 9), (1, 4, 7), (2, 5, 8), (3, 6, 9), (1, 5, 9), (3, 5, 7))

EMPTY: str = "0" * 9


@value
class Board:
    """Nine characters, `0` empty, `1` and `2` the players' marks; who is to move follows from their number."""

    cells: str = EMPTY

    @property
    def turn(self) -> int:
        """The number of the ply to come, from 1."""
        return 10 - self.cells.count("0")

    @property
    def mover(self) -> Seat:
        """The seat to move."""
        return SECOND if self.cells.count("0") % 2 == 0 else FIRST


def line(board: Board) -> tuple[int, ...] | None:
    """Return the first complete line of one player, if there is one."""
    cells = board.cells
    for a, b, c in LINES:
        if cells[a - 1] == cells[b - 1] == cells[c - 1] != "0":
            return (a, b, c)
    return None


@value
class TicTacToe(Game[Board, Cell, Board]):
    """Three in a row on nine cells."""

    name = "tictactoe"

    def start(self) -> Board:
        """Return the empty board."""
        return Board()

    def phase(self, state: Board) -> Phase:
        """End on a complete line or a full board."""
        found = line(state)
        if found is not None:
            return won(FIRST if state.cells[found[0] - 1] == "1" else SECOND, "three-in-a-row")
        if "0" not in state.cells:
            return drawn("board-full")
        return Awaits(ALONE[state.mover], state.turn)

    def view(self, state: Board, eye: Eye) -> Board:  # noqa: ARG002 - everybody sees everything
        """Show the board."""
        return state

    def legal(self, view: Board) -> Iterator[Cell]:
        """List the empty cells, while the game lasts."""
        if not isinstance(self.phase(view), Outcome):
            yield from (Cell(n) for n, mark in enumerate(view.cells, start=1) if mark == "0")

    def check(self, view: Board, move: Cell) -> None:
        """Refuse a cell that does not exist or is taken."""
        if not 1 <= move <= 9:
            raise IllegalMoveError(move, "no-cell", first=1, last=9)
        if view.cells[move - 1] != "0":
            raise IllegalMoveError(move, "occupied", cell=move)
        if isinstance(self.phase(view), Outcome):
            raise IllegalMoveError(move, "game-over")

    def play(self, state: Board, moves: Mapping[Seat, Cell]) -> Board:
        """Put the mover's mark on the cell."""
        mover = state.mover
        cell = moves[mover]
        return Board(state.cells[: cell - 1] + "12"[mover] + state.cells[cell:])
