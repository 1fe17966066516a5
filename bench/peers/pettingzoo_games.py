"""Games per CPU second of PettingZoo's tic-tac-toe between random agents: a bare loop that referees and records nothing."""

import json
import random
import sys
from time import process_time
from typing import Any

from pettingzoo.classic import tictactoe_v3  # type: ignore[import-not-found]


def game(environment: Any) -> int:
    environment.reset()
    plies = 0
    for _ in environment.agent_iter():
        observation, _, ended, cut, _ = environment.last()
        if ended or cut:
            environment.step(None)
            continue
        mask = observation["action_mask"]
        environment.step(random.choice([n for n in range(9) if mask[n]]))
        plies += 1
    return plies


if __name__ == "__main__":
    table = tictactoe_v3.env()
    game(table)
    games = plies = 0
    start = process_time()
    while process_time() - start < float(sys.argv[1]):
        plies += game(table)
        games += 1
    spent = process_time() - start
    print(json.dumps({"games": games / spent, "plies": plies / spent}))
