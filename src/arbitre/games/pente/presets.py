"""Positions of Pente to try engines and interfaces with (spec: tournoyons, section 7)."""

from arbitre.games.positions import Preset, Step
from arbitre.reasons import N_

PRESETS = (
    Preset("start"),
    Preset("barred", line="JJ JK"),
    Preset("middle", line="JJ JK GJ KK LK KJ IK JK HL"),
    Preset("capture", line="JJ JK GJ JL JM AA"),
    Preset("win", line="JJ JK GJ KK LK KJ IK JK HL LI GM KI"),
)

STEPS = (
    Step(N_("Two stones of the other colour in a line,"), line="JJ JK GJ JL"),
    Step(N_("closed at both ends, are taken."), line="JJ JK GJ JL JM"),
    Step(N_("Five in a line win, and so do five pairs."), line=PRESETS[4].line),
)
"""Its rules in three pictures."""
