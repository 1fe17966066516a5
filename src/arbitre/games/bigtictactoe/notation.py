"""BigTicTacToe in text: a move is a cell `A0` to `J9`, a board 100 characters `0`, `1`, `2`, then the turn.

The letter is the column, the digit the row from the top. An alignment is its two ends, `D3H3`; a player's alignments are
written one after the other without anything between.
"""

from arbitre.errors import InvalidMoveError, PositionError
from arbitre.games.bigtictactoe.rules import BITS, CELLS, SIDE, STEPS, BigTicTacToe, Board, Cell, count
from arbitre.games.game import Outcome, other
from arbitre.games.notation import OpenNotation, split_turn
from arbitre.games.picture import field
from arbitre.games.stones import aligned, overdue
from arbitre.games.stones_text import read_stones, write_stones

NAMED = {str(cell): cell for cell in CELLS}


class BigTicTacToeNotation(OpenNotation[Board, Cell]):
    """Texts of BigTicTacToe."""

    def __init__(self, game: BigTicTacToe) -> None:
        super().__init__(game)
        self.first = game.first

    def read(self, text: str, view: Board) -> Cell:  # noqa: ARG002 - a cell is a cell on every board
        """Read a cell."""
        # Capitals are made of ASCII only: others have letters that turn into ours, such as a dotless i.
        cell = NAMED.get(text.strip(" ").upper()) if text.isascii() else None
        if cell is None:
            raise InvalidMoveError(text, "no-cell-text", first="A0", last="J9")
        return cell

    def write(self, move: Cell) -> str:
        """Write the cell's name."""
        return str(move)

    def read_state(self, text: str) -> Board:
        """Read a hundred cells and perhaps the turn, which the marks must bear out."""
        (word,), turn = split_turn(text)
        one, two = read_stones(text, word, SIDE)
        board = Board(one, two)
        if one.bit_count() - two.bit_count() not in (0, 1):
            raise PositionError(text, "the first player has as many marks as the second, or one more")
        if turn not in (None, board.turn):
            raise PositionError(text, "with these marks it is turn %(turn)s, not %(turn2)s", turn=board.turn, turn2=turn)
        if self.first:
            refuse_late(text, board)
        return board

    def write_state(self, state: Board) -> str:
        """Write a hundred cells and the turn."""
        return f"{write_stones(state.first, state.second, SIDE)} {state.turn}"

    def picture(self, view: Board) -> str:
        """Draw the board, marks in rows of five as capitals, and count those rows."""
        layers = (("X", aligned(view.first, STEPS)), ("x", view.first), ("O", aligned(view.second, STEPS)), ("o", view.second))
        marks = [next((mark for mark, cells in layers if cells & bit), "·") for bit in BITS]
        board = field([marks[n : n + SIDE] for n in range(0, len(marks), SIDE)], "ABCDEFGHIJ", "0123456789")
        over = isinstance(self.game.phase(view), Outcome)
        whose = "the game is over" if over else f"{'xo'[view.mover]} to move"
        return f"{board}\n  x: {count(view.first)}   o: {count(view.second)}   {whose}"


def refuse_late(text: str, board: Board) -> None:
    """Refuse a position that lies behind the first alignment, where that one ends the game; `PositionError`."""
    if count(board.marks(board.mover)):
        raise PositionError(text, "the player to move has a row of five, which ended the game before the other's last mark")
    if overdue(board.marks(other(board.mover)), STEPS):
        raise PositionError(text, "no single last mark made all these rows of five, and the first ended the game")
