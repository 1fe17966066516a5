"""The log of a game by file as one player knows it: every turn by its number, his own tries, what he heard, what was taken where.

The log is made of values; words are found where it is shown. What the other side tried stays out until the secrets are open. The
square of a capture is the one that the player can tell himself: where his own piece went, or where one of his own vanished. (En
passant he took on the square he moved to, for all he knows.)
"""

from collections.abc import Iterator

import chess

from arbitre.games.game import Seat
from arbitre.games.kriegspiel.rules import Kriegspiel, Told, says
from arbitre.games.kriegspiel.umpire import Kind
from arbitre.games.kriegspiel.wire import pieces
from arbitre.kref.course import Course, Step
from arbitre.values import value


@value
class LogLine:
    """One line: how a turn begins, or a try of it."""

    turn: int
    seat: Seat
    """Whose turn it is."""
    begins: bool
    """Whether the turn begins here; else something was tried."""
    tried: str = ""
    """What was tried; nothing where the reader does not know."""
    made: bool = False
    said: Told = ()
    square: str = ""
    """Where something was taken."""


def game_log(course: Course, seat: Seat, *, everything: bool) -> tuple[LogLine, ...]:
    """Return the log as a seat knows it; `everything` when the secrets are open."""
    rules = course.match.game
    assert isinstance(rules, Kriegspiel)  # noqa: S101 - a game by file is one
    start = course.start
    lines = [LogLine(start.turn, start.mover, True, said=rules.heard_by(start.now, seat))]
    for step in course.steps:
        lines += _lines(rules, step, seat, known=everything or step.seat == seat)
    return tuple(lines)


def _lines(rules: Kriegspiel, step: Step, seat: Seat, *, known: bool) -> Iterator[LogLine]:
    before, after = step.before, step.after
    last = after.past[-1] if step.made else after.now
    said = rules.heard_by(last[len(before.now) :], seat)
    if step.made or said or known:  # else it was refused for the mover's ears only
        square = _taken(rules, step, seat, said)
        yield LogLine(before.turn, step.seat, False, step.text if known else "", step.made, said, square)
    if step.made and after.end is None:
        yield LogLine(after.turn, after.mover, True, said=rules.heard_by(after.now, seat))


def _taken(rules: Kriegspiel, step: Step, seat: Seat, said: Told) -> str:
    """Return where the try took something, as the seat can tell."""
    if not says(said, Kind.PIECE_GONE) and not says(said, Kind.PAWN_GONE):
        return ""
    if step.seat == seat:
        return step.text.strip().lower()[2:4]
    lost = pieces(rules.view(step.before, seat), seat).all & ~pieces(rules.view(step.after, seat), seat).all
    return chess.square_name(lost.bit_length() - 1)
