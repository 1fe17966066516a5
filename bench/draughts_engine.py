"""The strong draughts engine: its kernel beside the same in C and beside py-draughts, and matches with the latter.

Leaves are counted per CPU second, the last ply in bulk everywhere; captures that reach the same position count once. The C
programs (`bench/peers/draughts_perft.c` and `draughts_search.c`) are the kernel's algorithm line by line, compiled with
`cc -O3 -march=native`. The first counts to the same depth, py-draughts less deep. The second searches an opening, a middle game
and an ending to the same depth; it must see as many positions and come to the same worth; of seven rounds in turns the best of
each counts. Without a compiler nothing is measured beside C.

Then matches of at most 160 plies, from openings of six random plies, each played with both colours: the share of the points with
its 95 % interval, and games won, drawn and lost. All players are limited by positions or depth, so the machine's load changes
nothing; TurboEngine is the stronger of py-draughts' two.
"""

import json
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from math import sqrt
from os import cpu_count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from arbitre.bot import Bot
from arbitre.games import kernels
from arbitre.games.draughts.engine import Men
from arbitre.games.draughts.notation import read_fen, write_fen
from arbitre.games.draughts.rules import Board, Draughts, Move
from arbitre.games.draughts.thought import Thought, prepare
from arbitre.games.engine import Budget
from arbitre.games.game import Outcome
from arbitre.games.levels import levels
from arbitre.games.notation import notation_of
from arbitre.games.player import Position
from arbitre.games.search import Search
from bench.rules_draughts import NAME, POSITIONS, SCRIPT
from bench.table import ROOT, Row, ask, best_of_both, compiled, in_c, peer, rate

SECONDS, SHORT = 1.0, 0.4
PATIENCE = 120.0
"""Seconds after which no new pair of games of a match is begun."""
DEEPER = {"the start": 8, "the Woldouby position": 12, "men about to be kings": 7, "two kings and a crowd": 7, "forty kings": 8}
"""The kernel is faster than the plain rules, so it may look further; py-draughts counts to the depth of those."""
MIDDLE = "W:W25,27,28,30,32,33,34,35,37,38:B12,13,14,16,18,19,21,23,24,26"
SEARCHED = (("an opening", "W:W31-50:B1-20", 15), ("a middle game", MIDDLE, 19), ("an ending", "W:WK3,28,32,38:B8,13,K45", 19))
"""A name, a position, and how deep it is searched."""
BUCKETS = 1 << 18
PLIES = 200
WORDS = (
    "ENDINGS", "MORE", "FEWER", "CROWD", "LONE", "WON", "SURE", "HALVES", "KINGS", "ON_HIGHWAY", "LEFT_PAIRS", "RIGHT_PAIRS",
    "THORNS", "ALONE", "STEPS", "STUCK", "LOPSIDED", "RUNNER", "LEFT_TRIPLES", "RIGHT_TRIPLES", "LEFT_GAPS", "RIGHT_GAPS",
    "OPEN", "BLOCKED", "TURN_WORTH", "HIGHWAY", "OUTPOSTS", "GUARDS", "LEFT", "RIGHT", "RUNWAY",
)  # fmt: skip
"""The kernel's numbers that the search in C is given."""
RULES = Draughts(plies=160)

Chooses = Callable[[Board], Board]
"""A player: the board after its move."""


def measure() -> Iterator[Row]:
    """Measure leaves, positions searched and matches."""
    python = peer(NAME, "py-draughts==1.10.1")
    yield from _leaves(python)
    yield from _beside_c()
    yield from _searched(python)
    yield from _matches(python)


