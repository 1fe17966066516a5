"""Puzzles of five in a row: one move alone wins by fours, each a threat to win at once, in at most so many moves.

All fours are gone through, and all replies to each, by the rules of the game. A move that threatens nothing may win too, some
other way; the puzzle says nothing of that.
"""

from collections.abc import Iterator
from typing import Any

from arbitre.games.analysis import Goal, Puzzle
from arbitre.games.five.certificates import Look, Sight, wins
from arbitre.games.game import AnyGame, Outcome
from arbitre.games.notation import AnyNotation
from arbitre.games.riddles import TooManyError, riddle

FOURS = 3
"""So many fours at most, and then five."""
MOST = 60
"""Positions whose fours are listed for one puzzle."""


class Fours:
    """Goes through all victories by fours."""

    def __init__(self, game: AnyGame, look: Look) -> None:
        self.game, self.look, self.left = game, look, MOST

    def puzzle(self, notation: AnyNotation, state: Any) -> Puzzle | None:
        """Return the puzzle that a position is, where nobody wins at once; None where it is none, or takes too long to prove."""
        sight = self.look(state)
        if sight.wins or sight.threats:
            return None
        try:
            results = {move: int(self._forces(after, seen, FOURS - 1)) for move, after, seen in self.fours(state)}
        except TooManyError:
            return None
        return riddle(notation, state, results, Goal.FOURS, FOURS + 1)

    def fours(self, state: Any) -> Iterator[tuple[Any, Any, Sight]]:
        """List the moves after which the side that made them threatens to win at once, and the other side does not win first."""
        self.left -= 1
        if self.left < 0:
            raise TooManyError
        for move in self.game.legal(self.game.view(state, state.mover)):
            after = self.game.play(state, {state.mover: move})
            if isinstance(self.game.phase(after), Outcome):
                continue
            sight = self.look(after)
            if sight.threats and not sight.wins:
                yield move, after, sight

    def _forces(self, after: Any, sight: Sight, fours: int) -> bool:
        """Tell whether every reply to a four loses, with so many fours more at most."""
        seat = self.game.play(after, {after.mover: sight.threats[0]}).mover
        for reply in self.game.legal(self.game.view(after, after.mover)):
            if any(wins(self.game, after, reply, threat, seat) for threat in sight.threats):
                continue
            then = self.game.play(after, {after.mover: reply})
            if isinstance(self.game.phase(then), Outcome) or not self._wins(then, fours):
                return False
        return True

    def _wins(self, state: Any, fours: int) -> bool:
        if self.look(state).wins:
            return True
        return fours > 0 and any(self._forces(after, seen, fours - 1) for _, after, seen in self.fours(state))
