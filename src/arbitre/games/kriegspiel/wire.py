"""Kriegspiel on the wire: the pieces of who looks, and what the umpire said (spec: tournoyons, sections 5 and 8).

A player sees his own moves made, and of the other's only what he can tell himself: the square on which a piece of his was taken.
The words of the umpire go as codes (`Heard`), for an interface has no words. After the end, and to the referee, both sides are
shown.
"""

from itertools import groupby
from typing import Any

import chess

from arbitre.games.game import FIRST, SECOND, Eye, Seat, other
from arbitre.games.kriegspiel import rules as kriegspiel
from arbitre.games.kriegspiel.announcements import read_codes, write_codes
from arbitre.games.kriegspiel.notation import read_men, tray
from arbitre.games.kriegspiel.rules import Truth, View
from arbitre.games.kriegspiel.umpire import NOBODY, Kind, Men, men
from arbitre.games.screen import NEITHER, Pair, ScreenWire, Shown, by
from arbitre.games.wire import INIT, Earlier, EngineWire, Received
from arbitre.games.wires import Wire

MOST_SENT = 256
"""So many announcements fit into an address: the other side may be refused as often as it likes."""


class KriegspielEngineWire(EngineWire):
    """64 characters from a8 to h1 with the own pieces, and `Heard`, the announcements since the engine's last ask."""

    announces = True

    def write(self, view: kriegspiel.View, seat: Seat) -> str:  # noqa: ARG002 - a view knows its seat
        """Return the own pieces."""
        return tray(view)

    def announced(self, view: kriegspiel.View) -> int:
        """Count the announcements of the turns before."""
        return sum(map(len, view.past))

    def heard(self, count: int, view: kriegspiel.View) -> tuple[str, int]:
        """Return the codes of the announcements from number `count` on, the last ones where they are too many for an address."""
        said = view.heard
        return write_codes(said[count:][-MOST_SENT:]), len(said)

    def read(self, wire: Received, earlier: Earlier | None) -> kriegspiel.Sight:
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

    def _told(self, wire: Received, earlier: Earlier | None) -> tuple[Any, Any, Any, int]:
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


MOST_HEARD = 64
"""So many announcements are sent, the last ones; a turn may hold any number of refused tries."""


LABELS = {
    "♔": "white king",
    "♕": "white queen",
    "♖": "white rook",
    "♗": "white bishop",
    "♘": "white knight",
    "♙": "white pawn",
    "♚": "black king",
    "♛": "black queen",
    "♜": "black rook",
    "♝": "black bishop",
    "♞": "black knight",
    "♟": "black pawn",
    "guess": "guess: {piece}",
    "guesses": "guesses, for you alone",
    "⌫": "nothing",
}
"""What its interface calls pieces and buttons, by their signs; translated by the page that tells them."""


class KriegspielScreenWire(ScreenWire):
    """64 characters from a8 to h1, `0` where nothing is seen."""

    labels = LABELS

    turns = True

    def show(self, view: View, eye: Eye, *, before: View | None = None, asks: Seat | None = None) -> Shown:
        """Return what the eye sees, its own move or the piece it lost, and what was said in this turn and the one before."""
        asked = asks if asks == eye == view.mover and not self.over(view) else None
        told = tuple(one for turn in (*view.past[-1:], view.now) for one in turn)
        return Shown(
            self.name,
            tray=tray(view),
            method=self.method(view),
            moves=NEITHER if before is None or before.turn != view.turn - 1 else self._moves(view, before, eye),
            count=view.turn - 1,
            asks=asked,
            heard=write_codes(told[-MOST_HEARD:]),
            side=SECOND if eye == SECOND else None,
        )

    def over(self, view: Any) -> bool:
        """Tell whether the game has ended: only a truth may have."""
        return isinstance(view, Truth) and view.end is not None

    @staticmethod
    def _moves(view: View, before: View, eye: Eye) -> Pair:
        """Return the move if the eye saw that side's pieces before and after it, else where the eye's own side lost one."""
        mover = before.mover
        made = moved(pieces(before, mover), pieces(view, mover))
        if made is not None:
            return by(mover, made)
        if eye not in (FIRST, SECOND):
            return NEITHER
        lost = pieces(before, other(mover)).all & ~pieces(view, other(mover)).all
        return by(mover, chess.square_name(lost.bit_length() - 1)) if lost else NEITHER


def pieces(view: View, seat: Seat) -> Men:
    """Return the pieces of a seat, none where the view does not show them."""
    if isinstance(view, Truth):
        return men(view.board, seat == FIRST)
    return view.men if view.seat == seat else NOBODY


def moved(before: Men, after: Men) -> str | None:
    """Return the move, as UCI writes it, that made one side's pieces of these, None where there is no knowing."""
    if not before.all or before.all == after.all:
        return None
    if before.kings != after.kings:  # castling moves a rook too, and is written as the king's move
        left, reached = before.kings, after.kings
    else:
        left, reached = before.all & ~after.all, after.all & ~before.all
    if left.bit_count() != 1 or reached.bit_count() != 1:
        return None
    becomes = ""
    if before.pawns & left and not after.pawns & reached:
        becomes = next(letter for letter, squares in zip("nbrq", after[2:6], strict=True) if squares & reached)
    return chess.square_name(left.bit_length() - 1) + chess.square_name(reached.bit_length() - 1) + becomes


WIRE = Wire(KriegspielEngineWire, KriegspielScreenWire)
