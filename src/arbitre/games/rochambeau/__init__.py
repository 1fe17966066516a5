"""Rochambeau: rock, paper, scissors, for any number of states and players."""

from arbitre.games.catalogue import Listing

LISTING = Listing(
    name="rochambeau",
    rules="arbitre.games.rochambeau.rules:Rochambeau",
    notation="arbitre.games.rochambeau.notation:RochambeauNotation",
    line="rock, paper, scissors, for any number of states and players",
    ligne="pierre, feuille, ciseaux, à N états et M joueurs",
    title="Rochambeau",
    grammar="arbitre.games.rochambeau.grammar:grammar",
    wire="arbitre.games.rochambeau.wire:WIRE",
    telling="arbitre.games.rochambeau.telling:RochambeauTelling",
    levels="arbitre.games.rochambeau.engine:LEVELS",
    analysis="arbitre.games.rochambeau.analysis:RochambeauAnalyst",
    presets="arbitre.games.rochambeau.presets:PRESETS",
    steps="arbitre.games.rochambeau.presets:STEPS",
    interface="arbitre.games.rochambeau:interface",
    glyph="arbitre.games.rochambeau:glyph.svg",
    miniature="arbitre.games.rochambeau.miniature:MINIATURE",
    shape="wide",
    tokens=("warm-hand", "cool-hand"),
    liked=("paper",),
)
