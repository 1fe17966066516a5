"""How the texts of Poker are spelt, for programs (`arbitre.games.grammar`)."""

from arbitre.games.game import AnyGame
from arbitre.games.grammar import TURN, Grammar, Spelling

TOTAL = "(?:0|[1-9][0-9]?|100)"
CARD = r"(?:[SCHD][2-9TJQKA]|\?\?|--)"
TRAY = rf"[0-9]{{4}}[1-9]{CARD}{{4,9}}(?:M\??{TOTAL}-\??{TOTAL}){{1,4}}"
TABLE = f"(?:over|{TRAY}) -?[0-9]{{1,5}} (?:-|{TRAY}(?:,{TRAY})?)"
MOVE = Spelling(
    "total",
    TOTAL,
    "one's total in this hand after the move: 0 folds, else what the other has staked, or more, up to 100",
    "son total dans cette donne après le coup : 0 se couche, sinon ce que l’autre a misé, ou plus, jusqu’à 100",
)
POSITION = Spelling(
    "position",
    f"{TABLE} {TURN}",
    "the tray of this hand (rank, showdowns before it, step, two cards of each, the board, a group M for each betting round with "
    "both totals, ? before that of whoever must answer), the first player's gain, the last two hands, the turn to come",
    "la donne (rang, abattages avant elle, étape, deux cartes de chacun, le tableau, un groupe M par tour d’enchères avec les "
    "deux totaux, ? devant celui qui doit répondre), le gain du premier, les deux dernières donnes, le numéro du tour qui vient",
)
VIEW = Spelling(
    "view",
    f"{TABLE} (?:first|second|spectator|referee) {TURN}",
    "the same with ?? for a card that the reader may not know, and who is looking before the turn",
    "de même, avec ?? pour une carte que le lecteur ne doit pas connaître, et qui regarde avant le tour",
)


def grammar(game: AnyGame) -> Grammar:  # noqa: ARG001 - no option changes it
    """Return how its texts are spelt."""
    return Grammar((MOVE,), POSITION, VIEW)