# ── leaves ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _leaves(python: Path) -> Iterator[Row]:
    kernel = kernels.load("draughts")
    memory = kernel.memory_for(1)
    with TemporaryDirectory() as folder:
        program = compiled(Path(folder), "draughts_perft")
        for name, fen, shallow in POSITIONS:
            board = read_fen(fen)
            own, foes, kings, seat = board.side
            sides = (*map(kernel.U, (own, foes, kings)), int(seat))
            depth = DEEPER[name]
            count = partial(kernel.perft, kernel.address(memory), kernel.MOVES, *sides, depth)
            ours = rate(count, SECONDS)
            if program is not None:
                given = (str(number) for number in (SECONDS, own, foes, kings, int(seat), depth))
                leaves, theirs = json.loads(subprocess.run([program, *given], check=True, capture_output=True).stdout)
                assert leaves == count(), f"C counts {leaves} leaves from {name}"
                yield Row(f"leaves of {name} at depth {depth}", ours, "C", theirs, aim=0.5)
            _, theirs = ask(python, SCRIPT, str(SECONDS), write_fen(board), str(shallow))
            yield Row(f"leaves of {name}", ours, NAME, theirs, aim=100.0)


# ── positions searched ─────────────────────────────────────────────────────────────────────────────────────────────


def _beside_c() -> Iterator[Row]:
    """Search to a depth, beside the same search in C."""
    kernel, tables = prepare(), Thought(1).tables
    with TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        program = compiled(Path(folder), "draughts_search", *(f"-D{name}=({int(getattr(kernel, name))}LL)" for name in WORDS))
        if program is None:
            return
        data.write_bytes(kernel.MEN.tobytes() + tables.tobytes())
        for name, fen, depth in SEARCHED:
            board = read_fen(fen)
            given = (SHORT, *map(int, board.side), depth, PLIES, board.turn, BUCKETS, data)
            found: list[tuple[int, int]] = []
            work = partial(_deep, kernel, tables, board, depth, found)
            ours, theirs = best_of_both(partial(rate, work, SHORT), partial(in_c, program, given, found))
            yield Row(f"positions searched in {name}, {depth} plies deep", ours, "C", theirs, aim=0.8)


def _deep(kernel: Any, tables: Any, board: Board, depth: int, found: list[tuple[int, int]]) -> int:
    """Search once, with nothing remembered; return how many positions that were."""
    memory = kernel.memory_for(BUCKETS)
    memory[kernel.TABLES], memory[kernel.LIMIT] = 1, 1 << 62
    memory[kernel.PLIES], memory[kernel.TURN] = PLIES, board.turn
    own, foes, kings, seat = board.side
    sides = map(kernel.U, (own, foes, kings))
    kernel.think(kernel.address(memory), kernel.address(tables), *sides, int(seat), depth, 0)
    found.append((int(memory[kernel.NODES]), int(memory[kernel.MOVES + 3]) - 2 * kernel.WON))
    return found[-1][0]


def _searched(python: Path) -> Iterator[Row]:
    board = read_fen(MIDDLE)

    def kernel() -> int:
        thought = Thought(1 << 18)
        thought.weigh(board, 2_000, Budget(None), positions=1_000_000)
        return thought.positions

    def plain() -> int:
        search: Search[Board, Move] = Search(Men(RULES), 99, 3_000, Budget(None))
        search.best(board, Random(1))
        return search.seen

    ours = rate(kernel, SECONDS)
    yield Row("positions searched", ours, "our plain search", rate(plain, SECONDS))
    with _piped(python, "TurboEngine", 0, 2.0) as answer:
        _, nodes, spent = answer(board)
        yield Row("positions searched", ours, "py-draughts TurboEngine", nodes / spent)


