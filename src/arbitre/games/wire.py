"""Each game's own words on the Tournoyons wire (spec: tournoyons, sections 4 and 8): trays, gains, last moves, values.

One small `EngineWire` per game, in the module `wire` of its package. On the referee's side it writes what an engine gets of a
view, and reads an engine's `Value` as a move text of ours; on the engine's side it makes a view again of what came over the wire.

A tray seldom tells a whole view (an engine never sees the other's guesses, or its own fleet), so the engine's side may remember
what it saw and said before, and does without where it was started a moment ago.

The other player's last move is never asked of the referee: it is found by comparing two views of the seat that is asked. So
nothing can get onto the wire that the seat may not know.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from arbitre.errors import PositionError, shorten
from arbitre.games.catalogue import listing
from arbitre.games.game import AnyGame, Seat
from arbitre.games.notation import AnyNotation, notation_of
from arbitre.reasons import Reason
from arbitre.values import value

INIT = "Init"
"""The tray of a game's start, unless the engine asked for the full board."""


@value
class Received:
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


class EngineWire(ABC):
    """The words of one game."""

    must: ClassVar[Mapping[str, object]] = {}
    """Options that the wire has no words for: they must be so."""
    marks: ClassVar[Mapping[int, int] | None] = None
    """What interfaces mark on a tray beside the pieces, and the pieces; None: a tray does not tell the whole position."""
    prepares: bool = False
    """Whether both seats prepare a board of their own, with Turn=1."""
    together: bool = False
    """Whether both seats move at once, so that one of our turns is two of the wire's."""
    init: ClassVar[bool] = True
    """Whether the start is ever written `Init`."""
    options: str = ""
    """What is not as usual in the game, where the wire tells it."""
    announces: ClassVar[bool] = False
    """Whether an umpire speaks, in `Heard`."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game
        self.name = listing(game.name).set
        """The value of `Set`; of games that users add, each table's own."""
        self.notation: AnyNotation = notation_of(game)

    @classmethod
    def unspeakable(cls, game: AnyGame) -> Reason | None:
        """Say why a game with its options cannot be played over this wire, or None if it can."""
        for option, due in cls.must.items():
            if getattr(game, option) != due:
                return Reason(
                    "the Tournoyons protocol plays %(name)s with %(option)s=%(due)s, not %(given)s",
                    name=game.name, option=option, due=due, given=getattr(game, option),
                )  # fmt: skip
        players = game.seats - len(game.neutral)
        if players == 2:
            return None
        return Reason("the Tournoyons protocol is for two players, and %(name)s has %(players)s", name=game.name, players=players)

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

    def counted(self, turn: int, first: int, seat: Seat) -> int:
        """Return the `Turn` of one of our turns: odd for the first player, from 1 or 2 where the game began from a photograph."""
        if self.together:
            return 2 * (turn - first) + 1 + seat
        if self.prepares and first == 1:
            return turn
        # preparations have Turn=1: where they are over before the first ask, nobody must take it for one
        return turn - first + (2 - first % 2) + (2 if self.prepares else 0)

    def announced(self, view: Any) -> int:  # noqa: ARG002 - only Kriegspiel announces
        """Return how many announcements were made before the turn in which a seat sees this."""
        return 0

    def heard(self, count: int, view: Any) -> tuple[str, int]:  # noqa: ARG002 - only Kriegspiel announces
        """Return what was announced since `count` announcements had been, and how many there are now."""
        return "", 0

    def read_value(self, said: str) -> str:
        """Return the move text of ours that a `Value` says; what it does not say is left for the referee to refuse."""
        return said

    def compose(self, text: str, seat: Seat) -> Any:
        """Return a position composed by hand, with `seat` to move: a tray as an interface shows it, or our notation."""
        if not (text.isascii() and text.isdigit()):
            return self.notation.read_state(text)
        if self.marks is None:
            raise PositionError(
                shorten(text), "a tray of this game does not tell the whole position: write it in the game's notation"
            )
        return self.read(Received(seat, 1 + seat, text.translate(self.marks)), None)

    # ── the engine's side ──────────────────────────────────────────────────────────────────────────────────────────

    @abstractmethod
    def read(self, wire: Received, earlier: Earlier | None) -> Any:
        """Return the view that came over the wire; `PositionError`."""

    def write_value(self, move: str) -> str:
        """Return the `Value` of a move text of ours."""
        return move


def count(text: str | None) -> int:
    """Return a gain as a number, 0 where it is absent; `PositionError`."""
    return int(digits(text))


def digits(text: str | None) -> str:
    """Return a gain as its digits, `0` where it is absent; `PositionError`."""
    if text and not (text.isascii() and text.isdigit() and len(text) < 6):
        raise PositionError(text, "a gain is a small whole number")
    return text or "0"


class Cells(EngineWire):
    """A board without secrets where a move fills one empty cell; in canonical text, the board comes first."""

    marks: ClassVar[Mapping[int, int] | None] = {}

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

    def read(self, wire: Received, earlier: Earlier | None) -> Any:  # noqa: ARG002 - the board says it all
        """Return the board; the number of marks tells the turn."""
        return self.game.start() if wire.tray == INIT else self.notation.read_state(wire.tray)
