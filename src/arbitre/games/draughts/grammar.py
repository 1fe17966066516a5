"""How the texts of draughts are spelt, for programs (`arbitre.games.grammar`)."""

from arbitre.games.game import AnyGame
from arbitre.games.grammar import TURN, Grammar, Spelling, open_grammar

SQUARE = "[1-9][0-9]?"
MEN = f"(?:K?{SQUARE}(?:,K?{SQUARE}){{0,19}})?"
MOVES = (
    Spelling("move", f"{SQUARE}-{SQUARE}", "from one square, 1 to 50, to another", "d’une case, de 1 à 50, à une autre"),
    Spelling(
        "capture",
        f"{SQUARE}(?:x{SQUARE}){{1,20}}",
        "a square and every square where the piece lands",
        "une case, et toutes celles où la pièce se pose",
        ("26x17x8x19",),
    ),
)
POSITION = Spelling(
    "position",
    f"[WB]:W{MEN}:B{MEN} {TURN}",
    "the side to move, white's squares, black's, K before a king; then the number of the turn to come, odd for white",
    "le camp au trait, les cases des blancs, celles des noirs, K devant une dame ; puis le tour, impair pour les blancs",
)


def grammar(game: AnyGame) -> Grammar:  # noqa: ARG001 - no option changes it
    """Return how its texts are spelt."""
    return open_grammar(MOVES, POSITION)
