"""Rochambeau on the wire: no board, the points and the hands of the round that is over (spec: tournoyons, sections 4 and 5)."""

from collections.abc import Mapping
from typing import Any, ClassVar

from arbitre.errors import PositionError
from arbitre.games.game import FIRST, SECOND, AnyGame, Eye, Seat, other
from arbitre.games.rochambeau import rules as rochambeau
from arbitre.games.rochambeau.notation import NAMES
from arbitre.games.screen import NEITHER, ScreenWire, Shown
from arbitre.games.wire import INIT, Earlier, EngineWire, Received, count
from arbitre.games.wires import Wire
from arbitre.reasons import Reason


class RochambeauEngineWire(EngineWire):
    """Rock 1, paper 2, scissors 3; there is no board, and only the round that is over is told."""

    must: ClassVar[Mapping[str, object]] = {"states": 3, "players": 2}
    together = True
    VALUES: ClassVar[Mapping[str, str]] = {"1": "rock", "2": "paper", "3": "scissors"}
    SIGNS: ClassVar[Mapping[str, str]] = {sign: number for number, sign in VALUES.items()}

    @classmethod
    def unspeakable(cls, game: AnyGame) -> Reason | None:
        """Say why not: by elimination nobody has points."""
        why = super().unspeakable(game)
        if why is None and not getattr(game, "goal", 0):
            return Reason("the Tournoyons protocol plays rochambeau for points, not by elimination")
        return why

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

    def read(self, wire: Received, earlier: Earlier | None) -> rochambeau.Standing:
        """Return the standing, the own last sign as it is remembered."""
        points = tuple(count(gain) for gain in wire.gains)
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


LABELS = {
    "1": "rock",
    "2": "paper",
    "3": "scissors",
    "round": "{left} against {right}; points {one} to {two}",
    "points": "points {one} to {two}",
}
"""What its interface calls pieces and buttons, by their signs; translated by the page that tells them."""


class RochambeauScreenWire(ScreenWire):
    """There is no board: the hands of the last round are its moves, the points its gains. The end looks like any round."""

    labels = LABELS

    def show(
        self,
        view: rochambeau.Standing,
        eye: Eye,  # noqa: ARG002 - what is about to be shown is in no view
        *,
        before: Any = None,  # noqa: ARG002 - the hands of the last round are all there is to see
        asks: Seat | None = None,
    ) -> Shown:
        """Return the points and the last hands."""
        return Shown(
            self.name,
            moves=(_sign(view, FIRST), _sign(view, SECOND)),
            gains=self.tray.gains(view) or NEITHER,
            count=view.played,
            asks=None if self.over(view) else asks,
        )


def _sign(view: rochambeau.Standing, seat: Seat) -> str | None:
    sign = view.shown[seat] if view.shown else None
    return None if sign is None else RochambeauEngineWire.SIGNS[NAMES[3][sign]]


WIRE = Wire(RochambeauEngineWire, RochambeauScreenWire)
