"""The strong players of draughts: exact where they claim to be, legal, bounded, and aware of the last ply."""

import sys
from collections.abc import Iterator
from io import StringIO
from itertools import islice
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import pytest

from arbitre.errors import PlayerStringError
from arbitre.games import kernels
from arbitre.games.catalogue import game
from arbitre.games.draughts import engine as draughts
from arbitre.games.draughts.moves import BIT, EVERY, KING_ROW, bits
from arbitre.games.draughts.notation import read_fen
from arbitre.games.draughts.rules import Board, Draughts, Move
from arbitre.games.engine import Budget
from arbitre.games.levels import house_bot, levels, missing, prepare
from arbitre.games.notation import notation_of
from tests.games.arena import ask
from tests.games.draughts.kernel import compiled, side
from tests.reasons import gives, raises

pytest.importorskip("numba")

from arbitre.games.draughts.thought import Thought

FREE = Budget(None)


def weighed(board: Board, *, positions: int = 50_000, plies: int = 100, depth: int = 99) -> tuple[Move, int]:
    """Return the best move and its worth."""
    return Thought(1 << 12).weigh(board, plies, FREE, positions=positions, depth=depth)[0]


# ── the smallest endings ───────────────────────────────────────────────────────────────────────────────────────────


def told(thought: Thought, board: Board) -> int | None:
    """Return what the tables say: plies to the end, odd when the side to move wins, even when it loses, None for a draw."""
    if not board.side[0]:
        return 0
    kernel = thought.kernel
    index = kernel.place(*side(kernel, board))
    value = kernel.octet(kernel.address(thought.tables), index)
    return value - 1 if value else None


def expected(thought: Thought, board: Board) -> int | None:
    """Return what must hold of a position by what the tables say of those that follow it by the rules."""
    after = [told(thought, board.after(move)) for move in board.moves]
    lost = [plies for plies in after if plies is not None and plies % 2 == 0]
    won = [plies for plies in after if plies is not None and plies % 2 == 1]
    if lost:
        return min(lost) + 1
    if len(won) == len(after):
        return max(won, default=-1) + 1
    return None


def scattered(random: Random, white: int, black: int, kings: float) -> Board:
    squares = random.sample(list(bits(EVERY)), white + black)
    ours, theirs = sum(squares[:white]), sum(squares[white:])
    crowned = sum(square for square in squares if random.random() < kings)
    return Board(ours, theirs, crowned | ours & KING_ROW[0] | theirs & KING_ROW[1], random.choice((1, 2)))


def pairs() -> Iterator[Board]:
    """Return every position of one piece against one, white to move."""
    for white in bits(EVERY):
        for black in bits(EVERY & ~white):
            for kings in (0, white, black, white | black):
                if not (white & KING_ROW[0] & ~kings or black & KING_ROW[1] & ~kings):
                    yield Board(white, black, kings)


def test_the_smallest_endings_follow_from_each_other() -> None:
    """A distance that is everywhere one more than the best of those after it is the right one: it cannot go round in circles."""
    thought = Thought(1)
    for board in islice(pairs(), 0, None, 3):
        assert told(thought, board) == expected(thought, board)
    random = Random(3)
    for white, black, kings in ((2, 1, 0.5), (1, 2, 0.5), (2, 1, 1.0), (3, 1, 1.0), (1, 3, 1.0)):
        for _ in range(250):
            board = scattered(random, white, black, kings)
            assert told(thought, board) == expected(thought, board)


@pytest.mark.campaign
def test_the_smallest_endings_follow_from_each_other_at_length() -> None:
    thought = Thought(1)
    random = Random(4)
    for white, black, kings in ((2, 1, 0.5), (1, 2, 0.5), (3, 1, 1.0), (1, 3, 1.0)):
        for _ in range(30_000):
            board = scattered(random, white, black, kings)
            assert told(thought, board) == expected(thought, board)


def brute(board: Board, plies: int) -> int:
    """Return 1, 0 or -1 for the side to move, by the rules alone, when so many plies are left."""
    if not board.moves:
        return -1
    if plies == 0:
        return 0
    best = -1
    for move in board.moves:
        best = max(best, -brute(board.after(move), plies - 1))
        if best == 1:
            break
    return best


