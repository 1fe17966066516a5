"""What refereeing costs: matches judged, chained, signed and durably recorded, per CPU second, beside programs that do less.

All matches run between random players of this process and go through the same `MatchRunner` and store as a tournament's. A ply is
a move that somebody said. Kaggle's steps are taken between random agents in its own process; PettingZoo's loop referees and
records nothing, and stands for the ceiling. The last rows are our own: what refereeing adds to the bare rules of each game (the
ratio is the share of bare speed that is left), how many answers of 500 programs on pipes at once were late without being so, and
how verification goes.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter, process_time
from typing import NamedTuple

from arbitre.bot import InProcess
from arbitre.crypto.chain import commitment
from arbitre.crypto.keys import Key
from arbitre.crypto.statements import SeatState
from arbitre.games.anyone import Anyone
from arbitre.games.catalogue import game, listings
from arbitre.games.game import AnyGame, playout
from arbitre.records.event import Event, Kind
from arbitre.records.log.entries import opening_of, sealing_of
from arbitre.records.log.sequencer import Sequencer
from arbitre.records.place import Place
from arbitre.records.record import Seal
from arbitre.records.store import Store, StoreJournal
from arbitre.referee.clock import read_clock
from arbitre.referee.match import Match
from arbitre.referee.runner import MatchRunner, Memory, greeted
from arbitre.referee.terms import Chair, Opening, Terms
from arbitre.referee.verdict import Termination
from arbitre.transport.stdio import StdioPlayer
from bench.table import ROOT, Row, ask, peer

SECONDS = 3.0
CHAIRS = (Chair("first"), Chair("second"))
KEY = Key(bytes(32))


def called(table: AnyGame, terms: Terms | None = None) -> Match:
    """Return a match with a fresh seed."""
    seed = os.urandom(32)
    name, agreed = os.urandom(8).hex(), terms or Terms(refusals=None)
    return Match(Opening(name, table, CHAIRS, commitment(seed), agreed, referee=KEY.public.hex()), seed)


def refereed(table: AnyGame, seconds: float = SECONDS, database: str = "") -> tuple[float, float]:
    """Return plies and games per CPU second, refereed and durably recorded; in SQLite, unless an address is given."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Place(Path(folder), database))
        key = KEY
        plies = games = 0

        async def one() -> None:
            nonlocal plies, games
            match = called(table)
            name = match.opening.match
            store.add_match(name, table.name, match.seed, "2026-01-01")
            journal = Counted(store, name)
            await MatchRunner(match, [InProcess(Anyone()), InProcess(Anyone())], journal, key).play()
            plies += journal.said
            games += 1

        async def many() -> float:
            start = process_time()
            while process_time() - start < seconds:
                await asyncio.gather(*(one() for _ in range(64)))
            return process_time() - start

        spent = asyncio.run(many())
        store.close()
    return plies / spent, games / spent


class Counted(StoreJournal):
    """A store's journal that counts moves."""

    said = 0

    def write(self, events: Sequence[Event], lines: Sequence[str]) -> None:
        """Take down one transition."""
        self.said += sum(event.kind is Kind.SAID for event in events)
        super().write(events, lines)


def bare(table: AnyGame, seconds: float = 1.0) -> float:
    """Return plies per CPU second of the rules alone."""
    random = Random(1)
    plies = 0
    start = process_time()
    while process_time() - start < seconds:
        plies += sum(len(step.moves) for step in playout(table, random))
    return plies / (process_time() - start)


def measure() -> Iterator[Row]:
    """Measure everything of this topic."""
    peers = ROOT / "bench" / "peers"
    names = ("connectx", "rps", "open_spiel_tic_tac_toe")
    kaggle = ask(peer("kaggle", "kaggle-environments==1.33.2"), peers / "kaggle_steps.py", str(SECONDS), *names)
    zoo = ask(peer("pettingzoo", "pettingzoo[classic]==1.27.0"), peers / "pettingzoo_games.py", str(SECONDS))
    plies, games = refereed(game("tictactoe"))
    yield Row("TicTacToe, plies", plies, "kaggle connectx, steps", kaggle["connectx"]["rate"], 20)
    yield Row("TicTacToe, plies", plies, "kaggle open_spiel_tic_tac_toe, steps", kaggle["open_spiel_tic_tac_toe"]["rate"], 20)
    thrown, _ = refereed(game("rochambeau", {"goal": 32}))
    yield Row("Rochambeau, plies", thrown, "kaggle rps, steps", kaggle["rps"]["rate"], 20)
    yield Row("TicTacToe, games", games, "PettingZoo, bare loop", zoo["games"])
    for one in (one for one in listings() if one.rules.startswith("arbitre.")):
        table = one.game()
        recorded, _ = refereed(table, 1.0)
        yield Row(f"{one.title}, refereed plies", recorded, "bare rules", bare(table))
    yield from crowd()
    yield from proofs()
    yield from verification()


# ── programs on pipes ──────────────────────────────────────────────────────────────────────────────────────────────


def crowd(tables: int = 250) -> Iterator[Row]:
    """Play games between programs on pipes, all at once, with 0.2 seconds a move, and count who is found late."""
    command = [sys.executable, "-I", "-S", str(ROOT / "examples" / "bots" / "plain.py")]
    table = game("rochambeau", {"goal": 40, "limit": 10_000})
    terms = Terms(read_clock("200ms/move"))
    asked = late = 0

    async def one() -> None:
        nonlocal asked, late
        journal = Tally()
        players = [StdioPlayer(command), StdioPlayer(command)]
        end = await MatchRunner(called(table, terms), players, journal, KEY).play()
        asked += journal.asked
        late += end.verdict is not None and end.verdict.termination is Termination.OUT_OF_TIME

    async def all_at_once() -> None:
        await asyncio.gather(*(one() for _ in range(tables)))

    asyncio.run(all_at_once())
    yield Row(f"answers in time of {asked:,}, {tables} games at once", 100 * (1 - late / asked), "aim", 99.95, 1.0, " %")


