"""Classes for programs: make and end them, their codes and pupils, a competition in one request, results, the school's gateway.

A class is there for its teacher, its pupils and the operator; to anybody else it does not exist. Wrong codes are counted, by
address and by account. Ranges of internal addresses are the operator's alone to give (spec: tournoyons, sections 7 and 9).
"""

import asyncio
from typing import Annotated

from litestar import delete, get, post, put
from litestar.params import JSONBody, PathParameter, QueryParameter
from msgspec import Meta, Struct

from arbitre.site import classroom, lesson, prepared
from arbitre.site.accounts import Account, AccountId
from arbitre.site.classes import Class, ClassId
from arbitre.site.tokens import Scope
from arbitre.tournament.tables import points_text
from arbitre.web.api.common import After, Number, bearer, open_to_all, operator, paged, repeatable, with_token
from arbitre.web.api.engines import EngineForm, engine_form
from arbitre.web.api.forms import Coded, GameName, Name, Page, coded
from arbitre.web.dependencies import OurHouse, ThisVisit
from arbitre.words import Words

FORTNIGHT = 14 * 86_400

Pupil = Annotated[int, PathParameter(ge=1, le=2**53 - 1, description="the number of a member")]


class NewClass(Struct, forbid_unknown_fields=True):
    """A class to make, or another name for one."""

    name: Annotated[str, Meta(min_length=1, max_length=60)]


class Join(Struct, forbid_unknown_fields=True):
    """A code to join with."""

    code: Annotated[str, Meta(min_length=1, max_length=40)]


class NewCode(Struct, forbid_unknown_fields=True):
    """How long a new code is good, in seconds; 0: no time at all."""

    seconds: Annotated[int, Meta(ge=0, le=FORTNIGHT)] = FORTNIGHT


class ClassForm(Struct):
    """A class; its code only for its teacher."""

    id: int
    name: str
    mine: bool
    code: str | None = None
    expires: int | None = None
    accounts_only: bool | None = None
    """Whether the code and a name are not enough for a lesson."""


class LessonJoin(Struct, forbid_unknown_fields=True):
    """Somebody who comes to a lesson with an engine, without an account."""

    code: Annotated[str, Meta(min_length=1, max_length=40)]
    name: Name
    game: GameName


class LessonForm(Struct):
    """An engine that was made for a lesson, with its token, shown this once."""

    engine: int
    name: str
    game: str
    token: str


class LessonDoor(Struct, forbid_unknown_fields=True):
    """Who joins."""

    accounts_only: bool
    """Only who has an account; else the code and a name are enough."""


class MemberForm(Struct):
    """A member of a class."""

    id: int
    name: str
    joined: int
    engines: list[EngineForm]


class NewAccounts(Struct, forbid_unknown_fields=True):
    """Names of pupils for whom accounts are made."""

    names: Annotated[list[Annotated[str, Meta(max_length=100)]], Meta(min_length=1, max_length=60)]


class PreparedForm(Struct):
    """An account with its code, the first password, which is shown this once."""

    id: int
    name: str
    code: str


class PreparedList(Struct):
    """The accounts that were made."""

    accounts: list[PreparedForm]


class ClassCompetition(Struct, forbid_unknown_fields=True):
    """A competition of everybody's newest engine: a Swiss, now or at an hour, in seconds since 1970."""

    game: GameName
    title: Annotated[str, Meta(max_length=120)] = ""
    begins: Annotated[int, Meta(ge=0, le=2**40)] = 0


class Begun(Struct):
    """The competition that was announced."""

    competition: int
    url: str


class ClassResult(Struct):
    """How one engine did in one competition of a class."""

    competition: int
    title: str
    game: str
    place: int
    pupil: str
    engine: str
    points: str
    games: int
    wins: int
    draws: int
    losses: int
    byes: int
    faults: int
    fault: str
    """The last one, in the caller's language; empty: there was none."""
    why: Coded
    """The same as a code with its fields."""


class GatewayForm(Struct):
    """Where the school's gateway is, for members of the class; its key for its teacher alone."""

    url: str
    ranges: list[str]
    words: str
    """What the school tells its members."""
    key: str | None = None


class NewGateway(Struct, forbid_unknown_fields=True):
    """An address of a gateway; empty: none."""

    url: Annotated[str, Meta(max_length=500)]


class SchoolWords(Struct, forbid_unknown_fields=True):
    """What the school tells its members: where machines are, how its gateway is reached, whom to ask."""

    words: Annotated[str, Meta(max_length=4_000)]


class Ranges(Struct, forbid_unknown_fields=True):
    """Internal addresses that may be called for engines of a class, as CIDR."""

    ranges: Annotated[list[Annotated[str, Meta(max_length=60)]], Meta(max_length=50)]


def _class(one: Class, account: Account) -> ClassForm:
    mine = one.run_by(account)
    return ClassForm(one.id, one.name, mine, *((one.code, one.expires, one.accounts_only) if mine else ()))


