"""Draughts against its published counts, its hard positions, 620 games of people, and its rules said once more in slow words."""

import json
import pickle
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbitre.errors import AmbiguousMoveError, IllegalMoveError, OptionError
from arbitre.games.draughts.moves import BIT, SQUARE, Square, bits, squares_of
from arbitre.games.draughts.notation import DraughtsNotation, read_fen
from arbitre.games.draughts.perft import TREES, Way, divide, leaves
from arbitre.games.draughts.rules import Board, Draughts, Move, routes
from arbitre.games.game import FIRST, SECOND, Awaits, Outcome, Seat, playout
from arbitre.games.perft import perft, tree_of
from arbitre.reasons import Reason
from tests.reasons import raises
from tests.shared import shared

GAME = Draughts()
LONG = Draughts(plies=2_000)
TEXT = DraughtsNotation(GAME)


def texts(fen: str) -> set[str]:
    return {TEXT.write(move) for move in GAME.legal(read_fen(fen))}


# ── published counts ───────────────────────────────────────────────────────────────────────────────────────────────

QUICK: dict[Way, int] = {"D": 300_000, "O": 100_000, "P": 100_000}
LONGER: dict[Way, int] = {"D": 25_000_000, "O": 7_000_000, "P": 2_000_000}


@cache
def published() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(shared("data/draughts/perft.json").read_text(encoding="utf-8"))["positions"]
    return found


def counts(least: dict[Way, int], most: dict[Way, int]) -> Iterator[tuple[str, Way, int, int]]:
    for position in published():
        for way in get_args(Way):
            for depth, count in enumerate(position.get(way, []), start=1):
                if least[way] < count <= most[way]:
                    yield position["fen"], way, depth, count


def test_leaves_are_as_many_as_published() -> None:
    table = list(counts(dict.fromkeys(QUICK, 0), QUICK))
    assert {way for _, way, _, _ in table} == {"D", "O", "P"}
    for fen, way, depth, count in table:
        assert leaves(read_fen(fen), depth, way) == count, (fen, way, depth)


@pytest.mark.campaign
def test_deeper_leaves_are_as_many_as_published() -> None:
    for fen, way, depth, count in counts(QUICK, LONGER):
        assert leaves(read_fen(fen), depth, way) == count, (fen, way, depth)


def test_the_contract_counts_the_same_tree() -> None:
    tree = tree_of(GAME)
    for position in published():
        for depth, count in enumerate(position["D"], start=1):
            if count < 6_000:
                assert perft(tree, read_fen(position["fen"]), depth) == count
    assert perft(tree, GAME.start(), 0) == 1


@pytest.mark.parametrize("way", get_args(Way))
def test_the_moves_divide_the_leaves(way: Way) -> None:
    for position in published():
        board = read_fen(position["fen"])
        below = dict(divide(board, 2, way))
        assert sum(below.values()) == leaves(board, 2, way)
        assert tuple(below) == board.moves


# ── positions that implementations get wrong ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("fen", "moves"),
    [
        pytest.param("W:WK41,49:B9,10,12,19,38", {"41x14x3x21x43"}, id="only the longest capture"),
        pytest.param("B:W27,28,38,39,42:BK25", {"25x48x31x22x33"}, id="captured pieces block until the end"),
        pytest.param("W:W28:B22,12,13,23", {"28x17x8x19x28"}, id="in a circle, both ways the same move"),
        pytest.param("W:W15:B9,10", {"15x4x13"}, id="passing the king row"),
        pytest.param("W:W26:B12,K21,31,32", {"26x17x8", "26x37x28"}, id="a king counts as one"),
        pytest.param("W:W31:B36", {"31-26", "31-27"}, id="nobody lands over the edge"),
        pytest.param("W:W27:B32", {"27x38"}, id="men capture backwards"),
        pytest.param("B:W27:B21", {"21x32"}, id="black captures forwards down the board"),
        pytest.param("B:W17:B21", {"21x12"}, id="black captures backwards up the board"),
        pytest.param("W:WK46,32:B1", {"46-41", "46-37", "32-27", "32-28"}, id="a king is stopped by its own man"),
        pytest.param("W:WK46:B5,14", {"46x10"}, id="a king does not jump two in a row"),
        pytest.param("W:WK46:B10,14", {"46-41", "46-37", "46-32", "46-28", "46-23", "46-19"}, id="nor over two side by side"),
        pytest.param("W:WK46:B23", {"46x19", "46x14", "46x10", "46x5"}, id="a king lands anywhere behind"),
    ],
)
def test_positions_with_exactly_these_moves(fen: str, moves: set[str]) -> None:
    assert texts(fen) == moves


