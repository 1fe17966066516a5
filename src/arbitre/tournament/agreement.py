"""Games that end because both sides agree how they stand: `agree = "5/3"` in a plan.

Players say how they see it (`info score=…` on a pipe, what engines say in their own languages, `Bot.remark`), each for itself:
positive is good for who says it. Where one side says `score` or better, and the other `-score` or worse, in so many moves of each
in a row, the one that sees itself lost gives up, by the terms of the tournament and with a reason of its own. The scores stand
in the record, as notes before the moves, so anybody can see that it was so. A player that says no score plays on, and so does
one that signs its records: nobody speaks for it.
"""

import re
from fractions import Fraction

from arbitre.errors import TermsError, shorten
from arbitre.games.game import Seat, other
from arbitre.games.player import Position
from arbitre.reasons import Reason, declare
from arbitre.referee.behind import Behind
from arbitre.referee.player import Answer, Greeting, Player
from arbitre.referee.terms import Opening
from arbitre.values import value

declare(
    {
        "agreed-score": (
            "both sides agreed in %(moves)s moves that it is lost, at %(score)s",
            "les deux camps furent d’accord pendant %(moves)s coups que c’est perdu, à %(score)s",
        )
    }
)

SCORE = re.compile(r"(?<![^ ])score=([+-]?[0-9]{1,6}(?:\.[0-9]{1,6})?)(?![^ ])")
FORM = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,6})?)/([1-9][0-9]{0,2})")


@value
class ScoreTerms:
    """How clear a score must be, and for how many moves of each side."""

    score: Fraction
    moves: int

    def text(self) -> str:
        """Return the terms as a plan has them."""
        shown = str(self.score.numerator) if self.score.denominator == 1 else f"{float(self.score):g}"
        return f"{shown}/{self.moves}"


def read_agreement(text: str) -> ScoreTerms:
    """Return terms such as `5/3`; `TermsError`."""
    found = FORM.fullmatch(text)
    if found is None or not Fraction(found[1]):
        raise TermsError("write a score and a number of moves, such as 5/3, not %(text)r", text=shorten(text))
    return ScoreTerms(Fraction(found[1]), int(found[2]))


class Agreement:
    """What both sides of one match have said so far."""

    def __init__(self, terms: ScoreTerms) -> None:
        self.terms = terms
        self._better = [0, 0]
        self._worse = [0, 0]

    def hear(self, seat: Seat, note: str) -> None:
        """Take what was said with a move; of several scores the last counts."""
        found = SCORE.findall(note)
        score = Fraction(found[-1]) if found else Fraction(0)
        self._better[seat] = self._better[seat] + 1 if score >= self.terms.score else 0
        self._worse[seat] = self._worse[seat] + 1 if score <= -self.terms.score else 0

    def lost(self, seat: Seat) -> bool:
        """Tell whether both agree that this seat has lost."""
        return min(self._worse[seat], self._better[other(seat)]) >= self.terms.moves


class Agreeing(Behind):
    """A player who gives up where both sides agree that it has lost."""

    def __init__(self, inner: Player, agreement: Agreement) -> None:
        super().__init__(inner)
        self.agreement = agreement
        self._signs = False

    async def greet(self, opening: Opening, seat: Seat) -> Greeting:
        """Come to the table; who brings a key gives up by itself or not at all."""
        found = await self.inner.greet(opening, seat)
        self._signs = bool(found.key)
        return found

    async def ask(self, position: Position) -> Answer:
        """Ask, unless it is agreed already; and hear what is said about the move."""
        if not self._signs and self.agreement.lost(position.seat):
            terms = self.agreement.terms
            score, _, moves = terms.text().partition("/")
            return Answer("", resigns=True, why=Reason("agreed-score", score=score, moves=int(moves)))
        answer = await self.inner.ask(position)
        self.agreement.hear(position.seat, answer.note)
        return answer


def agreeing(players: list[Player], terms: ScoreTerms | None) -> list[Player]:
    """Return the players of a match with two sides, who give up as the terms say, where there are any."""
    if terms is None:
        return players
    agreement = Agreement(terms)
    return [Agreeing(one, agreement) for one in players]
