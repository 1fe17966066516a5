"""Draughts: leaves counted per CPU second by the plain rules, beside py-draughts, on the same positions to the same depth.

Captures that reach the same position count once (D). The last ply is counted in bulk on both sides: ours by `count`, which does
not list quiet moves, theirs as the length of `legal_moves`. In the rows without an aim ours lists every move of it, too.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from arbitre.games.draughts.moves import moves
from arbitre.games.draughts.notation import read_fen, write_fen
from arbitre.games.draughts.perft import TREES, leaves
from arbitre.games.perft import Tree, perft
from bench.table import Row, ask, peer, rate

NAME = "py-draughts"
SCRIPT = Path(__file__).parent / "peers" / "pydraughts_perft.py"
SECONDS = 2.0

POSITIONS = (
    ("the start", "W:W31-50:B1-20", 5),
    ("the Woldouby position", "W:W25,27,28,30,32,33,34,35,37,38:B12,13,14,16,18,19,21,23,24,26", 9),
    ("men about to be kings", "W:W6-10:B41-45", 5),
    ("two kings and a crowd", "B:W6,9-11,20-23,30,K31,33,37,41-44,46:BK17,K24", 5),
    ("forty kings", "W:WK31-50:BK1-20", 5),
)

LISTED = Tree(TREES["D"].children, lambda side: len(moves(side)))


def measure() -> Iterator[Row]:
    """Count each position with both programs."""
    python = peer(NAME, "py-draughts==1.10.1")
    for name, fen, depth in POSITIONS:
        board = read_fen(fen)
        counted, theirs = ask(python, SCRIPT, str(SECONDS), write_fen(board), str(depth))
        if counted != leaves(board, depth):
            raise AssertionError(f"{NAME} counts {counted} leaves from {name}, we {leaves(board, depth)}")
        what = f"draughts, leaves of {name} at depth {depth}"
        yield Row(f"{what}, last ply counted", rate(partial(leaves, board, depth), SECONDS), NAME, theirs, aim=3.0)
        yield Row(f"{what}, last ply listed", rate(partial(perft, LISTED, board.side, depth), SECONDS), NAME, theirs)
