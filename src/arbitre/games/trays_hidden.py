"""The Tournoyons wire of games with secrets (spec: tournoyons, sections 4 and 8): an engine gets what its seat may know.

What the wire does not tell, such as the own fleet, the engine's side remembers from its last turn.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from arbitre.errors import InvalidMoveError, PositionError
from arbitre.games.game import FIRST, Seat, other
from arbitre.games.kriegspiel import rules as kriegspiel
from arbitre.games.kriegspiel.announcements import read_codes, write_codes
from arbitre.games.kriegspiel.notation import read_men, tray
from arbitre.games.kriegspiel.umpire import Kind
from arbitre.games.mastermind import rules as mastermind
from arbitre.games.notation import read_cells
from arbitre.games.poker import rules as poker
from arbitre.games.poker.notation import engine_tray
from arbitre.games.seafight import rules as seafight
from arbitre.games.tray import INIT, Earlier, Tray, Wire

MOST_HEARD = 256
"""So many announcements fit into an address: the other side may be refused as often as it likes."""

# ── boards of one's own ────────────────────────────────────────────────────────────────────────────────────────────


class MasterMindTray(Tray):
    """An engine sees its own guesses, each two marks and four colours; neither moves nor gains are told."""

    name = "MasterMind"
    prepares = True

    def write(self, view: mastermind.View, seat: Seat) -> str:
        """Return the lines that this seat guessed."""
        return "".join(f"{line.placed}{line.misplaced}{line.guess}" for line in view.boards[seat])

    def read_value(self, said: str) -> str:
        """Return the four colours; marks before them are not believed."""
        word = said.strip()
        return word[2:] if len(word) == 6 and word[:2].isdigit() else said

    def read(self, wire: Wire, earlier: Earlier | None) -> mastermind.Sight:
        """Return the own board; the own code as it is remembered, the other's board never."""
        text = "" if wire.tray == INIT else wire.tray
        if len(text) % 6 or len(text) > 48:
            raise PositionError(text, "a tray is lines of two marks and four colours, at most eight")
        lines = tuple(self._line(text, text[at : at + 6]) for at in range(0, len(text), 6))
        code = None
        if earlier is not None and wire.turn > 1:
            code = earlier.view.code if earlier.view.turn > 1 else mastermind.Code(earlier.said.strip().upper())
        boards = (lines, ()) if wire.seat == FIRST else ((), lines)
        return mastermind.Sight(wire.turn, wire.seat, code, boards)

    def _line(self, text: str, word: str) -> mastermind.Line:
        if (
            not (word[:2].isascii() and word[:2].isdigit() and set(word[2:]) <= set("ABCDEFGH"))
            or int(word[0]) + int(word[1]) > 4
        ):
            raise PositionError(text, "%(word)r is no line of two marks and four colours", word=word)
        return mastermind.Line(mastermind.Code(word[2:]), int(word[0]), int(word[1]))


class SeafightTray(Tray):
    """An engine sees its own hundred shots; a move is the other's last shot with its result. Fleets are never told."""

    name = "Seafight"
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

    def read(self, wire: Wire, earlier: Earlier | None) -> seafight.Sight:
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


# ── cards, and the umpire ──────────────────────────────────────────────────────────────────────────────────────────


class PokerTray(Tray):
    """The hand with one group of totals for each betting round begun; gains are chips, moves are totals."""

    name = "Poker"
    init = False

    def write(self, view: poker.TableView, seat: Seat) -> str:  # noqa: ARG002 - a view knows its seat
        """Return the hand as this seat sees it."""
        return engine_tray(view)

    def gains(self, view: poker.TableView) -> tuple[str, str]:
        """Return what the hands that are over brought."""
        return str(view.gain), str(-view.gain)

    def last(self, before: Any, view: poker.TableView, seat: Seat) -> str | None:  # noqa: ARG002 - the view tells
        """Return the other's last total: of this hand if he has spoken in it, else of the hand before."""
        them = other(seat)
        if view.hand is not None and spoke(view.hand, them):
            return str(view.hand.stakes[them])
        for past in reversed(view.past):
            if past.folder == them:
                return "0"
            if spoke(past.hand, them):
                return str(past.hand.stakes[them])
        return None

    def read(self, wire: Wire, earlier: Earlier | None) -> poker.TableView:  # noqa: ARG002 - the tray says it all
        """Return the table without the hands before."""
        eye = ("first", "second")[wire.seat]
        view: poker.TableView = self.notation.read_view(f"{wire.tray} {wire.gains[0] or 0} - {eye} {wire.turn}")
        return view


def spoke(hand: poker.Hand, seat: Seat) -> bool:
    """Tell whether a player has said a total in this hand, beyond his blind."""
    return len(hand.rounds) > 1 or hand.stakes[seat] > (1 if seat == hand.dealer else 2)


class KriegspielTray(Tray):
    """64 characters from a8 to h1 with the own pieces, and `Heard`, the announcements since the engine's last ask."""

    name = "Kriegspiel"

    def write(self, view: kriegspiel.View, seat: Seat) -> str:  # noqa: ARG002 - a view knows its seat
        """Return the own pieces."""
        return tray(view)

    def announced(self, view: kriegspiel.View) -> int:
        """Count the announcements of the turns before."""
        return sum(map(len, view.past))

    def heard(self, count: int, view: kriegspiel.View) -> tuple[str, int]:
        """Return the codes of the announcements from number `count` on, the last ones where they are too many for an address."""
        said = view.heard
        return write_codes(said[count:][-MOST_HEARD:]), len(said)

    def read(self, wire: Wire, earlier: Earlier | None) -> kriegspiel.Sight:
        """Return a sight: what was heard before, the refused tries and the right to castle as they are remembered.

        The wire does not tell whether one may still castle. Who remembers nothing from the start on does not try it.
        """
        seat, text = wire.seat, wire.tray
        start = self.game.view(kriegspiel.Kriegspiel().start(), seat)
        if text == INIT:
            text = tray(start)
        own = read_men(text, text, seat)
        past, now, refused, castling = self._told(wire, earlier)
        if wire.turn <= 2 and not earlier and text == tray(start):
            castling = start.castling
        rooks = castling & own.rooks if castling and own.kings == start.men.kings else 0
        return kriegspiel.Sight(seat, own, rooks, past, now, refused, wire.turn)

    def _told(self, wire: Wire, earlier: Earlier | None) -> tuple[Any, Any, Any, int]:
        """Return what was said in the turns before and in this one, the refused tries of this one, and the castling rights."""
        groups = [tuple(those) for _, those in groupby(read_codes(wire.heard), key=lambda one: one.side)]
        if earlier is None:
            return tuple(groups[:-1]), groups[-1] if groups else (), (), 0
        view: kriegspiel.Sight = earlier.view
        if wire.turn == view.turn:  # the try was refused, and nobody else has spoken
            refused = view.refused
            if any(one.kind is Kind.NOT_POSSIBLE for told in groups for one in told):
                tried = self.notation.read(earlier.said, view)
                refused = refused if tried in refused else (*refused, tried)
            return view.past, view.now + read_codes(wire.heard), refused, view.castling
        turns = [*view.past, view.now]
        if len(groups) > 1 and groups[0][0].side == wire.seat:  # what the own move gained
            turns[-1] += groups.pop(0)
        return (*turns, *groups[:-1]), groups[-1] if groups else (), (), view.castling
