"""Hex: the first player joins top and bottom, the second left and right; one of them always does, so there is no draw."""

from collections.abc import Iterator, Mapping

from arbitre.games.game import ALONE, FIRST, SECOND, Awaits, Eye, Game, Phase, Seat, other, require, won
from arbitre.reasons import declare
from arbitre.values import option, value

declare({"hex.joined": ("both sides are joined", "les deux bords sont reliés")})
declare({"hex.no-cell": ("a cell is a letter and a number, a1 to %(last)s", "une case a lettre et nombre, a1 à %(last)s")})

Cell = int  # by its number, row after row from the top left, from 0; also the move that takes it


@value
class Board:
    """One character for each cell: 0 empty, 1 the first player's, 2 the second's."""

    cells: str
    size: int

    @property
    def turn(self) -> int:
        return len(self.cells) - self.cells.count("0") + 1

    @property
    def mover(self) -> Seat:
        return FIRST if self.turn % 2 else SECOND

    def joined(self, seat: Seat) -> bool:
        """Tell whether a player's cells lead from one of his sides to the other."""
        mine, size = str(seat + 1), self.size
        near = range(size) if seat == FIRST else range(0, size * size, size)
        far = range(size * size - size, size * size) if seat == FIRST else range(size - 1, size * size, size)
        reached, ahead = set[Cell](), [cell for cell in near if self.cells[cell] == mine]
        while ahead:
            reached.add(cell := ahead.pop())
            for down, right in ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)):
                row, column, one = cell // size + down, cell % size + right, cell + down * size + right
                if 0 <= row < size and 0 <= column < size and self.cells[one] == mine and one not in reached:
                    ahead.append(one)
        return not reached.isdisjoint(far)


@value
class Hex(Game[Board, Cell, Board]):
    name = "hex"
    size: int = option(default=7, line="cells on a side", ligne="cases d’un côté", least=2, most=19)

    def start(self) -> Board:
        return Board("0" * self.size**2, self.size)

    def phase(self, state: Board) -> Phase:
        if state.joined(other(state.mover)):
            return won(other(state.mover), "hex.joined")
        return Awaits(ALONE[state.mover], state.turn)

    def view(self, state: Board, eye: Eye) -> Board:  # noqa: ARG002 - everybody sees everything
        return state

    def legal(self, view: Board) -> Iterator[Cell]:
        if isinstance(self.phase(view), Awaits):
            yield from (cell for cell, mark in enumerate(view.cells) if mark == "0")

    def check(self, view: Board, move: Cell) -> None:
        require(isinstance(self.phase(view), Awaits), move, "game-over")
        require(view.cells[move] == "0", move, "occupied", cell=move)

    def play(self, state: Board, moves: Mapping[Seat, Cell]) -> Board:
        ((seat, cell),) = moves.items()
        return Board(f"{state.cells[:cell]}{seat + 1}{state.cells[cell + 1 :]}", state.size)
