"""How the texts of Kriegspiel are spelt, for programs (`arbitre.games.grammar`)."""

from arbitre.games.game import AnyGame
from arbitre.games.grammar import TURN, Grammar, Spelling

TRY = "[a-h][1-8][a-h][1-8][qrbn]?"
TRIES = f"(?:-|{TRY}(?:,{TRY}){{0,1000}})"
CODE = "[wb](?:c[lsrfnp]|m[0-9]{1,2}|il|np|pc|pn|pr|of|ac|de)"
CODES = f"(?:{CODE}(?:,{CODE}){{0,1000}})?"
FEN = "[1-8pnbrqkPNBRQK/]{15,71} [wb] (?:-|[KQkq]{1,4}) (?:-|[a-h][36]) [0-9]{1,6} [0-9]{1,6}"
SAID = f"{CODES}(?:/{CODES}){{0,2000}}"
MOVES = (
    Spelling(
        "try",
        TRY,
        "from square to square, with the new piece where a pawn is promoted; castling is the king's move",
        "d’une case à une autre, avec la nouvelle pièce quand un pion est promu ; le roque est le coup du roi",
        ("e7e8q", "e1g1"),
    ),
    Spelling("draw", "draw", "to offer a draw, or to take the one offered", "proposer nulle, ou l’accepter", ("draw",)),
)
POSITION = Spelling(
    "position",
    f"{FEN} {SAID} {TRIES} {TRIES} {TURN}",
    "a FEN of six fields, which may stand alone; what the umpire said turn by turn, tries refused in this turn, moves since the "
    "last irreversible one, the number of the turn to come",
    "une FEN de six champs, qui peut être seule ; ce que l’arbitre a dit tour par tour, les essais refusés à ce tour, les coups "
    "depuis le dernier irréversible, le numéro du tour qui vient",
    ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",),
)
SIGHT = f"[0pnbrqkPNBRQK]{{64}} [wb-] (?:-|[KQkq]{{1,2}}) {SAID} {TRIES} {TURN}"
VIEW = Spelling(
    "view",
    f"{SIGHT}|{POSITION.pattern}",
    "own pieces from a8 to h1, 0 elsewhere; own side; own castling rights; what was heard turn by turn; own refused tries of "
    "this turn; the number of the turn to come. After the end: the position",
    "ses pièces de a8 à h1, 0 ailleurs ; son camp ; ses droits de roque ; ce qu’on a entendu tour par tour ; ses essais "
    "refusés à ce tour ; le numéro du tour qui vient. Après la fin : la position",
)


def grammar(game: AnyGame) -> Grammar:  # noqa: ARG001 - no option changes it
    """Return how its texts are spelt."""
    return Grammar(MOVES, POSITION, VIEW)
