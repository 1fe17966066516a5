"""The best house engines beside public ones, where these are there, and beside what we aim at.

An environment variable says where an engine is: a player, as in the page [Bring an engine](../bring-an-engine.md), or several,
one to a line; `ARBITRE_MOBYDAM` is a file. A program of the usual name on the `PATH` is taken too. `ARBITRE_BENCH_GAMES` is how
many games a match has (100), `ARBITRE_BENCH_SECONDS` how long an engine is told to think about a move (0.1) where its language
can say so and its player says nothing else. Who interrupts a match ends it, and what was played counts.

Each opening, random plies after which nobody has more men, is played with both colours; who can be shown no position begins at
the usual start each time, in Pente with a stone in the centre. One game is played at a time, and nobody thinks on the other's
time. The load of the machine decides nothing: ours is given as much processor time a move as the other has taken so far, and what
both took is measured and told. Shares are of the points, a draw counts half; the interval, 95 %, is by pairs of games with one
opening. Below a hundred games no share is told. An engine that fails spoils the game, which counts for nobody. A row stays until
its match is played again.
"""

import os
import re
import shutil
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from fractions import Fraction
from functools import partial
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from time import perf_counter

from arbitre.errors import MoveError, PlayerError
from arbitre.games.catalogue import game, listing
from arbitre.games.game import FIRST, SECOND, AnyGame, Seat
from arbitre.games.levels import house_bot, levels, prepare
from arbitre.players import Contestant, Setting, kind_of, read_contestant
from arbitre.players.launch import SETTINGS, read_settings
from arbitre.tournament.statistics import Z95, sample
from arbitre.values import value
from bench.matches import Match, Played, Spent
from bench.table import ROOT

GAMES = int(os.environ.get("ARBITRE_BENCH_GAMES", "100"))
SECONDS = float(os.environ.get("ARBITRE_BENCH_SECONDS", "0.1"))
ENOUGH = 100
"""Games from which a share is told."""
PAGE = ROOT / "docs" / "figures" / "public-engines.md"
HEAD = (
    "| match | games | points | won, drawn, lost | moving first | moving second | CPU ms a move, ours and theirs | aim | on |",
    "|---|---:|---:|---:|---:|---:|---:|---|---|",
)


@value
class Aim:
    """A share of the points to reach, or of lost games not to pass; of all games, or of those from one seat."""

    share: float
    lost: bool = False
    seat: Seat | None = None

    def told(self, played: Sequence[Played]) -> str:
        """Return the aim, and by how much it is missed."""
        mine = [one.points for one in played if self.seat in (None, one.seat)]
        where = {None: "", FIRST: " moving first", SECOND: " moving second"}[self.seat]
        words = f"{'≤' if self.lost else '≥'} {100 * self.share:.0f} %{' lost' if self.lost else ''}{where}"
        if len(played) < ENOUGH or not mine:
            return words
        reached = mine.count(Fraction(0)) / len(mine) if self.lost else float(sum(mine) / len(mine))
        short = reached - self.share if self.lost else self.share - reached
        return words if short <= 0 else f"{words} **missed by {100 * short:.3g}**"


@value
class Rival:
    """A public engine: what it plays, where it is found, and what we aim at against it."""

    name: str
    game: str
    variable: str
    program: str
    usual: str
    """The player where the program is on the PATH."""
    hint: str
    """Such a player, for people."""
    aims: tuple[Aim, ...] = ()

    def players(self) -> list[str]:
        """Return the players that the environment or the PATH has of it."""
        given = os.environ.get(self.variable, "").splitlines()
        found = [line.strip() for line in given if line.strip()]
        return found or ([self.usual] if self.program and shutil.which(self.program) else [])


