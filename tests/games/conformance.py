"""Where each game's conformance file is.

It holds `PRESETS`, the options under which the suite plays the game, and, for a game with secrets, `resample(game, state, eye,
random)`: another truth that `eye` cannot tell from `state`.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

ELSEWHERE = {"addedpair": "tests.games.added.conformance_pair", "connectfour": "tests.examples.connectfour_conformance"}


def parts(name: str) -> Any:
    """Return the game's own conformance file, None for a game that somebody else has installed."""
    package = f"tests.games.{name}"
    where = ELSEWHERE.get(name) or (f"{package}.conformance" if find_spec(package) else "")
    return import_module(where) if where and find_spec(where) else None
