"""Positions of Rochambeau to try engines and interfaces with (spec: tournoyons, section 7)."""

from arbitre.games.positions import Preset, Step
from arbitre.reasons import N_

PRESETS = (
    Preset("start"),
    Preset("middle", line="rock&paper rock&paper paper&rock"),
    Preset("tie", line="rock&rock"),
    Preset("end", "4,4 11 rock,scissors 9"),
)

STEPS = (
    Step(N_("Both show a sign at the same time.")),
    Step(N_("Paper beats rock, rock beats scissors, scissors beat paper."), line="rock&paper"),
    Step(N_("The first with enough points wins."), PRESETS[3].text),
)
"""Its rules in three pictures."""
