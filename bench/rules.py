"""How fast the plain rules are: leaves counted, attempts judged and random games played, per CPU second."""

from collections.abc import Iterator
from importlib import import_module

from bench.table import Row

GAMES = ("draughts", "reversi", "kriegspiel", "playouts")


def measure() -> Iterator[Row]:
    """Measure each game that has a peer; `bench/rules_<game>.py` knows how."""
    for name in GAMES:
        yield from import_module(f"bench.rules_{name}").measure()
