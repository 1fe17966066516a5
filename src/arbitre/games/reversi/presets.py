"""Positions of Reversi to try engines and interfaces with (spec: tournoyons, section 7)."""

from arbitre.games.positions import Preset, Step
from arbitre.reasons import N_

PRESETS = (
    Preset("start"),
    Preset("middle", line="D3 C5 E6 D2 C6 F5 G4 B7 B5 D6 E7 E8 D1 B4 A8 A5 F6 G5 G6 D7 B6 B8 A4 H6 D8"),
    Preset("pass", "4044400004040030444333000403300040333000000330000030000000000000 21"),
    Preset(
        "end",
        line="D3 C5 E6 D2 C6 F5 G4 B7 B5 D6 E7 E8 D1 B4 A8 A5 F6 G5 G6 D7 B6 B8 A4 H6 D8 F3 G2 G3 G7 H8 C4 B3 B2 G1 F7 A6 "
        "H5 C3 A3 B1 C2 A2 A1 H7 A7 F8 G8 C8 H1 E2 C7 F4 E3 H4 E1 F1 H3",
    ),
)

STEPS = (
    Step(N_("Close a line of the other colour,")),
    Step(N_("and all of it turns yours."), line="D3"),
    Step(N_("Nobody has a move left? More discs win."), line=PRESETS[3].line),
)
"""Its rules in three pictures."""
