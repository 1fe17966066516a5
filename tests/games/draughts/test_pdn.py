"""PDN: what files in the wild hold is read, what we write is read back, and what is wrong is told with its place."""

import doctest
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbitre.errors import GameTextError
from arbitre.games.draughts.notation import read_fen
from arbitre.games.draughts.pdn import GAME, MOST_NESTED, RESULTS, PdnGame, PdnLine, PdnPly, read_games, write_game, write_games
from arbitre.games.draughts.rules import Board
from arbitre.reasons import Reason
from tests.reasons import raises

WILD = """\
[Event "Cup \\"of\\" \\\\ towns"]
[White "Anna"]
[Black "Bert"]
[Result "2-0"]
[GameType "20,W,10,0,N2,0"]

{ a quiet   beginning } 1. 32-28 19-23! 2.28x19 14x23 $14 ; black's usual answer } here
3. 37-32 (3. 33-28!? {exchange} 23x32 (3... 23x32 4. 37x28) 4. 37x28) (3. 34-29 23x34) 10-14 2-0

[Event "a second one"]
[SetUp "1"]
[FEN "B:W27,28,38,39,42:BK25."]
1... 25x33 *
[Event "a third one, without an end"]
1. 34-30
"""


def test_a_file_from_the_wild() -> None:
    first, second, third = read_games(WILD)
    assert first.headers == (("Event", 'Cup "of" \\ towns'), ("White", "Anna"), ("Black", "Bert"))
    assert first.header("White") == "Anna"
    assert first.header("Site") == "?"
    assert first.result == "2-0"
    assert [str(move) for move in first.moves] == ["32-28", "19-23", "28x19", "14x23", "37-32", "10-14"]
    assert first.line.comments == ("a quiet beginning",)
    assert first.line.plies[1].marks == (1,)
    assert first.line.plies[3].marks == (14,)
    assert first.line.plies[3].comments == ("black's usual answer } here",)
    exchange, other = first.line.plies[4].variations
    assert [str(ply.move) for ply in exchange.plies] == ["33-28", "23x32", "37x28"]
    assert exchange.plies[0].comments == ("exchange",)
    assert len(exchange.plies[1].variations) == 1
    assert [str(ply.move) for ply in other.plies] == ["34-29", "23x34"]
    assert second.start == read_fen("B:W27,28,38,39,42:BK25")
    assert [str(move) for move in second.moves] == ["25x48x31x22x33"]
    assert (second.result, third.result) == ("*", "*")
    assert third.header("Event") == "a third one, without an end"


def test_what_we_write_is_canonical() -> None:
    assert (
        write_games(read_games(WILD))
        == """\
[Event "Cup \\"of\\" \\\\ towns"]
[White "Anna"]
[Black "Bert"]
[Result "2-0"]
[GameType "20"]

{a quiet beginning} 1. 32-28 19-23 $1 2. 28x19 14x23 $14
; black's usual answer } here
3. 37-32 (3. 33-28 $5 {exchange} 3... 23x32 (3... 23x32 4. 37x28) 4. 37x28)
(3. 34-29 23x34) 3... 10-14 2-0

[Event "a second one"]
[Result "*"]
[GameType "20"]
[SetUp "1"]
[FEN "B:W27,28,38,39,42:BK25"]

1... 25x48x31x22x33 *

[Event "a third one, without an end"]
[Result "*"]
[GameType "20"]

1. 34-30 *
"""
    )


@pytest.mark.parametrize("result", RESULTS)
def test_every_result_is_kept(result: str) -> None:
    (game,) = read_games(f"1. 32-28 19-23 {result}")
    assert game.result == result
    (again,) = read_games(write_game(game))
    assert again == game


@pytest.mark.parametrize(
    ("text", "games"),
    [
        ("", 0),
        ("  \n ", 0),
        ("\ufeff1. 32-28 *", 1),
        ("*", 1),
        ("* *", 2),
        ("{only a remark}", 0),
        ('[Event "no moves"]', 1),
        ('[Event "x"]\n1-0\n[Event "y"]\n0-1', 2),
        ("1.32-28 19-23 2.28x19 14x23 3.37-32", 1),
        ("1. 32-28 1. ... 19-23 *", 1),
        ("1. 32-28 {}*", 1),
    ],
)
def test_how_many_games(text: str, games: int) -> None:
    assert len(list(read_games(text))) == games


