"""Texts of Kriegspiel: what is read, what is written, what is refused and why."""

import pytest

from arbitre.errors import InvalidMoveError, PositionError
from arbitre.games.game import FIRST, SECOND, Outcome
from arbitre.games.kriegspiel.notation import KriegspielNotation, tray
from arbitre.games.kriegspiel.rules import Kriegspiel, Sight, Truth, View
from arbitre.reasons import Reason
from tests.reasons import raises

GAME = Kriegspiel(dead=False)
TEXT = KriegspielNotation(GAME)
REPEATING = KriegspielNotation(Kriegspiel(repetition=True, dead=False))
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
KINGS = "4k3/8/8/8/8/8/8/4K3 w - - 0 1"
KQ = Reason("- or some of %(letters)s", letters="KQ")
HIDDEN = "0" * 48
ARMY = "PPPPPPPPRNBQKBNR"


def after(*tries: str) -> Truth:
    state = GAME.start()
    for text in tries:
        state = GAME.play(state, {state.mover: TEXT.read(text, GAME.view(state, state.mover))})
    return state


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        (START, f"{START} wm0 - - 1"),
        (f"  {START}  wm0  -  - ", f"{START} wm0 - - 1"),
        (f"{START} wm0,wil,wnp,wnp e2d3 - 1", f"{START} wm0,wil,wnp,wnp e2d3 - 1"),
        ("4k3/8/8/3p1p2/4P3/8/8/4K3 w - - 0 9", "4k3/8/8/3p1p2/4P3/8/8/4K3 w - - 0 9 wm2 - - 17"),
        ("4k3/8/8/8/8/8/8/4K2r w - - 3 7", "4k3/8/8/8/8/8/8/4K2r w - - 3 7 wcr,wm0 - - 13"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2 wm1 - - 3"),
    ],
)
def test_positions(text: str, canonical: str) -> None:
    assert TEXT.write_state(TEXT.read_state(text)) == canonical


def test_a_finished_position_is_read_as_finished() -> None:
    mate = TEXT.read_state("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3")
    assert isinstance(GAME.phase(mate), Outcome)
    assert TEXT.write_state(mate).endswith(" - - - 5")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "expected a FEN of six fields"),
        ("4k3/8/8/8/8/8/8/4K3 w - -", "expected a FEN of six fields"),
        ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", Reason("the side to move is w or b, not %(side)r", side="x")),
        ("4k3/8/8/8/8/8/8/4K3 w QK - 0 1", Reason("castling rights are - or some of KQkq in this order, not", castling="QK")),
        ("4k3/8/8/8/8/8/8/4K3 w - e4 0 1", "the en passant square"),
        ("4k3/8/8/8/8/8/8/4K3 w - - x 1", "is a whole number from"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 0", Reason("is a whole number from", what="the number of the move", least=1)),
        ("4k3/8/8/8/8/8/4K3 w - - 0 1", "expected 8 rows"),
        ("4k3/8/8/8/8/8/8/4K4 w - - 0 1", "expected 8 columns"),
        ("4k3/8/8/8/8/8/8/4K1~1 w - - 0 1", "eight ranks of pieces and numbers"),
        ("8/8/8/8/8/8/8/4K3 w - - 0 1", "Black has no king"),
        ("4k3/8/8/8/8/8/8/8 w - - 0 1", "White has no king"),
        ("4k3/8/8/8/8/8/8/3KK3 w - - 0 1", "a side has one king"),
        ("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1", "White has more than eight pawns"),
        ("4k3/pppppppp/p7/8/8/8/8/4K3 w - - 0 1", "Black has more than eight pawns"),
        ("4k3/8/8/8/8/NNNNNNNN/NNNNNNNN/4K3 w - - 0 1", "White has more than sixteen pieces"),
        ("4k3/8/8/8/8/8/8/P3K3 w - - 0 1", "first or the last rank"),
        ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "king and rook on their first squares"),
        ("4k3/8/8/8/8/8/8/4K3 w - d6 0 1", "no pawn can just have passed"),
        ("4k2R/8/8/8/8/8/8/4K3 w - - 0 1", "the side that has just moved is in check"),
        ("4k3/8/8/8/1b5b/5n2/8/4K3 w - - 0 1", "more than two pieces give check"),
        ("4r3/8/4K3/8/8/8/4r3/k7 w - - 0 1", "no move can have led to this check"),
        (f"{KINGS} wm0 - - 2", Reason("by its FEN this is turn", board=1, fields="2")),
        (f"{KINGS} wm0 - - 0", Reason("is a whole number from", what="the turn number")),
        (f"{KINGS} wm0 - - 1 1", "expected a FEN of six fields"),
        (f"{KINGS} wm1 - - 1", Reason("this turn begins with %(part)r, not %(part2)r", part="wm0", part2="wm1")),
        (f"{KINGS} bm0 - - 1", Reason("no umpire says %(part)r in turn %(number)s", part="bm0", number=1)),
        (f"{KINGS} wm0,wcr - - 1", "no umpire says"),
        (f"{KINGS} wm0,wpc - - 1", "no umpire says"),
        (f"{KINGS} wm0/bm0 - - 1", Reason("turns before turn", turns=2, turn=1)),
        (f"{KINGS} wm0,zz - - 1", Reason("%(word)r is no announcement", word="zz", at=35)),
        (f"{KINGS} wm0 e1e2 - 1", Reason("refused tries do not fit", refused=1, times=0)),
        (f"{KINGS} wm0,wnp - - 1", Reason("refusals, but no try that was refused", times=1)),
        (f"{KINGS} wm0,wnp e1e2 - 1", Reason("%(move)s would have been made, not refused", move="e1e2")),
        (f"{KINGS} wm0,wnp e1e4 - 1", "king-does-not-move-so"),
        (f"{KINGS} wm0,wnp e1 - 1", Reason("%(name)r is no try in UCI", name="e1", at=39)),
        (f"{KINGS} wm0 - e2e1 1", "only with the option repetition"),
    ],
)
def test_bad_positions_say_what_is_wrong(text: str, why: str | Reason) -> None:
    with raises(PositionError, why):
        TEXT.read_state(text)


