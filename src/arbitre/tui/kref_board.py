"""A chess board on the terminal: drawn from one's own side, played with cursor keys and with the mouse."""

from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widget import Widget

from arbitre.rules.game import SECOND, Seat

WIDE, HIGH = 4, 2
"""Characters and lines of a square."""

MARGIN = 2
FIGURES = dict(zip("KQRBNPkqrbnp", "♔♕♖♗♘♙♚♛♜♝♞♟", strict=True))
LIGHT, DARK = "#b9a98a", "#8a7458"
INK, GHOST = "#101010", "#3d3325"


class Board(Widget, can_focus=True):
    """Eight by eight squares; a chosen square is told by a message."""

    DEFAULT_CSS = f"Board {{ width: {MARGIN + 8 * WIDE}; height: {8 * HIGH + 1}; }}"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1,0)", show=False),
        Binding("right", "step(1,0)", show=False),
        Binding("up", "step(0,-1)", show=False),
        Binding("down", "step(0,1)", show=False),
        Binding("space,enter", "choose", "choose", show=False),
    ]

    class Chosen(Message):
        """A square was chosen, by name."""

        def __init__(self, square: str) -> None:
            super().__init__()
            self.square = square

    def __init__(self, seat: Seat, id: str | None = None) -> None:  # noqa: A002 - textual's name
        super().__init__(id=id)
        self.seat = seat
        self.seen = "0" * 64
        self.guesses = "0" * 64
        self.cursor = (4, 6)
        """Column and row as they are drawn."""
        self.held = ""
        """The square of the piece that is about to be moved."""

    def put(self, seen: str, guesses: str, held: str = "") -> None:
        """Show other pieces."""
        self.seen, self.guesses, self.held = seen, guesses, held
        self.refresh()

    @property
    def square(self) -> str:
        """The square under the cursor."""
        return self._square(*self.cursor)

    def _square(self, column: int, row: int) -> str:
        return f"{'hgfedcba'[column]}{row + 1}" if self.seat == SECOND else f"{'abcdefgh'[column]}{8 - row}"

    def render(self) -> Text:
        """Draw the board: a guessed piece is followed by a question mark, so that colour is not needed to tell it."""
        text = Text(no_wrap=True)
        for row in range(8):
            for line in range(HIGH):
                text.append(f"{self._square(0, row)[1]} " if not line else " " * MARGIN)
                for column in range(8):
                    text.append_text(self._cell(column, row, line))
                text.append("\n")
        text.append(" " * MARGIN + "".join(f" {self._square(column, 0)[0]:<{WIDE - 1}}" for column in range(8)))
        return text

    def _cell(self, column: int, row: int, line: int) -> Text:
        name = self._square(column, row)
        at = (8 - int(name[1])) * 8 + "abcdefgh".index(name[0])
        seen, guess = self.seen[at], self.guesses[at]
        ground = LIGHT if (column + row) % 2 == 0 else DARK
        mark = "[]" if (column, row) == self.cursor and self.has_focus else "><" if name == self.held else "  "
        if line:
            return Text(" " * WIDE, Style(bgcolor=ground))
        figure = FIGURES[seen] + " " if seen != "0" else FIGURES[guess] + "?" if guess != "0" else "  "
        ink = INK if seen != "0" else GHOST
        return Text(f"{mark[0]}{figure}{mark[1]}", Style(color=ink, bgcolor=ground, bold=mark != "  "))

    def action_step(self, column: int, row: int) -> None:
        """Move the cursor."""
        self.cursor = ((self.cursor[0] + column) % 8, (self.cursor[1] + row) % 8)
        self.refresh()

    def action_choose(self) -> None:
        """Choose the square under the cursor."""
        self.post_message(self.Chosen(self.square))

    def on_click(self, event: events.Click) -> None:
        """Choose with the mouse."""
        column, row = (event.x - MARGIN) // WIDE, event.y // HIGH
        if 0 <= column < 8 and 0 <= row < 8 and event.x >= MARGIN:
            self.cursor = (column, row)
            self.refresh()
            self.action_choose()


class Tray(Widget):
    """The pieces that may be placed as guesses: click one, then squares; click it again to stop."""

    DEFAULT_CSS = "Tray { width: 28; height: 1; }"
    PIECES = "pnbrqkx"

    class Taken(Message):
        """A piece was taken from the tray, or nothing; `x` takes guesses away."""

        def __init__(self, piece: str) -> None:
            super().__init__()
            self.piece = piece

    def __init__(self, seat: Seat) -> None:
        super().__init__()
        self.seat = seat
        self.piece = ""

    def render(self) -> Text:
        """Draw the other side's pieces and an eraser."""
        text = Text(no_wrap=True)
        for piece in self.PIECES:
            figure = "×" if piece == "x" else FIGURES[piece.upper() if self.seat == SECOND else piece]
            left, right = "[]" if piece == self.piece else "  "
            text.append(f"{left}{figure}{right} ")
        return text

    def on_click(self, event: events.Click) -> None:
        """Take a piece, or put it back."""
        if 0 <= event.x // 4 < len(self.PIECES):
            piece = self.PIECES[event.x // 4]
            self.piece = "" if piece == self.piece else piece
            self.refresh()
            self.post_message(self.Taken(self.piece))
