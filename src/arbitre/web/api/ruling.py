"""The referee's ruling on a move that a program said, as programs read it."""

from typing import Any

from msgspec import Struct

from arbitre.games.kriegspiel.announcements import Language, code, words
from arbitre.reasons import plain as as_plain
from arbitre.records.event import plain
from arbitre.site.rulings import Ruling
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


def ruling_form(ruling: Ruling | None, spoken: Words) -> RulingForm | None:
    """Return a ruling in the caller's words, None where there is none yet."""
    if ruling is None:
        return None
    language: Language = "fr" if spoken.language == "fr" else "en"
    reason = None if ruling.refused is None else plain(spoken.of(ruling.refused))
    if ruling.refusal is not None:
        reason = words(ruling.refusal, language)
    why = None if ruling.refused is None else as_plain(ruling.refused)
    return RulingForm(ruling.made, ruling.again, reason, why, [code(one) for one in ruling.heard])
