"""Reversi in text: a move is a cell `A1` to `H8` or the pass `XX`, a board 64 characters `0`, `3`, `4`, then the turn.

The letter is the column, the digit the row from the top; `3` is a black disc, `4` a white one. Passes make the turn number
independent of the discs; its parity is the side to move. Where it is left out, nobody has passed.
"""

from arbitre.errors import InvalidMoveError, PositionError
from arbitre.games.notation import OpenNotation, read_cells, split_turn
from arbitre.games.picture import grid
from arbitre.games.reversi.rules import CELLS, PASS, Board, Cell, lay

NAMED = {str(cell): cell for cell in (*CELLS, PASS)}

CENTRE = 1 << 27 | 1 << 28 | 1 << 35 | 1 << 36
LEFT = sum(1 << n for n in range(0, 64, 8))
RIGHT = LEFT << 7
ALL = (1 << 64) - 1


def joined(discs: int) -> int:
    """Return those of `discs` that hang together with the centre: every disc was laid next to another."""
    reached, grown = 0, discs & CENTRE
    while reached != grown:
        reached = grown
        beside = reached | (reached & ~RIGHT) << 1 | (reached & ~LEFT) >> 1
        grown = (beside | beside << 8 | beside >> 8) & discs
    return reached


class ReversiNotation(OpenNotation[Board, Cell]):
    """Texts of Reversi."""

    def read(self, text: str, view: Board) -> Cell:  # noqa: ARG002 - a cell is a cell on every board
        """Read a cell or the pass."""
        # Capitals are made of ASCII only: others have letters that turn into ours, such as a dotless i.
        cell = NAMED.get(text.strip(" ").upper()) if text.isascii() else None
        if cell is None:
            raise InvalidMoveError(text, "no-cell-or-pass")
        return cell

    def write(self, move: Cell) -> str:
        """Write the cell's name or `XX`."""
        return str(move)

    def read_state(self, text: str) -> Board:
        """Read 64 cells and perhaps the turn, and refuse discs that no game leaves where they are."""
        (word,), turn = split_turn(text)
        cells = read_cells(text, word, 64, "034")[::-1]
        black, white = (int(cells.translate(marks), 2) for marks in (str.maketrans("34", "10"), str.maketrans("34", "01")))
        discs = black | white
        if discs & CENTRE != CENTRE:
            raise PositionError(text, "D4, E4, D5 and E5 hold discs from the start, and none is ever taken away")
        if apart := discs & ~joined(discs):
            lone = CELLS[(apart & -apart).bit_length() - 1]
            raise PositionError(
                text, "every disc is laid next to another, but the one on %(lone)s stands apart", int(lone), lone=lone
            )
        return lay(black, white, turn or discs.bit_count() - 3)

    def write_state(self, state: Board) -> str:
        """Write 64 cells and the turn."""
        # Bits read as decimal digits: 3 × black + 4 × white never carries, and the sum's digits are the cells.
        digits = 3 * int(f"{state.black:b}") + 4 * int(f"{state.white:b}")
        return f"{f'{digits:064}'[::-1]} {state.turn}"

    def picture(self, view: Board) -> str:
        """Draw the board, cells where the side to move may play as dots, and count the discs."""
        black, white, moves = view.black, view.white, view.moves
        marks = ["●" if black >> n & 1 else "○" if white >> n & 1 else "·" if moves >> n & 1 else " " for n in range(64)]
        board = grid([marks[n : n + 8] for n in range(0, 64, 8)], "ABCDEFGH", "12345678")
        next_line = "the game is over" if view.stuck else f"{'○●'[view.turn % 2]} {'to move' if moves else 'must pass'}"
        return f"{board}\n  ● black {black.bit_count()}   ○ white {white.bit_count()}   {next_line}"
