"""What one does with a match beside playing it, for programs: again, cancel, stop, keep, photograph, invite, and the trace.

The same rules hold as on the pages: whoever called a match steers it, what was exchanged with an engine is its owner's to see.
"""

import asyncio
from typing import Annotated

from litestar import delete, get, post, put
from litestar.exceptions import HTTPException, NotFoundException
from litestar.params import JSONBody, PathParameter
from msgspec import Meta, Struct

from arbitre.errors import ArenaError
from arbitre.games.added.rules import Added
from arbitre.games.game import Seat
from arbitre.reasons import Reason
from arbitre.site.accounts import Account
from arbitre.site.arena.matches import Sitting
from arbitre.site.arena.plan import LONGEST_TITLE, Person
from arbitre.site.arena.traces import exchange, exchanges
from arbitre.site.tokens import Scope
from arbitre.tournoyons.tester import fetched_by_hand, harmless
from arbitre.web.api.common import After, bearer, fetched, open_to_all, reader, repeatable, with_token
from arbitre.web.api.engines import TrialForm, trial_form
from arbitre.web.api.forms import Page
from arbitre.web.api.matches import MatchForm, Name, called, find_match, match_form, seats_at
from arbitre.web.api.things import PhotoForm, photo_form
from arbitre.web.given import OurHouse, ThisVisit
from arbitre.web.house import House
from arbitre.web.lists import all_names
from arbitre.web.pages.games import position_of
from arbitre.web.pages.testers import call_out
from arbitre.web.pages.traces import REPEAT_SECONDS, allowed
from arbitre.web.pages.train import once_more

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


class InvitationForm(Struct):
    """A chair that is offered."""

    match: str
    game: str
    players: list[str]
    seat: int
    expires: int


def _own(account: Account, sitting: Sitting) -> None:
    """Let nobody but whoever called a match steer it."""
    if sitting.owner != account.id and sitting.plan.starter != called(account):
        raise HTTPException("only whoever called this match may do that", status_code=403)


@post("/api/matches/{name:str}/again", status_code=201, **repeatable(Scope.PLAY))
async def call_match_again(house: OurHouse, visit: ThisVisit, name: Name) -> MatchForm:
    """Call the same match once more, with the seats changed."""
    account = bearer(visit)
    return await match_form(house, await once_more(house, visit, await find_match(house, name, account)), account)


@delete("/api/matches/{name:str}", status_code=204, **with_token(Scope.PLAY))
async def cancel_match(house: OurHouse, visit: ThisVisit, name: Name) -> None:
    """Take back a match of one's own that has not begun."""
    account = bearer(visit)
    sitting = await find_match(house, name, account)
    if sitting.owner != account.id and not seats_at(account, sitting):
        raise NotFoundException
    await house.arena.cancel(name)


@post("/api/matches/{name:str}/stop", status_code=200, **repeatable(Scope.PLAY))
async def stop_match(house: OurHouse, visit: ThisVisit, name: Name) -> MatchForm:
    """End a match of one's own between players who are not people; it is nobody's result."""
    account = bearer(visit)
    sitting = await find_match(house, name, account)
    _own(account, sitting)
    if any(isinstance(one, Person) for one in sitting.plan.sitters) or sitting.plan.event:
        raise ArenaError("a match between people, or of a competition, is not stopped: whoever has enough gives up")
    if sitting.state == "playing":
        house.arena.stop(name, Reason("stopped-by-starter"))
        await house.arena.decided(name)
    return await match_form(house, house.arena.sitting(name), account)


@put("/api/matches/{name:str}/title", **with_token(Scope.PLAY))
async def entitle_match(house: OurHouse, visit: ThisVisit, name: Name, data: JSONBody[Title]) -> MatchForm:
    """Keep a match of one's own under a title."""
    account = bearer(visit)
    sitting = await find_match(house, name, account)
    if sitting.owner != account.id and not (sitting.owner is None and seats_at(account, sitting)):
        raise HTTPException("only whoever called this match may do that", status_code=403)
    await house.arena.entitle(name, data.title.strip(), account.id)
    return await match_form(house, house.arena.sitting(name), account)


