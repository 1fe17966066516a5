"""Seafight in text: a shot is a cell `C5`, a ship five characters `V3C51`, a fleet its ships run together.

A ship is its direction (`V` or `H`), its size, the column and the row of its leftmost or topmost cell, and how it fares (1
intact, 2 hit, 3 sunk). A sea is both fleets, both players' shots, a hundred marks each with `***` between them, and the turn.
Fleets that are not placed yet are `-`; of a fleet that the eye may not see, `?` stands before the ships that are sunk.
"""

from collections import Counter

from arbitre.errors import IllegalMoveError, InvalidMoveError, PositionError
from arbitre.games.game import FIRST, SECOND
from arbitre.games.notation import Notation, either, read_cells, split_turn
from arbitre.games.picture import beside, field
from arbitre.games.seafight.rules import (
    COLUMNS,
    HOLDS,
    SIDE,
    SIZES,
    SUNK,
    Cell,
    Fleet,
    Sea,
    Seafight,
    Ship,
    Shots,
    Sight,
    View,
    check_fleet,
    judged,
    spot,
)
from arbitre.reasons import Reason

BETWEEN = "***"
LONGEST = 100
"""No fleet is worth reading that has more characters; one of a few ships too many is read and then judged."""


class SeafightNotation(Notation[Sea, Fleet | Cell, View]):
    """Texts of Seafight."""

    game: Seafight

    def read(self, text: str, view: View) -> Fleet | Cell:  # noqa: ARG002 - length alone tells a shot from a fleet
        """Read a cell or the ships of a fleet, in any order."""
        word = text.strip(" ")
        if not word.isascii():
            raise InvalidMoveError(text, "not-plain")
        if len(word) == 2:
            column, row = COLUMNS.find(word[0].upper()), "0123456789".find(word[1])
            if column < 0 or row < 0:
                raise InvalidMoveError(text, "no-shot")
            return Cell(row * SIDE + column)
        if not word or len(word) % 5 or len(word) > LONGEST:
            raise InvalidMoveError(text, "no-shot-or-fleet")
        ships = []
        for at in range(0, len(word), 5):
            ship = _ship(word[at : at + 5])
            if isinstance(ship, Reason):
                raise InvalidMoveError(text, ship)
            ships.append(ship)
        return Fleet(tuple(ships))

    def write(self, move: Fleet | Cell) -> str:
        """Write the cell, or the ships in the order of their sizes."""
        return str(move) if isinstance(move, Fleet) else spot(move)

    def read_state(self, text: str) -> Sea:
        """Read fleets, shots and perhaps the turn; shots and damages must fit each other."""
        view = self.read_view(text)
        if isinstance(view, Sight):
            raise PositionError(text, "a sea needs both fleets, and '?' hides one")
        return view

    def write_state(self, state: Sea) -> str:
        """Write fleets, shots and the turn."""
        first, second = ("-", "-") if state.fleets is None else map(str, state.fleets)
        return f"{first},{second} {BETWEEN.join(state.shots)} {state.turn}"

    def read_view(self, text: str) -> View:
        """Read a sea, or a sight of one, where `?` hides the ships afloat."""
        (harbour, tray), turn = split_turn(text, 2)
        words = harbour.split(",", 2)
        if len(words) != 2:
            raise PositionError(text, "the first field is both fleets with a comma between them")
        shots = _shots(text, tray)
        one, two = (_fleet(text, word, marks) for word, marks in zip(words, reversed(shots), strict=True))
        turn = _turn(text, words, shots, turn)
        hidden = [word.startswith("?") for word in words]
        if not any(hidden):
            return Sea(None if one is None or two is None else (one, two), shots)
        if self.game.end(shots):
            raise PositionError(text, "the game is over, and '?' hides a fleet that is open now")
        seat = None if all(hidden) else SECOND if hidden[0] else FIRST
        none = Fleet(())
        return Sight(turn, seat, None if seat is None else (one, two)[seat], shots, ((one or none).sunk, (two or none).sunk))

    def write_view(self, view: View) -> str:
        """Write the sea, with `?` and the sunk ships for a fleet that the eye may not see."""
        if isinstance(view, Sea):
            return self.write_state(view)
        own = "-" if view.fleet is None else str(view.fleet)
        first, second = (own if seat == view.seat else f"?{view.sunk[seat]}" for seat in (FIRST, SECOND))
        return f"{first},{second} {BETWEEN.join(view.shots)} {view.turn}"

    def picture(self, view: View) -> str:
        """Draw both players' waters: ■ a ship, x a hit, # a sunk ship, o a shot into the water."""
        known: list[Fleet | None] = [None, None]
        if isinstance(view, Sea):
            known = [None, None] if view.fleets is None else [*view.fleets]
            lost = [fleet.sunk for fleet in known if fleet is not None] or [Fleet(()), Fleet(())]
        else:
            lost = [*view.sunk]
            if view.seat is not None:
                known[view.seat] = view.fleet
        first = _waters("first", known[0], view.shots[1], lost[0])
        return beside(first, _waters("second", known[1], view.shots[0], lost[1]), gap=6)


