"""The chairs of the arena: whoever sits behind a gate is the same player."""

import inspect

from arbitre.referee.behind import Behind
from arbitre.referee.player import Player


def test_a_gate_hands_everything_on() -> None:
    asked = {name for name, _ in inspect.getmembers(Player, inspect.isfunction) if not name.startswith("_")}
    assert asked
    assert {name for name in asked if name not in vars(Behind)} == set()
