"""Seafight: two hidden fleets fire at each other."""

from arbitre.games.catalogue import Listing

LISTING = Listing(
    name="seafight",
    rules="arbitre.games.seafight.rules:Seafight",
    notation="arbitre.games.seafight.notation:SeafightNotation",
    line="two hidden fleets fire at each other",
    ligne="deux flottes cachées se tirent dessus",
    title="Seafight",
    titre="Bataille navale",
    grammar="arbitre.games.seafight.grammar:grammar",
    wire="arbitre.games.seafight.wire:WIRE",
    telling="arbitre.games.seafight.telling:SeafightTelling",
    levels="arbitre.games.seafight.engine:LEVELS",
    analysis="arbitre.games.seafight.analysis:SeafightAnalyst",
    presets="arbitre.games.seafight.presets:PRESETS",
    steps="arbitre.games.seafight.presets:STEPS",
    interface="arbitre.games.seafight:interface",
    glyph="arbitre.games.seafight:glyph.svg",
    miniature="arbitre.games.seafight.miniature:MINIATURE",
    shape="wide",
    tokens=("warm-ship", "cool-ship"),
    aspect="4 / 7",
)
