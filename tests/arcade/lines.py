"""Dialogues of the arcade in short: both sides with keys made once, and words for what they say.

A word is the side, `J` or `A`, and what it says: `pkey`, `commit P`, `move C`, `show P`, `open`, `ok`, `referee`; `open!` opens
with a false exponent, `show X` may differ from what was committed, and `> TEXT` says a raw line. `left` hangs up.
"""

from gmpy2 import mpz

from arbitre.arcade.bout import Bout, News, hear, left
from arbitre.arcade.terms import Terms, encode
from arbitre.arcade.wire import Sign
from arbitre.crypto.elgamal import Key
from arbitre.crypto.groups import oakley
from arbitre.games.game import FIRST, SECOND, Seat

SIGNS = {"P": Sign.PIERRE, "F": Sign.FEUILLE, "C": Sign.CISEAUX}

KEYS = (Key(oakley(14), mpz(0xA1)), Key(oakley(14), mpz(0xB2)))

PROLOGUE = ["J pkey", "A pkey"]

Word = str


class Dialogue:
    """Says words to a bout and keeps what it answers."""

    def __init__(self, terms: Terms, scores: tuple[int, int] = (0, 0)) -> None:
        self.bout = Bout(terms, scores=scores)
        self.news: list[News] = []
        self.lines: list[tuple[Seat, str]] = []
        self._k = mpz(2)

    def say(self, *words: Word) -> "Dialogue":
        for word in words:
            who, _, rest = word.partition(" ")
            seat = FIRST if who == "J" else SECOND
            if rest == "left":
                self.bout, news = left(self.bout, seat)
            else:
                line = self._line(seat, rest)
                self.lines.append((seat, line))
                self.bout, news = hear(self.bout, seat, line)
            self.news += news
        return self

    def _line(self, seat: Seat, rest: str) -> str:
        verb, _, argument = rest.partition(" ")
        key = KEYS[seat]
        if verb == ">":
            return argument
        if verb == "pkey":
            return f"PKEY {key.h.digits(16)}"
        if verb == "commit":
            self._k += 1
            element = encode(self.bout.terms.encoding, key.group, SIGNS[argument])
            commitment, _ = key.commit(element, key.pair(self._k))
            return f"COMMIT {commitment.r.digits(16)} {commitment.c.digits(16)}"
        if verb in ("move", "show"):
            return f"MOVE {SIGNS[argument].name}"
        if verb in ("open", "open!"):
            return f"OPEN {(self._k + (verb == 'open!')).digits(16)}"
        return verb.upper()


def round_of(number: int, joueur: str, adversaire: str, last: str = "ok") -> list[Word]:
    """Return the words of one honest round."""
    (one, first), (two, second) = (("J", joueur), ("A", adversaire)) if number % 2 == 0 else (("A", adversaire), ("J", joueur))
    return [f"{one} commit {first}", f"{two} move {second}", f"{one} show {first}", f"{one} open", f"{two} {last}"]
