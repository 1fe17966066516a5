"""Whose fault the end of a match is: a player's, the referee's of an added game, our own house's, or nobody's.

Tables of faults, rankings, the owners of engines and the policy for fixtures (`arbitre.tournament.fixtures`) all ask here.
"""

from enum import Enum

from arbitre.reasons import Reason
from arbitre.referee.verdict import Termination, Verdict

FAULTS = (Termination.OUT_OF_TIME, Termination.ILLEGAL_MOVE, Termination.PROTOCOL_ERROR, Termination.DISCONNECTED)
"""The ways in which a game is lost by something else than play."""


class Fault(Enum):
    """Whose fault an end is."""

    NOBODY = "nobody"
    """It was played to its end, given up, or ended by its terms."""
    PLAYER = "player"
    """Somebody lost it by something else than play; whoever has no point did."""
    REFEREE = "referee"
    """The external referee of an added game failed: there is no result."""
    HOUSE = "house"
    """Our own house failed: there is no result."""


def whose_fault(verdict: Verdict) -> Fault:
    """Return whose fault it is that a match ended so; what an external referee refuses is a player's illegal move."""
    if verdict.scores is None:
        return Fault.REFEREE if verdict.termination is Termination.REFEREE_FAILED else Fault.HOUSE
    refused = verdict.termination is Termination.REFUSED
    return Fault.PLAYER if refused or verdict.termination in FAULTS else Fault.NOBODY


def failure(verdict: Verdict) -> Reason:
    """Return why a match came to nothing, with whoever failed where it was not our own house."""
    if whose_fault(verdict) is Fault.REFEREE:
        return Reason("the external referee: %(reason)s", reason=verdict.reason)
    return verdict.reason
