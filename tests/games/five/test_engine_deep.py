"""The strong players of BigTicTacToe and Pente: they see victories by threats, are legal, bounded, and use their clock."""

from random import Random
from threading import Thread
from typing import Any

import pytest

from arbitre.errors import PlayerStringError
from arbitre.games import kernels
from arbitre.games.anyone import Anyone
from arbitre.games.bigtictactoe import engine as big
from arbitre.games.catalogue import game
from arbitre.games.engine import Budget
from arbitre.games.game import AnyGame, Outcome
from arbitre.games.levels import house_bot, levels, missing
from arbitre.games.notation import notation_of
from arbitre.games.pente import engine as pente
from tests.games.arena import ask

pytest.importorskip("numba")

from arbitre.games.five.thought import Thought
from tests.reasons import gives, raises

FREE = Budget(None)
FIRST, MOST, PENTE = game("bigtictactoe", {"first": True}), game("bigtictactoe", {}), game("pente", {})
ENGINES: dict[str, Any] = {"bigtictactoe": big, "pente": pente}


def after(table: AnyGame, moves: str) -> Any:
    """Return the state after some moves."""
    state, text = table.start(), notation_of(table)
    for said in moves.split():
        state = table.play(state, {state.mover: text.read(said, table.view(state, state.mover))})
    return state


def thought(table: AnyGame, moves: str, positions: int) -> tuple[set[str], Thought]:
    """Return the cells that a search likes best, and the search."""
    module, state = ENGINES[table.name], after(table, moves)
    made = Thought(module.Compiled.rule(table), 1 << 10)
    found = made.weigh(module.Compiled.stones(state), FREE, positions=positions)
    text = notation_of(table)
    return {text.write(module.Compiled.cell(cell)) for cell, _ in found}, made


# ── threats ────────────────────────────────────────────────────────────────────────────────────────────────────────

SEEN = [
    pytest.param(FIRST, "D3 A0 E3 J9 F3 A9 G3 C3", {"H3"}, True, id="five"),
    pytest.param(FIRST, "A0 D3 J9 E3 A9 F3 J0 G3", {"C3", "H3"}, False, id="four"),
    pytest.param(FIRST, "D3 A0 E3 J9 F3 A9", {"C3", "G3"}, True, id="open three"),
    pytest.param(FIRST, "D4 C4 E4 A0 F4 J9 G3 J0 G5 A9 G6 A7", {"G4"}, True, id="four and three"),
    pytest.param(PENTE, "JJ AA GJ AC HJ AE IJ AG", {"FJ", "KJ"}, True, id="pente, five"),
]
"""A table, moves, the cells one of which must be found, and whether that is a proof."""


@pytest.mark.parametrize(("table", "moves", "cells", "proved"), SEEN)
def test_threats_are_seen(table: AnyGame, moves: str, cells: set[str], proved: bool) -> None:
    best, made = thought(table, moves, 3_000)
    assert best <= cells
    assert made.solved == proved


WON = [
    "D4 F4 H5 C2 G5 C4 E3 F6 H7 F2 D7",
    "C5 D7 H2 D3 H7 D4 G3 F6 E2 G4 C7",
    "H2 C4 H7 G3 H5 D5 E2 G2 E6 H4 E5",
]
"""Positions that the side to move wins by fours and open threes."""


@pytest.mark.parametrize("moves", WON)
@pytest.mark.parametrize("defender", [Anyone, big.Expert, big.Strong])
def test_a_proof_by_threats_is_carried_out(moves: str, defender: Any) -> None:
    """Whatever the other side answers, each further move is proved too, and the game is won."""
    state = after(FIRST, moves)
    attacker, other = state.mover, hurried(defender)
    while not isinstance(phase := FIRST.phase(state), Outcome):
        if state.mover == attacker:
            made = Thought("FIRST", 1 << 12)
            (cell, _), *_ = made.weigh(big.Compiled.stones(state), FREE, positions=20_000)
            assert made.solved
            move = big.Compiled.cell(cell)
        else:
            move = ask(FIRST, other, state, state.mover, turn=state.turn)
        state = FIRST.play(state, {state.mover: move})
    assert phase.scores[attacker] == 1


def hurried(make: Any) -> Any:
    """Return a player that searches few positions."""
    return type(make.__name__, (make,), {"positions": 500})(Random(1))


# ── limits ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("table", [FIRST, MOST, PENTE], ids=["first", "most", "pente"])
def test_limits_hold_and_answers_are_the_same(table: AnyGame) -> None:
    module = ENGINES[table.name]
    stones = module.Compiled.stones(table.start())
    for positions in (1, 10, 2_000):
        told = []
        for _ in range(2):
            made = Thought(module.Compiled.rule(table), 1 << 10)
            told.append(made.weigh(stones, FREE, positions=positions))
            assert made.positions <= positions + 100, "those that were on the way return at once"
        assert told[0] == told[1]
        table.check(table.start(), module.Compiled.cell(told[0][0][0]))


def test_the_flag_stops_a_search_without_end() -> None:
    made = Thought("MOST", 1 << 14)
    stones = big.Compiled.stones(after(MOST, "E4 F5"))
    found: list[Any] = []
    search = Thread(target=lambda: found.append(made.weigh(stones, FREE, positions=1 << 62)))
    search.start()
    while made.positions < 10_000:
        search.join(0.001)
    assert search.is_alive(), "other threads run while it thinks"
    made.stop()
    search.join(60)
    assert not search.is_alive()
    assert found[0]


@pytest.mark.parametrize("table", [FIRST, MOST, PENTE], ids=["first", "most", "pente"])
@pytest.mark.parametrize("number", range(-4, 0))
def test_strong_players_answer_in_time_with_legal_moves(table: AnyGame, number: int) -> None:
    for left in (1, 100):
        state = table.start()
        ask(table, levels(table.name)[number](Random(1)), state, state.mover, left=left)


class Stopped:
    """A clock that stands still until it has been looked at so often."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def __call__(self) -> float:
        self.looks -= 1
        return 0.0 if self.looks > 0 else 1e9


@pytest.mark.parametrize("name", ENGINES)
def test_the_champion_uses_its_clock(name: str) -> None:
    """With a clock it looks at as many positions as there is time for, not at a fixed number."""
    table, seen = game(name, {}), []
    make = type("Hurried", (ENGINES[name].Champion,), {"positions": 200, "buckets": 1 << 10})
    for left in (None, 54_000):
        player = make(Random(1), Stopped(12))
        state = table.start()
        ask(table, player, state, state.mover, left=left)
        seen.append(player.thought.positions)
    assert seen[0] <= 300 < seen[1]


# ── levels ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ENGINES)
def test_who_lacks_numba_is_told(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    module = ENGINES[name]
    plain, most = len(module.PLAIN), len(module.PLAIN) + len(module.STRONG)
    assert len(levels(name)) == most
    assert not missing(name)
    few, why = kernels.offered(module.PLAIN, module.STRONG, compiles=False)
    assert why is not None
    monkeypatch.setattr(module, "LEVELS", few)
    monkeypatch.setattr(module, "MISSING", why)
    assert len(levels(name)) == plain
    with raises(PlayerStringError, why, least=plain + 1, most=most) as refused:
        house_bot(game(name, {}), most)
    assert gives(refused.value, "the house plays %(game)s at levels 1 to %(most)s, not %(number)s", most=plain, number=most)
