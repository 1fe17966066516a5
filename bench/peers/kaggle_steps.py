"""Steps per CPU second of kaggle-environments between random agents in its own process; prints JSON on the last line."""

import json
import random
import sys
from time import process_time
from typing import Any

from kaggle_environments import make  # type: ignore[import-not-found]


def connectx(observation: Any, configuration: Any) -> int:
    return random.choice([n for n in range(configuration.columns) if observation.board[n] == 0])


def rps(_observation: Any, _configuration: Any) -> int:
    return random.randrange(3)


def open_spiel(observation: Any, _configuration: Any) -> dict[str, int]:
    cells = observation.get("observationString", "").replace("\n", "")
    free = [n for n, mark in enumerate(cells) if mark == "."]
    return {"submission": random.choice(free) if free and not observation["isTerminal"] else -1}


AGENTS: dict[str, Any] = {"connectx": connectx, "rps": rps, "open_spiel_tic_tac_toe": open_spiel}


def steps_per_second(name: str, seconds: float) -> dict[str, Any]:
    environment = make(name)
    agent = AGENTS[name]
    environment.run([agent, agent])
    done = 0
    start = process_time()
    while process_time() - start < seconds:
        environment.reset()
        done += len(environment.run([agent, agent])) - 1
    spent = process_time() - start
    statuses = [str(one["status"]) for one in environment.steps[-1]]
    return {"rate": done / spent, "last": statuses, "length": len(environment.steps) - 1}


if __name__ == "__main__":
    found: dict[str, Any] = {}
    for each in sys.argv[2:]:
        try:
            found[each] = steps_per_second(each, float(sys.argv[1]))
        except Exception as error:
            found[each] = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(found))
