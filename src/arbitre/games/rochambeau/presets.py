"""Positions of Rochambeau to try engines and interfaces with (spec: tournoyons, section 7)."""

from arbitre.games.positions import Preset

PRESETS = (
    Preset("start"),
    Preset("middle", line="rock&paper rock&paper paper&rock"),
    Preset("tie", line="rock&rock"),
    Preset("end", "4,4 11 rock,scissors 9"),
)
