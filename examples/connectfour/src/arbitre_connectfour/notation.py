"""Connect Four in text: a move is a column; a board its rows from the top, `0`, `1`, `2`, without separators, then the turn."""

from arbitre.errors import InvalidMoveError, PositionError
from arbitre.games.notation import OpenNotation, read_cells, split_turn
from arbitre.games.picture import field
from arbitre_connectfour.rules import Board, Column, ConnectFour


class ConnectFourNotation(OpenNotation[Board, Column]):
    """Texts of Connect Four."""

    game: ConnectFour

    def read(self, text: str, view: Board) -> Column:  # noqa: ARG002 - a column is a column on every board
        """Read a column's number."""
        word = text.strip()
        if not (word.isascii() and word.isdigit() and len(word) <= 2):
            raise InvalidMoveError(text, "connectfour.no-move", last=self.game.columns)
        return Column(int(word))

    def write(self, move: Column) -> str:
        """Write the column's number."""
        return str(move)

    def read_state(self, text: str) -> Board:
        """Read the cells and perhaps the turn; no disc may hang in the air."""
        wide, high = self.game.columns, self.game.rows
        (word,), turn = split_turn(text)
        cells = read_cells(text, word, wide * high, "012")
        discs = [0, 0, 0]
        for at, mark in enumerate(cells):
            if mark != "0" and at + wide < len(cells) and cells[at + wide] == "0":
                raise PositionError(text, "this disc hangs in the air", at)
            discs[int(mark)] |= 1 << (at % wide) * (high + 1) + (high - 1 - at // wide)
        board = Board(discs[1], discs[2])
        if discs[1].bit_count() - discs[2].bit_count() not in (0, 1):
            raise PositionError(text, "the first player has as many discs as the second, or one more")
        if turn not in (None, board.turn):
            raise PositionError(text, "with these discs it is turn %(due)s, not %(turn)s", due=board.turn, turn=turn)
        return board

    def write_state(self, state: Board) -> str:
        """Write the cells and the turn."""
        return f"{''.join(''.join(row) for row in self.rows(state, '012'))} {state.turn}"

    def picture(self, view: Board) -> str:
        """Draw the board with the columns' numbers above."""
        names = [str(n)[-1] for n in range(1, self.game.columns + 1)]
        return field(self.rows(view, "·xo"), names, [""] * self.game.rows)

    def rows(self, board: Board, marks: str) -> list[list[str]]:
        """Return the cells row by row from the top, each by its mark: empty, first, second."""
        high = self.game.rows
        return [
            [
                marks[(board.first >> bit & 1) + 2 * (board.second >> bit & 1)]
                for bit in range(row, self.game.columns * (high + 1), high + 1)
            ]
            for row in range(high - 1, -1, -1)
        ]
