"""How the texts of MasterMind are spelt, for programs (`arbitre.games.grammar`)."""

from arbitre.games.grammar import TURN, Grammar, Spelling
from arbitre.games.mastermind.rules import MasterMind


def grammar(game: MasterMind) -> Grammar:
    """Return how its texts are spelt, with so many pegs and colours."""
    code = f"[{game.palette}]{{{game.pegs}}}"
    board = f"(?:[0-9]{{2}}{code}){{0,{game.lines}}}"
    known, seen = f"(?:-|{code})", rf"(?:-|\?|{code})"
    move = Spelling(
        "code",
        code,
        f"a code of {game.pegs} letters out of {game.palette}: the secret in turn 1, a guess later",
        f"un code de {game.pegs} lettres parmi {game.palette} : le secret au tour 1, un essai ensuite",
    )
    position = Spelling(
        "position",
        rf"{known},{known} {board}\*\*\*{board} {TURN}",
        "both codes, - before they are chosen; the lines that the first player guessed, ***, those of the second, each "
        "two digits (well placed, misplaced) and its letters; the number of the turn to come",
        "les deux codes, - avant qu’ils soient choisis ; les lignes du premier joueur, ***, celles du second, chacune "
        "deux chiffres (bien placés, mal placés) et ses lettres ; le numéro du tour qui vient",
    )
    view = Spelling(
        "view",
        rf"{seen},{seen} {board}\*\*\*{board} {TURN}",
        "the same with ? for a code that the reader may not know",
        "de même, avec ? pour un code que le lecteur ne doit pas connaître",
    )
    return Grammar((move,), position, view)
