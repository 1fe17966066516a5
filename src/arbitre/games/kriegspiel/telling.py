"""Kriegspiel in words: moves are told by the umpire, who speaks through the notation; here is what one plays for."""

from arbitre.games.telling import Telling
from arbitre.reasons import Reason


class KriegspielTelling(Telling):
    """Tells the goal."""

    def goal(self) -> Reason:
        """Say what wins."""
        return Reason("Mate a king that you do not see; the umpire says what may be said.")
