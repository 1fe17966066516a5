"""The moves of a match, as one seat of an open game can tell them.

Engines of other programs are shown games: a first position and the moves since. The referee shows positions. Between two
questions to a seat lie its own move and one move of the other's, and where nothing is hidden the rules tell which: it is the
legal move that leads to what is seen.

A position that does not follow from the last one begins a new course: a tester shows positions in any order.
"""

from typing import Any

from arbitre.errors import MoveError
from arbitre.games.game import ALONE, AnyGame, Awaits, Seat
from arbitre.games.notation import AnyNotation, notation_of
from arbitre.games.player import Position


class Course:
    """A first state, the moves that were played from it, and the state that they lead to."""

    def __init__(self, game: AnyGame, start: str = "") -> None:
        self.game = game
        self.notation: AnyNotation = notation_of(game)
        self.first: Any = self.notation.read_state(start) if start else game.start()
        self.moves: list[Any] = []
        self.now: Any = self.first
        self.usual = self.first == game.start()
        """Whether the first state is the one that every program knows."""
        self._said: Any = None

    def follow(self, position: Position) -> bool:
        """Go on to the position that is seen; False where it does not follow, and a new course begins there."""
        if position.view == self.now:
            return True
        said, self._said = self._said, None
        if (said is not None and self._step(said) and position.view == self.now) or self._reach(position.view):
            return True
        self.first = self.now = position.view
        self.usual = self.first == self.game.start()
        self.moves = []
        return False

    def say(self, text: str) -> None:
        """Take down what the seat says now; whether it was accepted is seen at the next question."""
        try:
            self._said = self.notation.read(text, self.now)
            self.game.check(self.now, self._said)
        except MoveError:
            self._said = None

    def mover(self) -> Seat | None:
        """Return who is to move; None where the game is over."""
        phase = self.game.phase(self.now)
        return min(phase.seats) if isinstance(phase, Awaits) else None

    def _step(self, move: Any) -> bool:
        mover = self.mover()
        if mover is None or ALONE[mover] != getattr(self.game.phase(self.now), "seats", None):
            return False
        self.now = self.game.play(self.now, {mover: move})
        self.moves.append(move)
        return True

    def _reach(self, view: Any) -> bool:
        """Play the one move that leads to what is seen, if there is one."""
        mover = self.mover()
        if mover is None:
            return False
        for move in self.game.legal(self.now):
            after = self.game.play(self.now, {mover: move})
            if after == view:
                self.now = after
                self.moves.append(move)
                return True
        return False
