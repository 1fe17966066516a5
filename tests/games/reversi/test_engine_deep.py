"""The strong players of Reversi: exact where they claim to be, legal, bounded, and greedy for discs once they have won."""

import os
import subprocess
import sys
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import pytest

from arbitre.errors import PlayerStringError
from arbitre.games import kernels
from arbitre.games.anyone import Anyone
from arbitre.games.catalogue import game
from arbitre.games.engine import Budget
from arbitre.games.levels import house_bot, levels, missing
from arbitre.games.reversi import engine as reversi
from arbitre.games.reversi.notation import ReversiNotation
from arbitre.games.reversi.rules import Board
from tests.games.arena import ask, contest
from tests.games.reversi.kernel import RULES, after, counted, empties, late
from tests.reasons import gives, raises

pytest.importorskip("numba")

from arbitre.games.reversi.thought import Thought

FREE = Budget(None)
ROOT = Path(__file__).parents[3]


# ── exact endings ──────────────────────────────────────────────────────────────────────────────────────────────────

FFO = [
    # Positions 40 to 44 of the French federation's test of endings, with the published counts.
    (40, "4004444304444443443344434434443344444433000444430000400300000000", "X", 38),
    (41, "0444440000444430044444403333344003344300443433000043340004440040", "X", 0),
    (42, "0044400000003304444443440444434430444334000443440004443400444400", "X", 6),
    (43, "0033333000333300044433000443333004433340444434400003430000333330", "O", -12),
    (44, "0040304000403404044333444444333444443300334434000033330000033300", "O", -14),
]


def read(cells: str, side: str) -> Board:
    """Return a board with a side to move."""
    board = ReversiNotation(RULES).read_state(cells)
    turn = board.turn + ((side == "X") != (board.turn % 2 == 1))
    return ReversiNotation(RULES).read_state(f"{cells} {turn}")


def solved(board: Board) -> int:
    """Return the count of discs that a search without limit finds."""
    thought = Thought(1 << 20)
    (_, worth), *_ = thought.weigh(board, FREE, positions=1 << 40, end=60)
    assert thought.solved == thought.kernel.COUNT
    assert worth % thought.kernel.DISC == 0
    return worth // int(thought.kernel.DISC)


@pytest.mark.campaign
@pytest.mark.parametrize(("number", "cells", "side", "count"), FFO)
def test_published_endings_are_solved(number: int, cells: str, side: str, count: int) -> None:
    assert solved(read(cells, side)) == count, number


def test_an_ending_of_fourteen_is_what_its_moves_make_it() -> None:
    """A count is the best of the counts after each move: whatever cuts were made, they agree."""
    for seed in (1, 2):
        board = late(Random(seed), 14)
        worths = [-solved(after(board, cell)) if after(board, cell).moves else None for cell in RULES.legal(board)]
        known = [worth for worth in worths if worth is not None]
        assert solved(board) >= max(known)
        assert solved(board) == max(known) or None in worths


def test_once_won_it_takes_as_many_discs_as_it_can() -> None:
    """Of several moves that win, the one that wins by most."""
    table, tried = game("reversi", {}), 0
    for seed in range(60):
        board = late(Random(seed), 6)
        counts = {cell: -counted(after(board, cell)) for cell in RULES.legal(board)}
        if len({count for count in counts.values() if count > 0}) > 1:
            tried += 1
            said = ask(table, reversi.Strong(Random(1)), board, board.mover, turn=board.turn)
            assert counts[said] == max(counts.values())
    assert tried > 5


# ── limits ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_limits_hold() -> None:
    start = RULES.start()
    thought = Thought(1 << 10)
    for positions in (1, 10, 1_000, 30_000):
        cell = thought.weigh(start, FREE, positions=positions)[0][0]
        RULES.check(start, cell)
        assert thought.positions <= positions + 100, "those that were on the way return at once"
    thought.weigh(start, FREE, positions=10**9, depth=4)
    assert thought.depth == 4


def test_the_flag_stops_a_search_without_end() -> None:
    thought = Thought(1 << 16)
    start = RULES.start()
    found: list[Any] = []
    search = Thread(target=lambda: found.append(thought.weigh(start, FREE, positions=1 << 62)))
    search.start()
    while thought.positions < 10_000:
        search.join(0.001)
    assert search.is_alive(), "other threads run while it thinks"
    thought.stop()
    search.join(60)
    assert not search.is_alive()
    RULES.check(start, found[0][0][0])


@pytest.mark.parametrize("make", reversi.STRONG)
def test_strong_players_answer_in_time_with_legal_moves(make: type[reversi.Deep]) -> None:
    table = game("reversi", {})
    for left in (1, 100, 300):
        state = table.start()
        ask(table, make(Random(1)), state, state.mover, left=left)


