"""The umpire's announcements in words and in codes (spec: kriegspiel, section 1; tournoyons, section 8).

The words are those of the spec, in English, and a translation. A code is three or four characters without any that a wire must
escape: the side, `w` or `b`, then what is said. Codes are joined by commas; where turns matter, they are joined by slashes, and a
turn in which nothing was said is `-`.
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from arbitre.errors import PositionError, shorten
from arbitre.games.kriegspiel.rules import Told
from arbitre.games.kriegspiel.umpire import SAYS, TO_MOVE, Announcement, Kind

Language: TypeAlias = Literal["en", "fr"]

CODES = {
    Kind.LONG_DIAGONAL: "cl",
    Kind.SHORT_DIAGONAL: "cs",
    Kind.RANK: "cr",
    Kind.FILE: "cf",
    Kind.KNIGHT: "cn",
    Kind.PAWN: "cp",
    Kind.TO_MOVE: "m",
    Kind.ILLEGAL: "il",
    Kind.NOT_POSSIBLE: "np",
    Kind.PIECE_GONE: "pc",
    Kind.PAWN_GONE: "pn",
    Kind.PROMOTES: "pr",
    Kind.OFFERS: "of",
    Kind.ACCEPTS: "ac",
    Kind.DECLINES: "de",
}
"""What follows the side; `m` is followed by the number of pawn captures."""

ENGLISH = {
    Kind.LONG_DIAGONAL: "{side} is in check on the long diagonal",
    Kind.SHORT_DIAGONAL: "{side} is in check on the short diagonal",
    Kind.RANK: "{side} is in check on the rank",
    Kind.FILE: "{side} is in check on the file",
    Kind.KNIGHT: "{side} is in check by a knight",
    Kind.PAWN: "{side} is in check by a pawn",
    Kind.ILLEGAL: "Illegal move",
    Kind.NOT_POSSIBLE: "Not possible",
    Kind.PIECE_GONE: "Piece gone",
    Kind.PAWN_GONE: "Pawn gone",
    Kind.PROMOTES: "{side} promotes a pawn",
    Kind.OFFERS: "{side} offers a draw",
    Kind.ACCEPTS: "{side} accepts the draw",
    Kind.DECLINES: "{side} declines the draw",
}

FRENCH = {
    Kind.LONG_DIAGONAL: "Les {side} sont en échec sur la grande diagonale",
    Kind.SHORT_DIAGONAL: "Les {side} sont en échec sur la petite diagonale",
    Kind.RANK: "Les {side} sont en échec sur la rangée",
    Kind.FILE: "Les {side} sont en échec sur la colonne",
    Kind.KNIGHT: "Les {side} sont en échec par un cavalier",
    Kind.PAWN: "Les {side} sont en échec par un pion",
    Kind.ILLEGAL: "Coup illégal",
    Kind.NOT_POSSIBLE: "Impossible",
    Kind.PIECE_GONE: "Une pièce est prise",
    Kind.PAWN_GONE: "Un pion est pris",
    Kind.PROMOTES: "Les {side} promeuvent un pion",
    Kind.OFFERS: "Les {side} proposent la nulle",
    Kind.ACCEPTS: "Les {side} acceptent la nulle",
    Kind.DECLINES: "Les {side} refusent la nulle",
}

SIDES = {"en": ("White", "Black"), "fr": ("Blancs", "Noirs")}


def words(one: Announcement, language: Language = "en") -> str:
    """Return what the umpire says."""
    side = SIDES[language][one.side]
    if one.kind is not Kind.TO_MOVE:
        return (ENGLISH if language == "en" else FRENCH)[one.kind].format(side=side)
    if language == "en":
        # the spec's words to the letter: the plural for one capture too
        return f"{side} to move" + (f" with {one.count} possible pawn captures" if one.count else "")
    plural = "s" if one.count > 1 else ""
    return f"Aux {side} de jouer" + (f" avec {one.count} prise{plural} possible{plural} par un pion" if one.count else "")


def code(one: Announcement) -> str:
    """Return the code of one announcement."""
    return "wb"[one.side] + CODES[one.kind] + (str(one.count) if one.kind is Kind.TO_MOVE else "")


READING = {code(one): one for both in (*SAYS.values(), *TO_MOVE) for one in both}
"""Every announcement by its code."""


def write_codes(told: Sequence[Announcement]) -> str:
    """Return announcements as codes with commas between, nothing for none."""
    return ",".join(map(code, told))


def read_codes(text: str) -> Told:
    """Return the announcements that comma-separated codes say; `PositionError`."""
    return _read(text, text, 0) if text else ()


def write_turns(turns: Sequence[Told]) -> str:
    """Return what was said turn by turn."""
    return "/".join(write_codes(told) or "-" for told in turns)


def read_turns(text: str, word: str, at: int = 0) -> tuple[Told, ...]:
    """Return what was said turn by turn, as `word` of the position `text`, at `at`, has it; `PositionError` with the place."""
    turns = []
    for part in word.split("/"):
        turns.append(() if part == "-" else _read(text, part, at))
        at += len(part) + 1
    return tuple(turns)


def _read(text: str, part: str, at: int) -> Told:
    told = []
    for word in part.split(","):
        if word not in READING:
            raise PositionError(text, "%(word)r is no announcement", at, word=shorten(word, 20))
        told.append(READING[word])
        at += len(word) + 1
    return tuple(told)
