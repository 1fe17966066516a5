"""How the texts of Reversi are spelt, for programs (`arbitre.games.grammar`)."""

from arbitre.games.game import AnyGame
from arbitre.games.grammar import TURN, Grammar, Spelling, open_grammar

MOVES = (
    Spelling(
        "cell", "[A-H][1-8]", "a cell, column A to H and row 1 to 8 from the top", "une case, colonne de A à H, ligne de 1 à 8"
    ),
    Spelling("pass", "XX", "to pass, where no cell can be played", "passer, quand aucune case n’est jouable", ("XX",)),
)
POSITION = Spelling(
    "position",
    f"[034]{{64}} {TURN}",
    "64 cells row by row, 0 empty, 3 a black disc, 4 a white one; then the number of the turn to come, odd for black",
    "64 cases ligne par ligne, 0 vide, 3 un pion noir, 4 un blanc ; puis le numéro du tour qui vient, impair pour les noirs",
)


def grammar(game: AnyGame) -> Grammar:  # noqa: ARG001 - no option changes it
    """Return how its texts are spelt."""
    return open_grammar(MOVES, POSITION)
