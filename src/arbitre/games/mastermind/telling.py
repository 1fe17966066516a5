"""MasterMind in words: the marks of a guess."""

from arbitre.games.game import Seat
from arbitre.games.mastermind.rules import View
from arbitre.games.telling import Deed, Telling
from arbitre.reasons import Reason


class MasterMindTelling(Telling):
    """Tells marks."""

    def goal(self) -> Reason:
        """Say what wins."""
        return Reason("Find the other's code in fewer guesses.")

    def move(self, text: str, seat: Seat, before: View, view: View, name: str) -> Deed | None:  # noqa: ARG002 - said of nobody
        """Tell how many pegs are right; of a code, that it is set."""
        lines = view.boards[seat]
        if len(lines) == len(before.boards[seat]):
            return Deed(Reason("the code is set"), instead=not text)
        last = lines[-1]
        marks = "●" * last.placed + "○" * last.misplaced
        if last.placed == len(last.guess):
            return Deed(Reason("%(marks)s the code is broken", marks=marks))
        if not marks:
            return Deed(Reason("no peg is right"))
        return Deed(
            Reason("%(marks)s %(placed)s well placed, %(misplaced)s elsewhere", marks=marks, placed=last.placed,
                   misplaced=last.misplaced)
        )  # fmt: skip
