"""Positions of MasterMind to try engines and interfaces with (spec: tournoyons, section 7)."""

from arbitre.games.positions import Preset, Step
from arbitre.reasons import N_

PRESETS = (
    Preset("start"),
    Preset("first", line="CBFA&ECAE"),
    Preset("middle", "CBFA,ECAE 10ADAA01FHED02BACG20EAAB***02DGAB02HAGC12BEFC 10"),
    Preset("end", "CBFA,ECAE 10ADAA01FHED02BACG20EAAB10DCGF11FCHA11AFGE***02DGAB02HAGC12BEFC02FDCE01BEEH01DGBD11HCFE 17"),
)

STEPS = (
    Step(N_("Each hides a code of four colours."), line=PRESETS[1].line),
    Step(N_("Each guess is answered: well placed, or misplaced."), PRESETS[2].text),
    Step(N_("Who finds the other's code in fewer guesses wins."), PRESETS[3].text),
)
"""Its rules in three pictures."""
