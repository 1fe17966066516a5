"""Hex in text: a move is a cell, column letter and row number from the top left, like c3.

A position is its cells row by row, `0` empty, `1` and `2` the players', and the number of the turn.
"""

from arbitre.errors import InvalidMoveError, PositionError
from arbitre.games.notation import OpenNotation, read_cells, split_turn
from arbitre_hex.rules import Board, Cell, Hex


class HexNotation(OpenNotation[Board, Cell]):
    game: Hex

    def read(self, text: str, view: Board) -> Cell:  # noqa: ARG002 - a cell is a cell
        word, size = text.strip().lower(), self.game.size
        if word not in map(self.write, range(size**2)):
            raise InvalidMoveError(text, "hex.no-cell", last=self.write(size**2 - 1))
        return (int(word[1:]) - 1) * size + ord(word[0]) - ord("a")

    def write(self, move: Cell) -> str:
        return f"{chr(ord('a') + move % self.game.size)}{move // self.game.size + 1}"

    def read_state(self, text: str) -> Board:
        (cells,), turn = split_turn(text)
        board = Board(read_cells(text, cells, self.game.size**2, "012"), self.game.size)
        if cells.count("1") - cells.count("2") not in (0, 1) or turn not in (None, board.turn):
            raise PositionError(text, "the players move by turns, and the turn is one more than the cells taken")
        return board

    def write_state(self, state: Board) -> str:
        return f"{state.cells} {state.turn}"

    def picture(self, view: Board) -> str:
        size = self.game.size
        rows = [" ".join(".XO"[int(mark)] for mark in view.cells[at : at + size]) for at in range(0, size * size, size)]
        head = "   " + " ".join(chr(ord("a") + n) for n in range(size))
        return "\n".join([head, *(f"{' ' * n}{n + 1:>2} {row}" for n, row in enumerate(rows))])
