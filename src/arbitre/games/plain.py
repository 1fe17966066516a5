"""The wire of a game that brings none: its notation for engines, its picture for interfaces (the manual's page "Add a game").

`Tray` is what a seat sees in canonical text, `Value` a move in canonical text, `Options` what is not as usual, such as `size=5`.
What holds for every game of two holds here: `Turn` is odd for the first player and even for the second, as turns are counted
where one moves after the other. A game whose players move otherwise brings a wire of its own.
"""

from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

from arbitre.errors import OpenSetError
from arbitre.games.catalogue import options_of
from arbitre.games.game import AnyGame, Awaits, Eye, Seat, other
from arbitre.games.screen import ScreenWire, Shown
from arbitre.games.wire import Earlier, EngineWire, Received
from arbitre.games.wires import Wire


class NotationWire(EngineWire):
    """A game in its own notation; the start is written out too."""

    init = False

    def __init__(self, game: AnyGame) -> None:
        super().__init__(game)
        told = options_of(game).items()
        self.options = urlencode({key: ("no", "yes")[given] if isinstance(given, bool) else given for key, given in told})
        phase = game.phase(game.start())
        self.together = isinstance(phase, Awaits) and len(phase.seats) > 1

    def write(self, view: Any, seat: Seat) -> str:  # noqa: ARG002 - a view knows its seat
        """Return what the seat sees."""
        return self.notation.write_view(view)

    def last(self, before: Any, view: Any, seat: Seat) -> str | None:
        """Return the move that leads from one position to the other, where nothing is secret."""
        phase = None if before is None or self.game.hides else self.game.phase(before)
        if not isinstance(phase, Awaits) or phase.seats != {other(seat)}:
            return None
        with suppress(OpenSetError):
            for move in self.game.legal(before):
                if self.game.play(before, {other(seat): move}) == view:
                    return self.notation.write(move)
        return None

    def after(self, view: Any, seat: Seat, said: str) -> Any:
        """Return the position after the own move; where both move at once, it is not known yet."""
        return view if self.together else super().after(view, seat, said)

    def read(self, wire: Received, earlier: Earlier | None) -> Any:  # noqa: ARG002 - the text says it all
        """Return what the text says."""
        return self.notation.read_view(wire.tray)


class PictureScreen(ScreenWire):
    """What a terminal shows, as it is; the default page puts it into a frame, with a field for a move."""

    def show(self, view: Any, eye: Eye, *, before: Any = None, asks: Seat | None = None) -> Shown:  # noqa: ARG002 - no motion
        """Return the picture."""
        return Shown(self.name, tray=self.tray.notation.picture(view), method=self.method(view), asks=asks, foreign=True)

    def over(self, view: Any) -> bool:
        """Tell whether the game has ended, where a view tells."""
        return not self.game.hides and super().over(view)


WIRE = Wire(NotationWire, PictureScreen)
