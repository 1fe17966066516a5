"""OpenSpiel driven from Python, in an environment of its own: prints what it counted as JSON.

openspiel_games.py leaves DEPTH SECONDS      leaves of Othello from the start, and how many it counts per CPU second
openspiel_games.py games NAME SECONDS        random games of NAME per CPU second
"""

import json
import sys
from collections.abc import Callable
from random import Random
from time import process_time
from typing import Any

import pyspiel  # type: ignore[import-not-found]


def rate(work: Callable[[], int], seconds: float) -> float:
    """Return how many units per CPU second `work` does, after one call to warm up."""
    work()
    done = 0
    start = process_time()
    while (spent := process_time() - start) < seconds:
        done += work()
    return done / spent


def leaves(state: Any, depth: int) -> int:
    """Count the positions `depth` plies on, at the last ply by the number of moves; a finished game stays one leaf."""
    if state.is_terminal():
        return 1
    actions = state.legal_actions()
    return len(actions) if depth == 1 else sum(leaves(state.child(action), depth - 1) for action in actions)


def play(game: Any, random: Random) -> int:
    """Play one random game, the fastest way that Python has: in place."""
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_simultaneous_node():
            state.apply_actions([random.choice(state.legal_actions(player)) for player in range(game.num_players())])
        else:
            state.apply_action(random.choice(state.legal_actions()))
    return 1


def main(what: str, argument: str, seconds: float) -> dict[str, float]:
    """Do what the command line asks."""
    if what == "leaves":
        start = pyspiel.load_game("othello").new_initial_state()
        return {"leaves": leaves(start, int(argument)), "rate": rate(lambda: leaves(start, int(argument)), seconds)}
    game, random = pyspiel.load_game(argument), Random(1)
    return {"rate": rate(lambda: play(game, random), seconds)}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], sys.argv[2], float(sys.argv[3]))))
