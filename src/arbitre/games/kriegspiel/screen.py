"""What interfaces show of Kriegspiel: the pieces of who looks, and what the umpire said (spec: tournoyons, sections 5 and 8).

A player sees his own moves made, and of the other's only what he can tell himself: the square on which a piece of his was taken.
The words of the umpire go as codes (`Heard`), for an interface has no words. After the end, and to the referee, both sides are
shown.
"""

from typing import Any

import chess

from arbitre.games.game import FIRST, SECOND, Eye, Seat, other
from arbitre.games.kriegspiel.announcements import write_codes
from arbitre.games.kriegspiel.notation import tray
from arbitre.games.kriegspiel.rules import Truth, View
from arbitre.games.kriegspiel.umpire import NOBODY, Men, men
from arbitre.games.screen import NEITHER, Pair, Screen, Shown, by

MOST_HEARD = 64
"""So many announcements are sent, the last ones; a turn may hold any number of refused tries."""


class KriegspielScreen(Screen):
    """64 characters from a8 to h1, `0` where nothing is seen."""

    name = "Kriegspiel"
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