@pytest.mark.parametrize(
    ("text", "line", "column", "why"),
    [
        ("1. 32-28 19-23\n2. 28x20 *", 2, 4, Reason("invalid move", move="28x20")),
        ("1. 32-28 19-23\n2. 33-29 *", 2, 4, "must-capture"),
        ('[FEN "W:WK42:B17,K27,29,32,K37,41"]\n 1. 42x34 *', 2, 5, Reason("ambiguous move", move="42x34")),
        ("1. 32-28-23 *", 1, 4, Reason("invalid move", move="32-28-23")),
        ("1. e4 e5", 1, 4, "cannot read"),
        ("1. 32-28 {never closed", 1, 10, "cannot read"),
        ("1. 32-28 (1. 33-28", 1, 19, "a variation is not closed"),
        ("1. 32-28 (1. 33-28 1-0", 1, 20, "a variation is not closed"),
        ("1. 32-28 )", 1, 10, "closes no variation"),
        ("(1. 32-28)", 1, 1, "a variation follows no move"),
        ("1. 32-28 ( ) *", 1, 12, "the variation has no move"),
        ("$3 32-28", 1, 1, Reason("follows no move", mark="$3")),
        ("1. 32-28 $1234", 1, 10, "cannot read"),
        ('[Event "open]\n', 1, 1, "cannot read"),
        ('[Event "a\nb"]', 1, 1, "cannot read"),
        ('[FEN "W:W31:B31"]', 1, 1, "is named twice"),
        ('[GameType "25"]', 1, 1, "is not international draughts"),
        ('[GameType "200"]', 1, 1, "is not international draughts"),
        ('[Result "won"]', 1, 1, "the result"),
        (f'[A "{"x" * 1001}"]', 1, 1, Reason("the header", most=1000)),
        ('[A "b"]\n' * 101, 101, 1, Reason("headers", most=100)),
        ("{" + "x" * 20_001 + "}", 1, 1, "the comment is longer than"),
        ('[FEN "B:W31:B"]\n1. 20-24', 2, 4, "game-over"),
    ],
)
def test_errors_say_what_and_where(text: str, line: int, column: int, why: str | Reason) -> None:
    with raises(GameTextError, why, line=line, column=column) as caught:
        list(read_games(text))
    assert (caught.value.line, caught.value.column) == (line, column)
    assert len(str(caught.value)) < 400


def test_the_page_of_the_manual_is_true() -> None:
    page = Path(__file__).parents[3] / "docs" / "games" / "draughts.md"
    done = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert done.attempted >= 4
    assert done.failed == 0


def test_nesting_is_bounded() -> None:
    inner = "1. 32-28 " + "(1. 32-28 " * MOST_NESTED + ")" * MOST_NESTED
    (game,) = read_games(inner)
    assert list(read_games(write_game(game))) == [game]
    with raises(GameTextError, "are nested more than", most=16):
        list(read_games("1. 32-28 " + "(1. 32-28 " * 100_000))


def test_the_number_of_moves_is_bounded() -> None:
    with raises(GameTextError, "moves with all its variations", most=20_000):
        list(read_games("1. 32-28 " + "(1. 32-28) " * 20_000))


@given(st.text(max_size=60) | st.text('0123456789-x.()[]{};$*!? "\\WBK:,\n', max_size=80))
@settings(max_examples=300, deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        games = list(read_games(text))
    except GameTextError:
        return
    written = write_games(games)
    again = list(read_games(written))
    assert again == games
    assert write_games(again) == written


REMARK = st.text("ab{};.()[]$1x- ", min_size=1, max_size=200).map(lambda text: " ".join(text.split())).filter(bool)


def line(random: Random, board: Board, draw: st.DataObject, depth: int) -> PdnLine:
    plies = []
    for _ in range(random.randrange(1, 9)):
        if not board.moves:
            break
        variations = []
        if depth and random.random() < 0.2:
            variations = [line(random, board, draw, depth - 1) for _ in range(random.randrange(1, 3))]
        move = random.choice(board.moves)
        remarks = draw.draw(st.lists(REMARK, max_size=2)) if random.random() < 0.3 else []
        marks = tuple(random.sample(range(140), random.choice([0, 0, 1, 2])))
        plies.append(PdnPly(move, marks, tuple(remarks), tuple(variations)))
        board = board.after(move)
    return PdnLine(tuple(plies), tuple(draw.draw(st.lists(REMARK, max_size=1))))


@given(st.data(), st.integers(0, 2**32), st.lists(st.text(max_size=20).filter(lambda text: "\n" not in text), max_size=3))
@settings(max_examples=60, deadline=None)
def test_written_games_are_read_back(draw: st.DataObject, seed: int, headers: list[str]) -> None:
    random = Random(seed)
    start = random.choice([GAME.start(), read_fen("B:W27,28,K38,39,42:BK25,1-10")])
    named = tuple((f"Header{n}", text) for n, text in enumerate(headers))
    game = PdnGame(named, start, line(random, start, draw, 3), random.choice(RESULTS))
    text = write_game(game)
    assert list(read_games(text)) == [game]
    assert list(read_games(write_games([game, game]))) == [game, game]
    lines = text.split("\n")
    assert all(len(one) <= 79 for one in lines if not one.startswith(("[", ";")) and " ;" not in one)
    assert not any(a == b == "" for a, b in pairwise(lines))
