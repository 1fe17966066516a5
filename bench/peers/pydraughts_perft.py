"""Perft with py-draughts: `pydraughts_perft.py SECONDS FEN DEPTH` prints `[leaves, leaves per CPU second]`.

Runs in the peer's environment and imports nothing of ours. The last ply is counted in bulk, as the length of `legal_moves`.
"""

import json
import sys
from time import process_time
from typing import Any

from draughts import StandardBoard  # type: ignore[import-not-found]


def perft(board: Any, depth: int) -> int:
    """Return the number of leaves `depth` plies below the board."""
    moves = board.legal_moves
    if depth == 1:
        return len(moves)
    total = 0
    for move in moves:
        board.push(move)
        total += perft(board, depth - 1)
        board.pop()
    return total


def main(seconds: float, fen: str, depth: int) -> None:
    """Count again and again for `seconds` of CPU time, once before to warm up."""
    board = StandardBoard.from_fen(fen)
    leaves = perft(board, depth)
    done = 0
    start = process_time()
    while (spent := process_time() - start) < seconds:
        done += perft(board, depth)
    print(json.dumps([leaves, done / spent]))


if __name__ == "__main__":
    main(float(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
