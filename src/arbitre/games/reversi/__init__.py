"""Reversi: outflank and turn the other side's discs."""

from arbitre.games.catalogue import Listing

LISTING = Listing(
    name="reversi",
    rules="arbitre.games.reversi.rules:Reversi",
    notation="arbitre.games.reversi.notation:ReversiNotation",
    line="outflank and turn the other side's discs",
    ligne="encadrer et retourner les pions adverses",
    title="Reversi",
    grammar="arbitre.games.reversi.grammar:grammar",
    wire="arbitre.games.reversi.wire:WIRE",
    telling="arbitre.games.reversi.telling:ReversiTelling",
    levels="arbitre.games.reversi.engine:LEVELS",
    analysis="arbitre.games.reversi.analysis:analyst",
    presets="arbitre.games.reversi.presets:PRESETS",
    steps="arbitre.games.reversi.presets:STEPS",
    interface="arbitre.games.reversi:interface",
    glyph="arbitre.games.reversi:glyph.svg",
    miniature="arbitre.games.reversi.miniature:MINIATURE",
    setup="arbitre.games.reversi.setup:SETUP",
    tokens=("dark", "light"),
    shown=True,
    liked=("A1", "A8", "H1", "H8"),
)
