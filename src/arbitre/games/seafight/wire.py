"""Seafight on the wire: an engine sees its shots and never a fleet, an interface what its viewer may (spec: tournoyons, 4, 5)."""

from collections.abc import Iterator
from typing import Any

from arbitre.errors import InvalidMoveError, PositionError
from arbitre.games.game import FIRST, SECOND, Eye, Seat, other
from arbitre.games.notation import read_cells
from arbitre.games.screen import Method, Pair, TwoBoards
from arbitre.games.seafight import rules as seafight
from arbitre.games.wire import INIT, Earlier, EngineWire, Received
from arbitre.games.wires import Wire


class SeafightEngineWire(EngineWire):
    """An engine sees its own hundred shots; a move is the other's last shot with its result. Fleets are never told."""

    prepares = True

    def write(self, view: seafight.View, seat: Seat) -> str:
        """Return this seat's shots."""
        return view.shots[seat]

    def last(self, before: Any, view: seafight.View, seat: Seat) -> str | None:
        """Return the other's shot since the last ask, and what it did."""
        if before is None:
            return None
        pairs = zip(before.shots[other(seat)], view.shots[other(seat)], strict=True)
        fell = [cell for cell, (old, new) in enumerate(pairs) if old == "0" != new]
        return f"{seafight.spot(seafight.Cell(fell[0]))}{view.shots[other(seat)][fell[0]]}" if len(fell) == 1 else None

    def read(self, wire: Received, earlier: Earlier | None) -> seafight.Sight:
        """Return the own shots with the ships that they sank; the own fleet and the other's shots as they are remembered."""
        seat, none = wire.seat, seafight.Fleet(())
        if wire.turn == 1:
            return seafight.Sight(1, seat, None, (seafight.UNTRIED, seafight.UNTRIED), (none, none))
        mine = seafight.UNTRIED if wire.tray == INIT else read_cells(wire.tray, wire.tray, 100, "0123")
        fleet, theirs = self._remembered(seat, earlier)
        shot = wire.moves[other(seat)]
        if shot is not None:
            at = self._shot(shot)
            theirs = f"{theirs[:at]}{shot[2]}{theirs[at + 1 :]}"
        if fleet is not None:
            fleet, theirs = seafight.judged(fleet, theirs)
        lost, sunk = none if fleet is None else fleet.sunk, seafight.Fleet(tuple(sunk_ships(mine)))
        shots, losses = ((mine, theirs), (lost, sunk)) if seat == FIRST else ((theirs, mine), (sunk, lost))
        return seafight.Sight(wire.turn, seat, fleet, shots, losses)

    def _remembered(self, seat: Seat, earlier: Earlier | None) -> tuple[seafight.Fleet | None, str]:
        if earlier is None:
            return None, seafight.UNTRIED
        if earlier.view.turn > 1:
            return earlier.view.fleet, earlier.view.shots[other(seat)]
        try:
            fleet = self.notation.read(earlier.said, earlier.view)
        except InvalidMoveError:
            fleet = None
        return fleet if isinstance(fleet, seafight.Fleet) else None, seafight.UNTRIED

    def _shot(self, shot: str) -> int:
        cell = self.notation.read(shot[:2], None) if len(shot) == 3 and shot[2] in "123" else None
        if not isinstance(cell, int):
            raise PositionError(shot, "the other's last move is a cell and a result, like C53")
        return cell


def sunk_ships(marks: str) -> list[seafight.Ship]:
    """Return ships that cover exactly the cells marked 3, if there are such; where ships touch there may be several ways."""
    cells = frozenset(cell for cell, mark in enumerate(marks) if mark == "3")
    return next(_cover(cells, seafight.SIZES), [])


def _cover(cells: frozenset[int], sizes: tuple[int, ...]) -> Iterator[list[seafight.Ship]]:
    if not cells:
        yield []
        return
    first = min(cells)
    for size in sorted(set(sizes), reverse=True):
        for vertical in (False, True):
            ship = seafight.Ship(size, first % 10, first // 10, vertical, seafight.SUNK)
            if ship.fits and cells.issuperset(ship.cells):
                left = list(sizes)
                left.remove(size)
                yield from ([ship, *rest] for rest in _cover(cells.difference(ship.cells), tuple(left)))


LABELS = {
    "○": "water",
    "×": "hit",
    "××": "sunk",
    "dice": "place the fleet at random",
    "turn": "turn the ship",
    "ship": "ship of {size}",
    "■": "ship",
    "waters": "waters of {name}",
    "afloat": "ship of {size} from {from} to {to}",
}
"""What its interface calls pieces and buttons, by their signs; translated by the page that tells them."""


class SeafightScreenWire(TwoBoards):
    """Both players' hundred shots; a gain is a player's fleet, or the ships of it that everybody saw sink."""

    labels = LABELS

    def over(self, view: seafight.View) -> bool:
        """Tell by the shots, which everybody sees."""
        return any(shots.count("3") == seafight.HOLDS for shots in view.shots)

    def moves(self, before: seafight.View, view: seafight.View) -> Pair:
        """Return the one shot that is new, and what it did."""
        shots = {seat: self.tray.last(before, view, other(seat)) for seat in (FIRST, SECOND)}
        return shots[FIRST], shots[SECOND]

    def secret(self, view: seafight.View, seat: Seat) -> str | None:
        """Return the fleet: both to the referee and after the end, else one's own, and the sunk ships of the other."""
        if isinstance(view, seafight.Sea):
            return None if view.fleets is None else str(view.fleets[seat])
        fleet = view.fleet if seat == view.seat else view.sunk[seat]
        return None if fleet is None else str(fleet) or None

    def layout(self, eye: Eye) -> Method:
        """Return `Double` for two people or two engines; for a person against an engine which seat is his, whoever looks."""
        people = self.people or ({eye} if isinstance(eye, int) else set())
        if len(people) != 1:
            return "Double"
        return "Inverse" if FIRST in people else "Standard"


WIRE = Wire(SeafightEngineWire, SeafightScreenWire)
