"""TicTacToe: three in a row on nine cells."""

from arbitre.games.catalogue import Listing

LISTING = Listing(
    name="tictactoe",
    rules="arbitre.games.tictactoe.rules:TicTacToe",
    notation="arbitre.games.tictactoe.notation:TicTacToeNotation",
    line="three in a row on nine cells",
    ligne="trois marques alignées sur neuf cases",
    title="TicTacToe",
    grammar="arbitre.games.tictactoe.grammar:grammar",
    wire="arbitre.games.tictactoe.wire:WIRE",
    telling="arbitre.games.tictactoe.telling:TicTacToeTelling",
    levels="arbitre.games.tictactoe.engine:LEVELS",
    analysis="arbitre.games.tictactoe.analysis:TicTacToeAnalyst",
    presets="arbitre.games.tictactoe.presets:PRESETS",
    steps="arbitre.games.tictactoe.presets:STEPS",
    interface="arbitre.games.tictactoe:interface",
    glyph="arbitre.games.tictactoe:glyph.svg",
    miniature="arbitre.games.tictactoe.miniature:MINIATURE",
    setup="arbitre.games.tictactoe.setup:SETUP",
    tokens=("cross", "ring"),
    liked=("5", "1", "3", "7", "9"),
)
