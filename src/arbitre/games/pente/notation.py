"""Pente in text: a move is a cell `AA` to `SS`; a board is 361 characters `0`, `1`, `2`, each player's captured pairs, the turn.

The first letter is the column, the second the row from the top. The turn's parity is the side to move. Where the turn is left
out, the stones laid so far must tell it: a player's own on the board, and two for each pair that the other captured.
"""

from arbitre.errors import InvalidMoveError, PositionError
from arbitre.games.game import FIRST, SECOND, Outcome, other
from arbitre.games.notation import OpenNotation, read_count, split_turn
from arbitre.games.pente.rules import BITS, CELLS, LETTERS, PAIRS, SIDE, STEPS, Board, Cell, five
from arbitre.games.picture import beside, field
from arbitre.games.stones import aligned, overdue
from arbitre.games.stones_text import read_stones, write_stones
from arbitre.reasons import Reason

NAMED = {str(cell): cell for cell in CELLS}


class PenteNotation(OpenNotation[Board, Cell]):
    """Texts of Pente."""

    def read(self, text: str, view: Board) -> Cell:  # noqa: ARG002 - a cell is a cell on every board
        """Read a cell."""
        # Capitals are made of ASCII only: a sharp s would turn into the last cell.
        cell = NAMED.get(text.strip(" ").upper()) if text.isascii() else None
        if cell is None:
            raise InvalidMoveError(text, "no-cell-text", first="AA", last="SS")
        return cell

    def write(self, move: Cell) -> str:
        """Write the cell's name."""
        return str(move)

    def read_state(self, text: str) -> Board:
        """Read 361 cells, two counts of pairs and perhaps the turn, and refuse what lies behind the end of a game."""
        (word, *counts), turn = split_turn(text, 3)
        one, two = read_stones(text, word, SIDE)
        pairs = tuple(read_count(text, count, Reason("a number of captured pairs"), most=PAIRS) for count in counts)
        board = Board(one, two, (pairs[0], pairs[1]), turn or told_turn(text, one, two, pairs))
        mover, last = board.mover, other(board.mover)
        if board.pairs[mover] == PAIRS or five(board.stones(mover)):
            raise PositionError(text, "the player to move has won already, which ended the game before the other's last stone")
        if overdue(board.stones(last), STEPS):
            raise PositionError(text, "no single last stone made all these rows of five, and the first ended the game")
        return board

    def write_state(self, state: Board) -> str:
        """Write 361 cells, the pairs captured by the first and by the second player, and the turn."""
        return f"{write_stones(state.first, state.second, SIDE)} {state.pairs[0]} {state.pairs[1]} {state.turn}"

    def picture(self, view: Board) -> str:
        """Draw the board, rows of five as capitals, cells closed on turn 3 as blanks, and count the pairs at its side."""
        layers = (
            ("X", aligned(view.first, STEPS)),
            ("x", view.first),
            ("O", aligned(view.second, STEPS)),
            ("o", view.second),
            ("·", view.open),
        )
        marks = [next((mark for mark, cells in layers if cells & bit), " ") for bit in BITS]
        board = field([marks[n : n + SIDE] for n in range(0, len(marks), SIDE)], LETTERS, LETTERS)
        over = isinstance(self.game.phase(view), Outcome)
        whose = "the game is over" if over else f"{'xo'[view.mover]} to move"
        pairs = (f"{'xo'[seat]} captured {view.pairs[seat]} of {PAIRS} pairs" for seat in (FIRST, SECOND))
        return beside(board, "\n".join(["", "", *pairs, whose]))


def told_turn(text: str, one: int, two: int, pairs: tuple[int, ...]) -> int:
    """Return the turn that the stones laid so far tell; `PositionError` where they do not."""
    laid = one.bit_count() + 2 * pairs[1], two.bit_count() + 2 * pairs[0]
    if laid[0] - laid[1] not in (0, 1):
        raise PositionError(
            text,
            "the players laid %(laid)s and %(laid2)s stones, which does not tell the turn: write it at the end",
            laid=laid[0],
            laid2=laid[1],
        )
    return sum(laid) + 1
