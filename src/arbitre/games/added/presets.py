"""Positions of added games to try programs with: nothing is known of one but its start."""

from arbitre.games.positions import Preset

PRESETS = (Preset("start"),)
