"""Seafight: two hidden fleets fire at each other (spec: tournoyons, sections 3 and 4).

Both fleets are placed at once, in turn 1, and stay secret. Then the players shoot in turn, one shot each whatever it hits,
the first in turns 3, 5, 7 …, the second in turns 4, 6, 8 …; the first to sink the whole of the other fleet wins. Shots and
their results are announced to everybody, and so are the ships that are sunk; the rest is opened at the end.
"""

from collections.abc import Iterator, Mapping
from random import Random
from typing import NewType, TypeAlias

from arbitre.errors import IllegalMoveError, OpenSetError
from arbitre.games.game import ALONE, FIRST, SECOND, Awaits, Eye, Game, Outcome, Phase, Seat, first, other, require, won
from arbitre.reasons import Reason, declare
from arbitre.values import value

Cell = NewType("Cell", int)
"""A cell, 0 to 99, row by row from the top left; also the shot at it."""

SIDE = 10
COLUMNS = "ABCDEFGHIJ"
SIZES = (5, 4, 3, 3, 2)
HOLDS = sum(SIZES)

INTACT, HIT, SUNK = 1, 2, 3
"""How a ship fares. As characters, the marks of a shot: `1` into the water, `2` a hit, `3` on every cell of a sunk ship."""

UNTRIED = "0" * SIDE * SIDE

BOTH = frozenset({FIRST, SECOND})


def spot(cell: Cell) -> str:
    """Name a cell: the letter of its column, the digit of its row."""
    return f"{COLUMNS[cell % SIDE]}{cell // SIDE}"


REASONS = declare(
    {
        "fleet-sunk": ("the whole fleet is sunk", "toute la flotte est coulée"),
        "shot-due": ("the fleets are placed, a shot is due", "les flottes sont placées, un tir est attendu"),
        "fleet-due": ("a fleet is due before the first shot", "une flotte est attendue avant le premier tir"),
        "shot-before": ("%(cell)s was shot at before", "on a déjà tiré en %(cell)s"),
        "wrong-ships": (
            "a fleet is ships of %(sizes)s cells, not of %(given)s",
            "une flotte est faite de navires de %(sizes)s cases, et non de %(given)s",
        ),
        "not-intact": (
            "%(ship)s is not intact, its last digit must be 1",
            "%(ship)s n’est pas intact, son dernier chiffre doit être 1",
        ),
        "off-board": ("%(ship)s reaches off the board", "%(ship)s dépasse du plateau"),
        "both-on": ("%(other)s and %(ship)s are both on %(cell)s", "%(other)s et %(ship)s sont tous deux en %(cell)s"),
        "not-plain": (
            "cells and ships are written with plain letters and digits",
            "les cases et les navires s’écrivent avec des lettres et des chiffres simples",
        ),
        "no-shot": (
            "a shot is a cell from A0 to J9, the letter of its column and the digit of its row",
            "un tir est une case de A0 à J9, la lettre de sa colonne et le chiffre de sa ligne",
        ),
        "no-shot-or-fleet": (
            "a shot is two characters like C5, a fleet five for each ship like V3C51",
            "un tir s’écrit en deux caractères comme C5, une flotte en cinq par navire comme V3C51",
        ),
        "no-ship": ("%(mark)r in %(ship)r is none of %(allowed)s", "%(mark)r dans %(ship)r n’est aucun de %(allowed)s"),
    }
)


@value
class Ship:
    """A ship from its leftmost or topmost cell on; its text is the wire's, `V3C51` a vertical one of 3 on C5, intact."""

    size: int
    column: int
    row: int
    vertical: bool
    state: int = INTACT

    def __str__(self) -> str:
        column = COLUMNS[self.column] if 0 <= self.column < SIDE else "?"
        return f"{'V' if self.vertical else 'H'}{self.size}{column}{self.row}{self.state}"

    @property
    def fits(self) -> bool:
        """Whether every cell of it is on the board."""
        reach = self.size - 1
        across, down = (0, reach) if self.vertical else (reach, 0)
        return 0 <= self.column < SIDE - across and 0 <= self.row < SIDE - down

    @property
    def cells(self) -> range:
        """The numbers of its cells."""
        step = SIDE if self.vertical else 1
        start = self.row * SIDE + self.column
        return range(start, start + self.size * step, step)


