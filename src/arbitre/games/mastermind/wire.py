"""MasterMind on the wire: an engine sees its own guesses, an interface both boards (spec: tournoyons, sections 4 and 5)."""

from collections.abc import Mapping
from typing import ClassVar

from arbitre.errors import PositionError
from arbitre.games.game import FIRST, Seat
from arbitre.games.mastermind import rules as mastermind
from arbitre.games.screen import TwoBoards
from arbitre.games.wire import INIT, Earlier, EngineWire, Received
from arbitre.games.wires import Wire


class MasterMindEngineWire(EngineWire):
    """An engine sees its own guesses, each two marks and four colours; neither moves nor gains are told."""

    must: ClassVar[Mapping[str, object]] = {"colours": 8, "pegs": 4, "lines": 8}
    prepares = True

    def write(self, view: mastermind.View, seat: Seat) -> str:
        """Return the lines that this seat guessed."""
        return "".join(f"{line.placed}{line.misplaced}{line.guess}" for line in view.boards[seat])

    def read_value(self, said: str) -> str:
        """Return the four colours; marks before them are not believed."""
        word = said.strip()
        return word[2:] if len(word) == 6 and word[:2].isdigit() else said

    def read(self, wire: Received, earlier: Earlier | None) -> mastermind.Sight:
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


LABELS = {
    "A": "ivory",
    "B": "blue",
    "C": "green",
    "D": "yellow",
    "E": "orange",
    "F": "red",
    "G": "pink",
    "H": "purple",
    "erase": "take a peg back",
    "dice": "a code at random",
    "check": "say this code",
    "place": "place {n}: {colour}",
    "empty": "empty",
    "pegs": "code: {pegs}",
    "line": "{n}: {pegs}; {placed} well placed, {misplaced} elsewhere",
    "guesses": "guesses of {name}",
}
"""What its interface calls pieces and buttons, by their signs; translated by the page that tells them."""


class MasterMindScreenWire(TwoBoards):
    """Both boards line by line; a gain is a player's code."""

    labels = LABELS

    game: mastermind.MasterMind

    def over(self, view: mastermind.View) -> bool:
        """Tell by the boards, which everybody sees."""
        return self.game.end(view.boards) is not None

    def secret(self, view: mastermind.View, seat: Seat) -> str | None:
        """Return the code: of both to the referee and after the end, else one's own."""
        if isinstance(view, mastermind.Table):
            return None if view.codes is None else view.codes[seat]
        return view.code if seat == view.seat else None


WIRE = Wire(MasterMindEngineWire, MasterMindScreenWire)