def _waters(name: str, fleet: Fleet | None, marks: str, lost: Fleet) -> str:
    """Draw one player's waters, and under them what he has left."""
    ships = {cell for ship in fleet.ships for cell in ship.cells} if fleet else set()
    cells = [
        ("■" if cell in ships else "·") if mark == "0" else "o" if mark == "1" else "x#"[mark == "3"]
        for cell, mark in enumerate(marks)
    ]
    board = field([cells[row : row + SIDE] for row in range(0, SIDE * SIDE, SIDE)], COLUMNS, "0123456789")
    left = Counter(SIZES) - Counter(ship.size for ship in lost.ships)
    return f"    waters of the {name}\n{board}\n    afloat: {' '.join(map(str, sorted(left.elements(), reverse=True))) or 'none'}"


def _ship(word: str) -> Ship | Reason:
    """Return the ship that five characters spell in either case, or what is wrong with them."""
    letters = word.upper() if word.isascii() else word
    for at, allowed in enumerate(("VH", "2345", COLUMNS, "0123456789", "123")):
        if letters[at] not in allowed:
            return Reason("no-ship", mark=word[at], ship=word, allowed=allowed)
    return Ship(int(word[1]), COLUMNS.index(letters[2]), int(word[3]), letters[0] == "V", int(word[4]))


def _fleet(text: str, word: str, marks: str) -> Fleet | None:
    """Read a fleet of a position, or the sunk ships of a hidden one, under the shots that were marked for it."""
    if word == "-":
        return None
    ships = word.removeprefix("?")
    if len(ships) % 5 or len(ships) > 5 * len(SIZES):
        raise PositionError(text, "a fleet is %(sizes)s ships of five characters, or - or ? and the sunk ones", sizes=len(SIZES))
    read = []
    for at in range(0, len(ships), 5):
        ship = _ship(ships[at : at + 5])
        if isinstance(ship, Reason):
            raise PositionError(text, ship)
        read.append(ship)
    fleet = Fleet(tuple(read))
    if word.startswith("?"):
        _believe_sunk(text, fleet, marks)
    else:
        _believe_fleet(text, fleet, marks)
    return fleet


def _shots(text: str, tray: str) -> Shots:
    """Read both players' shots, made in turn."""
    words = tray.split(BETWEEN, 2)
    if len(words) != 2:
        raise PositionError(text, "the second field is both players' shots with %(between)s between them", between=BETWEEN)
    one, two = (read_cells(text, word, SIDE * SIDE, "0123") for word in words)
    if two.count("0") - one.count("0") not in (0, 1):
        raise PositionError(text, "the first player has shot as often as the second, or once more")
    earlier = one if one.count("0") == two.count("0") else two
    if earlier.count("3") == HOLDS:
        raise PositionError(text, "a fleet is sunk, and its owner shot afterwards")
    return one, two


def _believe_fleet(text: str, fleet: Fleet, marks: str) -> None:
    """Refuse a fleet that may not be placed, and shots or damages that it belies."""
    try:
        check_fleet(Fleet(tuple(Ship(ship.size, ship.column, ship.row, ship.vertical) for ship in fleet.ships)))
    except IllegalMoveError as error:
        raise PositionError(text, error.why) from None
    damaged, true = judged(fleet, marks)
    for cell, (given, due) in enumerate(zip(marks, true, strict=True)):
        if given != due:
            raise PositionError(
                text,
                "with these ships the shot at %(cell)s is marked %(due)s, not %(given)s",
                cell=spot(Cell(cell)),
                due=due,
                given=given,
            )
    for ship, due_ship in zip(fleet.ships, damaged.ships, strict=True):
        if ship != due_ship:
            raise PositionError(text, "after these shots %(ship)s is %(due_ship)s", ship=ship, due_ship=due_ship)


def _believe_sunk(text: str, sunk: Fleet, marks: str) -> None:
    """Refuse sunk ships that are not those of the marks, and hits for which no ships are left."""
    cells: list[int] = []
    for ship in sunk.ships:
        if ship.state != SUNK or not ship.fits:
            raise PositionError(text, "of a hidden fleet only sunk ships on the board are seen, not %(ship)s", ship=ship)
        cells += ship.cells
    left = Counter(SIZES)
    left.subtract(ship.size for ship in sunk.ships)
    if min(left.values()) < 0:
        raise PositionError(text, "more ships of one size are sunk than there are")
    if sorted(cells) != [cell for cell, mark in enumerate(marks) if mark == "3"]:
        raise PositionError(text, "the sunk ships do not cover exactly the cells marked 3")
    if marks.count("2") > sum(size - 1 for size in left.elements()):
        raise PositionError(text, "more cells are hit than the ships afloat can have lost")


def _turn(text: str, words: list[str], shots: Shots, turn: int | None) -> int:
    """Return the turn that fleets and shots bear out; only a spectator's untouched sea leaves a choice."""
    fired = 2 * SIDE * SIDE - shots[0].count("0") - shots[1].count("0")
    told = {word == "-" for word in words if not word.startswith("?")}
    if len(told) == 2:
        raise PositionError(text, "both fleets are placed at once, so there are two or none")
    if told == {True} and fired:
        raise PositionError(text, "nobody shoots before the fleets are placed")
    later = 3 + fired
    turns = (1,) if told == {True} else (later,) if told or fired else (1, later)
    if turn is not None and turn not in turns:
        raise PositionError(
            text, "with these fleets and shots it is turn %(turns)s, not %(turn)s", turns=either(turns), turn=turn
        )
    return turns[0] if turn is None else turn