MOBYDAM = "ARBITRE_MOBYDAM"
RIVALS = (
    Rival(
        "Egaroucid",
        "reversi",
        "ARBITRE_EGAROUCID",
        "Egaroucid_for_Console",
        "gtp:Egaroucid_for_Console -gtp -l 10",
        "nboard:COMMAND or gtp:COMMAND, at level 10 of its page for browsers",
        (Aim(0.5),),
    ),
    Rival(
        "Edax", "reversi", "ARBITRE_EDAX", "edax", "nboard:depth=10 edax -nboard", "nboard:depth=10 folder=PATH ./edax -nboard"
    ),
    Rival(
        "Scan",
        "draughts",
        "ARBITRE_SCAN",
        "scan",
        "hub:set=book=false scan hub",
        "hub:folder=PATH set=book=false ./scan hub",
        (Aim(0.1, lost=True),),
    ),
    Rival("Moby Dam", "draughts", MOBYDAM, "mobydam", "mobydam", "PATH/mobydam", (Aim(0.5),)),
    Rival(
        "Rapfi",
        "bigtictactoe",
        "ARBITRE_RAPFI",
        "pbrain-rapfi",
        "gomocup:pause=50 pbrain-rapfi",
        "gomocup:pause=50 folder=PATH ./pbrain-rapfi",
        (Aim(0.0, lost=True, seat=FIRST), Aim(0.25, seat=SECOND)),
    ),
    Rival(
        "MarksAI",
        "pente",
        "ARBITRE_PENTE",
        "",
        "",
        "gomocup:rule=0 COMMAND, a line for each of the levels 4 to 6 of pente.org",
        (Aim(0.75), Aim(0.5, seat=SECOND)),
    ),
)
OPTIONS: Mapping[str, Mapping[str, object]] = {"draughts": {"plies": 160}, "bigtictactoe": {"first": True}}


def lines() -> Iterator[str]:
    """Play the matches of all that are there, and write the table; of the others, say how they are brought."""
    rows = kept(PAGE.read_text(encoding="utf-8") if PAGE.exists() else "")
    for rival in RIVALS:
        for text in rival.players():
            rows |= kept(row(rival, text))
        if not rival.players():
            print(f"  {rival.name} is not here and left out: {rival.variable}={rival.hint!r} says where it is", file=sys.stderr)
    yield from HEAD
    yield from sorted(rows.values(), key=lambda line: ([rival.name not in line for rival in RIVALS], line))
    yield from ("", "How each is brought:", "")
    for rival in RIVALS:
        played = any(rival.name in match for match in rows)
        yield f'* {rival.name}: `{rival.variable}="{rival.hint}"`' + ("" if played else "; not met yet")


def kept(page: str) -> dict[str, str]:
    """Return the rows of a table by the matches that they are about."""
    return {line.split("|")[1].strip(): line for line in page.splitlines() if line.startswith("| `house:")}


def row(rival: Rival, text: str, games: int = GAMES, seconds: float = SECONDS, level: int | None = None) -> str:
    """Play a match against one engine; return its row."""
    table = game(rival.game, OPTIONS.get(rival.game))
    make, number = house_bot(table, level or len(levels(rival.game)))
    prepare([make])
    match = Match(table, make, partial(brought, text, table, seconds), seconds)
    played, spoilt = play(match, f"{listing(rival.game).called()} with {rival.name}", games)
    name = match.name if rival.name in match.name else f"{rival.name} {match.name}".strip()
    different = len({one.moves for one in played})
    counted = f"{len(played)}" + (f", {different} different" if different < len(played) else "")
    taken = [sum((one.ours for one in played), Spent()), sum((one.theirs for one in played), Spent())]
    cells = (
        f"`house:{rival.game}/{number}` v {name}" + (f", {limits(text)}" if limits(text) else ""),
        counted + (f", {spoilt} spoilt" if spoilt else ""),
        share(played),
        tally(played),
        tally([one for one in played if one.seat == FIRST]),
        tally([one for one in played if one.seat == SECOND]),
        ", ".join(f"{1000 * one.each:.1f}" for one in taken),
        "; ".join(aim.told(played) for aim in rival.aims),
        datetime.now(UTC).date().isoformat(),
    )
    return f"| {' | '.join(cells)} |"