@value
class Fleet:
    """Ships in their one order, the large first and then row by row: the order of placing them tells nothing."""

    ships: tuple[Ship, ...]

    def __post_init__(self) -> None:
        ordered = sorted(self.ships, key=lambda ship: (-ship.size, ship.row, ship.column, ship.vertical, ship.state))
        object.__setattr__(self, "ships", tuple(ordered))

    def __str__(self) -> str:
        return "".join(map(str, self.ships))

    @property
    def sunk(self) -> "Fleet":
        """The ships that are sunk."""
        return Fleet(tuple(ship for ship in self.ships if ship.state == SUNK))


Shots: TypeAlias = tuple[str, str]
"""The shots of the first player at the second's waters and those of the second: a hundred marks each, `0` where none fell."""


@value
class Sea:
    """The whole truth: both fleets, once they are placed, and both players' shots."""

    fleets: tuple[Fleet, Fleet] | None = None
    shots: Shots = (UNTRIED, UNTRIED)

    @property
    def turn(self) -> int:
        """The number of the turn to come: 1 for the fleets, then 3 and on for the shots."""
        return 1 if self.fleets is None else 203 - self.shots[0].count("0") - self.shots[1].count("0")


@value
class Sight:
    """What a player or a spectator knows before the end: his own fleet, if he has one, all shots, all sunk ships."""

    turn: int
    seat: Seat | None
    """Who looks; None for a spectator."""
    fleet: Fleet | None
    shots: Shots
    sunk: tuple[Fleet, Fleet]
    """What each has lost."""


View: TypeAlias = Sea | Sight
"""The referee, and everybody after the end, sees the sea; before that the others have a sight of it."""

BERTHS = {
    size: tuple(
        (ship, sum(1 << cell for cell in ship.cells))
        for ship in (
            Ship(size, column, row, vertical) for row in range(SIDE) for column in range(SIDE) for vertical in (False, True)
        )
        if ship.fits
    )
    for size in set(SIZES)
}
"""Every place of a ship of each size, with its cells as a bit mask."""


def judged(fleet: Fleet, shots: str) -> tuple[Fleet, str]:
    """Return the fleet with its damages and the marks of shots at every cell of `shots` that is not `0`."""
    marks = ["0" if mark == "0" else "1" for mark in shots]
    ships = []
    for ship in fleet.ships:
        struck = [cell for cell in ship.cells if marks[cell] != "0"]
        state = SUNK if len(struck) == ship.size else HIT if struck else INTACT
        ships.append(Ship(ship.size, ship.column, ship.row, ship.vertical, state))
        for cell in struck:
            marks[cell] = str(state)
    return Fleet(tuple(ships)), "".join(marks)


