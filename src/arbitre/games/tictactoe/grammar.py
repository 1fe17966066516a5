"""How the texts of TicTacToe are spelt, for programs (`arbitre.games.grammar`)."""

from arbitre.games.game import AnyGame
from arbitre.games.grammar import TURN, Grammar, Spelling, open_grammar

CELL = Spelling(
    "cell", "[1-9]", "a cell, 1 to 9, row by row from the top left", "une case, de 1 à 9, ligne par ligne depuis le haut"
)
POSITION = Spelling(
    "position",
    f"[012]{{9}} {TURN}",
    "nine cells row by row, 0 empty, 1 and 2 the players' marks; then the number of the turn to come",
    "neuf cases ligne par ligne, 0 vide, 1 et 2 les marques des joueurs ; puis le numéro du tour qui vient",
)


def grammar(game: AnyGame) -> Grammar:  # noqa: ARG001 - no option changes it
    """Return how its texts are spelt."""
    return open_grammar((CELL,), POSITION)
