"""How the texts of Pente are spelt, for programs (`arbitre.games.grammar`)."""

from arbitre.games.game import AnyGame
from arbitre.games.grammar import TURN, Grammar, Spelling, open_grammar

CELL = Spelling(
    "cell",
    "[A-S]{2}",
    "an empty cell, column A to S and row A to S from the top: JJ is the centre",
    "une case vide, colonne de A à S et ligne de A à S depuis le haut : JJ est le centre",
)
POSITION = Spelling(
    "position",
    f"[012]{{361}} [0-9] [0-9] {TURN}",
    "361 cells row by row, 0 empty, 1 and 2 the players' stones; pairs captured by the first and by the second player; "
    "the number of the turn to come",
    "361 cases ligne par ligne, 0 vide, 1 et 2 les pierres des joueurs ; les paires prises par le premier et par le second ; "
    "le numéro du tour qui vient",
)


def grammar(game: AnyGame) -> Grammar:  # noqa: ARG001 - no option changes it
    """Return how its texts are spelt."""
    return open_grammar((CELL,), POSITION)
