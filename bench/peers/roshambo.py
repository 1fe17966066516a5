"""Plays a thrower of ours against the RoShamBo bots that OpenSpiel ships; run in its environment, or see `roshambo_suite.py`.

python roshambo.py ours PREDICTORS.py CLASS ARGUMENTS REPETITIONS              ours against all, 1,000 throws each
python roshambo.py bot NAME REPETITIONS                                        a bot against all, 1,000 throws each
python roshambo.py races PREDICTORS.py CLASS ARGUMENTS RACES MORE PROCESSES    races to 32 against all, and against who knows us

Races are run where luck allows to tell: RACES first, and MORE others where the share that was won is not clearly above LEAST.
"""

import ctypes
import importlib
import importlib.util
import json
import random
import sys
import time
from math import sqrt
from multiprocessing import Pool
from typing import Any

pyspiel: Any = importlib.import_module("pyspiel" if importlib.util.find_spec("pyspiel") else "roshambo_suite")

THROWS = 1000
GOAL = 32
GAME = pyspiel.load_game(f"repeated_game(stage_game=matrix_rps(),num_repetitions={THROWS})")
NAMES = pyspiel.roshambo_bot_names()

LEAST = 0.48
AT_ONCE = 50
"""Races of one piece of work."""


def loaded(path: str) -> Any:
    """Load our predictors from their file: they need nothing but the standard library."""
    spec = importlib.util.spec_from_file_location("predictors", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Simulator:
    """Knows our program by heart, everything but its luck: beats its advice."""

    name = "who computes our advice"

    def __init__(self, thrower: Any) -> None:
        self.thrower = thrower

    def restart(self) -> None:
        """Know everything from the beginning."""

    def step(self, _state: Any) -> int:
        """Beat what we advise ourselves; it has been computed already, and what was thrown is not looked at."""
        return int(self.thrower.advice + 1) % 3


class Flatterer(Simulator):
    """Lets us win as long as we stake little, to take it all back when we stake much."""

    name = "who flatters it first"

    def step(self, _state: Any) -> int:
        """Lose on purpose, or beat what we advise ourselves."""
        return int(self.thrower.advice + (1 if self.thrower.stake > 0.5 else 2)) % 3


KNOWING = {kind.name: kind for kind in (Simulator, Flatterer)}


def match(thrower: Any, name: str, goal: int | None = None) -> tuple[int, int]:
    """Return our points and the bot's; to a goal, or over all throws."""
    bot: Any = KNOWING[name](thrower) if name in KNOWING else pyspiel.make_roshambo_bot(1, name)
    state = GAME.new_initial_state()
    bot.restart()
    won = lost = 0
    for _ in range(THROWS):
        mine = thrower.throw()
        theirs = bot.step(state)
        state.apply_actions([mine, theirs])
        result = (0, 1, -1)[(mine - theirs) % 3]
        won += result > 0
        lost += result < 0
        thrower.see(mine, theirs)
        if goal and goal in (won, lost):
            break
    return won, lost


def ours(path: str, kind: str, arguments: list[float], repetitions: int) -> dict[str, Any]:
    """Measure a thrower of ours."""
    module = loaded(path)

    def made() -> Any:
        return getattr(module, kind)(random.Random(), *arguments)

    start = time.process_time()
    margins = {name: [won - lost for won, lost in (match(made(), name) for _ in range(repetitions))] for name in NAMES}
    spent = time.process_time() - start
    return {
        "bots": len(NAMES),
        "totals": [sum(margins[name][at] for name in NAMES) for at in range(repetitions)],
        "means": {name: sum(found) / repetitions for name, found in margins.items()},
        "throws": len(NAMES) * THROWS * repetitions / spent,
    }


def run(work: tuple[str, str, list[float], str, int]) -> tuple[str, list[float]]:
    """Run some races against one; return how many were won, how many there were, and the sums of what luck did not decide.

    What is left of the purse, beyond its coin, is what our chances have gained in a race apart from luck (see `Guarded`).
    """
    path, kind, arguments, name, count = work
    module = loaded(path)
    sums = [0.0, 0.0, 0.0, 0.0]
    for _ in range(count):
        thrower = getattr(module, kind)(random.SystemRandom(), *arguments)
        coin = thrower.purse
        won, lost = match(thrower, name, GOAL)
        share = 0.5 + thrower.purse - coin
        for at, item in enumerate((won > lost, 1, share, share * share)):
            sums[at] += item
    return name, sums


def unalike() -> None:
    """Give the bots of this process luck of their own: they share the C library's."""
    ctypes.CDLL(None).srandom(random.SystemRandom().getrandbits(31))


def races(path: str, kind: str, arguments: list[float], count: int, more: int, processes: int) -> dict[str, list[float]]:
    """Run races against all bots and the knowing ones; return the sums of each."""
    names = [*NAMES, *KNOWING]
    with Pool(processes, unalike) as pool:

        def sums(chosen: list[str], races: int) -> dict[str, list[float]]:
            parts = [min(AT_ONCE, races - at) for at in range(0, races, AT_ONCE)]
            found = {name: [0.0] * 4 for name in chosen}
            work = [(path, kind, arguments, name, part) for part in parts for name in chosen]
            for name, some in pool.imap_unordered(run, work):
                found[name] = [one + two for one, two in zip(found[name], some, strict=True)]
            return found

        first = sums(names, count)
        unclear = [name for name, (won, all_, *_) in first.items() if won / all_ - 0.98 / sqrt(all_) < LEAST]
        return first | (sums(unclear, more) if more and unclear else {})


def bot(name: str, repetitions: int) -> dict[str, Any]:
    """Measure one of the bots."""
    totals = []
    for _ in range(repetitions):
        total = 0.0
        for other in NAMES:
            one, two = pyspiel.make_roshambo_bot(0, name), pyspiel.make_roshambo_bot(1, other)
            state = GAME.new_initial_state()
            one.restart()
            two.restart()
            while not state.is_terminal():
                state.apply_actions([one.step(state), two.step(state)])
            total += state.returns()[0]
        totals.append(total)
    return {"totals": totals}


if __name__ == "__main__":
    if sys.argv[1] == "ours":
        print(json.dumps(ours(sys.argv[2], sys.argv[3], json.loads(sys.argv[4]), int(sys.argv[5]))))
    elif sys.argv[1] == "races":
        print(json.dumps(races(sys.argv[2], sys.argv[3], json.loads(sys.argv[4]), *map(int, sys.argv[5:8]))))
    else:
        print(json.dumps(bot(sys.argv[2], int(sys.argv[3]))))
