"""Kriegspiel: chess without seeing the other side's pieces."""

from arbitre.games.catalogue import Listing

LISTING = Listing(
    name="kriegspiel",
    rules="arbitre.games.kriegspiel.rules:Kriegspiel",
    notation="arbitre.games.kriegspiel.notation:KriegspielNotation",
    line="chess without seeing the other side's pieces",
    ligne="les échecs sans voir les pièces de l’autre",
    title="Kriegspiel",
    grammar="arbitre.games.kriegspiel.grammar:grammar",
    wire="arbitre.games.kriegspiel.wire:WIRE",
    telling="arbitre.games.kriegspiel.telling:KriegspielTelling",
    levels="arbitre.games.kriegspiel.engine:LEVELS",
    analysis="arbitre.games.kriegspiel.analysis:KriegspielAnalyst",
    presets="arbitre.games.kriegspiel.presets:PRESETS",
    steps="arbitre.games.kriegspiel.presets:STEPS",
    exports={"pgn": "arbitre.games.kriegspiel.pgn:export"},
    interface="arbitre.games.kriegspiel:interface",
    glyph="arbitre.games.kriegspiel:glyph.svg",
    miniature="arbitre.games.kriegspiel.miniature:MINIATURE",
    setup="arbitre.games.kriegspiel.setup:SETUP",
    tokens=("white-king", "black-king"),
    aspect="2 / 3",
    needs=("chess",),
    liked=("e2e4", "e7e5", "d2d4", "d7d5"),
)
