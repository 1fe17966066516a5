"""Races to 32 of the arcade's machine, against the RoShamBo bots and against those who know its program by heart.

    python -m bench.arcade_races [--races 1000] [--more 0] [--processes 16] [--suite FOLDER]

prints the table alone. A share of races won has an interval that only many races make narrow; most of what makes it wide is
luck that is known. Without it, the share is one half and what the purse of `Guarded` gained: the same mean, and a narrow
interval. Where OpenSpiel cannot be installed `--suite` names a folder with the competitions' own sources.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from math import sqrt
from pathlib import Path
from typing import NamedTuple

from arbitre.arcade.hands import DIFFICILE_COIN, NIGHTMARE_COIN
from arbitre.arcade.terms import GOAL
from arbitre.games.rochambeau import predictors
from bench.table import ROOT, ask, peer

OPENSPIEL = "open_spiel==2.0.2"
SCRIPT = ROOT / "bench" / "peers" / "roshambo.py"
RACES = 1_000
Z = 1.96
"""Of an interval of 95 %."""

COINS = {"Difficile": DIFFICILE_COIN, "Nightmare": NIGHTMARE_COIN}


def arguments(level: str) -> str:
    """Return what `Guarded` is made with at a level."""
    return f"[{COINS[level]},{GOAL}]"


class Tally(NamedTuple):
    """Races against one: how many were won, of how many, and the sums of their shares without luck."""

    won: float
    races: float
    shares: float
    squares: float

    @property
    def share(self) -> float:
        """The share that was won."""
        return self.won / self.races

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval of the share that was won."""
        n, p = self.races, self.share
        middle, half = p + Z * Z / (2 * n), Z * sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
        return (middle - half) / (1 + Z * Z / n), (middle + half) / (1 + Z * Z / n)

    @property
    def fair(self) -> float:
        """The share without luck."""
        return self.shares / self.races

    @property
    def least(self) -> float:
        """The lower end of the interval of the share without luck."""
        return self.fair - Z * sqrt(max(self.squares / self.races - self.fair**2, 0) / self.races)


def run(level: str, races: int = RACES, more: int = 0, processes: int | None = None, suite: str = "") -> dict[str, Tally]:
    """Run races at a level; `more` others where fewer do not tell."""
    if suite:
        os.environ["ROSHAMBO_SUITE"] = str(Path(suite).resolve())
    python = Path(sys.executable) if suite else peer("openspiel", OPENSPIEL)
    counts = (str(races), str(more), str(processes or os.cpu_count() or 1))
    found = ask(python, SCRIPT, "races", str(Path(predictors.__file__)), "Guarded", arguments(level), *counts)
    return {name: Tally(*sums) for name, sums in found.items()}


def table(levels: dict[str, dict[str, Tally]]) -> Iterator[str]:
    """Write races as a table of the manual."""
    yield f"| races to {GOAL} against |" + "".join(f" {level} won | without luck, at least |" for level in levels)
    yield "|---|" + "---:|---:|" * len(levels)
    for name in next(iter(levels.values())):
        cells = ""
        for tallies in levels.values():
            one = tallies[name]
            low, high = one.interval
            cells += f" {one.share:.1%} of {one.races:,.0f} ({low:.1%} – {high:.1%}) | {one.least:.1%} |"
        yield f"| {name} |{cells}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Races of the arcade's machine, as a table.")
    parser.add_argument("--races", type=int, default=RACES, help="races against each")
    parser.add_argument("--more", type=int, default=0, help="others where those do not tell")
    parser.add_argument("--processes", type=int, help="as many as there are processors unless given")
    parser.add_argument("--suite", default="", help="a folder with rsb-ts1.c and greenberg.c")
    given = parser.parse_args()
    print("\n".join(table({level: run(level, given.races, given.more, given.processes, given.suite) for level in COINS})))