def test_the_moves_of_a_repetition_are_kept() -> None:
    fen = "4k3/8/8/8/8/8/8/4K3 w - - 2 9"
    assert REPEATING.write_state(REPEATING.read_state(f"{fen} wm0 - e2e1,e7e8 17")) == f"{fen} wm0 - e2e1,e7e8 17"
    for trail, why in (
        ("e7e8,e2e1", Reason("%(move)s cannot have led to this position", move="e2e1")),
        ("e2e1,e8e8", Reason("%(move)s cannot have led to this position", move="e8e8")),
        ("e2e1,e7e8,e1e2", "the FEN counts fewer"),
    ):
        with raises(PositionError, why):
            REPEATING.read_state(f"{fen} wm0 - {trail} 17")


@pytest.mark.parametrize("text", ["e2e4", " E2E4 ", "e2E4"])
def test_tries_are_read(text: str) -> None:
    assert TEXT.write(TEXT.read(text, GAME.start())) == "e2e4"


def test_a_draw_by_agreement_is_written_and_read() -> None:
    """The offer, its refusal and its acceptance are told by what was said, so a position tells them too."""
    assert TEXT.write(TEXT.read(" Draw ", GAME.start())) == "draw"
    for line, said in (
        (("draw",), "wm0,wof"),
        (("draw", "e2e4"), "wm0,wof/bm0"),
        (("draw", "e2e4", "d7d5"), "wm0,wof/bm0,bde/wm1"),
        (("draw", "e2e4", "e7d6", "draw"), "wm0,wof/bm0,bnp,bac"),
    ):
        state = after(*line)
        assert TEXT.write_state(state).split()[6] == said
        again = TEXT.read_state(TEXT.write_state(state))
        assert again == state
        assert GAME.phase(again) == GAME.phase(state)
        for seat in (FIRST, SECOND):
            assert TEXT.read_view(TEXT.write_view(GAME.view(state, seat))) == GAME.view(state, seat)


@pytest.mark.parametrize("said", ["wm0,wac", "wm0,wde", "wm0,wof,wof", "wof,wm0"])
def test_answers_to_no_offer_are_refused(said: str) -> None:
    with raises(PositionError, "no umpire says"):
        TEXT.read_state(f"{START} {said} - - 1")


@pytest.mark.parametrize("said", ["wm0,wof/bm0,bof", "wm0,wac/bm0", "wm0/bm0,bac", "wm0/bm0,bde"])
def test_an_offer_is_answered_in_the_next_turn(said: str) -> None:
    with raises(PositionError, "no umpire says"):
        TEXT.read_state(f"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1 {said} - - 2")


