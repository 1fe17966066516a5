"""The kernel of five in a row plays by the rules of its games, and knows what each line is good for, in both its lives."""

from random import Random
from time import perf_counter
from typing import Any

import pytest

from arbitre.games.bigtictactoe.rules import count
from arbitre.games.engine import Budget
from arbitre.games.game import Outcome
from tests.games.five.kernel import LIVES, RULES, TABLES, Laid, compiled, course, plain

pytest.importorskip("numpy")

from arbitre.games.five.tables import tables_for
from arbitre.games.five.thought import Thought


@RULES
@LIVES
def test_stones_captures_and_rows_are_those_of_the_rules(life: Any, rule: str) -> None:
    """What was carried on from move to move is what is read anew from the board of the rules, and all is taken back."""
    kernel = life()
    for seed in range(6 if kernel is not plain() else 1):
        moves = course(rule, Random(seed))
        laid = Laid(kernel, rule, moves[0][0])
        made = []
        for state, move in moves[: 200 if kernel is not plain() else 40]:
            if not isinstance(TABLES[rule][0].phase(state), Outcome):
                assert laid.state() == Laid(kernel, rule, state).state()
            if rule == "MOST":
                assert [int(laid.memory[kernel.ROWS + colour]) for colour in (1, 2)] == [count(state.first), count(state.second)]
            if move is not None:
                made.append((move, int(state.mover) + 1, laid.put(move, int(state.mover) + 1)))
        for move, colour, taken in reversed(made):
            laid.back(move, colour, taken)
        assert laid.state() == Laid(kernel, rule, moves[0][0]).state()


@pytest.mark.parametrize("rule", ["FIRST", "PAIRED"])
def test_cells_that_win_are_those_of_the_rules(rule: str) -> None:
    table = TABLES[rule][0]
    for seed in range(4):
        for state, move in course(rule, Random(seed))[4:]:
            if move is not None:
                laid = Laid(compiled(), rule, state)
                wins = {cell for cell in table.legal(state) if _wins(table, state, cell)}
                assert laid.goals(int(state.mover) + 1) == {laid.at(cell) for cell in wins}


def _wins(table: Any, state: Any, cell: Any) -> bool:
    phase = table.phase(table.play(state, {state.mover: cell}))
    return isinstance(phase, Outcome) and phase.scores[state.mover] == 1


def test_cells_too_near_the_centre_are_barred_on_turn_three() -> None:
    kernel, (table, _, _) = compiled(), TABLES["PAIRED"]
    state = table.start()
    for move in (180, 181):
        state = table.play(state, {state.mover: type(next(iter(table.legal(state))))(move)})
    laid = Laid(kernel, "PAIRED", state)
    free = {laid.at(cell) for cell in table.legal(state)}
    number = kernel.anywhere(laid.given[0], kernel.MOVES)
    assert {int(laid.memory[kernel.MOVES + nth * kernel.ENTRY]) for nth in range(number)} == free


LINES = [
    ("....XXXX", "FIVE"),
    ("..XXXX..", "FIVE"),
    ("OXXXXOXX", "FIVE"),
    ("..XXX...", "OPEN_FOUR"),
    ("..XX.X..", "FOUR"),
    ("X.XX.X.X", "OPEN_FOUR"),
    (".OXX.X..", "FOUR"),
    ("...XXX.#", "OPEN_FOUR"),
    ("..OX.XX#", "FOUR"),
    ("...X.X..", "OPEN_THREE"),
    ("...X.X.O", "OPEN_THREE"),
    ("..OX.X..", "THREE"),
    ("...X....", "OPEN_TWO"),
    ("..OX....", "TWO"),
    ("..OXOXX.", "NOTHING"),
    ("........", "NOTHING"),
]
"""Four cells before and four behind, whoever is to move being X, and what a stone between them makes."""


@pytest.mark.parametrize(("line", "kind"), LINES)
def test_a_line_is_good_for(line: str, kind: str) -> None:
    kernel = plain()
    for own, other in (("X", "O"), ("O", "X")):
        values = {".": 0, own: 1, other: 2, "#": 3}
        code = sum(values[cell] << 2 * slot for slot, cell in enumerate(line))
        grade = int(tables_for(kernel, kernel.FIRST)[code])
        assert (grade & 7 if own == "X" else grade >> 3 & 7) == getattr(kernel, kind)


# ── the search ─────────────────────────────────────────────────────────────────────────────────────────────────────


def thought(laid: Laid, colour: int, limit: int, depth: int = 60) -> tuple[int, int]:
    """Return the best cell by the kernel's number and what it is worth."""
    kernel, memory = laid.kernel, laid.memory
    memory[kernel.LIMIT] = limit
    kernel.think(*laid.given, colour, depth, 0)
    return int(memory[kernel.MOVES]), int(memory[kernel.MOVES + 1]) - 2 * int(kernel.WON)


@RULES
def test_both_lives_search_alike(rule: str) -> None:
    """The same positions are seen, and nothing is read outside the memory."""
    state, _ = course(rule, Random(3))[9]
    told = []
    for kernel in (compiled(), plain()):
        laid = Laid(kernel, rule, state)
        thought(laid, int(state.mover) + 1, 250)
        told.append(laid.memory.tolist())
    assert told[0] == told[1]


def negamax(laid: Laid, colour: int, depth: int) -> int:
    """Search the most rows without any cut, among the same moves."""
    kernel, memory = laid.kernel, laid.memory
    if memory[kernel.EMPTY] == 0:
        return int(kernel.full(laid.given[0], colour))
    if depth == 0:
        return int(kernel.evaluate(*laid.given, colour))
    best = -(10**6)
    cells = [cell for cell in range(kernel.CELLS) if memory[kernel.BOARD + cell] == 0]
    for cell in cells:
        taken = kernel.put(*laid.given, cell, colour)
        best = max(best, -negamax(laid, 3 - colour, depth - 1))
        kernel.back(*laid.given, cell, colour, taken)
    return best


def test_a_full_board_is_counted_out() -> None:
    for seed in range(3):
        state, _ = course("MOST", Random(seed))[94]
        laid = Laid(compiled(), "MOST", state)
        colour = int(state.mover) + 1
        assert thought(laid, colour, 1 << 40)[1] == negamax(Laid(compiled(), "MOST", state), colour, 6)


@pytest.mark.parametrize("rule", ["FIRST", "PAIRED"])
def test_a_victory_that_it_sees_is_never_taken_back(rule: str) -> None:
    """Who says that he wins says so until he has: a move that nobody looked at would have saved the other."""
    table, player, _ = TABLES[rule]
    seen = 0
    for seed in range(6):
        thoughts, sure, state = (Thought(rule, 1 << 12), Thought(rule, 1 << 12)), [False, False], course(rule, Random(seed))[5][0]
        while not isinstance(table.phase(state), Outcome):
            thought = thoughts[state.mover]
            ((cell, worth), *_) = thought.weigh(player.stones(state), Budget(None, perf_counter), positions=4_000)
            assert not sure[state.mover] or worth >= thought.kernel.SURE or thought.positions < 2, (seed, state.turn)
            sure[state.mover] = worth >= thought.kernel.SURE
            state = table.play(state, {state.mover: player.cell(cell)})
        seen += any(sure)
    assert seen
