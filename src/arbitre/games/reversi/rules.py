"""Reversi: outflank and turn the other side's discs (spec: tournoyons, section 4).

Nothing is secret: a view is the state. Black is the first player and moves first, from D4 and E5 white, E4 and D5 black.

**Passing.** A player without a move must say so: `PASS` is a ply like any other and the only move of that turn, so the turn
number's parity always tells who is to move. "Two passes end" is decided as soon as it is certain: when neither side has a move
the phase is the outcome at once, and nobody is asked to pronounce passes that change nothing. The published leaf counts (4, 12,
56, 244, …) agree: a forced pass is a ply, and a game that ended stays one leaf at every greater depth (first at depth 10, with
the 228 games that end on the ninth ply).

**Speed.** A board is a pair of integers. Each holds the discs twice: in the low 64 bits, bit n for cell n in reading order, and
from bit `LANE` up in the opposite order. A direction and its reverse are then one shift to the left, so that four passes over the
board find the moves of all eight directions. The moves of the side to move are found when a board is made, because the phase, the
list of moves and the check all ask for them.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from arbitre.errors import IllegalMoveError
from arbitre.games.game import ALONE, FIRST, SECOND, Awaits, Eye, Game, Phase, Seat, drawn, first, won
from arbitre.reasons import declare
from arbitre.values import value


class Cell(int):
    """A cell, 0 to 63, row by row from the top left, and the move that puts a disc there; `PASS` follows the last."""

    __slots__ = ()

    def __str__(self) -> str:
        """Return the name: column letter and row from the top, or `XX` for the pass."""
        return NAMES[self] if 0 <= self <= 64 else int.__repr__(self)


NAMES = (*(f"{column}{row}" for row in range(1, 9) for column in "ABCDEFGH"), "XX")
CELLS: tuple[Cell, ...] = tuple(Cell(n) for n in range(64))
PASS = Cell(64)

LANE = 80
"""Where the reversed copy of a board begins: a shift by the longest step, 9, may run into the gap but never into the copy."""

LOW = (1 << 64) - 1
BITS = tuple(1 << n | 1 << (LANE + 63 - n) for n in range(64))
"""Each cell as it stands in both copies."""
FULL = sum(BITS)
INNER = sum(bit for n, bit in enumerate(BITS) if 0 < n % 8 < 7)
"""All but the outer columns: a run that stays within them cannot step across the edge into the next row."""
REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
ONE = {1 << n: cell for n, cell in enumerate(CELLS)}


def reverse(mask: int) -> int:
    """Return a mask of 64 cells in the opposite order."""
    return int.from_bytes(mask.to_bytes(8, "little").translate(REVERSED), "big")


def mobility(own: int, against: int) -> int:
    """Return the cells where a disc of `own` outflanks some of `against`, as 64 bits."""
    inner = against & INNER
    # Along a row a carry does what the loops below do step by step: it runs through the discs and out at the far end.
    found = (own << 1 & inner) + inner
    run = own << 7 & inner
    while run:
        run <<= 7
        found |= run
        run &= inner
    run = own << 9 & inner
    while run:
        run <<= 9
        found |= run
        run &= inner
    run = own << 8 & against
    while run:
        run <<= 8
        found |= run
        run &= against
    found &= FULL ^ (own | against)
    return found & LOW | reverse(found >> LANE)


REASONS = declare(
    {
        "equal-discs": (
            "neither side has a move, as many discs each",
            "personne ne peut jouer, autant de pions de part et d’autre",
        ),
        "more-discs": (
            "neither side has a move, more discs win",
            "personne ne peut jouer, le plus grand nombre de pions l’emporte",
        ),
        "must-pass": (
            "no cell can be played here, only the pass XX",
            "aucune case ne peut être jouée ici, seulement la passe XX",
        ),
        "turns-none": ("a disc on %(cell)s turns none", "un pion posé en %(cell)s n’en retourne aucun"),
        "no-pass": (
            "only a player without a move passes, and %(cell)s is one",
            "seul un joueur sans coup passe, et %(cell)s en est un",
        ),
        "no-cell-or-pass": (
            "a move is a cell from A1 to H8, column and row, or XX to pass",
            "un coup est une case de A1 à H8, colonne et ligne, ou XX pour passer",
        ),
    }
)


class Board(NamedTuple):
    """The discs of the side to move and of the other side, and the number of the ply to come, from 1.

    A tuple and not a dataclass, because making boards is what the rules spend their time on.
    """

    own: int
    against: int
    turn: int
    moves: int
    """What `mobility` finds for the side to move. It follows from the discs, so it never tells equal boards apart."""

    @property
    def mover(self) -> Seat:
        """The seat to move."""
        return FIRST if self.turn % 2 else SECOND

    @property
    def black(self) -> int:
        """The first player's discs, bit n for cell n."""
        return (self.own if self.turn % 2 else self.against) & LOW

    @property
    def white(self) -> int:
        """The second player's discs, bit n for cell n."""
        return (self.against if self.turn % 2 else self.own) & LOW

    @property
    def stuck(self) -> bool:
        """Whether neither side has a move."""
        return not self.moves and not mobility(self.against, self.own)

    @property
    def choices(self) -> int:
        """The number of legal moves, a forced pass being one."""
        return self.moves.bit_count() or int(not self.stuck)


