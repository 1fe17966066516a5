"""Plays a thrower of ours against the RoShamBo bots that OpenSpiel ships; run in OpenSpiel's environment.

python roshambo.py ours PREDICTORS.py CLASS ARGUMENTS REPETITIONS      ours against all, 1,000 throws each, and races to 32
python roshambo.py bot NAME REPETITIONS                                 a bot against all, 1,000 throws each
"""

import importlib.util
import json
import random
import sys
import time
from typing import Any

import pyspiel  # type: ignore[import-not-found]

THROWS = 1000
GOAL = 32
GAME = pyspiel.load_game(f"repeated_game(stage_game=matrix_rps(),num_repetitions={THROWS})")
NAMES = pyspiel.roshambo_bot_names()


def loaded(path: str) -> Any:
    """Load our predictors from their file: they need nothing but the standard library."""
    spec = importlib.util.spec_from_file_location("predictors", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def match(thrower: Any, name: str, goal: int | None = None) -> tuple[int, int]:
    """Return our points and the bot's; to a goal, or over all throws."""
    bot = pyspiel.make_roshambo_bot(1, name)
    state = GAME.new_initial_state()
    bot.restart()
    won = lost = 0
    for _ in range(THROWS):
        mine, theirs = thrower.throw(), bot.step(state)
        state.apply_actions([mine, theirs])
        result = (0, 1, -1)[(mine - theirs) % 3]
        won += result > 0
        lost += result < 0
        if goal and goal in (won, lost):
            break
        thrower.see(mine, theirs)
    return won, lost


def ours(path: str, kind: str, arguments: list[float], repetitions: int) -> dict[str, Any]:
    """Measure a thrower of ours."""
    module = loaded(path)

    def made() -> Any:
        return getattr(module, kind)(random.Random(), *arguments)

    start = time.process_time()
    margins = {name: [won - lost for won, lost in (match(made(), name) for _ in range(repetitions))] for name in NAMES}
    spent = time.process_time() - start
    races = {
        name: sum(won > lost for won, lost in (match(made(), name, GOAL) for _ in range(5 * repetitions))) / (5 * repetitions)
        for name in NAMES
    }
    return {
        "bots": len(NAMES),
        "totals": [sum(margins[name][at] for name in NAMES) for at in range(repetitions)],
        "means": {name: sum(found) / repetitions for name, found in margins.items()},
        "races": races,
        "throws": len(NAMES) * THROWS * repetitions / spent,
    }


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
    else:
        print(json.dumps(bot(sys.argv[2], int(sys.argv[3]))))
