"""Hex: what the entry point `arbitre.games` leads to."""

from arbitre.games.catalogue import Listing

LISTING = Listing(
    name="hex",
    rules="arbitre_hex.rules:Hex",
    notation="arbitre_hex.notation:HexNotation",
    line="join your two sides of a board of hexagons",
    ligne="relier ses deux bords d’un plateau d’hexagones",
    title="Hex",
)