@post("/api/matches/{name:str}/photo", status_code=201, **repeatable(Scope.PLAY))
async def photograph_match(house: OurHouse, visit: ThisVisit, name: Name, data: JSONBody[Photograph]) -> PhotoForm:
    """Photograph a position of a match: a new one may start from it."""
    account = bearer(visit)
    sitting = await find_match(house, name, account)
    if isinstance(sitting.plan.game, Added):
        raise ArenaError("a position of an added game is not kept: send it as the start of a new match")
    if sitting.state == "waiting":
        raise ArenaError("the match has not begun: a chair is free")
    state = position_of(house, sitting, data.moment)
    return photo_form(await asyncio.to_thread(house.community.photos.take, account, data.title.strip(), sitting.plan.game, state))


# ── invitations ────────────────────────────────────────────────────────────────────────────────────────────────────


@post("/api/matches/{name:str}/invite", status_code=200, **repeatable(Scope.PLAY))
async def invite_to_match(house: OurHouse, visit: ThisVisit, name: Name) -> Invited:
    """Make a link for the free chair; one made before is good no more."""
    account = bearer(visit)
    sitting = await find_match(house, name, account)
    if sitting.owner != account.id and not seats_at(account, sitting):
        raise NotFoundException
    if not sitting.plan.free:
        raise ArenaError("no chair is free")
    offered = await asyncio.to_thread(house.community.invitations.offer, name, sitting.plan.free[0], account)
    return Invited(f"{house.settings.public}/invite/{offered.code}", offered.code)


@get("/api/invitations/{code:str}", **open_to_all(410))
async def get_invitation(house: OurHouse, visit: ThisVisit, code: Code) -> InvitationForm:
    """Tell what somebody is invited to; to look changes nothing."""
    reader(visit)
    found = await asyncio.to_thread(house.community.invitations.look, code)
    sitting = house.arena.sitting(found.match)
    (names,) = await all_names(house, (sitting.plan,))
    return InvitationForm(found.match, sitting.plan.game.name, list(names), found.seat, found.expires)


@post("/api/invitations/{code:str}/accept", status_code=200, **repeatable(Scope.PLAY, 410))
async def accept_invitation(house: OurHouse, visit: ThisVisit, code: Code) -> MatchForm:
    """Take the chair that is offered."""
    account = bearer(visit)
    found = await asyncio.to_thread(house.community.invitations.look, code)
    sitting = house.arena.sitting(found.match)
    if seats_at(account, sitting):
        raise ArenaError("you sit at this table already; the link is for the other player")
    house.arena.check_room()  # before the link is used up
    await asyncio.to_thread(house.community.invitations.accept, code, account)
    seated = await house.arena.sit(sitting.name, Seat(found.seat), Person(called(account), account.neutral))
    return await match_form(house, seated, account)


# ── traces ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _asked(house: House, name: str, seat: int, after: int) -> Page[Exchange]:
    found = exchanges(house.arena, name, Seat(seat), after)
    return fetched(found, lambda one: one.sequence, lambda one: Exchange(*one))


@get("/api/matches/{name:str}/trace/{seat:int}", **with_token(Scope.ENGINES))
async def list_exchanges(house: OurHouse, visit: ThisVisit, name: Name, seat: At, after: After = 0) -> Page[Exchange]:
    """Return what was exchanged with one's own engine, or with the referee of one's own game."""
    account = bearer(visit)
    await find_match(house, name, account)
    await allowed(house, visit, account, name, seat)
    return _asked(house, name, seat, after)


@post("/api/matches/{name:str}/trace/{seat:int}/{sequence:int}", status_code=200, **repeatable(Scope.ENGINES))
async def repeat_call(
    house: OurHouse,
    visit: ThisVisit,
    name: Name,
    seat: At,
    sequence: Annotated[int, PathParameter(ge=1, le=2**53 - 1, description="the number of a call of ours")],
) -> TrialForm:
    """Make a call of the trace again, as a test that no match hears of, and tell what comes of it."""
    account = bearer(visit)
    await find_match(house, name, account)
    _, engine = await allowed(house, visit, account, name, seat)
    made = exchange(house.arena, name, Seat(seat), sequence)
    if not made.ours:
        raise NotFoundException("this was no call of ours")
    call_out(house, visit)
    way = await asyncio.to_thread(house.ways.to_engine, engine.number, engine.url)
    return trial_form(await fetched_by_hand(house.switchboard, harmless(made.text), REPEAT_SECONDS, way=way))


ROUTES = (
    call_match_again,
    cancel_match,
    stop_match,
    entitle_match,
    photograph_match,
    invite_to_match,
    get_invitation,
    accept_invitation,
    list_exchanges,
    repeat_call,
)
