"""MasterMind: each breaks the other's code of four coloured pegs."""

from arbitre.games.catalogue import Listing

LISTING = Listing(
    name="mastermind",
    rules="arbitre.games.mastermind.rules:MasterMind",
    notation="arbitre.games.mastermind.notation:MasterMindNotation",
    line="each breaks the other's code of four coloured pegs",
    ligne="chacun cherche le code de quatre couleurs de l’autre",
    title="MasterMind",
    grammar="arbitre.games.mastermind.grammar:grammar",
    wire="arbitre.games.mastermind.wire:WIRE",
    telling="arbitre.games.mastermind.telling:MasterMindTelling",
    levels="arbitre.games.mastermind.engine:LEVELS",
    analysis="arbitre.games.mastermind.analysis:MasterMindAnalyst",
    presets="arbitre.games.mastermind.presets:PRESETS",
    steps="arbitre.games.mastermind.presets:STEPS",
    interface="arbitre.games.mastermind:interface",
    glyph="arbitre.games.mastermind:glyph.svg",
    miniature="arbitre.games.mastermind.miniature:MINIATURE",
    shape="wide",
    aspect="1 / 1",
)
