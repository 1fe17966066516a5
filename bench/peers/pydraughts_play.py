"""An engine of py-draughts on a pipe: `pydraughts_play.py ENGINE DEPTH SECONDS`, where 0 stands for no limit.

Each line is a position; the answer is the position after the engine's move, and how many positions it saw in how many seconds.
Runs in the peer's environment and imports nothing of ours.
"""

import json
import sys
from time import perf_counter
from typing import Any

import draughts  # type: ignore[import-not-found]


def main(name: str, depth: int, seconds: float) -> None:
    """Answer until the input ends."""
    make: Any = getattr(draughts, name, None) or getattr(draughts.engines, name)
    engine = make(depth_limit=depth or 64, time_limit=seconds or None)
    for line in sys.stdin:
        board = draughts.StandardBoard.from_fen(line.strip())
        begun = perf_counter()
        board.push(engine.get_best_move(board))
        spent = perf_counter() - begun
        print(json.dumps([board.fen.split('"')[1], engine.nodes, spent]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
