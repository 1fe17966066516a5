"""Boards of two kinds of stones in text: one character a cell, row by row from the top, `0` empty, `1` and `2` the players'."""

from arbitre.games.notation import read_cells

ONES = str.maketrans("12", "10")
TWOS = str.maketrans("12", "01")


def read_stones(text: str, word: str, side: int) -> tuple[int, int]:
    """Return the stones of both players that `word`, part of the position `text`, tells; `PositionError`."""
    cells = read_cells(text, word, side * side, "012")
    # A gap after each row, as the rules want it, and the first cell as the lowest bit.
    spaced = "0".join(cells[n : n + side] for n in range(0, len(cells), side))[::-1]
    return int(spaced.translate(ONES), 2), int(spaced.translate(TWOS), 2)


def write_stones(one: int, two: int, side: int) -> str:
    """Write the stones of both players."""
    # Bits read as decimal digits: one + 2 × two never carries, and the digits of the sum are the cells.
    digits = int(f"{one:b}") + 2 * int(f"{two:b}")
    spaced = f"{digits:0{side * (side + 1)}}"[::-1]
    return "".join(spaced[n : n + side] for n in range(0, len(spaced), side + 1))
