"""Positions of Seafight to try engines and interfaces with (spec: tournoyons, section 7)."""

from arbitre.games.positions import Preset, Step
from arbitre.reasons import N_

FLEETS = "V5I21V4H01H3A31V3B71V2E01&V5F01V4E61V3J01V3J51H2C31"

PRESETS = (
    Preset("start"),
    Preset("first", line=FLEETS),
    Preset("middle", line=f"{FLEETS} F2 A0 F3 J9 G3 E5 F1 E6 F0 E7 B2 D7"),
    Preset(
        "end",
        "V5I22V4H03H3A32V3B73V2E03,V5F03V4E62V3J03V3J53H2C33 "
        "1111131113111113111311111311131133131111111113111100111111131111011113111021111301112110111110211111***"
        "1101311311111131131111111003202201111321111111110111111111211111101121131111111113111111111311111011 188",
    ),
)

STEPS = (
    Step(N_("Each hides five ships."), line=PRESETS[1].line),
    Step(N_("Every shot is answered: water, hit or sunk."), line=PRESETS[2].line),
    Step(N_("Who sinks the other fleet first wins."), PRESETS[3].text),
)
"""Its rules in three pictures."""
