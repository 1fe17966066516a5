"""The umpire's words and codes."""

import pytest

from arbitre.errors import PositionError
from arbitre.games.game import FIRST, SECOND
from arbitre.games.kriegspiel.announcements import (
    READING,
    Language,
    code,
    read_codes,
    read_turns,
    words,
    write_codes,
    write_turns,
)
from arbitre.games.kriegspiel.umpire import SAYS, TO_MOVE, Announcement, Kind
from tests.reasons import raises

TABLE = [
    (Announcement(Kind.LONG_DIAGONAL, FIRST), "wcl", "White is in check on the long diagonal"),
    (Announcement(Kind.SHORT_DIAGONAL, SECOND), "bcs", "Black is in check on the short diagonal"),
    (Announcement(Kind.RANK, FIRST), "wcr", "White is in check on the rank"),
    (Announcement(Kind.FILE, SECOND), "bcf", "Black is in check on the file"),
    (Announcement(Kind.KNIGHT, FIRST), "wcn", "White is in check by a knight"),
    (Announcement(Kind.PAWN, SECOND), "bcp", "Black is in check by a pawn"),
    (Announcement(Kind.TO_MOVE, FIRST), "wm0", "White to move"),
    (Announcement(Kind.TO_MOVE, FIRST, 1), "wm1", "White to move with 1 possible pawn captures"),
    (Announcement(Kind.TO_MOVE, SECOND, 12), "bm12", "Black to move with 12 possible pawn captures"),
    (Announcement(Kind.ILLEGAL, FIRST), "wil", "Illegal move"),
    (Announcement(Kind.NOT_POSSIBLE, SECOND), "bnp", "Not possible"),
    (Announcement(Kind.PIECE_GONE, FIRST), "wpc", "Piece gone"),
    (Announcement(Kind.PAWN_GONE, SECOND), "bpn", "Pawn gone"),
    (Announcement(Kind.PROMOTES, SECOND), "bpr", "Black promotes a pawn"),
]


@pytest.mark.parametrize(("one", "short", "english"), TABLE, ids=[row[1] for row in TABLE])
def test_words_and_codes(one: Announcement, short: str, english: str) -> None:
    assert code(one) == short
    assert words(one) == english
    assert read_codes(short) == (one,)


@pytest.mark.parametrize(
    ("one", "french"),
    [
        (Announcement(Kind.LONG_DIAGONAL, SECOND), "Les Noirs sont en échec sur la grande diagonale"),
        (Announcement(Kind.TO_MOVE, FIRST), "Aux Blancs de jouer"),
        (Announcement(Kind.TO_MOVE, FIRST, 1), "Aux Blancs de jouer avec 1 prise possible par un pion"),
        (Announcement(Kind.TO_MOVE, SECOND, 3), "Aux Noirs de jouer avec 3 prises possibles par un pion"),
        (Announcement(Kind.PROMOTES, FIRST), "Les Blancs promeuvent un pion"),
    ],
)
def test_french(one: Announcement, french: str) -> None:
    assert words(one, "fr") == french


def test_every_announcement_has_words_and_a_code_of_its_own() -> None:
    everything = [one for both in (*SAYS.values(), *TO_MOVE) for one in both]
    assert len(READING) == len(everything) == 2 * (14 + 17)
    for one in everything:
        assert read_codes(code(one)) == (one,)
        assert code(one).isalnum(), "a wire need not escape it"
    languages: tuple[Language, ...] = ("en", "fr")
    for language in languages:
        said = {words(one, language) for one in everything}
        assert len(said) == 2 * (10 + 17) + 4, "refusals and captures name no side"
        assert all(len(line) <= 60 for line in said)


def test_lists_and_turns() -> None:
    told = tuple(row[0] for row in TABLE)
    assert read_codes(write_codes(told)) == told
    assert read_codes("") == ()
    turns = (told, (), told[:1])
    assert write_turns(turns) == f"{write_codes(told)}/-/wcl"
    assert read_turns(write_turns(turns), write_turns(turns)) == turns


@pytest.mark.parametrize(("text", "at"), [("x", 1), ("wm0,", 5), ("wm0,wm17", 5), ("WM0", 1), ("wm0, bm0", 5), ("wm00", 1)])
def test_bad_codes(text: str, at: int) -> None:
    with raises(PositionError, "is no announcement", at=at):
        read_codes(text)
