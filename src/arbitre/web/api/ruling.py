"""The referee's ruling on a move that a program said: whether it was made, why it was refused, whether the same question goes on.

It is read from what the referee took down, through the eyes of the seat that spoke.
"""

from typing import Any

from msgspec import Struct

from arbitre.games.game import Awaits, Seat
from arbitre.games.kriegspiel.announcements import Language, code, words
from arbitre.games.kriegspiel.umpire import REFUSALS, Announcement
from arbitre.reasons import plain as as_plain
from arbitre.records.event import Kind, plain, read_reason
from arbitre.referee.story import Moment
from arbitre.site.arena.live import Live
from arbitre.words import Words


class RulingForm(Struct):
    """What the referee answered."""

    made: bool
    """Whether the move counts; where several move at once it may wait for the others."""
    again: bool
    """Whether the same question goes on: the seat is asked again in the same turn."""
    reason: str | None = None
    """Why the move was refused, in the caller's language: of Kriegspiel the umpire's words, *Illegal move* or *Not possible*."""
    why: dict[str, Any] | None = None
    """The same as a code with its fields."""
    heard: list[str] = []
    """What the umpire of Kriegspiel said in answer, in codes."""


def ruling_of(live: Live, seat: Seat, spoken: Words) -> RulingForm | None:
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
    language: Language = "fr" if spoken.language == "fr" else "en"
    umpire = next((words(one, language) for one in heard if one.kind in REFUSALS), None)
    refused = next((read_reason(one.text) for one in moment.outputs if one.kind is Kind.REFUSED), None)
    reason = umpire or (None if refused is None else plain(spoken.of(refused)))
    why = None if refused is None else as_plain(refused)
    return RulingForm(reason is None and not again, again, reason, why, [code(one) for one in heard])


def _speaks(moment: Moment, seat: Seat) -> bool:
    return moment.event.kind is Kind.SAID and moment.event.seat == seat
