"""How the texts of Seafight are spelt, for programs (`arbitre.games.grammar`)."""

from arbitre.games.game import AnyGame
from arbitre.games.grammar import TURN, Grammar, Spelling
from arbitre.games.seafight.rules import COLUMNS, SIDE, SIZES


def _placed(size: int) -> str:
    """Return the pattern of an intact ship that lies within the waters."""
    last = SIDE - size
    return f"(?:H{size}[A-{COLUMNS[last]}][0-9]1|V{size}[A-J][0-{last}]1)"


SHIP = "[HV][2-5][A-J][0-9][123]"
FLEET = f"(?:{SHIP}){{{len(SIZES)}}}"
SHOTS = rf"[0-3]{{100}}\*\*\*[0-3]{{100}} {TURN}"
MOVES = (
    Spelling(
        "fleet",
        "".join(map(_placed, SIZES)),
        "in turn 1: five ships, each its direction (H lying, V upright), its size, the column and row of its leftmost or topmost "
        "cell, and 1; no two on one cell",
        "au tour 1 : cinq navires, chacun sa direction (H couché, V debout), sa taille, la colonne et la ligne de sa case de "
        "gauche ou du haut, et 1 ; jamais deux sur une case",
    ),
    Spelling(
        "shot",
        "[A-J][0-9]",
        "later: a cell not shot at yet, column A to J and row 0 to 9 from the top",
        "ensuite : une case sur laquelle on n’a pas tiré, colonne de A à J et ligne de 0 à 9 depuis le haut",
    ),
)
POSITION = Spelling(
    "position",
    f"(?:-|{FLEET}),(?:-|{FLEET}) {SHOTS}",
    "both fleets, - before they are placed; a hundred marks for the shots of the first player, ***, those of the second: 0 none, "
    "1 water, 2 hit, 3 sunk; the number of the turn to come",
    "les deux flottes, - avant qu’elles soient placées ; cent marques pour les tirs du premier joueur, ***, ceux du second : "
    "0 aucun, 1 à l’eau, 2 touché, 3 coulé ; le numéro du tour qui vient",
)
VIEW = Spelling(
    "view",
    rf"(?:-|{FLEET}|\?(?:{SHIP}){{0,5}}),(?:-|{FLEET}|\?(?:{SHIP}){{0,5}}) {SHOTS}",
    "the same, with ? and the sunk ships for a fleet that the reader may not see",
    "de même, avec ? et les navires coulés pour une flotte que le lecteur ne doit pas voir",
)


def grammar(game: AnyGame) -> Grammar:  # noqa: ARG001 - no option changes it
    """Return how its texts are spelt."""
    return Grammar(MOVES, POSITION, VIEW)
