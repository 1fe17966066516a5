"""A finished match as the forms of other programs need it: what a game's writer, named in `Listing.exports`, is given."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from arbitre.values import value


@value
class Finished:
    """One match from its first position to its end."""

    names: tuple[str, ...]
    notes: Mapping[str, str]
    """Where and when it was played, as far as that was said: `event`, `date`, `round`."""
    start: Any
    said: tuple[tuple[str, Any], ...]
    """What the players said, each with the state after it; where a move was refused it is the state before."""
    scores: tuple[Fraction, ...] | None
    """None where nobody has won or drawn."""
    remark: str = ""
    """How it ended, where that was not by the rules."""

    def result(self, won: str, drawn: str, lost: str, none: str = "*") -> str:
        """Return the result in the words of a form, from the first player's side."""
        if self.scores is None:
            return none
        first, second = self.scores
        return won if first > second else lost if first < second else drawn
