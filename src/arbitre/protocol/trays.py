"""Each game's own words on the Tournoyons wire (spec: tournoyons, sections 4 and 8): trays, gains, last moves, values.

One small `Tray` per game. On the referee's side it writes what an engine gets of a view, and reads an engine's `Value` as a move
text of ours; on the engine's side it makes a view again of what came over the wire. A tray seldom tells a whole view (an engine
never sees the other's guesses, or its own fleet), so the engine's side may remember what it saw and said before, and does
without where it was started a moment ago.

The other player's last move is never asked of the referee: it is found by comparing two views of the seat that is asked. So
nothing can get onto the wire that the seat may not know.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any, ClassVar

from arbitre.errors import InvalidMoveError, PositionError
from arbitre.notation.announcements import read_codes, write_codes
from arbitre.notation.draughts import write_fen
from arbitre.notation.kriegspiel import read_men, tray
from arbitre.notation.notation import AnyNotation, notation_of, read_cells
from arbitre.notation.poker import engine_tray
from arbitre.notation.rochambeau import NAMES
from arbitre.rules import bigtictactoe, draughts, kriegspiel, mastermind, poker, rochambeau, seafight
from arbitre.rules.draughts_moves import BIT
from arbitre.rules.game import FIRST, SECOND, AnyGame, Seat, other, value
from arbitre.rules.umpire import Kind

INIT = "Init"
"""The tray of a game's start, unless the engine asked for the full board."""

MOST_HEARD = 256
"""So many announcements fit into an address: the other side may be refused as often as it likes."""


@value
class Wire:
    """What an engine got: the parameters that a game's tray is read from."""

    seat: Seat
    turn: int
    tray: str
    moves: tuple[str | None, str | None] = (None, None)
    gains: tuple[str | None, str | None] = (None, None)
    heard: str = ""


@value
class Earlier:
    """What an engine remembers of its last turn: the view, and what it said."""

    view: Any
    said: str


class Tray(ABC):
    """The words of one game."""

    name: ClassVar[str]
    """The value of `Set`."""
    prepares: ClassVar[bool] = False
    """Whether both seats prepare a board of their own, with Turn=1."""
    together: ClassVar[bool] = False
    """Whether both seats move at once, so that one of our turns is two of the wire's."""
    init: ClassVar[bool] = True
    """Whether the start is ever written `Init`."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game
        self.notation: AnyNotation = notation_of(game)

    # ── the referee's side ─────────────────────────────────────────────────────────────────────────────────────────

    @abstractmethod
    def write(self, view: Any, seat: Seat) -> str:
        """Return the board as an engine on `seat` gets it."""

    def gains(self, view: Any) -> tuple[str, str] | None:  # noqa: ARG002 - most games have none
        """Return what each player has gained, where the game tells engines."""
        return None

    def last(self, before: Any, view: Any, seat: Seat) -> str | None:  # noqa: ARG002 - some games tell no moves
        """Return the other player's last move; `before` is what `seat` knew when the other was asked, None if unknown."""
        return None

    def after(self, view: Any, seat: Seat, said: str) -> Any:
        """Return what `seat` knows once it has said a move: in a game without secrets, the board after it."""
        if self.game.hides:
            return view
        return self.game.play(view, {seat: self.notation.read(said, view)})

    def announced(self, view: Any) -> int:  # noqa: ARG002 - only Kriegspiel announces
        """Return how many announcements were made before the turn in which a seat sees this."""
        return 0

    def heard(self, count: int, view: Any) -> tuple[str, int]:  # noqa: ARG002 - only Kriegspiel announces
        """Return what was announced since `count` announcements had been, and how many there are now."""
        return "", 0

    def read_value(self, said: str) -> str:
        """Return the move text of ours that a `Value` says; what it does not say is left for the referee to refuse."""
        return said

    # ── the engine's side ──────────────────────────────────────────────────────────────────────────────────────────

    @abstractmethod
    def read(self, wire: Wire, earlier: Earlier | None) -> Any:
        """Return the view that came over the wire; `PositionError`."""

    def write_value(self, move: str) -> str:
        """Return the `Value` of a move text of ours."""
        return move


# ── boards that both see ───────────────────────────────────────────────────────────────────────────────────────────


