"""How the texts of BigTicTacToe are spelt, for programs (`arbitre.games.grammar`)."""

from arbitre.games.game import AnyGame
from arbitre.games.grammar import TURN, Grammar, Spelling, open_grammar

CELL = Spelling(
    "cell",
    "[A-J][0-9]",
    "an empty cell, column A to J and row 0 to 9 from the top",
    "une case vide, colonne de A à J et ligne de 0 à 9 depuis le haut",
)
POSITION = Spelling(
    "position",
    f"[012]{{100}} {TURN}",
    "a hundred cells row by row, 0 empty, 1 and 2 the players' marks; then the number of the turn to come",
    "cent cases ligne par ligne, 0 vide, 1 et 2 les marques des joueurs ; puis le numéro du tour qui vient",
)


def grammar(game: AnyGame) -> Grammar:  # noqa: ARG001 - no option changes it
    """Return how its texts are spelt."""
    return open_grammar((CELL,), POSITION)
