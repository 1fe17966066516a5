"""Pente: five in a row or five captured pairs on nineteen lines."""

from arbitre.games.catalogue import Listing

LISTING = Listing(
    name="pente",
    rules="arbitre.games.pente.rules:Pente",
    notation="arbitre.games.pente.notation:PenteNotation",
    line="five in a row or five captured pairs on nineteen lines",
    ligne="cinq pierres alignées ou cinq paires prises sur dix-neuf lignes",
    title="Pente",
    grammar="arbitre.games.pente.grammar:grammar",
    wire="arbitre.games.pente.wire:WIRE",
    telling="arbitre.games.pente.telling:PenteTelling",
    levels="arbitre.games.pente.engine:LEVELS",
    analysis="arbitre.games.pente.analysis:analyst",
    presets="arbitre.games.pente.presets:PRESETS",
    steps="arbitre.games.pente.presets:STEPS",
    interface="arbitre.games.pente:interface",
    glyph="arbitre.games.pente:glyph.svg",
    miniature="arbitre.games.pente.miniature:MINIATURE",
    setup="arbitre.games.pente.setup:SETUP",
    tokens=("light", "dark"),
    shown=True,
    liked=("JJ", "KK", "II", "JK"),
)