def play(match: Match, what: str, games: int) -> tuple[list[Played], int]:
    """Play games, and say how far that is; return them, and how many were spoilt. Who interrupts gets what was played."""
    played: list[Played] = []
    spoilt = 0
    begun = perf_counter()
    try:
        for number in range((games + 1) // 2):
            try:
                for one in match.pair(number):
                    played.append(one)
                    said(what, played, spoilt, games, perf_counter() - begun)
            except (PlayerError, MoveError) as error:
                spoilt += 1
                print(f"  {what}: a game counts for nobody: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print(f"\n  {what}: ended after {len(played)} games", file=sys.stderr)
    return played, spoilt


def said(what: str, played: Sequence[Played], spoilt: int, games: int, seconds: float) -> None:
    """Say on a terminal how far a match is and when it will be over; where there is none, now and then."""
    done = len(played) + spoilt
    left = seconds / done * (games - done)
    line = f"  {what}: {done} of {games}, {tally(played)}, {left / 60:.0f} min left"
    if sys.stderr.isatty():
        print(f"\r{line:<79}", end="" if done < games else "\n", file=sys.stderr, flush=True)
    elif done % 10 == 0 or done >= games:
        print(line, file=sys.stderr, flush=True)


def tally(played: Sequence[Played]) -> str:
    """Return how many games were won, drawn and lost."""
    count = Counter(one.points for one in played)
    return f"+{count[Fraction(1)]} ={count[Fraction(1, 2)]} −{count[Fraction(0)]}"


def share(played: Sequence[Played]) -> str:
    """Return the share of the points with its 95 % interval; nothing below a hundred games."""
    if len(played) < ENOUGH:
        return "too few games"
    pairs = sample([one.points for one in pair] for _, pair in groupby(played, lambda one: one.opening))
    half = Z95 * max(pairs.deviation(pairs.mean), 0.5 / len(played))
    return f"{100 * pairs.mean:.0f} ± {100 * half:.0f} %"


# ── where they are ─────────────────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def brought(text: str, table: AnyGame, seconds: float) -> Iterator[tuple[Contestant, int | None]]:
    """Bring the other side for one game; a program that is only met over a connection is started here."""
    if kind_of(text) is not None:
        yield read_contestant(paced(text, seconds), Setting(table)), None
        return
    given, command = read_settings(text, text, ("time", "depth"))
    program = Path(shutil.which(command[0]) or command[0]).resolve()
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = int(server.getsockname()[1])
    with (
        TemporaryDirectory() as folder,
        subprocess.Popen(
            [program, "-t", "22", "-p", str(port)],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        told = dict(given) or {"time": f"{seconds:g}"}
        for key, most in told.items():
            print(key, round(1000 * float(most)) if key == "time" else most, file=process.stdin, flush=True)
        try:
            while "listening" not in (process.stdout.readline() or "listening"):
                pass
            Thread(target=process.stdout.read, daemon=True).start()  # or it would wait for somebody to read what it thinks
            yield read_contestant(f"dxp:time={told.get('time', '60')} 127.0.0.1:{port}", Setting(table)), process.pid
        finally:
            process.kill()


def paced(text: str, seconds: float) -> str:
    """Return a player who is told how long to think, where its language counts less than seconds and it says nothing else."""
    kind, _, rest = text.partition(":")
    if kind not in ("hub", "gomocup"):
        return text
    given = {key for key, _ in read_settings(text, rest, (*SETTINGS, "rule"))[0]}
    return text if given & {"time", "depth", "nodes"} else f"{kind}:time={seconds:g} {rest}"


def limits(text: str) -> str:
    """Return what a player is told of how far to think, and nothing of where it lies."""
    return ", ".join(f"{key} {most}" for key, most in re.findall(r"\b(time|depth|nodes)=([0-9.]+)", text))
