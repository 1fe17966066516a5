"""Rochambeau in words: the signs by their names, and who won the round."""

from collections.abc import Sequence

from arbitre.games.game import Seat
from arbitre.games.rochambeau.rules import Rochambeau, Standing
from arbitre.games.telling import Deed, Telling
from arbitre.reasons import Reason

SIGNS = {
    "rock": Reason("rock"),
    "paper": Reason("paper"),
    "scissors": Reason("scissors"),
    "lizard": Reason("lizard"),
    "spock": Reason("Spock"),
}


class RochambeauTelling(Telling):
    """Tells rounds."""

    game: Rochambeau
    unit = Reason("points")

    def goal(self) -> Reason:
        """Say what wins."""
        if self.game.goal:
            return Reason("The first to come to %(points)s.", points=self.game.goal)
        return Reason("To be the last who is left.")

    def move(self, text: str, seat: Seat, before: Standing, view: Standing, name: str) -> Deed | None:  # noqa: ARG002 - said of nobody
        """Name the sign."""
        return Deed(SIGNS[text.lower()], instead=True) if text.lower() in SIGNS else None

    def called(self, text: str, seat: Seat, before: Standing) -> Reason | None:  # noqa: ARG002 - it is called so by everybody
        """Name the sign."""
        return SIGNS.get(text.lower())

    def since(self, before: Standing, view: Standing, names: Sequence[str]) -> tuple[Reason, ...]:
        """Tell who won the round."""
        if view.played == before.played or len(view.points) != 2:
            return ()
        gained = [now - then for now, then in zip(view.points, before.points, strict=True)]
        if gained[0] == gained[1]:
            return (Reason("round %(round)s: nobody", round=view.played),)
        return (Reason("round %(round)s: %(name)s", round=view.played, name=names[gained.index(max(gained))]),)

    def scores(self, view: Standing) -> tuple[int, int] | None:
        """Count the points of a duel."""
        return (view.points[0], view.points[1]) if len(view.points) == 2 else None
