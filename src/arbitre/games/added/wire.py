"""The Tournoyons wire of games that users add (spec: tournoyons, section 6): their words go through as they are.

`Set` is what the game calls itself; its engines know its trays, and ours know none of it. In a game of two boards an engine gets
its own board, both where the game keeps none secret.
"""

from contextlib import suppress
from typing import Any

from arbitre.errors import PositionError, shorten
from arbitre.games.added.rules import SEPARATOR, Added, Course, unfit_tray
from arbitre.games.game import Awaits, Eye, Seat, other
from arbitre.games.screen import NEITHER, Method, Pair, Phrase, ScreenWire, Shown
from arbitre.games.wire import Earlier, EngineWire, Received
from arbitre.games.wires import Wire


class AddedEngineWire(EngineWire):
    """The words of one added game."""

    game: Added

    def __init__(self, game: Added) -> None:
        super().__init__(game)
        self.name = game.key
        self.prepares = game.boards == 2
        self.together = game.simultaneous

    def write(self, view: Course, seat: Seat) -> str:
        """Return what there is to see of the boards, the own one alone where the other is hidden."""
        return SEPARATOR.join(tray for tray in view.trays if tray) or view.trays[seat % len(view.trays)]

    def gains(self, view: Course) -> tuple[str, str] | None:
        """Return the gains, where the referee counts any."""
        return view.gains if any(view.gains) else None

    def last(self, before: Any, view: Course, seat: Seat) -> str | None:  # noqa: ARG002 - it is in the view
        """Return the other player's last move, which the referee has let pass."""
        return view.moves[other(seat)] or None

    def after(self, view: Any, seat: Seat, said: str) -> Any:  # noqa: ARG002 - only the referee knows what a move does
        """Return what is known: nothing changes before the referee has spoken."""
        return view

    def counted(self, turn: int, first: int, seat: Seat) -> int:
        """Return the `Turn` of a ply: the referee's turns between are none of the engines'."""
        ply, begun = (turn + 1) // 2, (first + 1) // 2
        if self.prepares and ply == 1:
            return 1
        if self.together:
            return 2 * (ply - begun) + 1 + seat
        return ply if self.prepares else ply - begun + (2 - begun % 2)

    def compose(self, text: str, seat: Seat) -> Course:
        """Return a position in our notation, or a tray as the referee writes them, behind the preparations."""
        with suppress(PositionError):
            return self.notation.read_state(text)  # type: ignore[no-any-return]
        if why := unfit_tray(text, self.game.boards):
            raise PositionError(shorten(text), why)
        first = 1 if self.game.boards == 1 else 3
        return Course(first + (0 if self.game.simultaneous else seat), tuple(text.split(SEPARATOR)))

    def read(self, wire: Received, earlier: Earlier | None) -> Any:  # noqa: ARG002 - nothing to read it with
        """Refuse: only the game's own engines can read its trays."""
        raise PositionError(wire.tray, "only engines of %(name)s read its trays", name=self.name)


class AddedScreenWire(ScreenWire):
    """The boards, gains and moves that an eye may see; a move is shown when the referee has let it pass."""

    game: Added
    tray: AddedEngineWire

    def show(self, view: Course, eye: Eye, *, before: Any = None, asks: Seat | None = None) -> Shown:  # noqa: ARG002 - no motion
        """Return what the referee has said so far."""
        phase = self.game.phase(view)
        asked = asks if isinstance(phase, Awaits) and asks in phase.seats else None
        preparing = self.game.prepares(view)
        return Shown(
            self.name,
            tray=SEPARATOR.join(tray for tray in view.trays if tray) or None,
            method="Prepare" if preparing and asked is not None else self.method(view),
            moves=NEITHER if view.judging else _pair(view.moves),
            gains=_pair(view.gains),
            count=max(0, view.ply - (3 if self.game.boards == 2 else 1)),
            asks=asked,
            legend=Phrase.READY if preparing and asked is not None else None,
            foreign=True,
        )

    def method(self, view: Course) -> Method:
        """Return `End`, or how many boards are to be seen."""
        if self.over(view):
            return "End"
        return "Double" if len(view.trays) == 2 and all(view.trays) else "Standard"


def _pair(words: tuple[str, str]) -> Pair:
    return words[0] or None, words[1] or None


WIRE = Wire(AddedEngineWire, AddedScreenWire)
