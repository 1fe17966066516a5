"""The search finds what a plain minimax finds, and its players see what their levels promise."""

from random import Random

import pytest

from arbitre.games.bigtictactoe.rules import FULL, SLOTS, STEPS
from arbitre.games.catalogue import game
from arbitre.games.engine import Budget
from arbitre.games.game import playout
from arbitre.games.levels import levels
from arbitre.games.notation import notation_of
from arbitre.games.reversi import engine as reversi
from arbitre.games.reversi.rules import Board, Cell, Reversi
from arbitre.games.rows import Rows, descending, warm
from arbitre.games.search import Insight, Search
from tests.games.arena import ask


def minimax(insight: Insight[Board, Cell], state: Board, depth: int) -> int:
    end = insight.ended(state)
    if end is not None:
        return end * 1_000
    if depth == 0:
        return insight.worth(state)
    return max(-minimax(insight, insight.after(state, move), depth - 1) for move in insight.moves(state))


def test_alpha_beta_finds_what_minimax_finds() -> None:
    """Whatever luck chooses among the best moves, it is one of the best."""
    rules = Reversi()
    insight = reversi.Freedom(rules)
    random = Random(1)
    for _ in range(6):
        state = rules.start()
        for _ in range(random.randrange(4, 40)):
            state = insight.after(state, random.choice(list(rules.legal(state))))
            if insight.ended(state) is not None:
                break
        if insight.ended(state) is not None:
            continue
        worths = {move: -minimax(insight, insight.after(state, move), 2) for move in insight.moves(state)}
        for luck in range(3):
            search: Search[Board, Cell] = Search(insight, 3, 100_000, Budget(None))
            assert worths[search.best(state, Random(luck))] == max(worths.values())


@pytest.mark.parametrize(("make", "last"), [(reversi.Player, 4), (reversi.Expert, 5), (reversi.Master, 6), (reversi.Veteran, 6)])
def test_the_end_of_reversi_is_counted_out(make: type[reversi.Player], last: int) -> None:
    """With so few empty cells left nothing is given away."""
    rules = Reversi()
    insight = reversi.Discs(rules)
    for seed in range(8):
        state = [step.before for step in playout(rules, Random(seed))][-last]
        best = minimax(insight, state, 99)
        move = ask(rules, make(Random(seed)), state, state.mover)
        assert -minimax(insight, insight.after(state, move), 99) == best


def test_windows_are_counted_for_the_whole_board() -> None:
    """Against a count cell by cell, on random boards."""
    rows = Rows(SLOTS, STEPS, FULL)
    cells = [bit for bit in range(FULL.bit_length()) if FULL >> bit & 1]
    random = Random(4)
    for _ in range(20):
        own = against = 0
        for bit in random.sample(cells, 40):
            if random.random() < 0.5:
                own |= 1 << bit
            else:
                against |= 1 << bit
        found = rows.of(own, against)
        for step, counted in zip(STEPS, found, strict=True):
            for start in cells:
                window = sum(1 << start + n * step for n in range(5))
                if window & ~FULL:
                    continue
                holds = 0 if window & against else (window & own).bit_count()
                assert [start_cells >> start & 1 for start_cells in counted] == [holds == n for n in (1, 2, 3, 4)]


def test_heat_is_a_number_on_each_cell() -> None:
    heat = [0] * 8
    for cells, place in ((0b0111, 0), (0b0110, 0), (0b0100, 1), (0b1000, 2)):
        warm(heat, cells, place)
    assert [sum((digit >> cell & 1) << n for n, digit in enumerate(heat)) for cell in range(4)] == [1, 2, 4, 4]
    assert [*descending(heat, 0b11111)] == [0b1100, 0b0010, 0b0001, 0b10000]


def rows(*given: str, side: int) -> str:
    """Return the cells of a square board with these rows on top."""
    return "".join(row.replace(" ", "").ljust(side, "0") for row in given).ljust(side * side, "0")


FOUR = rows("", "0 1 1 1 1", "0 2 2 2", side=10)
THREE = rows("", "", "0 0 0 1 1 1", "", "0 2 2", "", "0 2", side=10)
PENTE_THREAT = rows("", "", "0 2 2 2 2", "1 0 0 0 0 0 1", "0 0 0 1 0 0 0 1 0 0 0", side=19)

SEEN = [
    # A position, its options, and the moves that any level must find, with any luck.
    pytest.param("bigtictactoe", {"first": True}, f"{FOUR} 8", {"A1", "F1"}, id="complete the row"),
    pytest.param("bigtictactoe", {"first": True}, f"{THREE} 7", {"C2", "G2"}, id="make an open four"),
    pytest.param("pente", {}, f"{PENTE_THREAT} 0 0 9", {"AC", "FC"}, id="stop the row"),
    pytest.param("draughts", {}, "W:W28,33:B22,10 1", {"28x17"}, id="a capture is compulsory"),
]


@pytest.mark.parametrize(("name", "preset", "text", "wanted"), SEEN)
def test_every_level_sees_this(name: str, preset: dict[str, object], text: str, wanted: set[str]) -> None:
    table = game(name, preset)
    notation = notation_of(table)
    state = notation.read_state(text)
    for make in levels(name):
        for luck in range(3):
            said = notation.write(ask(table, make(Random(luck)), state, state.mover))
            assert said in wanted
