"""A chess board on the terminal: drawn from one's own side, played with cursor keys and with the mouse.

A square is as large as the window allows (`UNITS`). Where there is room a piece is a picture made of half blocks; in small
squares it is a chess figure. A guessed piece has a question mark beside it, the cursor brackets, a square that may be tried a
dot, and the piece in hand stands on a bright square between arrows: colour alone tells nothing.
"""

from collections.abc import Set as AbstractSet
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widget import Widget

from arbitre.games.game import SECOND, Seat

WIDE, HIGH = 4, 2
"""Characters and lines of a square in a window of 80 by 24."""

UNITS = ((8, 4), (6, 3), (WIDE, HIGH), (2, 1))
"""Sizes of a square, the largest first; a character is twice as high as wide."""

MARGIN = 2
FIGURES = dict(zip("KQRBNPkqrbnp", "♔♕♖♗♘♙♚♛♜♝♞♟", strict=True))
LIGHT, DARK, LIFTED = "#b9a98a", "#8a7458", "#e6c84f"
INKS = {True: "#fdfaf0", False: "#0c0a08"}
"""The colours of White's and Black's pieces where they are pictures."""
INK, GHOST = "#101010", "#3d3325"

PICTURES = {
    (8, 4): {
        "p": "........ ........ ...##... ..####.. ..####.. ...##... ..####.. .######.",
        "n": "...#.#.. ..#####. .##.###. #######. .#..###. ...####. ..#####. .######.",
        "b": "...##... ..####.. ..##.#.. ..#.##.. ..####.. ...##... ..####.. .######.",
        "r": "........ .#.##.#. .######. ..####.. ..####.. ..####.. .######. .######.",
        "q": "........ #..##..# .#.##.#. .######. ..####.. ..####.. .######. .######.",
        "k": "...##... ..####.. ...##... .##..##. .######. ..####.. .######. .######.",
    },
    (6, 3): {
        "p": "...... ...... ..##.. .####. ..##.. .####.",
        "n": "...... ..###. .####. ##.##. ..###. .####.",
        "b": "..##.. ..##.. .####. .####. ..##.. .####.",
        "r": "...... .#..#. .####. ..##.. ..##.. .####.",
        "q": "...... #.##.# ###### .####. ..##.. .####.",
        "k": "..##.. .####. ..##.. .####. .####. .####.",
    },
}
"""Pieces in pixels, two of them above each other in a character."""

BLOCKS = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}


def unit_for(width: int, height: int, boards: int = 1) -> tuple[int, int]:
    """Return the largest square with which so many boards fit beside each other."""
    for wide, high in UNITS:
        if boards * (MARGIN + 8 * wide) <= width and 8 * high + 1 <= height:
            return wide, high
    return UNITS[-1]


def picture(unit: tuple[int, int], piece: str, line: int) -> str:
    """Return one line of the picture of a piece."""
    rows = PICTURES[unit][piece.lower()].split()
    return "".join(BLOCKS[a == "#", b == "#"] for a, b in zip(rows[2 * line], rows[2 * line + 1], strict=True))


class Board(Widget, can_focus=True):
    """Eight by eight squares; a chosen square is told by a message."""

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

    def __init__(self, seat: Seat, id: str | None = None, *, played: bool = True) -> None:  # noqa: A002 - textual's name
        super().__init__(id=id)
        self.can_focus = played
        self.seat = seat
        self.seen = "0" * 64
        self.guesses = "0" * 64
        self.cursor = (4, 6)
        """Column and row as they are drawn."""
        self.held = ""
        """The square of the piece that is about to be moved."""
        self.goals: AbstractSet[str] = frozenset()
        """Where it may be tried."""
        self.unit = (WIDE, HIGH)
        self.fit(WIDE, HIGH)

    def fit(self, wide: int, high: int) -> None:
        """Draw squares of another size."""
        self.unit = (wide, high)
        self.styles.width = MARGIN + 8 * wide
        self.styles.height = 8 * high + 1
        self.refresh(layout=True)

    def put(self, seen: str, guesses: str = "0" * 64, held: str = "", goals: AbstractSet[str] = frozenset()) -> None:
        """Show other pieces."""
        self.seen, self.guesses, self.held, self.goals = seen, guesses, held, goals
        self.refresh()

    @property
    def square(self) -> str:
        """The square under the cursor."""
        return self._square(*self.cursor)

    def _square(self, column: int, row: int) -> str:
        return f"{'hgfedcba'[column]}{row + 1}" if self.seat == SECOND else f"{'abcdefgh'[column]}{8 - row}"

    def render(self) -> Text:
        """Draw the board."""
        wide, high = self.unit
        text = Text(no_wrap=True)
        for row in range(8):
            for line in range(high):
                text.append(f"{self._square(0, row)[1]} " if line == (high - 1) // 2 else " " * MARGIN)
                for column in range(8):
                    text.append_text(self._cell(column, row, line))
                text.append("\n")
        letters = (self._square(column, 0)[0] for column in range(8))
        text.append(
            " " * MARGIN + "".join(f"{letter:^{wide}}" if wide > WIDE else f" {letter}".ljust(wide) for letter in letters)
        )
        return text

    def _cell(self, column: int, row: int, line: int) -> Text:
        """Return one line of a square."""
        wide, high = self.unit
        name = self._square(column, row)
        at = (8 - int(name[1])) * 8 + "abcdefgh".index(name[0])
        seen, guess = self.seen[at], self.guesses[at]
        piece = seen if seen != "0" else guess
        marks = self._marks(name, (column, row))
        guessed = "?" if piece != "0" and seen == "0" else " "
        dot = "·" if name in self.goals and piece == "0" else " "
        ground = LIFTED if name == self.held else LIGHT if (column + row) % 2 == 0 else DARK
        if self.unit not in PICTURES:
            ink = INK if seen != "0" else GHOST
            style = Style(color=ink, bgcolor=ground, bold=marks != "  ")
            figure = FIGURES.get(piece, dot)
            if wide == 2:
                return Text(figure + guessed, style)
            return Text(f"{marks[0]}{figure}{guessed}{marks[1]}" if not line else " " * wide, style)
        style = Style(color=INKS[piece.isupper()] if piece != "0" else INK, bgcolor=ground, dim=guessed == "?")
        drawn = picture(self.unit, piece, line) if piece != "0" else dot.center(wide) if line == high // 2 else " " * wide
        cell = Text(drawn, style)
        for place, sign in ((0, marks[0]), (wide - 1, marks[1] if guessed == " " else guessed)):
            if line == 0 and sign != " ":
                cell = cell[:place] + Text(sign, Style(color=INK, bgcolor=ground, bold=True)) + cell[place + 1 :]
        return cell

    def _marks(self, name: str, place: tuple[int, int]) -> str:
        """Return what stands left and right in a square."""
        return "[]" if place == self.cursor and self.has_focus else "><" if name == self.held else "  "

    def action_step(self, column: int, row: int) -> None:
        """Move the cursor."""
        self.cursor = ((self.cursor[0] + column) % 8, (self.cursor[1] + row) % 8)
        self.refresh()

    def action_choose(self) -> None:
        """Choose the square under the cursor."""
        self.post_message(self.Chosen(self.square))

    def on_click(self, event: events.Click) -> None:
        """Choose with the mouse."""
        column, row = (event.x - MARGIN) // self.unit[0], event.y // self.unit[1]
        if self.can_focus and 0 <= column < 8 and 0 <= row < 8 and event.x >= MARGIN:
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