def test_the_tables_find_what_brute_force_finds() -> None:
    thought = Thought(1)
    random = Random(8)
    seen = set()
    for _ in range(80):
        board = scattered(random, *random.choice(((1, 1), (2, 1), (1, 2))), 0.4)
        plies = told(thought, board)
        for left in (0, 1, 2, 3):
            found = 0 if plies is None or plies > left else 1 if plies % 2 else -1
            assert brute(board, left) == found
            seen.add((found, left))
    assert len(seen) > 6, "won, drawn and lost, sooner and later"


def test_a_drawn_or_won_ending_is_kept() -> None:
    """Whoever holds the tables plays the shortest win, whatever the other does."""
    thought = Thought(1 << 10)
    random = Random(2)
    played = 0
    while played < 6:
        board = scattered(random, 3, 1, 1.0)
        plies = told(thought, board)
        if board.turn != 1 or not plies or plies < 7:
            continue
        played += 1
        while (plies := told(thought, board)) != 0:
            assert plies is not None
            move = thought.weigh(board, 2_000, FREE, positions=20_000)[0][0] if plies % 2 else random.choice(board.moves)
            after = told(thought, board.after(move))
            assert after is not None
            assert after == plies - 1 if plies % 2 else after < plies
            board = board.after(move)


# ── shots, wins, the last ply ──────────────────────────────────────────────────────────────────────────────────────

SHOTS = [
    ("W:W23,34,35,40,42,43,44,48,49:B5,8,13,21,22,24,25,31,32", "34-29", 2),
    ("W:W20,28,37,41,46,47,49,50:B4,8,16,17,19,21,26,30", "28-22", 1),
]


def balance(board: Board) -> int:
    """Return by how many pieces the side to move is ahead."""
    own, foes, *_ = board.side
    return own.bit_count() - foes.bit_count()


def gain(board: Board, plies: int) -> int:
    """Return how far ahead the side to move gets in so many plies, by the rules alone, captures not counted."""
    if not board.moves:
        return -40
    capture = bool(board.moves[0].captured)
    if plies <= 0 and not capture:
        return balance(board)
    return max(-gain(board.after(move), plies - (not capture)) for move in board.moves)


@pytest.mark.parametrize(("fen", "move", "won"), SHOTS)
def test_shots_are_found(fen: str, move: str, won: int) -> None:
    board = read_fen(fen)
    wanted = next(one for one in board.moves if str(one) == move)
    assert -gain(board.after(wanted), 2) >= balance(board) + won, "the table is right"
    assert weighed(board, positions=3_000)[0] == wanted


def test_wins_are_announced_and_no_others() -> None:
    """What the search calls won is won by the rules alone, in as many plies; and what is won in three it finds."""
    random = Random(12)
    kernel = compiled()
    announced = 0
    for _ in range(80):
        board = scattered(random, *random.choice(((3, 2), (2, 3), (2, 2))), 0.4)
        if len(board.moves) < 2:
            continue
        _, worth = weighed(board, positions=4_000)
        if worth >= kernel.SURE and kernel.WON - worth <= 5:
            announced += 1
            assert brute(board, kernel.WON - worth) == 1
        elif worth < kernel.SURE:
            assert brute(board, 3) < 1
    assert announced > 2


def test_a_win_after_the_last_ply_is_a_draw() -> None:
    """A win on the last ply is a win; one ply more and there is nothing in it."""
    thought = Thought(1 << 10)
    kernel = thought.kernel
    random = Random(6)
    tried = 0
    while tried < 20:
        board = scattered(random, 2, 1, 0.6)
        plies = told(thought, board)
        if plies is None or plies % 2 == 0 or plies < 3 or len(board.moves) < 2:
            continue
        tried += 1
        enough = board.turn + plies - 1
        (_, won), *_ = thought.weigh(board, enough, FREE, positions=50_000)
        assert won == kernel.WON - plies
        (_, drawn), *_ = thought.weigh(board, enough - 1, FREE, positions=50_000)
        assert drawn == 0


def test_the_last_ply_is_known_without_tables() -> None:
    """A man up, but the game is over before that helps."""
    board = read_fen("W:W31,32,33,36,38,47,48:B6,11,12,16,17,18")
    late = Board(board.white, board.black, board.kings, 99)
    assert weighed(late)[1] == 0
    assert weighed(board)[1] > 0


