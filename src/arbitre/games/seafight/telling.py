"""Seafight in words: water, hit, sunk."""

from arbitre.games.game import Seat, other
from arbitre.games.seafight.rules import COLUMNS, SIDE, Sea, Shots, View, judged
from arbitre.games.telling import Deed, Telling
from arbitre.reasons import Reason


class SeafightTelling(Telling):
    """Tells where shots fell."""

    unit = Reason("ships sunk")

    def goal(self) -> Reason:
        """Say what wins."""
        return Reason("Sink the whole of the other fleet first.")

    def move(self, text: str, seat: Seat, before: View, view: View, name: str) -> Deed | None:  # noqa: ARG002 - said of nobody
        """Tell what a shot struck; of a fleet, that it is placed."""
        if len(text) != 2 or text[0].upper() not in COLUMNS or not text[1].isdigit():
            return Deed(Reason("the fleet is placed"), instead=True)
        cell = COLUMNS.index(text[0].upper()) + SIDE * int(text[1])
        mark = _shots(view)[seat][cell]
        if mark == "3":
            lost, had = _sunk(view, other(seat)), _sunk(before, other(seat))
            size = sum(lost) - sum(had)
            return Deed(Reason("sunk, a ship of %(size)s", size=size))
        return Deed(Reason("hit") if mark == "2" else Reason("water"))

    def scores(self, view: View) -> tuple[int, int] | None:
        """Count the ships that each has sunk."""
        return None if view.turn == 1 else (len(_sunk(view, Seat(1))), len(_sunk(view, Seat(0))))


def _shots(view: View) -> Shots:
    return view.shots


def _sunk(view: View, seat: Seat) -> list[int]:
    """Return the sizes of the ships that a player has lost."""
    if not isinstance(view, Sea):
        return [ship.size for ship in view.sunk[seat].ships]
    if view.fleets is None:
        return []
    return [ship.size for ship in judged(view.fleets[seat], view.shots[other(seat)])[0].sunk.ships]
