"""Proofs that a side wins by fours, for any game of five in a row, and their check by the plain rules.

A proof is a plan: a move, the answer to whatever the other side does (`else`), and a plan of its own for each reply that this
answer does not refute at once (`but`). To check it is to go through **every** legal reply by the rules of the game, and to find
the other side beaten. It is found by a narrow search of moves that threaten to win, in plain Python.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from arbitre.errors import AnalysisError, MoveError
from arbitre.games.game import AnyGame, Outcome, Seat
from arbitre.games.notation import AnyNotation
from arbitre.values import value

LARGEST = 400
"""Moves of a plan: a longer one is neither looked for nor read."""
DEEPEST = 20
WIDEST = 12
TRIED = 120
"""Positions that are looked at for a plan."""


@value
class Sight:
    """What a game knows of a position: where the side to move wins at once, and where the other side would."""

    wins: tuple[Any, ...]
    threats: tuple[Any, ...]


Look = Callable[[Any], Sight]
Moves = Callable[[Any], Iterator[Any]]
"""Lists moves that are worth a try, the hottest first."""


class Prover:
    """Looks for a plan."""

    def __init__(self, game: AnyGame, notation: AnyNotation, look: Look, hot: Moves) -> None:
        self.game, self.notation, self.look, self.hot = game, notation, look, hot
        self.tried = 0

    def plan(self, state: Any, depth: int = DEEPEST) -> dict[str, Any] | None:
        """Return how the side to move wins by fours; None where none is found."""
        sight = self.look(state)
        if sight.wins:
            return {"move": self.notation.write(sight.wins[0])}
        self.tried += 1
        if depth == 0 or self.tried > TRIED:
            return None
        for move in islice(self.hot(state), WIDEST):
            found = self._after(state, move, depth)
            if found is not None:
                return found
        return None

    def _after(self, state: Any, move: Any, depth: int) -> dict[str, Any] | None:
        """Return the plan that begins with a move, if the move threatens to win and every reply to that is refuted."""
        seat: Seat = state.mover
        after = self.game.play(state, {seat: move})
        sight = self.look(after)
        if isinstance(self.game.phase(after), Outcome) or sight.wins or not sight.threats:
            return None
        answer = sight.threats[0]
        but: list[list[Any]] = []
        for reply in self.game.legal(after):
            if wins(self.game, after, reply, answer, seat):
                continue
            then = self.plan(self.game.play(after, {after.mover: reply}), depth - 1)
            if then is None:
                return None
            but.append([self.notation.write(reply), then])
        return {"but": but, "else": self.notation.write(answer), "move": self.notation.write(move)}


def wins(game: AnyGame, state: Any, reply: Any, answer: Any, seat: Seat) -> bool:
    """Tell whether a seat wins at once by an answer to a reply, by the rules."""
    after = game.play(state, {state.mover: reply})
    if reply == answer or isinstance(game.phase(after), Outcome):
        return False
    if answer not in game.legal(after):
        return False
    return won(game, game.play(after, {seat: answer}), seat)


def won(game: AnyGame, state: Any, seat: Seat) -> bool:
    """Tell whether the rules say that a seat has won."""
    phase = game.phase(state)
    return isinstance(phase, Outcome) and phase.scores[seat] == 1


def check_plan(game: AnyGame, notation: AnyNotation, state: Any, plan: Any) -> None:
    """Refuse a plan after which the side to move has not won against every defence; `AnalysisError`."""
    _Check(game, notation).plan(state, plan, 0)


class _Check:
    """Goes through a plan and every reply to it."""

    def __init__(self, game: AnyGame, notation: AnyNotation) -> None:
        self.game, self.notation, self.moves = game, notation, 0

    def plan(self, state: Any, plan: Any, depth: int) -> None:
        """Play the plan's move, and see that every reply is refuted."""
        self.moves += 1
        if self.moves > LARGEST or depth > DEEPEST:
            raise AnalysisError("a plan of more than %(most)s moves is not read", most=LARGEST)
        if not isinstance(plan, dict) or not set(plan) <= {"move", "else", "but"}:
            raise AnalysisError("a certificate is not in form")
        seat: Seat = state.mover
        after = self.game.play(state, {seat: self._read(state, plan.get("move"))})
        if won(self.game, after, seat):
            return
        if isinstance(self.game.phase(after), Outcome):
            raise AnalysisError("the plan ends the game without winning it")
        answer = self._read(after, plan.get("else"))
        but = self._replies(after, plan.get("but"))
        for reply in self.game.legal(after):
            if reply in but:
                self.plan(self.game.play(after, {after.mover: reply}), but[reply], depth + 1)
            elif not wins(self.game, after, reply, answer, seat):
                raise AnalysisError("the plan has no answer to %(reply)s", reply=self.notation.write(reply))

    def _replies(self, state: Any, given: Any) -> dict[Any, Any]:
        match given:
            case list() if all(isinstance(one, list) and len(one) == 2 for one in given):
                return {self._read(state, text): plan for text, plan in given}
            case _:
                raise AnalysisError("a certificate is not in form")

    def _read(self, state: Any, text: Any) -> Any:
        """Return the move that a text says, as the rules allow it to the side to move, or for an answer to the other side."""
        if not isinstance(text, str) or len(text) > 20:
            raise AnalysisError("a certificate is not in form")
        try:
            move = self.notation.read(text, state)
            self.game.check(state, move)
        except MoveError as error:
            raise AnalysisError("the plan says %(move)r: %(why)s", move=text, why=error) from None
        return move