# ── limits ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_limits_hold() -> None:
    start = Draughts().start()
    thought = Thought(1 << 10)
    for positions in (1, 10, 1_000, 30_000):
        assert thought.weigh(start, 100, FREE, positions=positions)[0][0] in start.moves
        assert thought.positions <= positions + 100, "those that were on the way return at once"
    thought.weigh(start, 100, FREE, positions=10**9, depth=4)
    assert thought.depth == 4


def test_the_flag_stops_a_search_without_end() -> None:
    thought = Thought(1 << 16)
    start = Draughts().start()
    found: list[Any] = []
    search = Thread(target=lambda: found.append(thought.weigh(start, 2_000, FREE, positions=1 << 62)))
    search.start()
    while thought.positions < 10_000:
        search.join(0.001)
    assert search.is_alive(), "other threads run while it thinks"
    thought.stop()
    search.join(60)
    assert not search.is_alive()
    assert found[0][0][0] in start.moves


def test_a_player_for_whom_nobody_waits_raises_the_flag() -> None:
    player = draughts.Club(Random(1))
    player.stop()
    assert player.thought.memory[player.thought.kernel.STOP] == 1
    table = game("draughts", {})
    ask(table, player, table.start(), table.start().mover)


@pytest.mark.parametrize("make", draughts.STRONG)
def test_strong_players_answer_in_time_with_legal_moves(make: type[draughts.Deep]) -> None:
    table = game("draughts", {})
    for left in (1, 100, 300):
        state = table.start()
        ask(table, make(Random(1)), state, state.mover, left=left)


def test_openings_differ() -> None:
    table = game("draughts", {})
    hurried = type("Hurried", (draughts.Club,), {"positions": 2_000})
    text = notation_of(table)
    said = {text.write(ask(table, hurried(Random(seed)), table.start(), table.start().mover)) for seed in range(12)}
    assert len(said) > 1


def test_captures_beyond_the_room_are_played_by_a_plain_player(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Thought, "weigh", lambda *_, **__: [])
    table = game("draughts", {})
    ask(table, draughts.Club(Random(1)), table.start(), table.start().mover)


# ── with and without numba ─────────────────────────────────────────────────────────────────────────────────────────


def test_who_lacks_numba_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(levels("draughts")) == 13
    assert not missing("draughts")
    few, why = kernels.offered(draughts.PLAIN, draughts.STRONG, compiles=False)
    monkeypatch.setattr(draughts, "LEVELS", few)
    monkeypatch.setattr(draughts, "MISSING", why)
    assert len(levels("draughts")) == 7
    assert gives(missing("draughts"), "need numba")
    with raises(PlayerStringError, "need numba", least=8):
        house_bot(game("draughts", {}), 12)


def test_nothing_is_kept_where_nothing_can_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("ARBITRE_CACHE", str(tmp_path / "file" / "cache"))
    assert kernels.folder("draughts") is None
    with kernels.locked(None):
        pass
    monkeypatch.setenv("ARBITRE_CACHE", str(tmp_path / "new"))
    folder = kernels.folder("draughts")
    assert folder is not None
    assert folder.stat().st_mode & 0o077 == 0


def test_players_are_prepared_once() -> None:
    done: list[str] = []

    class Slow:
        @staticmethod
        def prepare() -> None:
            done.append("compiled")

    makers: list[Any] = [Slow, Slow, object]
    prepare(makers)
    assert done == ["compiled"]


def test_the_bits_of_a_move_are_those_of_the_rules() -> None:
    kernel = compiled()
    assert [int(kernel.bit_of(n - 1)) for n in range(1, 51)] == list(BIT[1:])


class Terminal(StringIO):
    """A standard error that somebody looks at."""

    def isatty(self) -> bool:
        return True


def test_compiling_is_said_on_a_terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen = Terminal()
    monkeypatch.setattr(sys, "stderr", seen)
    with kernels.told("draughts", None):
        assert "compiling the draughts engine, for this run" in seen.getvalue()
    with kernels.told("draughts", tmp_path):
        pass
    assert "compiling the draughts engine, once … done" in seen.getvalue()
    (tmp_path / kernels.READY).touch()
    before = seen.getvalue()
    with kernels.told("draughts", tmp_path):
        pass
    assert seen.getvalue() == before, "what is compiled needs no word"