class Cells(Tray):
    """A board without secrets where a move fills one empty cell; in canonical text, the board comes first."""

    def write(self, view: Any, seat: Seat) -> str:  # noqa: ARG002 - both see the same
        """Return the cells."""
        return self.notation.write_state(view).split()[0]

    def last(self, before: Any, view: Any, seat: Seat) -> str | None:
        """Return the one cell that was empty."""
        if before is None:
            return None
        pairs = zip(self.write(before, seat), self.write(view, seat), strict=True)
        filled = [at for at, (old, new) in enumerate(pairs) if old == "0" != new]
        return self.cell(filled[0]) if len(filled) == 1 else None

    def cell(self, at: int) -> str:
        """Return the name of a cell, counted row by row."""
        return str(at + 1)

    def read(self, wire: Wire, earlier: Earlier | None) -> Any:  # noqa: ARG002 - the board says it all
        """Return the board; the number of marks tells the turn."""
        return self.game.start() if wire.tray == INIT else self.notation.read_state(wire.tray)


class TicTacToeTray(Cells):
    """Nine cells, 1 to 9."""

    name = "TicTacToe"


class BigTicTacToeTray(Cells):
    """A hundred cells; a player's gain is his alignments, run together."""

    name = "BigTicTacToe"

    def cell(self, at: int) -> str:
        """Return column letter and row digit."""
        return f"{'ABCDEFGHIJ'[at % 10]}{at // 10}"

    def gains(self, view: bigtictactoe.Board) -> tuple[str, str]:
        """Return the ends of the alignments."""
        one, two = (
            "".join(f"{line.head}{line.tail}" for line in bigtictactoe.alignments(view.marks(seat))) for seat in (FIRST, SECOND)
        )
        return one, two


