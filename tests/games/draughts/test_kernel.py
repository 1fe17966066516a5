"""The draughts kernel finds the moves of the rules, compiled and as plain Python, and judges alike in both lives."""

import json
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from arbitre.games.draughts.moves import EVERY, KING_ROW, after, bits, moves
from arbitre.games.draughts.notation import read_fen
from arbitre.games.draughts.perft import leaves as counted
from arbitre.games.draughts.rules import Board
from tests.games.draughts.kernel import LIVES, compiled, leaves, plain, side, steps
from tests.shared import shared

POSITIONS = (
    "W:W31-50:B1-20",
    "W:WK41,49:B9,10,12,19,38",
    "B:W27,28,38,39,42:BK25",
    "W:W28:B22,12,13,23",
    "W:W15:B9,10",
    "W:W26:B12,K21,31,32",
    "W:WK42:B17,K27,29,32,K37,41",
    "B:W6,9-11,20-23,30,K31,33,37,41-44,46:BK17,K24",
    "W:W6-10:B41-45",
    "W:WK31-50:BK1-20",
    "W:WK7,K14,K26:B8-12,19-22,28,30,33,34,37,41,43,44",
    "W:WK6,K14,K37,K50:B7-10,17,20,21,23,29,30-32,34,39-43",
)


@pytest.mark.parametrize("fen", POSITIONS)
@LIVES
def test_moves_are_those_of_the_rules(life: Any, fen: str) -> None:
    board = read_fen(fen)
    assert sorted(steps(life(), board)) == sorted(moves(board.side))


@pytest.mark.parametrize("fen", POSITIONS)
def test_leaves_are_those_of_the_rules(fen: str) -> None:
    board = read_fen(fen)
    for depth in (1, 2, 3, 4):
        number = counted(board, depth)
        assert leaves(compiled(), board, depth) == number
        if number < 400:
            assert leaves(plain(), board, depth) == number
        if number > 20_000:
            break


def test_leaves_of_the_start() -> None:
    assert leaves(compiled(), read_fen(POSITIONS[0]), 8) == 6_483_961


def test_leaves_are_those_of_the_published_tables() -> None:
    for one in json.loads(shared("data/draughts/perft.json").read_text())["positions"]:
        for depth, number in enumerate(one["D"], start=1):
            if number < 20_000_000:
                assert leaves(compiled(), read_fen(one["fen"]), depth) == number, one["name"]


@st.composite
def boards(draw: st.DrawFn) -> Board:
    """Scatter men and kings: many kings and much room make long captures."""
    squares = draw(st.permutations(list(bits(EVERY))))
    white, black = draw(st.integers(1, 12)), draw(st.integers(1, 20))
    ours, theirs = squares[:white], squares[white : white + black]
    crowned = draw(st.sets(st.sampled_from(ours + theirs)))
    kings = sum(crowned) | sum(ours) & KING_ROW[0] | sum(theirs) & KING_ROW[1]
    return Board(sum(ours), sum(theirs), kings, draw(st.integers(1, 2)))


@settings(max_examples=400)
@given(boards())
def test_moves_of_scattered_boards(board: Board) -> None:
    assert sorted(steps(compiled(), board)) == sorted(moves(board.side))


@settings(max_examples=25)
@given(boards())
def test_moves_of_scattered_boards_in_plain_python(board: Board) -> None:
    assert sorted(steps(plain(), board)) == sorted(moves(board.side))


@LIVES
def test_what_follows_a_move_is_what_the_rules_say(life: Any) -> None:
    kernel = life()
    for fen in POSITIONS:
        own, foes, kings, seat = read_fen(fen).side
        for start, end, taken in moves((own, foes, kings, seat)):
            crowned = kernel.crowned(*(kernel.U(squares) for squares in (kings, start, end, taken)), int(seat))
            assert int(crowned) == after((own, foes, kings, seat), (start, end, taken))[2]


def mirrored(board: Board) -> Board:
    """Return the board with the sides changed."""
    white, black, kings = (
        int(plain().backwards(plain().U(squares))) >> 10 for squares in (board.black, board.white, board.kings)
    )
    return Board(white, black, kings, board.turn + 1)


@settings(max_examples=60)
@given(boards(), st.integers(1, 100))
def test_both_sides_and_both_lives_judge_alike(board: Board, left: int) -> None:
    judged = {kernel.evaluate(*side(kernel, one), left) for kernel in (compiled(), plain()) for one in (board, mirrored(board))}
    assert len(judged) == 1
    assert abs(judged.pop()) < compiled().SURE


@settings(max_examples=6)
@given(boards())
def test_both_lives_search_alike(board: Board) -> None:
    """The same positions are seen, and nothing is read outside the memory."""
    assume(len(board.moves) > 1)
    told = []
    for kernel in (compiled(), plain()):
        memory = kernel.memory_for(64)
        memory[kernel.LIMIT], memory[kernel.PLIES], memory[kernel.TURN] = 150, 100, board.turn
        kernel.think(kernel.address(memory), kernel.address(memory), *side(kernel, board), 99, 0)
        told.append(memory.tolist())
    assert told[0] == told[1]


def test_a_list_that_is_too_long_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written beyond the memory: the caller is told instead."""
    kernel = plain()
    monkeypatch.setattr(kernel, "ROOM", kernel.MOVES + 100)
    memory = kernel.memory_for(1)
    board = read_fen(POSITIONS[-1])
    assert kernel.listing(memory, kernel.MOVES, *side(kernel, board)) == -1
    assert kernel.perft(memory, kernel.MOVES, *side(kernel, board), 2) == -1
    assert kernel.think(memory, memory, *side(kernel, board), 9, 0) == -1
