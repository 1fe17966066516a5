"""Draughts set up by hand: men and kings on the dark squares, and whose turn it is."""

from collections.abc import Iterable
from functools import partial

from arbitre.games.draughts.miniature import places
from arbitre.games.draughts.notation import read_fen
from arbitre.games.miniature import Place, chequers, dots
from arbitre.games.setup import EMPTY, Arrangement, Piece, Setup

SIDE = 10
SIGNS = "wWbB"
"""Men in small letters, kings in capitals."""


def number(column: int, row: int) -> int:
    """Return the number of a dark square, 0 for a light one."""
    return 0 if (column + row) % 2 == 0 else 5 * row + column // 2 + 1


def spread(text: str) -> Arrangement:
    """Return the pieces of a FEN."""
    found = read_fen(text.split(" ", maxsplit=1)[0])
    cells = [EMPTY] * SIDE**2
    for sign, squares in zip(SIGNS, (found.white & ~found.kings, found.white & found.kings,
                                     found.black & ~found.kings, found.black & found.kings), strict=True):  # fmt: skip
        for column, row in places(squares):
            cells[SIDE * row + column] = sign
    return Arrangement("".join(cells), found.mover)


def gather(laid: Arrangement) -> str:
    """Return a FEN; the turn follows from whose it is."""
    sides: dict[str, list[str]] = {"w": [], "b": []}
    for at, sign in enumerate(laid.cells):
        if sign != EMPTY:
            square = number(at % SIDE, at // SIDE)
            sides[sign.lower()].append(f"K{square}" if sign.isupper() else str(square))
    return f"{'WB'[laid.side]}:W{','.join(sides['w'])}:B{','.join(sides['b'])}"


def king(found: Iterable[Place], kind: str) -> str:
    """Return kings: stones with a golden heart."""
    at = tuple(found)
    return dots(at, kind) + dots(at, "crown", 0.34)


SETUP = Setup(
    SIDE,
    chequers(SIDE),
    (
        Piece("w", "white man", "pion blanc", partial(dots, kind="white")),
        Piece("W", "white king", "dame blanche", partial(king, kind="white")),
        Piece("b", "black man", "pion noir", partial(dots, kind="black")),
        Piece("B", "black king", "dame noire", partial(king, kind="black")),
    ),
    (("White", "les Blancs"), ("Black", "les Noirs")),
    spread,
    gather,
    lambda column, row: str(number(column, row) or ""),
)
