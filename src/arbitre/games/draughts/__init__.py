"""International draughts on a hundred squares."""

from arbitre.games.catalogue import Listing

LISTING = Listing(
    name="draughts",
    rules="arbitre.games.draughts.rules:Draughts",
    notation="arbitre.games.draughts.notation:DraughtsNotation",
    line="international draughts on a hundred squares",
    ligne="dames internationales sur cent cases",
    title="Draughts",
    titre="Dames",
    grammar="arbitre.games.draughts.grammar:grammar",
    wire="arbitre.games.draughts.wire:WIRE",
    telling="arbitre.games.draughts.telling:DraughtsTelling",
    levels="arbitre.games.draughts.engine:LEVELS",
    analysis="arbitre.games.draughts.analysis:analyst",
    presets="arbitre.games.draughts.presets:PRESETS",
    steps="arbitre.games.draughts.presets:STEPS",
    exports={"pdn": "arbitre.games.draughts.pdn:export"},
    interface="arbitre.games.draughts:interface",
    glyph="arbitre.games.draughts:glyph.svg",
    miniature="arbitre.games.draughts.miniature:MINIATURE",
    setup="arbitre.games.draughts.setup:SETUP",
    tokens=("white-man", "black-man"),
    shown=True,
    liked=("32-28", "19-23", "31-27"),
)
