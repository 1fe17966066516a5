"""Kriegspiel set up by hand: chessmen, and whose turn it is. Whose king and rook stand at home may castle."""

from collections.abc import Iterable
from functools import partial

import chess

from arbitre.games.kriegspiel.miniature import SIGNS
from arbitre.games.miniature import Place, chequers
from arbitre.games.setup import EMPTY, Arrangement, Piece, Setup

NAMES = (("pawn", "pion"), ("knight", "cavalier"), ("bishop", "fou"), ("rook", "tour"), ("queen", "dame"), ("king", "roi"))
FEMININE = ("tour", "dame")


def spread(text: str) -> Arrangement:
    """Return the men of a FEN."""
    men, side = text.split(" ")[:2]
    rows = (EMPTY * int(sign) if sign.isdigit() else sign for sign in men.replace("/", ""))
    return Arrangement("".join(rows), "wb".index(side))


def gather(laid: Arrangement) -> str:
    """Return a FEN in which nothing was played yet."""
    found = chess.Board(None)
    for at, sign in enumerate(laid.cells):
        if sign != EMPTY:
            found.set_piece_at(chess.square(at % 8, 7 - at // 8), chess.Piece.from_symbol(sign))
    found.turn = laid.side == 0
    found.castling_rights = chess.BB_CORNERS
    found.castling_rights = found.clean_castling_rights()
    return found.fen()


def men(found: Iterable[Place], sign: str, kind: str) -> str:
    """Return one kind of men, each at its place."""
    drawn = "".join(f'<text x="{column}" y="{row + 0.35:g}">{sign}</text>' for column, row in found)
    return f'<g class="men {kind}" font-size="1">{drawn}</g>' if drawn else ""


def pieces() -> tuple[Piece, ...]:
    """Return the twelve kinds, white first."""
    found = []
    for white, kind in ((True, "white"), (False, "black")):
        for sign, symbol, (name, nom) in zip(SIGNS, "pnbrqk", NAMES, strict=True):
            female = nom in FEMININE
            colour = ("blanche" if female else "blanc") if white else ("noire" if female else "noir")
            draw = partial(men, sign=sign, kind=kind)
            found.append(Piece(symbol.upper() if white else symbol, f"{kind} {name}", f"{nom} {colour}", draw))
    return tuple(found)


SETUP = Setup(
    8,
    chequers(8),
    pieces(),
    (("White", "les Blancs"), ("Black", "les Noirs")),
    spread,
    gather,
    lambda column, row: chess.square_name(chess.square(column, 7 - row)),
)
