"""Positions of BigTicTacToe to try engines and interfaces with (spec: tournoyons, section 7)."""

from arbitre.games.positions import Preset, Step
from arbitre.reasons import N_

PRESETS = (
    Preset("start"),
    Preset("middle", line="A0 A4 D1 A2 C1 A6 A3 A7 D2 D4 F1 A5 A8 G1 E1 B1 F2 E2 F4 F3 E3 G5 B0 C4 G3 D5 H4 I5 D0 E4"),
    Preset("win", line="D3 D4 E3 E4 F3 F4 G3 G4"),
    Preset("block", line="D3 A0 E3 J9 F3 A9 G3"),
    Preset(
        "end",
        line="A0 A4 D1 A2 C1 A6 A3 A7 D2 D4 F1 A5 A8 G1 E1 B1 F2 E2 F4 F3 E3 G5 B0 C4 G3 D5 H4 I5 D0 E4 B4 C6 G2 B7 C0 E0 "
        "E5 E6 B3 D6 B6 D7 D3 C3 D8 C5 C7 C2 E8 C8 F5 G8 F7 G6 F6 F8 H2 I1 G7 H8 J2 I2 I4 H5 H3 J5 G4 J4 H1 H0 J7 I8 J8 E7 "
        "G9 I6 I7 H7 F9 H9 H6 C9 B5 B2 G0 D9 J6 J1 I3 B9 E9 J0 B8 A1 A9 F0 I0 J3",
    ),
)

STEPS = (
    Step(N_("Take turns on a hundred cells."), line="D3 D4 E3 E4 F3"),
    Step(N_("Five in a line are a point."), line="D3 D4 E3 E4 F3 F4 G3 G4 H3"),
    Step(N_("When the board is full, more lines win."), line=PRESETS[4].line),
)
"""Its rules in three pictures."""