@pytest.mark.parametrize(
    "text", ["", "e4", "Nf3", "O-O", "e7e8=Q", "e7e8k", "e2-e4", "e2e9", "i2i4", "0000", "é2e4", "e2e4 e7e5"]
)
def test_bad_tries(text: str) -> None:
    with raises(InvalidMoveError, "no-try"):
        TEXT.read(text, GAME.start())


def test_what_each_eye_sees() -> None:
    state = after("e2d3", "e2e4", "d7d5")
    said = "wm0,wnp/bm0/wm1"
    white = "0" * 32 + "0000P000" + "0" * 8 + "PPPP0PPPRNBQKBNR"
    black = "rnbqkbnrppp0pppp" + "0" * 8 + "000p0000" + "0" * 32
    assert TEXT.write_view(GAME.view(state, FIRST)) == f"{white} w KQ {said} - 3"
    assert TEXT.write_view(GAME.view(state, SECOND)) == f"{black} b kq {said} - 3"
    assert TEXT.write_view(GAME.view(state, "spectator")) == f"{'0' * 64} - - {said} - 3"
    assert TEXT.write_view(GAME.view(state, "referee")) == TEXT.write_state(state)
    assert tray(state) == "".join(a if a != "0" else b for a, b in zip(white, black, strict=True))


def test_the_turn_of_a_sight_may_be_left_out() -> None:
    assert TEXT.read_view(f"{HIDDEN}{ARMY} w KQ wm0 -") == GAME.view(GAME.start(), FIRST)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"{HIDDEN}{ARMY} x KQ wm0 - 1", Reason("the side is w, b or - for a spectator, not", fields="x")),
        (f"{HIDDEN}{ARMY} b KQ wm0 - 1", Reason("%(character)r is none of %(allowed)s", character="P", allowed="0pnbrqk", at=49)),
        (f"{HIDDEN}{ARMY} - - wm0 - 1", Reason("%(character)r is none of %(allowed)s", character="P", allowed="0", at=49)),
        (f"{HIDDEN} w KQ wm0 - 1", Reason("the board has %(size)s cells, not %(word)s", size=64, word=48)),
        (f"{HIDDEN}{ARMY} w kq wm0 - 1", Reason("the own castling rights are", rights=KQ, word="kq")),
        (f"{'0' * 64} - K wm0 - 1", Reason("the own castling rights are", rights="- for a spectator")),
        (f"{HIDDEN}{ARMY[:-1]}0 w KQ wm0 - 1", "king and rook on their first squares"),
        (f"{'0' * 64} w - wm0 - 1", "a side has one king"),
        (f"{'P' * 8}{'0' * 55}K w - wm0 - 1", "first or the last rank"),
        (f"{'0' * 40}P0000000{ARMY} w KQ wm0 - 1", "at most eight pawns"),
        (f"{'0' * 40}Q0000000{ARMY} w KQ wm0 - 1", "at most sixteen pieces"),
        (f"{HIDDEN}{ARMY} w KQ - - 1", "a turn begins with an announcement"),
        (f"{HIDDEN}{ARMY} w KQ wm0,wnp e2e1 1", Reason("own-piece", square="e1")),
        (f"{HIDDEN}{ARMY} w KQ wm0/bm0,bnp e2d3 2", "not-your-turn"),
        (f"{HIDDEN}{ARMY} w KQ wm0", "expected pieces, side"),
    ],
)
def test_bad_sights_say_what_is_wrong(text: str, why: str | Reason) -> None:
    with raises(PositionError, why):
        TEXT.read_view(text)


def test_each_sees_the_board_from_the_own_side() -> None:
    state = after("e2e4")
    white = TEXT.picture(GAME.view(state, FIRST)).split("\n")
    black = TEXT.picture(GAME.view(state, SECOND)).split("\n")
    assert white[0].split()[:9] == ["a", "b", "c", "d", "e", "f", "g", "h", "turn"]
    assert white[9].startswith("1 │ R N B Q K B N R │")
    assert white[6].startswith("4 │ · · · · P · · · │")
    assert black[0].split()[:8] == ["h", "g", "f", "e", "d", "c", "b", "a"]
    assert black[9].startswith("8 │ r n b k q b n r │")
    assert "Black to move" in black[3]
    assert "P" not in "".join(line[:22] for line in black), "the other side is not drawn"


def test_sights_and_truths_are_told_apart() -> None:
    views: list[tuple[str, type[View]]] = [(START, Truth), (f"{HIDDEN}{ARMY} w KQ wm0 - 1", Sight)]
    for text, kind in views:
        assert type(TEXT.read_view(text)) is kind
