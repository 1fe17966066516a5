"""Texts of MasterMind: codes with and without marks, tables, sights, refusals."""

import pytest

from arbitre.errors import InvalidMoveError, PositionError
from arbitre.games.game import FIRST, SECOND
from arbitre.games.mastermind.notation import MasterMindNotation
from arbitre.games.mastermind.rules import Code, Line, MasterMind, Sight, Table
from arbitre.reasons import Reason
from tests.reasons import raises

ONE_OR_THREE = Reason("%(one)s or %(other)s", one=1, other=3)
TEXT = MasterMindNotation(MasterMind())


@pytest.mark.parametrize("text", ["GCCH", "gcch", " GCCH ", "30GCCH", "99gcch", "00GCCH"])
def test_a_guess_is_read_with_or_without_marks(text: str) -> None:
    assert TEXT.read(text, Table()) == "GCCH"


@pytest.mark.parametrize("text", ["", "GCC", "GCCI", "3GCCH", "GCCHGC", "3xGCCH", "٣٠GCCH", "30GCCHA", "-GCCH", "GC CH", "ßCCH"])
def test_bad_moves(text: str) -> None:
    with raises(InvalidMoveError, "no-code", pegs=4, palette="ABCDEFGH"):
        TEXT.read(text, Table())


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("-,- ***", "-,- *** 1"),
        ("abcd,efgh *** 3", "ABCD,EFGH *** 3"),
        ("ABCD,EFGH ***", "ABCD,EFGH *** 3"),
        ("ABCD,EFGH 00AABB***11FBAG", "ABCD,EFGH 00AABB***11FBAG 5"),
        ("ABCD,EFGH 40EFGH***", "ABCD,EFGH 40EFGH*** 4"),
        ("ABCD,EFGH 40EFGH***40ABCD 5", "ABCD,EFGH 40EFGH***40ABCD 5"),
    ],
)
def test_tables(text: str, canonical: str) -> None:
    assert TEXT.write_state(TEXT.read_state(text)) == canonical


@pytest.mark.parametrize(
    ("text", "view"),
    [
        ("-,? *** 1", Sight(1, FIRST, None, ((), ()))),
        ("?,- ***", Sight(1, SECOND, None, ((), ()))),
        ("?,? *** 1", Sight(1, None, None, ((), ()))),
        ("?,? *** 3", Sight(3, None, None, ((), ()))),
        ("?,? ***", Sight(1, None, None, ((), ()))),
        ("ABCD,? ***", Sight(3, FIRST, Code("ABCD"), ((), ()))),
        ("?,ABCD 11ACGG***", Sight(4, SECOND, Code("ABCD"), ((Line(Code("ACGG"), 1, 1),), ()))),
    ],
)
def test_sights(text: str, view: Sight) -> None:
    assert TEXT.read_view(text) == view


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("ABCD *** 3", "both codes with a comma"),
        ("ABCD,EFGH,EFGH *** 3", "both codes with a comma"),
        ("ABCD,EFGI *** 3", Reason("letters out of", pegs=4, palette="ABCDEFGH")),
        ("ABCD,- *** 3", "there are two or none"),
        ("-,- 00AAAA*** 4", "nobody guesses before"),
        ("ABCD,EFGH *** 1", Reason("with these codes and boards it is turn", turns="3", turn=1)),
        ("?,? *** 2", Reason("with these codes and boards it is turn", turns=ONE_OR_THREE, turn=2)),
        ("?,? 00AAAA*** 3", Reason("with these codes and boards it is turn", turns="4", turn=3)),
        ("ABCD,EFGH * 3", Reason("the second field is both boards with", between="***")),
        ("ABCD,EFGH ***A 3", Reason("a board is at most", lines=8, pegs=6)),
        ("?,? " + "00AAAA" * 9 + "***" + "00AAAA" * 9, Reason("a board is at most", lines=8)),
        ("ABCD,EFGH ***00AAAA 4", "as many lines as the second, or one more"),
        ("?,? 00AAAI*** 4", Reason("a line is two digits and", pegs=4)),
        ("?,? 0xAAAA*** 4", Reason("a line is two digits and", pegs=4)),
        ("?,? 31AAAA*** 4", Reason("no code gives the marks of %(word)r", word="31AAAA")),
        ("?,? 23AAAA*** 4", Reason("no code gives the marks of %(word)r", word="23AAAA")),
        (
            "ABCD,? 00EEEE***00AAAA 5",
            Reason("%(code)s gives %(guess)s the marks %(placed)s%(misplaced)s", code="ABCD", guess="AAAA"),
        ),
        ("?,EFGH 40EFGG*** 4", Reason("%(code)s gives %(guess)s the marks %(placed)s%(misplaced)s", code="EFGH", guess="EFGG")),
        ("?,? 40EFGH00AAAA***00AAAA 6", Reason("and nobody guesses in a later one", broken=1)),
        ("?,? 00AAAA00AAAA***40ABCD 6", Reason("and nobody guesses in a later one", broken=1)),
        ("?,? 40EFGH***00AAAA 5", "the game is over"),
        ("", Reason("expected so many fields", fields=2)),
    ],
)
def test_bad_positions_say_why(text: str, why: str | Reason) -> None:
    with raises(PositionError, why):
        TEXT.read_view(text)


def test_a_state_hides_nothing() -> None:
    with raises(PositionError, "needs both codes"):
        TEXT.read_state("ABCD,? *** 3")


def test_an_eye_is_drawn_only_the_code_it_knows() -> None:
    game = MasterMind()
    state = TEXT.read_state("ABCD,EFGH 00AABB***11ACEE 5")
    own = TEXT.picture(game.view(state, FIRST))
    assert "second seeks A B C D" in own
    assert "first seeks ? ? ? ?" in own
    assert "E F G H" not in own
    nobody = TEXT.picture(game.view(state, "spectator"))
    assert "A B C D" not in nobody
    assert "│ A C E E │ ●○   │" in nobody
    assert "E F G H" in TEXT.picture(state)
