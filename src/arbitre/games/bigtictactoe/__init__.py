"""BigTicTacToe: the most rows of five on ten by ten cells."""

from arbitre.games.catalogue import Listing

LISTING = Listing(
    name="bigtictactoe",
    rules="arbitre.games.bigtictactoe.rules:BigTicTacToe",
    notation="arbitre.games.bigtictactoe.notation:BigTicTacToeNotation",
    line="the most rows of five on ten by ten cells",
    ligne="le plus d’alignements de cinq sur dix cases par dix",
    title="BigTicTacToe",
    grammar="arbitre.games.bigtictactoe.grammar:grammar",
    wire="arbitre.games.bigtictactoe.wire:WIRE",
    telling="arbitre.games.bigtictactoe.telling:BigTicTacToeTelling",
    levels="arbitre.games.bigtictactoe.engine:LEVELS",
    analysis="arbitre.games.bigtictactoe.analysis:analyst",
    presets="arbitre.games.bigtictactoe.presets:PRESETS",
    steps="arbitre.games.bigtictactoe.presets:STEPS",
    interface="arbitre.games.bigtictactoe:interface",
    glyph="arbitre.games.bigtictactoe:glyph.svg",
    miniature="arbitre.games.bigtictactoe.miniature:MINIATURE",
    setup="arbitre.games.bigtictactoe.setup:SETUP",
    tokens=("cross", "ring"),
    shown=True,
    liked=("E4", "F5", "E5", "F4"),
)
