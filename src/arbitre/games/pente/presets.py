"""Positions of Pente to try engines and interfaces with (spec: tournoyons, section 7)."""

from arbitre.games.positions import Preset

PRESETS = (
    Preset("start"),
    Preset("barred", line="JJ JK"),
    Preset("middle", line="JJ JK GJ KK LK KJ IK JK HL"),
    Preset("capture", line="JJ JK GJ JL JM AA"),
    Preset("win", line="JJ JK GJ KK LK KJ IK JK HL LI GM KI"),
)
