"""Positions of Kriegspiel to try engines and interfaces with (spec: tournoyons, section 7)."""

from arbitre.games.game import Seat
from arbitre.games.positions import Preset, Step
from arbitre.reasons import N_

PRESETS = (
    Preset("start"),
    Preset("middle", line="e2e4 e7e5 g1f3 b8c6 f1c4 g8f6"),
    Preset("check", line="e2e4 d7d5 f1b5"),
    Preset("promotion", "8/4P3/8/2k5/8/8/4K3/8 w - - 0 61"),
    Preset("end", "8/8/8/4k3/8/8/3QK3/8 w - - 0 71"),
    Preset("over", line="f2f3 e7e5 g2g4 d8h4"),
)

STEPS = (
    Step(N_("Chess, but you see your own pieces only."), line="e2e4 e7e5", eye=Seat(0)),
    Step(N_("Try a move: the umpire says whether it can be made, and what it takes."), line=PRESETS[2].line),
    Step(N_("Mate wins, as in chess."), line=PRESETS[5].line),
)
"""Its rules in three pictures."""