@get("/api/classes", **with_token(Scope.READ))
async def list_classes(house: OurHouse, visit: ThisVisit, after: After = 0) -> Page[ClassForm]:
    """List the classes that one teaches or belongs to."""
    account = bearer(visit)
    kept = house.community.classes
    found = await asyncio.to_thread(lambda: (*kept.taught_by(account), *kept.of(account)))
    listed = sorted(dict.fromkeys(found), key=lambda one: one.id)
    return paged(listed, lambda one: one.id, after, lambda one: _class(one, account))


@post("/api/classes", status_code=201, **repeatable(Scope.TEACH))
async def make_class(house: OurHouse, visit: ThisVisit, data: JSONBody[NewClass]) -> ClassForm:
    """Make a class; the account needs the role of a teacher. The same name makes the same class."""
    account = bearer(visit)
    return _class(await asyncio.to_thread(classroom.make, house, account, data.name), account)


@post("/api/classes/join", status_code=200, **repeatable(Scope.PLAY, 410))
async def join_class(house: OurHouse, visit: ThisVisit, data: JSONBody[Join]) -> ClassForm:
    """Join a class with its code; wrong ones are counted."""
    return _class(await classroom.join(house, visit.caller, data.code), bearer(visit))


@post("/api/classes/lesson", status_code=201, **open_to_all(403, 410))
async def join_lesson(house: OurHouse, visit: ThisVisit, data: JSONBody[LessonJoin]) -> LessonForm:
    """Come to a lesson with an engine that dials in: the code of the class and a name are enough."""
    found = await lesson.join(house, visit.caller, data.code, data.name, data.game)
    return LessonForm(found.engine.id, found.engine.name, found.engine.game, found.token)


@put("/api/classes/{number:int}/lesson", **with_token(Scope.TEACH))
async def set_lesson(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[LessonDoor]) -> ClassForm:
    """Say whether only who has an account joins one's class."""
    account, kept = bearer(visit), house.community.classes
    on = data.accounts_only
    return _class(await asyncio.to_thread(lambda: kept.set_accounts_only(account, ClassId(number), on=on)), account)


@get("/api/classes/{number:int}", **with_token(Scope.READ))
async def get_class(house: OurHouse, visit: ThisVisit, number: Number) -> ClassForm:
    """Return a class that one teaches or belongs to."""
    account = bearer(visit)
    return _class(await asyncio.to_thread(house.community.classes.get, account, ClassId(number)), account)


@put("/api/classes/{number:int}", **with_token(Scope.TEACH))
async def rename_class(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[NewClass]) -> ClassForm:
    """Give one's class another name."""
    account = bearer(visit)
    return _class(await asyncio.to_thread(house.community.classes.rename, account, ClassId(number), data.name), account)


@delete("/api/classes/{number:int}", status_code=204, **with_token(Scope.TEACH))
async def end_class(
    house: OurHouse,
    visit: ThisVisit,
    number: Number,
    name: Annotated[str, QueryParameter(max_length=120, description="its name, so that none ends by a slip")] = "",
) -> None:
    """End one's class; pupils, engines and competitions stay."""
    await asyncio.to_thread(classroom.end, house, bearer(visit), number, name)


@post("/api/classes/{number:int}/code", status_code=200, **repeatable(Scope.TEACH))
async def renew_class_code(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[NewCode]) -> ClassForm:
    """Make a new join code; the old one is worth nothing any more."""
    account = bearer(visit)
    return _class(await asyncio.to_thread(classroom.renew_code, house, account, number, data.seconds), account)


@post("/api/classes/{number:int}/leave", status_code=204, **repeatable(Scope.PLAY))
async def leave_class(house: OurHouse, visit: ThisVisit, number: Number) -> None:
    """Leave a class."""
    await asyncio.to_thread(house.community.classes.leave, bearer(visit), ClassId(number))


@get("/api/classes/{number:int}/members", **with_token(Scope.TEACH))
async def list_members(house: OurHouse, visit: ThisVisit, number: Number, after: After = 0) -> Page[MemberForm]:
    """List the members of one's class with their engines."""
    account = bearer(visit)
    found = await asyncio.to_thread(house.community.classes.taught, account, ClassId(number))
    desks = await asyncio.to_thread(classroom.desks, house, account, found)

    def form(one: classroom.Desk) -> MemberForm:
        return MemberForm(one.pupil.id, one.pupil.name, one.joined, [engine_form(house, each, visit) for each in one.engines])

    return paged(sorted(desks, key=lambda one: one.pupil.id), lambda one: one.pupil.id, after, form)


@delete("/api/classes/{number:int}/members/{pupil:int}", status_code=204, **with_token(Scope.TEACH))
async def remove_member(house: OurHouse, visit: ThisVisit, number: Number, pupil: Pupil) -> None:
    """Take somebody out of one's class; renew the code, or he comes back."""
    await asyncio.to_thread(house.community.classes.remove, bearer(visit), ClassId(number), AccountId(pupil))


@post("/api/classes/{number:int}/accounts", status_code=201, **repeatable(Scope.TEACH))
async def prepare_accounts(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[NewAccounts]) -> PreparedList:
    """Make an account in one's class for each name, with a code to print: its first password."""
    made = await prepared.prepare(house, bearer(visit), number, data.names)
    return PreparedList([PreparedForm(one.account.id, one.account.name, one.code) for one in made])