def lay(black: int, white: int, turn: int = 1) -> Board:
    """Return the board with these discs, bit n for cell n, and the side to move that the turn tells."""
    both = (black | reverse(black) << LANE, white | reverse(white) << LANE)
    own, against = both if turn % 2 else both[::-1]
    return Board(own, against, turn, mobility(own, against))


START = lay(black=1 << 28 | 1 << 35, white=1 << 27 | 1 << 36)

Line = tuple[int, dict[int, int], dict[int, int]]


def arm(cell: int, down: int, right: int) -> list[int]:
    """Return the cells that lie from `cell` in one direction, the nearest first."""
    row, column = cell // 8 + down, cell % 8 + right
    cells = []
    while 0 <= row < 8 and 0 <= column < 8:
        cells.append(8 * row + column)
        row, column = row + down, column + right
    return cells


def line(cell: int, down: int, right: int) -> Line:
    """Return what a disc on `cell` turns along one line, both ways, as two tables.

    The mask has the cells between `cell` and the edges. The first table leads from the other side's discs among them to the one
    or two cells that end the runs next to `cell`; the second from those of them that are one's own to the discs turned.
    """
    arms = (arm(cell, down, right), arm(cell, -down, -right))
    between = [n for cells in arms for n in cells[:-1]]
    ends: dict[int, int] = {}
    for subset in range(1 << len(between)):
        discs = sum(1 << n for at, n in enumerate(between) if subset >> at & 1)
        ends[discs] = sum(1 << n for n in (run_end(cells, discs) for cells in arms) if n is not None)
    one, two = ([(0, 0)] + [(1 << cells[k], sum(BITS[n] for n in cells[:k])) for k in range(1, len(cells))] for cells in arms)
    return sum(1 << n for n in between), ends, {a | b: x | y for a, x in one for b, y in two}


def run_end(cells: list[int], discs: int) -> int | None:
    """Return the cell that ends the run of `discs` at the beginning of `cells`, or None if there is no such run."""
    length = first(at for at, n in enumerate(cells) if not discs >> n & 1)
    return cells[length] if length else None


AXES = ((0, 1), (1, 0), (1, 1), (1, -1))
LINES: tuple[tuple[Line, ...], ...] = tuple(
    tuple(found for found in (line(cell, down, right) for down, right in AXES) if found[0]) for cell in range(64)
)


@value
class Reversi(Game[Board, Cell, Board]):
    """Outflank and turn the other side's discs."""

    name = "reversi"

    def start(self) -> Board:
        """Return the four discs in the centre, black to move."""
        return START

    def phase(self, state: Board) -> Phase:
        """End when neither side has a move; more discs win."""
        if state.moves or not state.stuck:
            return Awaits(ALONE[state.mover], state.turn)
        black, white = tally = (state.black.bit_count(), state.white.bit_count())
        if black == white:
            return drawn("equal-discs", tally)
        return won(FIRST if black > white else SECOND, "more-discs", tally)

    def view(self, state: Board, eye: Eye) -> Board:  # noqa: ARG002 - everybody sees everything
        """Show the board."""
        return state

    def legal(self, view: Board) -> Iterator[Cell]:
        """List the cells where a disc turns others, in reading order, or the pass if there are none."""
        moves = view.moves
        if not moves and not view.stuck:
            yield PASS
        while moves:
            lowest = moves & -moves
            yield ONE[lowest]
            moves ^= lowest

    def check(self, view: Board, move: Cell) -> None:
        """Refuse a disc that turns nothing and a pass that is not forced."""
        if not 0 <= move <= 64:
            raise IllegalMoveError(move, "no-cell", first="A1", last="H8")
        if view.stuck:
            raise IllegalMoveError(move, "game-over")
        if move == PASS:
            if view.moves:
                raise IllegalMoveError(move, "no-pass", cell=str(next(self.legal(view))))
        elif (view.black | view.white) >> move & 1:
            raise IllegalMoveError(move, "occupied", cell=str(move))
        elif not view.moves:
            raise IllegalMoveError(move, "must-pass")
        elif not view.moves >> move & 1:
            raise IllegalMoveError(move, "turns-none", cell=str(move))

    def play(self, state: Board, moves: Mapping[Seat, Cell]) -> Board:
        """Put the mover's disc down and turn what it outflanks, or pass."""
        own, against, turn, _ = state
        cell = moves[FIRST if turn % 2 else SECOND]
        if cell != PASS:
            turned = 0
            for mask, ends, runs in LINES[cell]:
                turned |= runs[ends[against & mask] & own]
            own |= turned | BITS[cell]
            against ^= turned
        return Board(against, own, turn + 1, mobility(against, own))
