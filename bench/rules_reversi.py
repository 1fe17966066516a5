"""Reversi: leaves of the game tree per CPU second, counted at the last ply by the number of moves, beside OpenSpiel's Othello."""

from collections.abc import Iterator

from arbitre.games.reversi.rules import Board, Reversi
from bench.table import ROOT, Row, ask, peer, rate

OPENSPIEL = "open_spiel==2.0.2"
SCRIPT = ROOT / "bench" / "peers" / "openspiel_games.py"
DEPTH = 8
SECONDS = 3

GAME = Reversi()


def leaves(board: Board, depth: int) -> int:
    """Count the positions `depth` plies on, at the last ply by the number of moves; a finished game stays one leaf."""
    if depth == 1:
        return board.choices or 1
    mover = board.mover
    return sum(leaves(GAME.play(board, {mover: cell}), depth - 1) for cell in GAME.legal(board)) or 1


def measure() -> Iterator[Row]:
    """Count the same tree on both sides, and compare only if both find as many leaves."""
    theirs = ask(peer("openspiel", OPENSPIEL), SCRIPT, "leaves", str(DEPTH), str(SECONDS))
    found = leaves(GAME.start(), DEPTH)
    if found != theirs["leaves"]:
        raise AssertionError(f"{found} leaves at depth {DEPTH}, but OpenSpiel finds {theirs['leaves']}")
    ours = rate(lambda: leaves(GAME.start(), DEPTH), SECONDS)
    yield Row(f"Reversi: leaves at depth {DEPTH}", ours, "OpenSpiel from Python", theirs["rate"], aim=1.5)
