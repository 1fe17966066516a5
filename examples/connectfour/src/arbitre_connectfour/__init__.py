"""Connect Four: what the entry point `arbitre.games` leads to."""

from arbitre.games.catalogue import Listing

LISTING = Listing(
    name="connectfour",
    rules="arbitre_connectfour.rules:ConnectFour",
    notation="arbitre_connectfour.notation:ConnectFourNotation",
    line="four in a row, discs falling down seven columns",
    ligne="quatre jetons alignés, qui tombent dans sept colonnes",
    title="Connect Four",
)
