"""A game of two boards that somebody adds by address; its parts are those of `added`."""

from arbitre.games.catalogue import Listing

LISTING = Listing(
    name="addedpair",
    rules="arbitre.games.added.rules:AddedPair",
    notation="arbitre.games.added.notation:AddedNotation",
    line="a game of two boards with its own external referee",
    ligne="un jeu à deux plateaux avec son propre arbitre externe",
    title="Added game",
    titre="Jeu ajouté",
    wire="arbitre.games.added.wire:WIRE",
    presets="arbitre.games.added.presets:PRESETS",
)
