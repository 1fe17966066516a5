"""Rows of figures, and how they are measured and printed.

Each file of `bench/` that measures has a function `measure()` which yields `Row`s. A row sets our figure beside the peer's, taken
in the same run on the same machine; what counts is the ratio.
"""

import json
import subprocess
import sys
import venv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from time import perf_counter, process_time
from typing import Any

ROOT = Path(__file__).parent.parent
PEERS = ROOT / ".venvs"


@dataclass(frozen=True)
class Row:
    """One figure: what was counted per second, ours and the peer's, and the ratio aimed at (None: shown for interest)."""

    what: str
    ours: float
    peer: str
    theirs: float
    aim: float | None = None
    unit: str = "/s"

    @property
    def ratio(self) -> float:
        """Ours over theirs."""
        return self.ours / self.theirs

    def cells(self) -> tuple[str, str, str, str, str]:
        """Return the row as it is printed."""
        aim = "" if self.aim is None else f"≥ {self.aim:g}×{'' if self.ratio >= self.aim else ' **missed**'}"
        return (
            self.what,
            f"{figure(self.ours)}{self.unit}",
            f"{self.peer}: {figure(self.theirs)}{self.unit}",
            f"{self.ratio:.2f}×",
            aim,
        )


def figure(number: float) -> str:
    """Print a number with three significant digits and thousands apart."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.4g}" if number >= 99 else f"{number:.3g}"


def rate(work: Callable[[], int], seconds: float = 1.0, clock: Callable[[], float] = process_time) -> float:
    """Return how many units per CPU second `work` does; each call returns how many it did. The first call warms up."""
    work()
    done = 0
    start = clock()
    while (spent := clock() - start) < seconds:
        done += work()
    return done / spent


def compiled(folder: Path, name: str, *options: str) -> Path | None:
    """Return a C program of `peers`, None where there is no compiler, which is said."""
    compiler = which("cc")
    if compiler is None:
        print(f"  no cc here: nothing is measured beside {name}.c", file=sys.stderr)
        return None
    program = folder / name
    source = ROOT / "bench" / "peers" / f"{name}.c"
    subprocess.run([compiler, "-O3", "-march=native", *options, "-o", program, source], check=True)
    return program


ROUNDS = 7


def best_of_both(ours: Callable[[], float], theirs: Callable[[], float]) -> tuple[float, float]:
    """Return the best rate of each, measured in turns: what else the machine does slows down now the one, now the other."""
    rates = [(ours(), theirs()) for _ in range(ROUNDS)]
    return max(one for one, _ in rates), max(two for _, two in rates)


def in_c(program: Path, given: Sequence[object], found: Sequence[tuple[int, int]]) -> float:
    """Return how many positions a search in C sees per CPU second; it must see as many as ours, and come to the same worth."""
    said = subprocess.run([program, *map(str, given)], check=True, capture_output=True).stdout
    seen, worth, theirs = json.loads(said)
    if found[-1] != (seen, worth):
        raise AssertionError(f"{program.name} finds {worth} after {seen} positions, not {found[-1]}")
    return float(theirs)


def wall(work: Callable[[], int], seconds: float = 1.0) -> float:
    """Return how many units per second of the wall clock `work` does."""
    return rate(work, seconds, perf_counter)


def peer(name: str, *requirements: str) -> Path:
    """Return the interpreter of an environment with these packages and nothing of ours, made on first use."""
    home = PEERS / name
    python = home / "bin" / "python"
    wanted = home / "requirements.txt"
    listed = "\n".join(requirements) + "\n"
    if not python.exists() or not wanted.exists() or wanted.read_text() != listed:
        print(f"  setting up the peer {name}", file=sys.stderr)
        venv.create(home, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements], check=True)
        wanted.write_text(listed)
    return python


def ask(python: Path, script: Path, *arguments: str) -> Any:
    """Run a peer's script in its environment and return the JSON that it prints on its last line."""
    done = subprocess.run([python, script, *arguments], check=True, capture_output=True, text=True, cwd=script.parent)
    return json.loads(done.stdout.strip().splitlines()[-1])


def markdown(rows: list[Row]) -> Iterator[str]:
    """Write rows as a table of the manual."""
    yield "| what | Arbitre | peer | ratio | aim |"
    yield "|---|---:|---:|---:|---|"
    for row in rows:
        yield "| " + " | ".join(row.cells()) + " |"
