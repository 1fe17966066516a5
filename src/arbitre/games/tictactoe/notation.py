"""TicTacToe in text: a move is a cell `1` to `9`, a board nine characters `0`, `1`, `2`, then the turn: `000010000 2`."""

from arbitre.errors import InvalidMoveError, PositionError
from arbitre.games.notation import OpenNotation, read_cells, split_turn
from arbitre.games.picture import grid
from arbitre.games.tictactoe.rules import Board, Cell, line


class TicTacToeNotation(OpenNotation[Board, Cell]):
    """Texts of TicTacToe."""

    def read(self, text: str, view: Board) -> Cell:  # noqa: ARG002 - a cell is a cell on every board
        """Read a cell, one digit."""
        word = text.strip(" ")
        if len(word) != 1 or word not in "123456789":
            raise InvalidMoveError(text, "no-digit")
        return Cell(int(word))

    def write(self, move: Cell) -> str:
        """Write the cell's digit."""
        return str(move)

    def read_state(self, text: str) -> Board:
        """Read nine cells and perhaps the turn, which the marks must bear out."""
        (word,), turn = split_turn(text)
        board = Board(read_cells(text, word, 9, "012"))
        ahead = board.cells.count("1") - board.cells.count("2")
        if ahead not in (0, 1):
            raise PositionError(text, "the first player has as many marks as the second, or one more")
        if turn not in (None, board.turn):
            raise PositionError(text, "with these marks it is turn %(turn)s, not %(turn2)s", turn=board.turn, turn2=turn)
        return board

    def write_state(self, state: Board) -> str:
        """Write nine cells and the turn."""
        return f"{state.cells} {state.turn}"

    def picture(self, view: Board) -> str:
        """Draw the board, free cells by their number, a winning line in capitals."""
        winning = line(view) or ()
        marks = [
            {"0": str(n), "1": "X" if n in winning else "x", "2": "O" if n in winning else "o"}[mark]
            for n, mark in enumerate(view.cells, start=1)
        ]
        return grid([marks[0:3], marks[3:6], marks[6:9]])
