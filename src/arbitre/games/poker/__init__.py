"""Poker: heads-up hold'em with a hundred chips a hand."""

from arbitre.games.catalogue import Listing

LISTING = Listing(
    name="poker",
    rules="arbitre.games.poker.rules:Poker",
    notation="arbitre.games.poker.notation:PokerNotation",
    line="heads-up hold'em with a hundred chips a hand",
    ligne="hold’em en tête-à-tête, cent jetons par coup",
    title="Poker",
    grammar="arbitre.games.poker.grammar:grammar",
    wire="arbitre.games.poker.wire:WIRE",
    telling="arbitre.games.poker.telling:PokerTelling",
    levels="arbitre.games.poker.engine:LEVELS",
    analysis="arbitre.games.poker.analysis:PokerAnalyst",
    presets="arbitre.games.poker.presets:PRESETS",
    steps="arbitre.games.poker.presets:STEPS",
    interface="arbitre.games.poker:interface",
    glyph="arbitre.games.poker:glyph.svg",
    miniature="arbitre.games.poker.miniature:MINIATURE",
    shape="wide",
    tokens=("warm-chip", "cool-chip"),
    aspect="1 / 1",
)