@value
class Seafight(Game[Sea, Fleet | Cell, View]):
    """Two hidden fleets fire at each other."""

    name = "seafight"
    hides = True

    def start(self) -> Sea:
        """Return the empty sea."""
        return Sea()

    def phase(self, state: Sea) -> Phase:
        """Ask both for a fleet, then each in turn for a shot, until a fleet is sunk."""
        if state.fleets is None:
            return Awaits(BOTH, 1)
        turn = state.turn
        return self.end(state.shots) or Awaits(ALONE[(turn - 1) % 2], turn)

    def end(self, shots: Shots) -> Outcome | None:
        """Tell who won, if somebody did."""
        one, two = (board.count("3") == HOLDS for board in shots)
        if not (one or two):
            return None
        return won(FIRST if one else SECOND, "fleet-sunk")

    def view(self, state: Sea, eye: Eye) -> View:
        """Show all to the referee and after the end; before it, no ship afloat but one's own."""
        if eye == "referee" or self.end(state.shots):
            return state
        seat = None if eye == "spectator" else eye
        if state.fleets is None:
            return Sight(1, seat, None, state.shots, (Fleet(()), Fleet(())))
        own = None if seat is None else state.fleets[seat]
        return Sight(state.turn, seat, own, state.shots, (state.fleets[0].sunk, state.fleets[1].sunk))

    def asked(self, view: View) -> Seat | Reason:
        """Return the seat of the one who looks, or why he may not move now."""
        if isinstance(view, Sea):
            return Reason("game-over" if self.end(view.shots) else "only-players")
        if view.seat is None:
            return Reason("only-players")
        return view.seat if view.turn == 1 or (view.turn - 1) % 2 == view.seat else Reason("not-your-turn")

    def legal(self, view: View) -> Iterator[Fleet | Cell]:
        """List the cells that the player has not shot at; fleets are too many to list."""
        seat = self.asked(view)
        if isinstance(seat, Reason):
            return iter(())
        if view.turn == 1:
            raise OpenSetError("seafight: the fleets are too many to list; sample one, or check yours")
        return (Cell(cell) for cell, mark in enumerate(view.shots[seat]) if mark == "0")

    def check(self, view: View, move: Fleet | Cell) -> None:
        """Refuse a wrong fleet, a cell that does not exist or was shot at, and anything out of turn."""
        seat = self.asked(view)
        if isinstance(seat, Reason):
            raise IllegalMoveError(move, seat)
        if isinstance(move, Fleet):
            require(view.turn == 1, move, "shot-due")
            check_fleet(move)
            return
        require(0 <= move < SIDE * SIDE, move, "no-cell", first="A0", last="J9")
        require(view.turn > 1, spot(move), "fleet-due")
        require(view.shots[seat][move] == "0", spot(move), "shot-before", cell=spot(move))

    def sample(self, view: View, random: Random) -> Fleet | Cell:
        """Choose any fleet, each as likely as another, or any cell that was not tried."""
        if not isinstance(view, Sight) or view.turn > 1:
            return random.choice(list(self.legal(view)))
        while True:
            taken = 0
            ships = []
            for size in SIZES:
                ship, cells = random.choice(BERTHS[size])
                if taken & cells:
                    # The whole fleet is thrown away: mending it would favour some fleets over others.
                    break
                taken |= cells
                ships.append(ship)
            else:
                return Fleet(tuple(ships))

    def play(self, state: Sea, moves: Mapping[Seat, Fleet | Cell]) -> Sea:
        """Put both fleets to sea, or let the shot fall."""
        if state.fleets is None:
            placed = {seat: move for seat, move in moves.items() if isinstance(move, Fleet)}
            return Sea((placed[FIRST], placed[SECOND]), state.shots)
        seat = Seat((state.turn - 1) % 2)
        shot = moves[seat]
        if isinstance(shot, Fleet):
            raise IllegalMoveError(shot, "shot-due")
        target, marks = _fallen(state.fleets[other(seat)], state.shots[seat], shot)
        if seat == FIRST:
            return Sea((state.fleets[0], target), (marks, state.shots[1]))
        return Sea((target, state.fleets[1]), (state.shots[0], marks))

    def secret(self, state: Sea, seat: Seat) -> bool:  # noqa: ARG002 - both place at once
        """Tell that the fleets are secret; shots are not."""
        return state.fleets is None


def check_fleet(fleet: Fleet) -> None:
    """Refuse a fleet of the wrong ships, damaged, off the board or on top of each other; `IllegalMoveError`."""
    sizes = tuple(ship.size for ship in fleet.ships)
    require(sizes == SIZES, fleet, "wrong-ships", sizes=_list(SIZES), given=_list(sizes))
    taken: dict[int, Ship] = {}
    for ship in fleet.ships:
        require(ship.state == INTACT, fleet, "not-intact", ship=ship)
        require(ship.fits, fleet, "off-board", ship=ship)
        for cell in ship.cells:
            if cell in taken:
                raise IllegalMoveError(fleet, "both-on", other=taken[cell], ship=ship, cell=spot(Cell(cell)))
            taken[cell] = ship


def _list(sizes: tuple[int, ...]) -> str:
    return ", ".join(map(str, sizes)) or "none"


def _fallen(fleet: Fleet, shots: str, cell: Cell) -> tuple[Fleet, str]:
    """Return the fleet and the marks after one more shot: what `judged` says, by looking at one ship only."""
    ship = first(one for one in fleet.ships if cell in one.cells)
    if ship is None:
        return fleet, f"{shots[:cell]}1{shots[cell + 1 :]}"
    marks = f"{shots[:cell]}2{shots[cell + 1 :]}"
    state = HIT
    if all(marks[part] != "0" for part in ship.cells):
        state = SUNK
        listed = list(marks)
        for part in ship.cells:
            listed[part] = "3"
        marks = "".join(listed)
    struck = Ship(ship.size, ship.column, ship.row, ship.vertical, state)
    return Fleet(tuple(struck if one is ship else one for one in fleet.ships)), marks