def test_two_captures_may_end_on_the_same_square() -> None:
    to34 = {text for text in texts("W:WK42:B17,K27,29,32,K37,41") if text.endswith("x34")}
    assert to34 == {"42x31x18x34", "42x26x12x34"}


def test_both_ways_round_are_one_move() -> None:
    board = read_fen("W:W28:B22,12,13,23")
    one, other = (TEXT.read(text, board) for text in ("28x17x8x19x28", "28x19x8x17x28"))
    assert one == other
    assert one.path != other.path
    assert board.after(one) == board.after(other) == Board(BIT[28], 0, 0, 2)
    assert leaves(board, 1, "P") == 2


def test_a_man_that_passes_the_king_row_stays_a_man() -> None:
    board = read_fen("W:W15:B9,10")
    assert board.after(board.moves[0]).kings == 0


@pytest.mark.parametrize(("fen", "move"), [("W:W9:BK50", "9-4"), ("B:WK1:B42", "42-48"), ("W:W13:B9", "13x4")])
def test_a_man_that_ends_on_the_king_row_is_a_king(fen: str, move: str) -> None:
    board = TEXT.read_state(fen)
    after = board.after(TEXT.read(move, board))
    assert after.kings & squares_of([int(move.replace("x", "-").split("-")[1])])


def test_a_captured_king_is_no_king_any_more() -> None:
    board = read_fen("W:W32:BK28,1")
    after = board.after(TEXT.read("32x23", board))
    assert (after.kings, after.black) == (0, BIT[1])


# ── the end ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("state", "scores", "reason"),
    [
        ("B:W31:B 2", (1, 0), Reason("no-piece-left", seat=0)),
        ("W:W:B20 1", (0, 1), Reason("no-piece-left", seat=1)),
        ("W:W26:B21,17 1", (0, 1), Reason("cannot-move", seat=1)),
        ("B:W50,44:B45,40 2", None, None),
        ("W:W31:B1 101", (0.5, 0.5), Reason("plies-played", plies=100)),
        ("W:W31:B1 99", None, None),
        ("B:W31:B1 100", None, None),
        ("W:W26:B21,17 101", (0, 1), Reason("cannot-move", seat=1)),
        ("W:W:B20 101", (0, 1), Reason("no-piece-left", seat=1)),
    ],
)
def test_ends(state: str, scores: tuple[float, float] | None, reason: Reason | None) -> None:
    phase = GAME.phase(TEXT.read_state(state))
    if scores is None:
        assert isinstance(phase, Awaits)
    else:
        assert isinstance(phase, Outcome)
        assert (tuple(map(float, phase.scores)), phase.reason) == (scores, reason)


def test_a_win_on_the_last_ply_is_a_win() -> None:
    board = TEXT.read_state("B:W28:B22,K50 100")
    after = GAME.play(board, {SECOND: TEXT.read("22x33", board)})
    assert after.turn == 101
    assert GAME.phase(after) == GAME.phase(TEXT.read_state("W:W:B33,K50 101"))
    assert list(GAME.legal(after)) == []


def test_the_limit_is_an_option() -> None:
    assert sum(1 for _ in playout(Draughts(plies=7), Random(1))) == 7
    for plies in (1, 0, -5, 2_001):
        with raises(OptionError, "is from %(least)s to %(most)s", least=2, most=2_000):
            Draughts(plies=plies)


