"""Positions of TicTacToe to try engines and interfaces with (spec: tournoyons, section 7)."""

from arbitre.games.positions import Preset, Step
from arbitre.reasons import N_

PRESETS = (
    Preset("start"),
    Preset("middle", line="5 1 3"),
    Preset("win", line="1 5 2 4"),
    Preset("block", line="1 5 2"),
    Preset("end", line="5 1 2 8 3 7 4 6"),
)

STEPS = (
    Step(N_("Take turns on nine cells."), line="5 1"),
    Step(N_("Two in a line threaten a third."), line="1 5 2"),
    Step(N_("Three in a line win."), line="1 5 2 4 3"),
)
"""Its rules in three pictures."""
