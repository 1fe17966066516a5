"""Connect Four: discs fall down the columns, four in a row win, a full board is a draw.

A board is two Python integers with one bit per cell. Columns are one bit taller than the board, so that a shifted line never
runs from one column into the next.
"""

from collections.abc import Iterator, Mapping
from typing import NewType

from arbitre.games.game import ALONE, FIRST, SECOND, Awaits, Eye, Game, Outcome, Phase, Seat, drawn, require, won
from arbitre.reasons import declare
from arbitre.values import option, value

declare(
    {
        "connectfour.four": ("four in a row", "quatre en ligne"),
        "connectfour.no-column": ("columns are numbered 1 to %(last)s", "les colonnes sont numérotées de 1 à %(last)s"),
        "connectfour.column-full": ("the column is full", "la colonne est pleine"),
        "connectfour.no-move": ("a move is a column, 1 to %(last)s", "un coup est une colonne, 1 à %(last)s"),
    }
)

Column = NewType("Column", int)
"""A column from the left, from 1; also the move that drops a disc into it."""


@value
class Board:
    """The discs of each player as bits, cell (column, row) at column × (rows + 1) + row, both from 0."""

    first: int = 0
    second: int = 0

    @property
    def turn(self) -> int:
        """The number of the ply to come, from 1."""
        return (self.first | self.second).bit_count() + 1

    @property
    def mover(self) -> Seat:
        """The seat to move."""
        return FIRST if self.turn % 2 else SECOND


@value
class ConnectFour(Game[Board, Column, Board]):
    """Four in a row, discs falling down the columns."""

    name = "connectfour"

    columns: int = option(default=7, line="how many columns the board has", ligne="nombre de colonnes", least=4, most=12)
    rows: int = option(default=6, line="how many rows the board has", ligne="nombre de lignes", least=4, most=12)

    def start(self) -> Board:
        """Return the empty board."""
        return Board()

    def phase(self, state: Board) -> Phase:
        """End on four in a row of whoever moved last, or on a full board."""
        mover = state.mover
        if self.four(state.second if mover == FIRST else state.first):
            return won(SECOND if mover == FIRST else FIRST, "connectfour.four")
        if state.turn > self.columns * self.rows:
            return drawn("board-full")
        return Awaits(ALONE[mover], state.turn)

    def view(self, state: Board, eye: Eye) -> Board:  # noqa: ARG002 - everybody sees everything
        """Show the board."""
        return state

    def legal(self, view: Board) -> Iterator[Column]:
        """List the columns that are not full, while the game lasts."""
        if not isinstance(self.phase(view), Outcome):
            yield from (Column(n) for n in range(1, self.columns + 1) if not self.full(view, n))

    def check(self, view: Board, move: Column) -> None:
        """Refuse a column that does not exist or is full."""
        require(1 <= move <= self.columns, move, "connectfour.no-column", last=self.columns)
        require(not self.full(view, move), move, "connectfour.column-full")
        require(not isinstance(self.phase(view), Outcome), move, "game-over")

    def play(self, state: Board, moves: Mapping[Seat, Column]) -> Board:
        """Let a disc fall down the column."""
        mover = state.mover
        taken = state.first | state.second
        bottom = 1 << (moves[mover] - 1) * (self.rows + 1)
        disc = (taken + bottom) & ~taken & (((1 << self.rows + 1) - 1) * bottom)
        return Board(state.first | disc, state.second) if mover == FIRST else Board(state.first, state.second | disc)

    def full(self, board: Board, column: int) -> bool:
        """Tell whether a column has no room left."""
        return bool((board.first | board.second) >> ((column - 1) * (self.rows + 1) + self.rows - 1) & 1)

    def four(self, discs: int) -> bool:
        """Tell whether four of these discs stand in a row: up, along, and on both diagonals."""
        for step in (1, self.rows + 1, self.rows, self.rows + 2):
            pairs = discs & (discs >> step)
            if pairs & (pairs >> 2 * step):
                return True
        return False