@post("/api/classes/{number:int}/members/{pupil:int}/code", status_code=200, **repeatable(Scope.TEACH))
async def reset_member(house: OurHouse, visit: ThisVisit, number: Number, pupil: Pupil) -> PreparedForm:
    """Make a new code for an account that was made for one's class; its password, sessions and tokens end."""
    found = await prepared.reset(house, bearer(visit), number, pupil)
    return PreparedForm(found.account.id, found.account.name, found.code)


# ── competitions and results ───────────────────────────────────────────────────────────────────────────────────────


@post("/api/classes/{number:int}/compete", status_code=201, **repeatable(Scope.TEACH))
async def hold_class_competition(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[ClassCompetition]) -> Begun:
    """Hold a competition of one's class, in which everybody's newest engine is entered."""
    account = bearer(visit)
    found = await asyncio.to_thread(house.community.classes.taught, account, ClassId(number))
    made = await classroom.held(house, account, found, data.game, data.title, data.begins)
    return Begun(made.id, f"{house.settings.public}/compete/{made.id}")


@get("/api/classes/{number:int}/results", **with_token(Scope.TEACH))
async def list_class_results(house: OurHouse, visit: ThisVisit, number: Number, after: After = 0) -> Page[ClassResult]:
    """List the results of one's class, the newest competition first; `after` counts lines."""
    account = bearer(visit)
    found = await asyncio.to_thread(house.community.classes.taught, account, ClassId(number))
    competitions = await asyncio.to_thread(house.community.competitions.of_class, found.id)
    lines = list(enumerate(await classroom.results(house, competitions), start=1))
    return paged(lines, lambda one: one[0], after, lambda one: _result(one[1], visit.words))


def _result(one: classroom.PupilResult, words: Words) -> ClassResult:
    counts = (one.games, one.wins, one.draws, one.losses, one.byes, one.faults)
    held = one.competition
    return ClassResult(
        held.id,
        held.announcement.title,
        held.game,
        one.place,
        one.pupil,
        one.engine,
        points_text(one.points),
        *counts,
        words.of(one.fault),
        coded(one.fault),
    )


# ── the school ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _gateway(one: Class, account: Account) -> GatewayForm:
    return GatewayForm(one.gateway, list(one.ranges), one.words, one.gateway_key if one.run_by(account) else None)


@get("/api/classes/{number:int}/gateway", **with_token(Scope.READ))
async def get_gateway(house: OurHouse, visit: ThisVisit, number: Number) -> GatewayForm:
    """Return where the gateway of the school is."""
    account = bearer(visit)
    found = await asyncio.to_thread(house.community.classes.get, account, ClassId(number))
    if visit.bearer is not None and Scope.TEACH not in visit.bearer.token.scopes:
        return GatewayForm(found.gateway, list(found.ranges), found.words)
    return _gateway(found, account)


@put("/api/classes/{number:int}/gateway", **with_token(Scope.TEACH))
async def set_gateway(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[NewGateway]) -> GatewayForm:
    """Say where the gateway of the school is; where that changes, it has a new key."""
    account = bearer(visit)
    found = await asyncio.to_thread(house.community.classes.taught, account, ClassId(number))
    if found.gateway != data.url:
        found = await asyncio.to_thread(house.community.classes.set_gateway, account, found.id, data.url)
    return _gateway(found, account)


@put("/api/classes/{number:int}/words", **with_token(Scope.TEACH))
async def set_words(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[SchoolWords]) -> GatewayForm:
    """Say what members read on the pages of the class and of its gateway; nobody else does."""
    account = bearer(visit)
    kept = house.community.classes
    return _gateway(await asyncio.to_thread(kept.set_words, account, ClassId(number), data.words), account)


@post("/api/classes/{number:int}/gateway/key", status_code=200, **repeatable(Scope.TEACH))
async def renew_gateway_key(house: OurHouse, visit: ThisVisit, number: Number) -> GatewayForm:
    """Make a new key for the gateway."""
    account = bearer(visit)
    return _gateway(await asyncio.to_thread(house.community.classes.renew_key, account, ClassId(number)), account)


@get("/api/operator/classes", **with_token(Scope.OPERATE))
async def list_all_classes(house: OurHouse, visit: ThisVisit, after: After = 0) -> Page[ClassForm]:
    """List every class, for the operator."""
    account = operator(visit)
    found = await asyncio.to_thread(house.community.classes.all, account)
    return paged(found, lambda one: one.id, after, lambda one: _class(one, account))


@put("/api/operator/classes/{number:int}/ranges", **with_token(Scope.OPERATE))
async def set_ranges(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[Ranges]) -> GatewayForm:
    """Say where engines of a class may be called beyond the public web: the operator's to say."""
    account = operator(visit)
    kept = house.community.classes
    return _gateway(await asyncio.to_thread(kept.set_ranges, account, ClassId(number), data.ranges), account)
