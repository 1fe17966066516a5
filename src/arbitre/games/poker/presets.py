"""Positions of Poker to try engines and interfaces with (spec: tournoyons, section 7)."""

from arbitre.games.positions import Preset, Step
from arbitre.reasons import N_

PRESETS = (
    Preset("start", "01001C9SJH3D7M1-2 0 - 1"),
    Preset("raise", "01002C4HAHJSTM83-?2 0 - 2"),
    Preset("middle", "01003C4HAHJSTC7D3C5M8-8M8-8 0 - 4"),
    Preset("river", "01008C4HAHJSTC7D3C5DTD7M8-8M20-20M30-30M?30-60 0 - 9"),
)

STEPS = (
    Step(N_("Two cards for each, and nobody sees the other's."), PRESETS[0].text),
    Step(N_("Five on the table; bets go up between them."), PRESETS[2].text),
    Step(N_("The best five cards take the chips."), PRESETS[3].text),
)
"""Its rules in three pictures."""
