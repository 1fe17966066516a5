"""What one does with a match beside playing it, for programs: again, cancel, stop, keep, photograph, invite, and the trace.

The same rules hold as on the pages: whoever called a match steers it, what was exchanged with an engine is its owner's to see.
"""

from typing import Annotated

from litestar import delete, get, post, put
from litestar.params import JSONBody, PathParameter
from msgspec import Meta, Struct

from arbitre.games.game import Seat
from arbitre.reasons import reason_of
from arbitre.site import matches, seating, trials
from arbitre.site.arena import traces
from arbitre.site.arena.plan import LONGEST_TITLE
from arbitre.site.tokens import Scope
from arbitre.web.api.common import After, fetched, open_to_all, repeatable, with_token
from arbitre.web.api.engines import TrialForm, trial_form
from arbitre.web.api.forms import Coded, Page, coded
from arbitre.web.api.matches import MatchForm, Name, match_form
from arbitre.web.api.things import PhotoForm, photo_form
from arbitre.web.dependencies import OurHouse, ThisVisit
from arbitre.web.lists import all_names

Code = Annotated[str, PathParameter(max_length=64, description="the code at the end of the link")]
At = Annotated[int, PathParameter(ge=0, le=2, description="the seat of the engine, or of the referee of an added game")]


class Title(Struct, forbid_unknown_fields=True):
    """What a match is kept under; empty: under none."""

    title: Annotated[str, Meta(max_length=LONGEST_TITLE)]


class Photograph(Struct, forbid_unknown_fields=True):
    """A position of a match to keep: as it stood after so many moments, or as it stands."""

    title: Annotated[str, Meta(min_length=1, max_length=80)]
    moment: Annotated[int, Meta(ge=0, le=1_000_000)] | None = None


class Invited(Struct):
    """A link by which somebody takes the free chair."""

    url: str
    code: str
    """What the link ends with: a program takes the chair with it."""


class Exchange(Struct):
    """One exchange with an engine."""

    sequence: int
    at: str
    what: str
    text: str
    status: int
    body: str
    """What went over the wire; of a call of ours without a status what went wrong, in the caller's language."""
    why: Coded = None
    """What went wrong with such a call, as a code with its fields."""


class InvitationForm(Struct):
    """A chair that is offered."""

    match: str
    game: str
    players: list[str]
    seat: int
    expires: int


@post("/api/matches/{name:str}/again", status_code=201, **repeatable(Scope.PLAY))
async def call_match_again(house: OurHouse, visit: ThisVisit, name: Name) -> MatchForm:
    """Call the same match once more, with the seats changed."""
    return await match_form(house, await seating.again(house, visit.caller, name), visit.caller)


@delete("/api/matches/{name:str}", status_code=204, **with_token(Scope.PLAY))
async def cancel_match(house: OurHouse, visit: ThisVisit, name: Name) -> None:
    """Take back a match of one's own that has not begun."""
    await seating.cancel(house, visit.caller, name)


@post("/api/matches/{name:str}/stop", status_code=200, **repeatable(Scope.PLAY))
async def stop_match(house: OurHouse, visit: ThisVisit, name: Name) -> MatchForm:
    """End a match of one's own between players who are not people; it is nobody's result."""
    return await match_form(house, await matches.stop(house, visit.caller, name), visit.caller)


@put("/api/matches/{name:str}/title", **with_token(Scope.PLAY))
async def entitle_match(house: OurHouse, visit: ThisVisit, name: Name, data: JSONBody[Title]) -> MatchForm:
    """Keep a match of one's own under a title."""
    return await match_form(house, await matches.entitle(house, visit.caller, name, data.title), visit.caller)


@post("/api/matches/{name:str}/photo", status_code=201, **repeatable(Scope.PLAY))
async def photograph_match(house: OurHouse, visit: ThisVisit, name: Name, data: JSONBody[Photograph]) -> PhotoForm:
    """Photograph a position of a match: a new one may start from it."""
    sitting = matches.find(house, visit.caller, name)
    return photo_form(await matches.photograph(house, visit.caller, sitting, data.title, data.moment))


# ── invitations ────────────────────────────────────────────────────────────────────────────────────────────────────


@post("/api/matches/{name:str}/invite", status_code=200, **repeatable(Scope.PLAY))
async def invite_to_match(house: OurHouse, visit: ThisVisit, name: Name) -> Invited:
    """Make a link for the free chair; one made before is good no more."""
    offered = await seating.invite(house, visit.caller, name)
    return Invited(f"{house.settings.public}/invite/{offered.code}", offered.code)


@get("/api/invitations/{code:str}", **open_to_all(410))
async def get_invitation(house: OurHouse, code: Code) -> InvitationForm:
    """Tell what somebody is invited to; to look changes nothing."""
    found, sitting = await seating.invited(house, code)
    (names,) = await all_names(house, (sitting.plan,))
    return InvitationForm(found.match, sitting.plan.game.name, list(names), found.seat, found.expires)


@post("/api/invitations/{code:str}/accept", status_code=200, **repeatable(Scope.PLAY, 410))
async def accept_invitation(house: OurHouse, visit: ThisVisit, code: Code) -> MatchForm:
    """Take the chair that is offered."""
    return await match_form(house, await seating.join(house, visit.caller, code), visit.caller)


# ── traces ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@get("/api/matches/{name:str}/trace/{seat:int}", **with_token(Scope.ENGINES))
async def list_exchanges(house: OurHouse, visit: ThisVisit, name: Name, seat: At, after: After = 0) -> Page[Exchange]:
    """Return what was exchanged with one's own engine, or with the referee of one's own game."""
    await matches.trace(house, visit.caller, name, seat)
    found = traces.exchanges(house.arena, name, Seat(seat), after)

    def form(one: traces.Exchange) -> Exchange:
        return Exchange(*one[:-1], visit.words.of(one.shown), coded(reason_of(one.shown)))

    return fetched(found, lambda one: one.sequence, form)


@post("/api/matches/{name:str}/trace/{seat:int}/{sequence:int}", status_code=200, **repeatable(Scope.ENGINES))
async def repeat_call(
    house: OurHouse,
    visit: ThisVisit,
    name: Name,
    seat: At,
    sequence: Annotated[int, PathParameter(ge=1, le=2**53 - 1, description="the number of a call of ours")],
) -> TrialForm:
    """Make a call of the trace again, as a test that no match hears of, and tell what comes of it."""
    return trial_form(await trials.repeat(house, visit.caller, name, seat, sequence), visit.words)
