"""Positions of Draughts to try engines and interfaces with (spec: tournoyons, section 7)."""

from arbitre.games.positions import Preset, Step
from arbitre.reasons import N_

PRESETS = (
    Preset("start"),
    Preset(
        "middle",
        line="31-26 19-24 37-31 24-29 34x23 18x29 33x24 20x29 40-34 29x40 45x34 13-18 34-30 14-19 31-27 18-22 27x18 12x23 "
        "30-24 19x30 35x24 8-12 39-34 9-13",
    ),
    Preset("captures", "W:W27,28,31,33,34,35,37,38,39,40,41,42,44,46,49:B1,4,5,6,7,9,12,13,15,16,22,24,26 49"),
    Preset("choices", "W:WK4,24,39,44,45,46,48,49,50:B1,6,7,8,9,12,14,18,21,22,38 47"),
    Preset("promotion", "W:W7,28,33,39:B16,18,24,36 61"),
    Preset("end", "B:W17,27,31,34,44,45:B15,19,K48 92"),
)

STEPS = (
    Step(N_("Men go forward on the dark squares."), line="31-26 19-24"),
    Step(N_("Who can take must, and as many as possible."), PRESETS[2].text),
    Step(N_("On the last row a man becomes a king that flies."), PRESETS[3].text),
)
"""Its rules in three pictures."""
