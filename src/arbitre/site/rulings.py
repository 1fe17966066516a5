"""The referee's ruling on what somebody said: whether it was a move, why it was refused, whether the same question goes on.

It is read from what the referee took down, through the eyes of the seat that spoke.
"""

from arbitre.games.game import Awaits, Seat
from arbitre.games.kriegspiel.umpire import REFUSALS, Announcement
from arbitre.reasons import Reason
from arbitre.records.event import Kind, read_reason
from arbitre.referee.story import Moment
from arbitre.site.arena.live import Live
from arbitre.values import value


@value
class Ruling:
    """What the referee answered."""

    made: bool
    """Whether the move counts; where several move at once it may wait for the others."""
    again: bool
    """Whether the same question goes on: the seat is asked again in the same turn."""
    refused: Reason | None
    """Why the move was refused."""
    heard: tuple[Announcement, ...]
    """What an umpire announced in answer."""
    refusal: Announcement | None
    """The announcement that refuses it, if one does."""


def ruling_on(live: Live, seat: Seat) -> Ruling | None:
    """Return the ruling on the last thing that a seat said, None while it is not durable."""
    shown = live.moments[: max(0, live.shown)]
    at = next((n for n in reversed(range(len(shown))) if _speaks(shown[n], seat)), None)
    if at is None or live.start is None:
        return None
    moment, before = shown[at], shown[at - 1].affairs if at else live.start
    affairs = moment.affairs
    again = seat in affairs.questions and isinstance(affairs.phase, Awaits) and affairs.phase.turn == moment.event.turn
    view = live.match.game.view
    known = len(getattr(view(before.truth, seat), "heard", ()))
    heard: tuple[Announcement, ...] = getattr(view(affairs.truth, seat), "heard", ())[known:]
    umpire = next((one for one in heard if one.kind in REFUSALS), None)
    refused = next((read_reason(one.text) for one in moment.outputs if one.kind is Kind.REFUSED), None)
    return Ruling(umpire is None and refused is None and not again, again, refused, heard, umpire)


def _speaks(moment: Moment, seat: Seat) -> bool:
    return moment.event.kind is Kind.SAID and moment.event.seat == seat