@contextmanager
def _piped(python: Path, name: str, depth: int, seconds: float) -> Iterator[Callable[[Board], tuple[Board, int, float]]]:
    """Run an engine of py-draughts."""
    script = ROOT / "bench" / "peers" / "pydraughts_play.py"
    command: list[str | Path] = [python, script, name, str(depth), str(seconds)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        asked, answers = process.stdin, process.stdout
        assert asked is not None
        assert answers is not None

        def answer(board: Board) -> tuple[Board, int, float]:
            print(write_fen(board), file=asked, flush=True)
            fen, nodes, spent = json.loads(answers.readline())
            return read_fen(fen), nodes, spent

        yield answer
        asked.close()


# ── matches ────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Result(Row):
    """The result of a match."""

    games: tuple[int, int, int] = (0, 0, 0)

    def cells(self) -> tuple[str, str, str, str, str]:
        """Return points, and wins, draws and losses."""
        wins, draws, losses = self.games
        number = sum(self.games)
        share = self.ours / number
        spread = (wins * (1 - share) ** 2 + draws * (0.5 - share) ** 2 + losses * share**2) / number
        error = 1.96 * sqrt(max(spread, 0.25 / number) / number)
        aim = "" if self.aim is None else f"≥ {100 * self.aim:.0f} %{'' if share >= self.aim else ' **missed**'}"
        return self.what, f"{100 * share:.0f} % ± {100 * error:.0f}", self.peer, f"+{wins} ={draws} −{losses}", aim


PEERS = ((8, "SimpleEngine", 5, 40), (10, "TurboEngine", 6, 40))
"""Which level plays which engine of py-draughts, how deep that looks, and how many games."""


def _matches(python: Path) -> Iterator[Row]:
    with ProcessPoolExecutor() as pool:
        for number, name, depth, games in PEERS:
            other, peer_name = partial(_peer, python, name, depth), f"py-draughts {name}, depth {depth}"
            yield _match(pool, f"level {number} against {name}", number, other, peer_name, games)


Other = Callable[[Random], AbstractContextManager[Chooses]]
"""Brings an opponent for two games."""


@contextmanager
def _peer(python: Path, name: str, depth: int, _: Random) -> Iterator[Chooses]:
    with _piped(python, name, depth, 0.0) as answer:
        yield lambda board: _same(board, answer(board)[0])


def _same(board: Board, after: Board) -> Board:
    """Return the legal board that a peer has moved to: its notation knows no number of plies."""
    for move in board.moves:
        found = board.after(move)
        if (found.white, found.black, found.kings) == (after.white, after.black, after.kings):
            return found
    raise AssertionError(f"{write_fen(after)} does not follow from {write_fen(board)}")


def _house(number: int, random: Random) -> Chooses:
    """Return a house player."""
    bot: Bot = levels("draughts")[number - 1](random)
    text = notation_of(RULES)

    def choose(board: Board) -> Board:
        said = bot.move(Position(RULES, text, board.mover, board.turn, board))
        return board.after(text.read(said, board))

    return choose


def _match(pool: ProcessPoolExecutor, what: str, number: int, other: Other, name: str, games: int) -> Result:
    """Play pairs of games, as many at a time as there are cores, until there are enough or the patience is at its end."""
    results = [0, 0, 0]
    until = perf_counter() + PATIENCE
    pairs = iter(range(games // 2))
    going = {pool.submit(_pair, what, number, other, index) for index in islice(pairs, cpu_count() or 1)}
    while going:
        done, going = wait(going, return_when=FIRST_COMPLETED)
        for pair in done:
            for result in pair.result():
                results[result] += 1
            if perf_counter() < until:
                going |= {pool.submit(_pair, what, number, other, index) for index in islice(pairs, 1)}
    wins, draws, losses = results
    points = wins + draws / 2
    return Result(what, points, name, sum(results) - points, 0.5, games=(wins, draws, losses))


def _pair(what: str, number: int, other: Other, index: int) -> list[int]:
    """Play one opening with both colours: a function of its arguments, wherever it is played."""
    random = Random(f"{what}/{index}")
    opening = _opening(random)
    with other(random) as theirs:
        return [_game(opening, seat, _house(number, random), theirs) for seat in (0, 1)]


def _opening(random: Random) -> Board:
    while True:
        board = RULES.start()
        for _ in range(6):
            board = board.after(random.choice(board.moves))
        if board.white.bit_count() == board.black.bit_count() and not board.moves[0].captured:
            return board


def _game(board: Board, seat: int, ours: Chooses, theirs: Chooses) -> int:
    """Play a game; return 0 for a win of ours, 1 for a draw, 2 for a loss."""
    while not isinstance(phase := RULES.phase(board), Outcome):
        board = (ours if board.mover == seat else theirs)(board)
    return 2 - int(2 * phase.scores[seat])