class PenteTray(Cells):
    """361 cells; a player's gain is his captured pairs."""

    name = "Pente"

    def cell(self, at: int) -> str:
        """Return the letters of column and row."""
        letters = "ABCDEFGHIJKLMNOPQRS"
        return letters[at % 19] + letters[at // 19]

    def gains(self, view: Any) -> tuple[str, str]:
        """Return the captured pairs."""
        return str(view.pairs[0]), str(view.pairs[1])

    def read(self, wire: Wire, earlier: Earlier | None) -> Any:  # noqa: ARG002 - the board says it all
        """Return the board; the turn is what the stones tell if that is this seat's, for a game may begin from a photograph."""
        if wire.tray == INIT:
            return self.game.start()
        text = f"{wire.tray} {_digits(wire.gains[0])} {_digits(wire.gains[1])}"
        try:
            board = self.notation.read_state(text)
        except PositionError:
            board = None
        return board if board is not None and board.mover == wire.seat else self.notation.read_state(f"{text} {wire.turn}")


class ReversiTray(Cells):
    """64 cells, 3 black and 4 white; a player without a move says XX."""

    name = "Reversi"

    def cell(self, at: int) -> str:
        """Return column letter and row digit."""
        return f"{'ABCDEFGH'[at % 8]}{at // 8 + 1}"

    def last(self, before: Any, view: Any, seat: Seat) -> str | None:
        """Return the cell that was filled, or the pass where none was."""
        cell = Cells.last(self, before, view, seat)
        return "XX" if cell is None and before is not None and before.turn == view.turn - 1 else cell

    def read(self, wire: Wire, earlier: Earlier | None) -> Any:  # noqa: ARG002 - the board says it all
        """Return the board; passes leave no trace on it, so the turn is the wire's."""
        return self.game.start() if wire.tray == INIT else self.notation.read_state(f"{wire.tray} {wire.turn}")


class DraughtsTray(Tray):
    """Fifty squares: 1 and 2 the men of white and black, 3 and 4 their kings."""

    name = "Draughts"

    def write(self, view: draughts.Board, seat: Seat) -> str:  # noqa: ARG002 - both see the same
        """Return the squares 1 to 50."""
        return "".join(
            "0" if not bit & (view.white | view.black) else "12"[bool(bit & view.black)] if not bit & view.kings else
            "34"[bool(bit & view.black)]
            for bit in BIT[1:]
        )  # fmt: skip

    def last(self, before: Any, view: Any, seat: Seat) -> str | None:  # noqa: ARG002 - both see the same
        """Return the move that leads from one board to the other."""
        if before is None:
            return None
        found = [move for move in before.moves if before.after(move) == view]
        return str(found[0]) if found else None

    def read(self, wire: Wire, earlier: Earlier | None) -> draughts.Board:  # noqa: ARG002 - the board says it all
        """Return the board on the wire's turn."""
        if wire.tray == INIT:
            return draughts.Draughts().start()
        cells = read_cells(wire.tray, wire.tray, 50, "01234")
        white, black, kings = (
            sum(bit for bit, cell in zip(BIT[1:], cells, strict=True) if cell in those) for those in ("13", "24", "34")
        )
        fen = write_fen(draughts.Board(white, black, kings, wire.turn))
        board: draughts.Board = self.notation.read_state(f"{fen} {wire.turn}")
        return board


# ── moves at once ──────────────────────────────────────────────────────────────────────────────────────────────────


class RochambeauTray(Tray):
    """Rock 1, paper 2, scissors 3; there is no board, and only the round that is over is told."""

    name = "Rochambeau"
    together = True
    VALUES: ClassVar[Mapping[str, str]] = {"1": "rock", "2": "paper", "3": "scissors"}
    SIGNS: ClassVar[Mapping[str, str]] = {sign: number for number, sign in VALUES.items()}

    def write(self, view: Any, seat: Seat) -> str:  # noqa: ARG002 - there is no board
        """Return the same always."""
        return INIT

    def gains(self, view: rochambeau.Standing) -> tuple[str, str]:
        """Return the points."""
        return str(view.points[0]), str(view.points[1])

    def last(self, before: Any, view: rochambeau.Standing, seat: Seat) -> str | None:  # noqa: ARG002 - the view tells
        """Return what the other showed in the round that is over."""
        shown = view.shown[other(seat)] if view.shown else None
        return None if shown is None else self.SIGNS[NAMES[3][shown]]

    def after(self, view: Any, seat: Seat, said: str) -> Any:  # noqa: ARG002 - the round is not over yet
        """Return the view: what the other shows is not known."""
        return view

    def read_value(self, said: str) -> str:
        """Return the name of the sign: our own numbers mean others."""
        return self.VALUES.get(said.strip(), f"Value={said}")

    def read(self, wire: Wire, earlier: Earlier | None) -> rochambeau.Standing:
        """Return the standing, the own last sign as it is remembered."""
        points = tuple(_count(gain) for gain in wire.gains)
        if max(points) > 10_000:
            raise PositionError(str(points), "nobody has so many points")
        shown: list[rochambeau.Sign | None] = [None, None]
        last = self.VALUES.get(wire.moves[other(wire.seat)] or "")
        if last is not None:
            shown[other(wire.seat)] = rochambeau.Sign(NAMES[3].index(last))
            if earlier is not None and earlier.said in NAMES[3]:
                shown[wire.seat] = rochambeau.Sign(NAMES[3].index(earlier.said))
        both = frozenset({FIRST, SECOND})
        return rochambeau.Standing((wire.turn + 1) // 2 - 1, points, both, () if last is None else tuple(shown))

    def write_value(self, move: str) -> str:
        """Return the number of a sign, whichever way it was said."""
        return self.SIGNS[self.notation.write(self.notation.read(move, None))]


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
            raise PositionError(text, f"{word!r} is no line of two marks and four colours")
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


def _count(text: str | None) -> int:
    return int(_digits(text))


def _digits(text: str | None) -> str:
    if text and not (text.isascii() and text.isdigit() and len(text) < 6):
        raise PositionError(text, "a gain is a small whole number")
    return text or "0"


TRAYS: Mapping[str, type[Tray]] = {
    tray.name.lower(): tray
    for tray in (
        TicTacToeTray, RochambeauTray, BigTicTacToeTray, PenteTray, ReversiTray, MasterMindTray, SeafightTray, PokerTray,
        DraughtsTray, KriegspielTray,
    )
}  # fmt: skip
"""By the game's identifier, which is the value of `Set` in small letters."""

MUST: Mapping[str, Mapping[str, int]] = {
    "mastermind": {"colours": 8, "pegs": 4, "lines": 8},
    "rochambeau": {"states": 3, "players": 2},
}
"""Options that the wire has no words for: they must be as they are by default."""


def unspeakable(game: AnyGame) -> str | None:
    """Say why a game cannot be played over this wire, or None if it can."""
    if game.name not in TRAYS:
        return f"{game.name} is not played over the Tournoyons protocol; there are: {' '.join(sorted(TRAYS))}"
    for option, due in MUST.get(game.name, {}).items():
        if getattr(game, option) != due:
            return f"the Tournoyons protocol plays {game.name} with {option}={due}, not {getattr(game, option)}"
    if game.name == "rochambeau" and not getattr(game, "goal", 0):
        return "the Tournoyons protocol plays rochambeau for points, not by elimination"
    return None