@pytest.mark.parametrize(
    ("state", "move", "why"),
    [
        ("W:W31-50:B1-20", Move(Square(32), Square(22)), "man-moves-so"),
        ("W:W31-50:B1-20", Move(Square(36), Square(41)), Reason("occupied", cell=41)),
        ("W:W32:B1", Move(Square(32), Square(38)), "man-moves-so"),
        ("W:W31-50:B1-20", Move(Square(28), Square(22)), Reason("no-piece", square=28)),
        ("W:W31-50:B1-20", Move(Square(20), Square(25)), Reason("no-piece", square=20)),
        ("W:W31-50:B1-20", Move(Square(0), Square(99)), "no-square"),
        ("W:W31-50:B1-20", Move(Square(32), Square(23), frozenset({Square(28)})), "no-capture"),
        ("W:W32:B28", Move(Square(32), Square(27)), Reason("must-capture", move="32x23")),
        (
            "W:W32:B28,19",
            Move(Square(32), Square(23), frozenset({Square(28)})),
            Reason("must-capture-most", count=2, move="32x23x14"),
        ),
        ("W:W32:B28,19", Move(Square(32), Square(13), frozenset({Square(28), Square(19)})), "no-such-capture"),
        ("W:WK32:B1", Move(Square(32), Square(31)), "king-moves-so"),
        ("W:W32:B1 101", Move(Square(32), Square(28)), "game-over"),
    ],
)
def test_illegal_moves_say_why(state: str, move: Move, why: str | Reason) -> None:
    with raises(IllegalMoveError, why):
        GAME.check(TEXT.read_state(state), move)


def test_the_cached_moves_are_no_part_of_the_value() -> None:
    fresh, used = GAME.start(), GAME.start()
    assert len(used.moves) == 9
    assert (fresh, hash(fresh), repr(fresh)) == (used, hash(used), repr(used))
    assert pickle.dumps(fresh) == pickle.dumps(used)


# ── games that people played ───────────────────────────────────────────────────────────────────────────────────────


