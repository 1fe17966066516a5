"""A game of one board that somebody adds by address: found by name, and in no list."""

from arbitre.games.catalogue import Listing

LISTING = Listing(
    name="added",
    rules="arbitre.games.added.rules:Added",
    notation="arbitre.games.added.notation:AddedNotation",
    line="a game of one board with its own external referee",
    ligne="un jeu à un plateau avec son propre arbitre externe",
    title="Added game",
    titre="Jeu ajouté",
    wire="arbitre.games.added.wire:WIRE",
    presets="arbitre.games.added.presets:PRESETS",
)
