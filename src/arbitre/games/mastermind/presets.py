"""Positions of MasterMind to try engines and interfaces with (spec: tournoyons, section 7)."""

from arbitre.games.positions import Preset

PRESETS = (
    Preset("start"),
    Preset("first", line="CBFA&ECAE"),
    Preset("middle", "CBFA,ECAE 10ADAA01FHED02BACG20EAAB***02DGAB02HAGC12BEFC 10"),
    Preset("end", "CBFA,ECAE 10ADAA01FHED02BACG20EAAB10DCGF11FCHA11AFGE***02DGAB02HAGC12BEFC02FDCE01BEEH01DGBD11HCFE 17"),
)