class Stopped:
    """A clock that stands still until it has been looked at so often."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def __call__(self) -> float:
        self.looks -= 1
        return 0.0 if self.looks > 0 else 1e9


def test_the_champion_uses_its_clock() -> None:
    """With a clock it looks at as many positions as there is time for, not at a fixed number."""
    table, seen = game("reversi", {}), []
    make = type("Hurried", (reversi.Champion,), {"positions": 500, "buckets": 1 << 12})
    for left in (None, 54_000):
        player = make(Random(1), Stopped(12))
        ask(table, player, table.start(), table.start().mover, left=left)
        seen.append(player.thought.positions)
    assert seen[0] <= 600 < seen[1]


def test_games_differ_by_their_seeds() -> None:
    table = game("reversi", {})
    state = after(table.start(), next(iter(RULES.legal(table.start()))))
    text = ReversiNotation(RULES)
    said = {text.write(ask(table, reversi.Adept(Random(seed)), state, state.mover, turn=2)) for seed in range(12)}
    assert len(said) > 1


def test_endings_are_seen_by_the_champion_from_twenty_empty_cells() -> None:
    assert reversi.Champion.end == 20
    assert reversi.Champion.tireless
    board = late(Random(4), 15)
    assert empties(board) <= reversi.Champion.end
    player = reversi.Champion(Random(1))
    ask(game("reversi", {}), player, board, board.mover, turn=board.turn)
    assert player.thought.solved == player.thought.kernel.COUNT


# ── levels ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.campaign
@pytest.mark.parametrize("number", range(1, len(reversi.LEVELS) + 1))
def test_a_level_beats_the_one_below_but_not_always(number: int) -> None:
    """A hundred games each; an interval of two standard errors reaches into what is wanted."""
    table = game("reversi", {})
    below = house_bot(table, number - 1)[0] if number > 1 else None
    games = 100
    share = float(contest(table, levels("reversi")[number - 1], below or Anyone, games, "gauntlet"))
    error = 2 * (share * (1 - share) / games) ** 0.5
    if below is None:
        assert share + error >= 0.8
    else:
        assert share + error >= 0.6
        assert share - error <= 0.85


def test_who_lacks_numba_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(levels("reversi")) == 14
    assert not missing("reversi")
    few, why = kernels.offered(reversi.PLAIN, reversi.STRONG, compiles=False)
    monkeypatch.setattr(reversi, "LEVELS", few)
    monkeypatch.setattr(reversi, "MISSING", why)
    assert len(levels("reversi")) == 6
    assert gives(missing("reversi"), "need numba")
    with raises(PlayerStringError, "need numba", least=7):
        house_bot(game("reversi", {}), 8)


# ── training ───────────────────────────────────────────────────────────────────────────────────────────────────────

TRAIN = [sys.executable, str(ROOT / "tools" / "train"), "reversi", "--positions", "200", "--rounds", "1", "--seed", "3"]


@pytest.mark.campaign
def test_training_goes_on_where_it_was_and_comes_to_the_same_weights(tmp_path: Path) -> None:
    made = []
    for name, jobs in (("one", "1"), ("two", "2")):
        folder = tmp_path / name
        subprocess.run([*TRAIN, "--jobs", jobs, "--out", folder], check=True, cwd=ROOT)
        made.append((folder / "weights.xz").read_bytes())
    for lost in ("weights.xz", "round-1-stage-03.npy", "round-1-stage-00.npy"):
        (tmp_path / "two" / lost).unlink()
    subprocess.run([*TRAIN, "--out", tmp_path / "two"], check=True, cwd=ROOT)
    made.append((tmp_path / "two" / "weights.xz").read_bytes())
    assert made[0] == made[1] == made[2]


def test_the_kernel_and_its_training_need_numpy_and_numba_alone() -> None:
    """So that the long run can be made on any machine with many cores."""
    needs = "import arbitre.games.kernels, arbitre.games.reversi.kernel, arbitre.games.reversi.weights; "
    before, after = (_loaded_by(script) for script in ("", needs))
    others = after - before - set(sys.stdlib_module_names)  # what an environment loads by itself is nobody's need
    assert others <= {"arbitre", "numpy", "numba", "llvmlite"}, others


def _loaded_by(script: str) -> set[str]:
    """Return the packages that Python has loaded when it has run a script."""
    told = [sys.executable, "-c", f"{script}import sys; print(*sys.modules)"]
    plain = os.environ | {"ARBITRE_PLAIN": "1"}
    done = subprocess.run(told, capture_output=True, text=True, check=True, env=plain)
    return {one.partition(".")[0] for one in done.stdout.split()}
