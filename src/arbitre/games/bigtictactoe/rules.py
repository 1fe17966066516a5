"""BigTicTacToe: the most rows of five on ten by ten cells (spec: tournoyons, section 4).

Nothing is secret: a view is the state. An *alignment* is a run of five or more marks of one player in one of four directions, as
long as it goes: a run that grows from five to six stays one alignment with other ends, and two runs that a mark joins become
one. Runs in different directions count separately, though they may share cells.

By default the players fill the board and the one with more alignments wins. With the option `first` the first alignment wins.

The marks of a player are the bits of one integer (see `arbitre.games.stones`).
"""

from collections.abc import Iterator, Mapping

from arbitre.errors import IllegalMoveError
from arbitre.games.game import ALONE, FIRST, SECOND, Awaits, Eye, Game, Outcome, Phase, Seat, drawn, won
from arbitre.games.stones import bits, chosen, fives, slots, steps
from arbitre.reasons import declare
from arbitre.values import option, value

SIDE = 10
GOMOCUP = "0"
"""What the language of Gomocup calls these rules, where the first five win: freestyle."""


class Cell(int):
    """A cell, 0 to 99, row by row from the top left; also the move that fills it."""

    __slots__ = ()

    def __str__(self) -> str:
        """Return the name: column letter and row from the top, `A0` to `J9`."""
        return f"{'ABCDEFGHIJ'[self % SIDE]}{self // SIDE}" if 0 <= self < SIDE * SIDE else int.__repr__(self)


CELLS: tuple[Cell, ...] = tuple(Cell(n) for n in range(SIDE * SIDE))
BITS = bits(SIDE)
SLOTS = slots(CELLS, SIDE)
STEPS = steps(SIDE)
FULL = sum(BITS)


@value
class Alignment:
    """A run of five or more by its two ends, in reading order."""

    head: Cell
    tail: Cell


REASONS = declare(
    {
        "first-row": ("the first row of five", "le premier alignement de cinq"),
        "equal-rows": (
            "the board is full, as many rows of five each",
            "le plateau est plein, autant d’alignements de part et d’autre",
        ),
        "more-rows": ("the board is full, more rows of five win", "le plateau est plein, plus d’alignements gagne"),
    }
)


@value
class Board:
    """The marks of the two players; who is to move follows from their number."""

    first: int = 0
    second: int = 0

    @property
    def taken(self) -> int:
        """The cells that bear a mark."""
        return self.first | self.second

    @property
    def turn(self) -> int:
        """The number of the ply to come, from 1."""
        return (self.first | self.second).bit_count() + 1

    @property
    def mover(self) -> Seat:
        """The seat to move."""
        return SECOND if (self.first | self.second).bit_count() % 2 else FIRST

    def marks(self, seat: Seat) -> int:
        """Return the marks of one player."""
        return self.first if seat == FIRST else self.second


def heads(marks: int, step: int) -> int:
    """Return the first cell of each alignment in the direction of `step`: of those in a longer run, only the first begins it."""
    begun = fives(marks, step)
    return begun & ~(begun << step)


def count(marks: int) -> int:
    """Return how many alignments these marks have."""
    return sum(heads(marks, step).bit_count() for step in STEPS)


def alignments(marks: int) -> Iterator[Alignment]:
    """List the alignments of these marks: those along rows first, then columns, then the diagonals as in `STEPS`."""
    for step in STEPS:
        begun = heads(marks, step)
        while begun:
            head = tail = begun & -begun
            while tail << step & marks:
                tail <<= step
            yield Alignment(SLOTS[head.bit_length() - 1], SLOTS[tail.bit_length() - 1])
            begun ^= head


@value
class BigTicTacToe(Game[Board, Cell, Board]):
    """The most rows of five on ten by ten cells."""

    name = "bigtictactoe"

    first: bool = option(default=False, line="the first row of five wins, instead of the most on a full board")

    def start(self) -> Board:
        """Return the empty board."""
        return Board()

    def phase(self, state: Board) -> Phase:
        """End on a full board, with the option `first` on the first alignment too."""
        if self.first:
            for seat in (FIRST, SECOND):
                if any(fives(state.marks(seat), step) for step in STEPS):
                    return won(seat, "first-row", (count(state.first), count(state.second)))
        if state.taken != FULL:
            return Awaits(ALONE[state.mover], state.turn)
        one, two = tally = (count(state.first), count(state.second))
        if one == two:
            return drawn("equal-rows", tally)
        return won(FIRST if one > two else SECOND, "more-rows", tally)

    def view(self, state: Board, eye: Eye) -> Board:  # noqa: ARG002 - everybody sees everything
        """Show the board."""
        return state

    def legal(self, view: Board) -> Iterator[Cell]:
        """List the empty cells in reading order, while the game lasts."""
        if not isinstance(self.phase(view), Outcome):
            yield from chosen(SLOTS, FULL ^ view.taken)

    def check(self, view: Board, move: Cell) -> None:
        """Refuse a cell that does not exist or is taken."""
        if not 0 <= move < SIDE * SIDE:
            raise IllegalMoveError(move, "no-cell", first="A0", last="J9")
        if view.taken & BITS[move]:
            raise IllegalMoveError(move, "occupied", cell=str(move))
        if isinstance(self.phase(view), Outcome):
            raise IllegalMoveError(move, "game-over")

    def play(self, state: Board, moves: Mapping[Seat, Cell]) -> Board:
        """Put the mover's mark on the cell."""
        mover = state.mover
        bit = BITS[moves[mover]]
        return Board(state.first | bit, state.second) if mover == FIRST else Board(state.first, state.second | bit)
