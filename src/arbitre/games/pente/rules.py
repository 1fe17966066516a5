"""Pente: five in a row or five captured pairs on nineteen lines (spec: tournoyons, section 4).

Nothing is secret: a view is the state. A stone captures two of the other side that stand between it and another of its own, in
one straight line and without a gap; one stone may capture in several directions at once. Exactly two: a single stone or three are
safe, and so are two that move into such a place by themselves. Five or more in a row win, and so do five captured pairs; the
count of pairs stops at five, where the game ends, though the last stone may take more. The first stone may lie anywhere; the
first player's second, on turn 3, not within two of the centre. A board without a cell to play is a draw.
"""

from collections.abc import Iterator, Mapping

from arbitre.errors import IllegalMoveError
from arbitre.games.game import ALONE, FIRST, SECOND, Awaits, Eye, Game, Outcome, Phase, Seat, drawn, other, won
from arbitre.games.stones import bits, chosen, fives, slots, steps
from arbitre.reasons import declare
from arbitre.values import value

SIDE = 19
GOMOCUP = ""
"""The language of Gomocup has no number for these rules."""
LETTERS = "ABCDEFGHIJKLMNOPQRS"
PAIRS = 5
"""So many captured pairs win."""


class Cell(int):
    """A cell, 0 to 360, row by row from the top left; also the move that puts a stone there."""

    __slots__ = ()

    def __str__(self) -> str:
        """Return the name: the letters of column and row, `AA` to `SS`."""
        return f"{LETTERS[self % SIDE]}{LETTERS[self // SIDE]}" if 0 <= self < SIDE * SIDE else int.__repr__(self)


CELLS: tuple[Cell, ...] = tuple(Cell(n) for n in range(SIDE * SIDE))
BITS = bits(SIDE)
SLOTS = slots(CELLS, SIDE)
STEPS = steps(SIDE)
FULL = sum(BITS)
CENTRE = sum(BITS[row * SIDE + column] for row in range(7, 12) for column in range(7, 12))
"""The five by five cells around JJ."""


def brackets(cell: int) -> tuple[tuple[int, int], ...]:
    """Return, for each direction with room, the two cells next to `cell` and the one behind them."""
    found = []
    for down, right in ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)):
        cells = [(cell // SIDE + n * down, cell % SIDE + n * right) for n in (1, 2, 3)]
        if all(0 <= row < SIDE and 0 <= column < SIDE for row, column in cells):
            near, next_to_it, far = (BITS[row * SIDE + column] for row, column in cells)
            found.append((near | next_to_it, far))
    return tuple(found)


BRACKETS = tuple(brackets(cell) for cell in CELLS)


REASONS = declare(
    {
        "five-pairs": ("five captured pairs", "cinq paires prises"),
        "too-central": (
            "the first player's second stone may not lie in %(first)s to %(last)s, the five by five in the centre",
            "la deuxième pierre du premier joueur ne se pose pas entre %(first)s et %(last)s, le carré du centre",
        ),
    }
)


@value
class Board:
    """The stones and the captured pairs of the two players, and the number of the ply to come, from 1."""

    first: int = 0
    second: int = 0
    pairs: tuple[int, int] = (0, 0)
    turn: int = 1

    @property
    def mover(self) -> Seat:
        """The seat to move."""
        return FIRST if self.turn % 2 else SECOND

    @property
    def open(self) -> int:
        """The cells where the mover may put a stone, as bits, were the game to go on."""
        free = FULL ^ (self.first | self.second)
        return free & ~CENTRE if self.turn == 3 else free

    def stones(self, seat: Seat) -> int:
        """Return the stones of one player."""
        return self.first if seat == FIRST else self.second


def five(stones: int) -> bool:
    """Tell whether five of these stones stand in a row."""
    return any(fives(stones, step) for step in STEPS)


def winner(board: Board) -> Seat | None:
    """Return who has won: only the player who has just moved can have."""
    last = other(board.mover)
    return last if board.pairs[last] >= PAIRS or five(board.stones(last)) else None


@value
class Pente(Game[Board, Cell, Board]):
    """Five in a row or five captured pairs on nineteen lines."""

    name = "pente"

    def start(self) -> Board:
        """Return the empty board."""
        return Board()

    def phase(self, state: Board) -> Phase:
        """End on five in a row, five captured pairs, or a board without a cell to play."""
        won_by = winner(state)
        if won_by is not None:
            reason = "five-in-a-row" if five(state.stones(won_by)) else "five-pairs"
            return won(won_by, reason, state.pairs)
        if not state.open:
            return drawn("board-full", state.pairs)
        return Awaits(ALONE[state.mover], state.turn)

    def view(self, state: Board, eye: Eye) -> Board:  # noqa: ARG002 - everybody sees everything
        """Show the board."""
        return state

    def legal(self, view: Board) -> Iterator[Cell]:
        """List the cells open to the mover in reading order, while the game lasts."""
        if winner(view) is None:
            yield from chosen(SLOTS, view.open)

    def check(self, view: Board, move: Cell) -> None:
        """Refuse a cell that does not exist, is taken, or lies too near the centre on turn 3."""
        if not 0 <= move < SIDE * SIDE:
            raise IllegalMoveError(move, "no-cell", first="AA", last="SS")
        bit = BITS[move]
        if (view.first | view.second) & bit:
            raise IllegalMoveError(move, "occupied", cell=str(move))
        if isinstance(self.phase(view), Outcome):
            raise IllegalMoveError(move, "game-over")
        if not view.open & bit:
            raise IllegalMoveError(move, "too-central", first="HH", last="LL")

    def play(self, state: Board, moves: Mapping[Seat, Cell]) -> Board:
        """Put the mover's stone down and take the pairs that it brackets."""
        mover = state.mover
        cell = moves[mover]
        own, against = (state.first, state.second) if mover == FIRST else (state.second, state.first)
        own |= BITS[cell]
        one, two = state.pairs
        captured = 0
        for pair, far in BRACKETS[cell]:
            if own & far and against & pair == pair:
                against ^= pair
                captured += 1
        if mover == FIRST:
            return Board(own, against, (min(one + captured, PAIRS), two), state.turn + 1)
        return Board(against, own, (one, min(two + captured, PAIRS)), state.turn + 1)