WARY = """
from arbitre.bot import run
from arbitre.crypto.keys import Key
from arbitre.games.anyone import Anyone

class Wary(Anyone):
    brings_nonce = {nonce}

run(Wary, Key(bytes([7]) * 32) if {key} else None)
"""
"""A bot that says any legal move; with a key it checks and signs the record."""


class Proof(NamedTuple):
    """What the players and the house do so that nobody need trust them."""

    key: bool = False
    nonce: bool = False
    log: bool = False


PROOFS = {"keys": Proof(key=True), "nonces": Proof(nonce=True), "the log": Proof(log=True), "all three": Proof(True, True, True)}


class Logged(StoreJournal):
    """The journal of a match that is entered into a log."""

    def __init__(self, store: Store, match: Match, log: Sequencer) -> None:
        super().__init__(store, match.opening.match)
        self._seed = match.seed
        self._log = log

    def write(self, events: Sequence[Event], lines: Sequence[str]) -> None:
        """Take down one transition."""
        super().write(events, lines)
        if events[0].kind is Kind.OPENED:
            self._log.add(opening_of(self._seed, lines[0]))

    def seal(self, seal: Seal, verdict: str) -> None:
        """Take down the end."""
        super().seal(seal, verdict)
        self._log.add(sealing_of(self._seed, seal))


def proofs(games: int = 45) -> Iterator[Row]:
    """Play Reversi and Poker on pipes, with keys, nonces and log, each alone and all together, and without; medians count.

    Random games are not equally long, so what is counted is plies: what is signed once a game is shared by all of them.
    """
    for name in ("reversi", "poker"):
        table = game(name)
        ways = {"none": Proof(), **PROOFS}
        spans: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(games):
            for way, proof in ways.items():
                spans[way].append(asyncio.run(_proven(table, proof)))
        for way in PROOFS:
            yield Row(f"{table.name}, plies with {way}", median(spans[way]), "without", median(spans["none"]), 0.9)


async def _proven(table: AnyGame, proof: Proof) -> float:
    """Return how many plies a second a game has, from the opening to the seal, with what both programs do with the record."""
    command = [sys.executable, "-c", WARY.format(key=proof.key, nonce=proof.nonce)]
    players = [StdioPlayer(command, environment={"PYTHONPATH": str(ROOT / "src")}) for _ in range(2)]
    draft = called(table)
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder))
        log = Sequencer(store, "bench.example")
        await log.open()
        log.start()
        match = Match(await greeted(draft.opening, players), draft.seed)
        store.add_match(match.opening.match, table.name, match.seed, "2026-01-01")
        journal = Logged(store, match, log) if proof.log else StoreJournal(store, match.opening.match)
        begun = perf_counter()
        await MatchRunner(match, players, journal, KEY).play()
        spent = perf_counter() - begun
        await log.close()
        record = store.record(match.opening.match)
        store.close()
    if proof.key and record.seal is not None and any(word.state is not SeatState.SIGNED for word in record.seal.seats):
        raise AssertionError("a wary bot did not sign")
    return sum(event.kind is Kind.ASKED for event in record.events) / spent


class Tally(Memory):
    """A journal that keeps nothing but the number of questions."""

    asked = 0

    def write(self, events: Sequence[Event], lines: Sequence[str]) -> None:  # noqa: ARG002 - nothing is kept
        """Count."""
        self.asked += sum(event.kind is Kind.ASKED for event in events)


# ── verification ───────────────────────────────────────────────────────────────────────────────────────────────────


FORMAT_1 = 782.0
"""Records of format 1 that `arbitre verify` checked in a second, by the last table that had them."""


def verification(records: int = 100_000) -> Iterator[Row]:
    """Verify records of TicTacToe with one process and with two, and see what memory 100,000 take."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        few, many = home / "few", home / "many"
        written = _written(few, records // 10)
        many.mkdir()
        for number in range(records):
            os.link(written[number % len(written)], many / f"{number:06}.record")
        one, _ = _verified(few, 1)
        two, small = _verified(few, 2)
        _, large = _verified(many, 2)
    yield Row("records verified by one process", one, "by two", two)
    yield Row("records verified by one process", one, "those of format 1, on 2026-11-15", FORMAT_1, 1.0)
    yield Row(f"memory for {records:,} records", large, f"for {records // 10:,}", small, unit=" MiB")


def _written(folder: Path, number: int) -> list[Path]:
    folder.mkdir()
    key = KEY
    table = game("tictactoe")
    paths = []

    async def one(path: Path) -> None:
        journal = Memory()
        await MatchRunner(called(table), [InProcess(Anyone()), InProcess(Anyone())], journal, key).play()
        path.write_text(journal.record().text())

    async def every() -> None:
        for index in range(number):
            path = folder / f"{index:06}.record"
            await one(path)
            paths.append(path)

    asyncio.run(every())
    return paths


def _verified(folder: Path, jobs: int) -> tuple[float, float]:
    """Return records per second and the most memory in MiB that one of the processes took."""
    command = [sys.executable, "-m", "arbitre", "verify", "--quiet", "--jobs", str(jobs), str(folder)]
    watched = (
        "import resource,subprocess,sys;subprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss/1024)"
    )
    start = perf_counter()
    done = subprocess.run([sys.executable, "-c", watched, *command], check=True, capture_output=True, text=True)
    spent = perf_counter() - start
    return sum(1 for _ in folder.iterdir()) / spent, float(done.stdout)
