"""Positions of TicTacToe to try engines and interfaces with (spec: tournoyons, section 7)."""

from arbitre.games.positions import Preset

PRESETS = (
    Preset("start"),
    Preset("middle", line="5 1 3"),
    Preset("win", line="1 5 2 4"),
    Preset("block", line="1 5 2"),
    Preset("end", line="5 1 2 8 3 7 4 6"),
)
