"""The bots of the RoShamBo competitions from their published sources, in the place of OpenSpiel where that is not installed.

Needs a C compiler, and in $ROSHAMBO_SUITE a folder with `rsb-ts1.c` and `greenberg.c`, as their authors have published them. It
offers the three functions of `pyspiel` that `roshambo.py` calls. Bots have global variables: one match at a time.
"""

import ctypes
import os
import re
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

THROWS = 1_000
SOURCES = ("rsb-ts1.c", "greenberg.c")


def _folder() -> Path:
    return Path(os.environ["ROSHAMBO_SUITE"])


@cache
def _library() -> ctypes.CDLL:
    with TemporaryDirectory() as folder:
        source, library = Path(folder) / "bots.c", Path(folder) / "bots.so"
        source.write_bytes(b"".join((_folder() / name).read_bytes() for name in SOURCES))
        subprocess.run(["gcc", "-O2", "-w", "-std=gnu89", "-shared", "-fPIC", "-o", library, source, "-lm"], check=True)
        return ctypes.CDLL(str(library))


class State:
    """A match as it stands."""

    def __init__(self) -> None:
        self.rounds: list[list[int]] = []

    def apply_actions(self, signs: list[int]) -> None:
        """Take down what both showed."""
        self.rounds.append(signs)

    def is_terminal(self) -> bool:
        """Tell whether all is thrown."""
        return len(self.rounds) == THROWS

    def returns(self) -> list[float]:
        """Return what each has won."""
        won = sum((0, 1, -1)[(one - two) % 3] for one, two in self.rounds)
        return [won, -won]


class Game:
    """The game of a thousand throws."""

    def new_initial_state(self) -> State:
        """Begin a match."""
        return State()


class Bot:
    """A bot of the suite."""

    def __init__(self, seat: int, name: str) -> None:
        self.seat = seat
        library = _library()
        self._throw = getattr(library, name)
        histories = [(ctypes.c_int * (THROWS + 1)).in_dll(library, f"{whose}_history") for whose in ("my", "opp")]
        self._histories = (histories[0], histories[1])

    def restart(self) -> None:
        """Forget everything: the bots see by an empty history that a match begins."""
        for history in self._histories:
            history[0] = 0

    def step(self, state: State) -> int:
        """Choose a sign."""
        if count := len(state.rounds):
            for history, seat in zip(self._histories, (self.seat, 1 - self.seat), strict=True):
                history[count] = state.rounds[-1][seat]
                history[0] = count
        return int(self._throw())


def load_game(description: str) -> Game:  # noqa: ARG001 - there is one
    """Return the game."""
    return Game()


def roshambo_bot_names() -> list[str]:
    """Return the names of all bots."""
    source = (_folder() / SOURCES[0]).read_text(encoding="latin-1")
    return [*dict.fromkeys(re.findall(r"crosstable\[i\]\.pname = ([a-z]\w*);", source)), "greenberg"]


def make_roshambo_bot(seat: int, name: str) -> Bot:
    """Return a bot."""
    return Bot(seat, name)
