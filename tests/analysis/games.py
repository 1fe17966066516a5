"""Finished games for analyses, with an effort that takes a second at most."""

from functools import cache
from pathlib import Path

from arbitre.analysis.analysis import Analysis, analyse
from arbitre.records.record import Record, read_record

GOLDEN = Path(__file__).parent.parent / "golden"

NODES = {
    "bigtictactoe": 300,
    "draughts": 2_000,
    "kriegspiel": 3_000,
    "mastermind": 20_000,
    "pente": 300,
    "poker": 5_000,
    "reversi": 3_000,
    "rochambeau": 1,
    "seafight": 1,
    "tictactoe": 1,
}
"""Nodes a ply for each of the ten games."""


def octets(name: str) -> bytes:
    """Return the record of a game."""
    return (GOLDEN / f"game-{name}.record").read_bytes()


def record(name: str) -> Record:
    """Return the record of a game, read."""
    return read_record(octets(name))


@cache
def analysed(name: str) -> Analysis:
    """Return the analysis of that game."""
    return analyse(record(name), NODES[name])
