"""The referee's ruling on a move that a program said, as programs read it."""

from msgspec import Struct

from arbitre.games.kriegspiel.announcements import Language, code, words
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
    heard: list[str] = []
    """What the umpire of Kriegspiel said in answer, in codes."""


def ruling_form(ruling: Ruling | None, spoken: Words) -> RulingForm | None:
    """Return a ruling in the caller's words, None where there is none yet."""
    if ruling is None:
        return None
    language: Language = "fr" if spoken.language == "fr" else "en"
    reason = None if ruling.refused is None else spoken.said(ruling.refused)
    if ruling.refusal is not None:
        reason = words(ruling.refusal, language)
    return RulingForm(ruling.made, ruling.again, reason, [code(one) for one in ruling.heard])
