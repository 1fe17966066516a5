"""How a match can stop, and what that means for the score.

`Outcome` is the rules' word, `Verdict` the referee's: it covers the rules' outcome and everything the rules know nothing about.
"""

from collections.abc import Collection, Mapping
from enum import StrEnum
from fractions import Fraction

from arbitre.errors import RecordError
from arbitre.games.game import Outcome
from arbitre.reasons import N_, Reason, plain, read_plain
from arbitre.records.event import canonical, read_object
from arbitre.values import value


class Termination(StrEnum):
    """Every way a match can stop."""

    RULES = "rules"
    """The game came to its end by its own rules."""
    RESIGNED = "resigned"
    """A player gave up."""
    OUT_OF_TIME = "out-of-time"
    """A player did not answer within the time limit."""
    ILLEGAL_MOVE = "illegal-move"
    """A player said more illegal moves than the terms allow."""
    PROTOCOL_ERROR = "protocol-error"
    """A player said something that the wire's protocol does not know."""
    DISCONNECTED = "disconnected"
    """A player crashed, hung up or never came."""
    REFUSED = "refused"
    """The external referee of the game refused a player's move."""
    AGREED = "agreed"
    """The players agreed to a draw."""
    ADJUDICATED = "adjudicated"
    """The terms end the match at this length, or by another mark agreed beforehand; or no record could hold more of it."""
    NOT_PLAYED = "not-played"
    """Somebody did not come to agree to the opening: there is no result, and nobody lost."""
    ABANDONED = "abandoned"
    """The referee's own house failed: there is no result, and the match may be played again."""
    REFEREE_FAILED = "referee-failed"
    """The external referee of the game failed: there is no result, and the match may be played again."""


SPOKEN: Mapping[str, str] = {
    Termination.OUT_OF_TIME: N_("out of time"),
    Termination.ILLEGAL_MOVE: N_("illegal move"),
    Termination.PROTOCOL_ERROR: N_("protocol error"),
    Termination.NOT_PLAYED: N_("not played"),
    Termination.REFEREE_FAILED: N_("the referee failed"),
}
"""What people read where the code is no word; the English catalogue says the same."""


def ending(how: Termination) -> Reason | Termination:
    """Return how a match stopped, as people are told it."""
    return Reason(SPOKEN[how]) if how in SPOKEN else how


@value
class Verdict:
    """The referee's last word; no scores where the match was abandoned or not played."""

    scores: tuple[Fraction, ...] | None
    termination: Termination
    reason: Reason
    tally: tuple[int, ...] = ()

    def text(self) -> str:
        """Return the verdict as canonical JSON."""
        scores = None if self.scores is None else [str(score) for score in self.scores]
        return canonical(
            {"reason": plain(self.reason), "scores": scores, "tally": list(self.tally), "termination": self.termination.value}
        )


def read_verdict(text: str) -> Verdict:
    """Return the verdict that `Verdict.text` wrote."""
    match read_object(text):
        case {"reason": dict(found), "scores": list() | None as scores, "tally": list(tally), "termination": str(termination)}:
            try:
                parts = None if scores is None else tuple(Fraction(str(score)) for score in scores)
                if (reason := read_plain(found)) is not None:
                    return Verdict(parts, Termination(termination), reason, tuple(int(n) for n in tally))
            except (ValueError, TypeError, ZeroDivisionError):
                pass
    raise RecordError("the verdict is not in form")


def by_rules(outcome: Outcome) -> Verdict:
    """Return the verdict that follows the rules' outcome."""
    return Verdict(outcome.scores, Termination(outcome.cause), outcome.reason, outcome.tally)


def forfeit(losers: Collection[int], seats: int, termination: Termination, reason: Reason) -> Verdict:
    """Return the verdict against `losers`: the others share the point; where all are at fault nobody gets anything."""
    rest = seats - len(losers)
    share = Fraction(1, rest) if rest else Fraction(0)
    return Verdict(tuple(Fraction(0) if seat in losers else share for seat in range(seats)), termination, reason)


def shared(seats: int, termination: Termination, reason: Reason) -> Verdict:
    """Return the verdict of a match that nobody wins: all share the point."""
    return Verdict((Fraction(1, seats),) * seats, termination, reason)
