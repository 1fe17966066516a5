"""Seafight, small: both seas with what was fired at them, and the ships that its eye sees."""

from typing import Any

from arbitre.games.game import Seat, other
from arbitre.games.miniature import Miniature, crosses, dots, grid, picture, placed
from arbitre.games.seafight.rules import SIDE, Fleet, Sea, View


def draw(game: Any, view: View, before: View | None) -> str:  # noqa: ARG001 - every shot is there to be seen
    """Return the sea of the first player above at the left, the second's below at the right."""
    return picture(*(placed(at, 3.6, sea(view, Seat(seat))) for seat, at in enumerate((3, 41))))


def sea(view: View, seat: Seat) -> str:
    """Return the sea of one player: the ships of it that are seen, and the other's shots."""
    shots = view.shots[other(seat)]
    where = {mark: [(at % SIDE, at // SIDE) for at, found in enumerate(shots) if found == mark] for mark in "123"}
    ships = "".join(
        f"M{ship.column} {ship.row}{'v' if ship.vertical else 'h'}{ship.size - 1}" for ship in fleet(view, seat).ships
    )
    return "".join((
        f'<path class="sea" d="M-.5-.5h{SIDE}v{SIDE}h-{SIDE}z"/>',
        grid(SIDE, 0.09),
        f'<path class="ships" stroke-width=".8" d="{ships}"/>' if ships else "",
        dots(where["1"], "splash", 0.34),
        crosses(where["2"] + where["3"], "hit"),
    ))  # fmt: skip


def fleet(view: View, seat: Seat) -> Fleet:
    """Return the ships of one player that are seen: all of one's own, of the other's those that are sunk."""
    if isinstance(view, Sea):
        return Fleet(()) if view.fleets is None else view.fleets[seat]
    return view.fleet if view.seat == seat and view.fleet is not None else view.sunk[seat]


def tally(view: View) -> tuple[int, int]:
    """Return how many cells of ships each has hit."""
    hits = [len(shots) - sum(map(shots.count, "01")) for shots in view.shots]
    return hits[0], hits[1]


MINIATURE = Miniature(draw, tally)
