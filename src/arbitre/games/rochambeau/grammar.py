"""How the texts of Rochambeau are spelt, for programs (`arbitre.games.grammar`)."""

from arbitre.games.grammar import TURN, Grammar, Spelling, open_grammar
from arbitre.games.rochambeau.notation import NAMES
from arbitre.games.rochambeau.rules import Rochambeau


def grammar(game: Rochambeau) -> Grammar:
    """Return how its texts are spelt: signs have names where there are three or five."""
    names, others = NAMES.get(game.states, ()), game.players - 1
    sign = "|".join(names) or f"0|[1-9][0-9]{{0,{len(str(game.states - 1)) - 1}}}"
    hand = f"(?:{sign}|-)"
    move = Spelling(
        "sign",
        sign,
        ", ".join(names) or f"the number of a sign, 0 to {game.states - 1}",
        ", ".join(names) or f"le numéro d’un signe, de 0 à {game.states - 1}",
    )
    position = Spelling(
        "position",
        f"[0-9]{{1,5}}(?:,[0-9]{{1,5}}){{{others}}} [01]{{{game.players}}} (?:-|{hand}(?:,{hand}){{{others}}}) {TURN}",
        "points of the players, 1 for each who is inside and 0 for each who is out, the signs of the last round, "
        "the number of the turn to come",
        "les points des joueurs, 1 pour qui est dedans et 0 pour qui est dehors, les signes du dernier tour, "
        "le numéro du tour qui vient",
    )
    return open_grammar((move,), position)