def test_620_games_replay_with_the_same_captures() -> None:
    """Their captures are written short; twice in all of them that fits two captures, and the victims tell which was meant."""
    lines = shared("data/draughts/games.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 620
    text = DraughtsNotation(LONG)
    ambiguous = []
    for line in lines:
        game = json.loads(line)
        board = LONG.start()
        for said, captured in zip(game["moves"], game["captured"], strict=True):
            try:
                move = text.read(said, board)
            except AmbiguousMoveError as error:
                ambiguous.append(said)
                (move,) = (fit for fit in (text.read(one, board) for one in error.fits) if fit.captured == set(captured))
            LONG.check(board, move)
            assert sorted(move.captured) == sorted(captured), (game["event"], said)
            board = LONG.play(board, {board.mover: move})
    assert ambiguous == ["36x16", "4x24"]


# ── the rules once more, slowly ────────────────────────────────────────────────────────────────────────────────────
# A board is a mapping from (row, column) to one of o O x X; nothing is shared with the generator under test.

Place = tuple[int, int]
PLACES = {n: ((n - 1) // 5, 2 * ((n - 1) % 5) + (1 if (n - 1) // 5 % 2 == 0 else 0)) for n in range(1, 51)}
NUMBERS = {place: n for n, place in PLACES.items()}
DIAGONALS = ((-1, -1), (-1, 1), (1, -1), (1, 1))


def laid_out(board: Board) -> dict[Place, str]:
    marks = {}
    for squares, mark in ((board.white, "o"), (board.black, "x")):
        for bit in bits(squares):
            marks[PLACES[SQUARE[bit]]] = mark.upper() if bit & board.kings else mark
    return marks


def walk(place: Place, way: Place) -> Iterator[Place]:
    row, column = place
    while (row := row + way[0], column := column + way[1]) in NUMBERS:
        yield row, column


def jumps(marks: dict[Place, str], place: Place, piece: str, taken: tuple[Place, ...]) -> Iterator[tuple[Place, Place]]:
    """Every piece that may be jumped next from `place`, with every square behind it; `marks` lacks the jumping piece."""
    foes = "xX" if piece in "oO" else "oO"
    for way in DIAGONALS:
        line = list(walk(place, way))
        ahead = 0
        if piece in "OX":
            while ahead < len(line) and line[ahead] not in marks:
                ahead += 1
        if ahead >= len(line) or marks.get(line[ahead], " ") not in foes or line[ahead] in taken:
            continue
        for landing in line[ahead + 1 :] if piece in "OX" else line[ahead + 1 : ahead + 2]:
            if landing in marks:
                break
            yield line[ahead], landing


def paths(marks: dict[Place, str], path: tuple[Place, ...], piece: str, taken: tuple[Place, ...]) -> Iterator[Any]:
    yield path, taken
    for victim, landing in jumps(marks, path[-1], piece, taken):
        yield from paths(marks, (*path, landing), piece, (*taken, victim))


def slow(board: Board) -> tuple[set[Any], set[Any], set[Any]]:
    """Every legal move as the words of the rules give it: told apart by D, by O, by P."""
    marks = laid_out(board)
    own, forward = ("oO", -1) if board.mover == FIRST else ("xX", 1)
    captures, quiet = [], []
    for place, piece in marks.items():
        if piece not in own:
            continue
        others = {where: mark for where, mark in marks.items() if where != place}
        captures += list(paths(others, (place,), piece, ()))
        for way in DIAGONALS:
            for step, to in enumerate(walk(place, way)):
                if to in marks or (piece in "ox" and (step > 0 or way[0] != forward)):
                    break
                quiet.append(((place, to), ()))
    most = max((len(taken) for _, taken in captures), default=0)
    legal = [found for found in captures if len(found[1]) == most] if most else quiet
    return (
        {(path[0], path[-1], frozenset(taken)) for path, taken in legal},
        {(path[0], path[-1], taken) for path, taken in legal},
        {path for path, _ in legal},
    )


def agree(board: Board) -> None:
    by_set, by_order, by_path = slow(board)
    ours = {
        (PLACES[move.start], PLACES[move.end], frozenset(PLACES[n] for n in move.captured)): tuple(PLACES[n] for n in move.path)
        for move in board.moves
    }
    assert len(ours) == len(board.moves)
    assert set(ours) == by_set
    assert set(ours.values()) <= by_path
    for way, expected in zip(get_args(Way), (by_set, by_order, by_path), strict=True):
        assert TREES[way].count(board.side) == len(expected)
    if by_set and board.moves[0].captured:
        for path in by_path:
            (found,) = routes(board, tuple(Square(NUMBERS[place]) for place in path))
            assert tuple(PLACES[n] for n in found.path) == path, "a path that was said is kept"


@given(st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_random_play_agrees_with_the_words_of_the_rules(seed: int) -> None:
    for step in playout(LONG, Random(seed)):
        if step.before.turn > 160:
            break
        agree(step.before)


@st.composite
def scattered(draw: st.DrawFn) -> Board:
    """A position without regard to how it came about, with more kings than games have."""
    squares = draw(st.permutations(range(1, 51)))
    white, black = draw(st.integers(1, 6)), draw(st.integers(1, 12))
    own, foes = squares_of(squares[:white]), squares_of(squares[white : white + black])
    kings = squares_of(n for n in squares[: white + black] if draw(st.booleans()))
    kings |= own & squares_of(range(1, 6)) | foes & squares_of(range(46, 51))
    return Board(own, foes, kings, draw(st.integers(1, 2)))


@given(scattered())
@settings(max_examples=150, deadline=None)
def test_scattered_positions_agree_with_the_words_of_the_rules(board: Board) -> None:
    agree(board)


@given(scattered(), st.integers(0, 2**32))
@settings(max_examples=50, deadline=None)
def test_a_move_keeps_the_board_in_order(board: Board, seed: int) -> None:
    for step in playout(LONG, Random(seed), board):
        seat: Seat = step.before.mover
        move = step.moves[seat]
        before, after = step.before.side, step.after
        own, foes = (after.white, after.black) if seat == FIRST else (after.black, after.white)
        assert own & foes == 0
        assert after.kings & ~(own | foes) == 0
        assert own.bit_count() == before[0].bit_count()
        assert foes == before[1] & ~squares_of(move.captured)
        if after.turn > 40:
            break
