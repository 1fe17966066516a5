"""Puzzles: positions in which one move alone does it, proved by going through every move with the plain rules.

What "it" is a puzzle says (`Goal`), and nothing is claimed beyond it. Whoever goes through the moves again, by the rules and
nothing else, finds the same results.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from arbitre.games.analysis import Goal, Puzzle
from arbitre.games.game import AnyGame, Outcome
from arbitre.games.notation import AnyNotation

LEAST_MOVES = 3
"""Where there is less to choose from, there is no puzzle."""


class TooManyError(Exception):
    """There are more positions to go through than anybody would."""


def riddle(
    notation: AnyNotation, state: Any, results: Mapping[Any, int], goal: Goal = Goal.KEEP, within: int = 0
) -> Puzzle | None:
    """Return the puzzle of a position whose moves lead to these results; None where there is not one best move alone."""
    if len(results) < LEAST_MOVES:
        return None
    best = max(results.values())
    right = [move for move, result in results.items() if result == best]
    if len(right) != 1 or (goal is not Goal.KEEP and best < 1):
        return None
    listed = tuple((notation.write(move), result) for move, result in results.items())
    return Puzzle(notation.write_state(state), int(state.mover), notation.write(right[0]), listed, goal, within)


def counted(game: AnyGame, state: Any) -> int:
    """Return 1, 0 or -1 for the side to move with best play, counted out to the end: for the smallest games."""
    phase = game.phase(state)
    if isinstance(phase, Outcome):
        return int(2 * phase.scores[state.mover]) - 1
    best = -1
    for move in game.legal(game.view(state, state.mover)):
        then = game.play(state, {state.mover: move})
        found = counted(game, then)
        best = max(best, found if then.mover == state.mover else -found)
        if best == 1:
            break
    return best


class Soon:
    """Tells whether a side wins within so many moves of its own, whatever the other does: every line by the rules."""

    def __init__(self, game: AnyGame, most: int) -> None:
        self.game = game
        self.left = most
        """Positions that may still be looked at."""

    def results(self, state: Any, within: int) -> dict[Any, int]:
        """Return for each move whether it wins so soon; `TooManyError`."""
        return {move: int(self.wins_by(state, move, within)) for move in self._moves(state)}

    def wins_by(self, state: Any, move: Any, within: int) -> bool:
        """Tell whether a move wins within so many, itself the first."""
        self.left -= 1
        if self.left < 0:
            raise TooManyError
        seat, then = state.mover, self.game.play(state, {state.mover: move})
        phase = self.game.phase(then)
        if isinstance(phase, Outcome):
            return bool(phase.scores[seat] == 1)
        if within <= 1:
            return False
        replies = (self.game.play(then, {then.mover: reply}) for reply in self._moves(then))
        return all(self._wins(seat, after, within - 1) for after in replies)

    def _wins(self, seat: int, state: Any, within: int) -> bool:
        phase = self.game.phase(state)
        if isinstance(phase, Outcome):
            return bool(phase.scores[seat] == 1)
        return any(self.wins_by(state, move, within) for move in self._moves(state))

    def _moves(self, state: Any) -> Iterable[Any]:
        return self.game.legal(self.game.view(state, state.mover))
