"""The teachers' corner: classes, their pupils' engines, competitions in three clicks (spec: tournoyons, sections 7 and 9).

A class is there for its teacher, its pupils and the operator; to anybody else it does not exist. Wrong codes are counted, by
address and by account. A teacher sees which engine is broken and how; what was exchanged with it only its owner sees.
"""

import asyncio
from datetime import UTC, datetime
from time import time
from typing import Any

from litestar import Response, get, post
from litestar.exceptions import NotFoundException
from litestar.response import Redirect

from arbitre.errors import ArbitreError, ExpiredError, HasteError, QuotaError, StoreError, UnconfirmedError, UnfitError
from arbitre.games.labels import title_of
from arbitre.site import classroom, dial, prepared, sources
from arbitre.site.accounts import Account, AccountId, Role
from arbitre.site.classes import Class, ClassId
from arbitre.site.competitions.competitions import Stage
from arbitre.site.games import added_games, played
from arbitre.site.kept_sources import Source
from arbitre.tournament.tables import points_text
from arbitre.web.dependencies import Form, FromPath, FromQuery, OurHouse, ThisPerson, ThisVisit, number_in
from arbitre.web.house import WebApp
from arbitre.web.pages.account import spoken
from arbitre.web.pages.testers import games
from arbitre.web.sheets import Sheet, handed
from arbitre.web.smalls import boards_of
from arbitre.web.telling import N_
from arbitre.web.visit import Visit

LASTS = {"hour": 3_600, "day": 86_400, "fortnight": 14 * 86_400, "ended": 0}
"""How long a new code is good."""


HEADS = (
    N_("class"), N_("competition"), N_("date"), N_("game"), N_("place"), N_("pupil"), N_("engine"), N_("points"), N_("games"),
    N_("Won"), N_("Drawn"), N_("Lost"), N_("byes"), N_("faults"), N_("last fault"),
)  # fmt: skip


def back(which: int, anchor: str = "") -> Redirect:
    """Lead back to the page of a class."""
    return Redirect(f"/teach/{which}{anchor}", status_code=303)


def typed(code: str) -> str:
    """Return a join code as one reads it aloud: three by three."""
    return "-".join(code[at : at + 3] for at in range(0, len(code), 3))


# ── the corner ─────────────────────────────────────────────────────────────────────────────────────────────────────


async def _corner(house: WebApp, visit: Visit, code: str = "", problem: str = "", status: int = 200) -> Response[str]:
    by, classes = visit.person, house.community.classes

    def look() -> tuple[list[tuple[Class, int]], tuple[Class, ...]]:
        if by is None:
            return [], ()
        mine = classes.taught_by(by) if by.may(Role.TEACHER) else ()
        return [(one, len(classes.members(by, one.id))) for one in mine], classes.of(by)

    mine, joined = await asyncio.to_thread(look)
    return house.page(
        visit,
        "teach.html",
        status=status,
        mine=mine,
        joined=joined,
        teacher=by is not None and by.may(Role.TEACHER),
        code=code[:40],
        problem=problem,
        now=time(),
        typed=typed,
    )


@get("/teach")
async def teach(house: OurHouse, visit: ThisVisit, code: FromQuery[str] = "") -> Response[str]:
    """Show one's classes, the form to join one, and what this is."""
    return await _corner(house, visit, code)


@post("/teach/join")
async def join(house: OurHouse, visit: ThisVisit, person: ThisPerson, data: Form) -> Response[Any]:  # noqa: ARG001
    """Join a class by its code."""
    code = data.get("code", "")
    try:
        found = await classroom.join(house, visit.caller, code)
    except ExpiredError:
        words = visit.words("This code is not valid, or not any more. Ask your teacher for a new one.")
        return await _corner(house, visit, code, words, 410)
    except HasteError as error:
        return await _corner(house, visit, code, spoken(visit, error), 429)
    return back(found.id)


@post("/teach/classes")
async def create(house: OurHouse, visit: ThisVisit, person: ThisPerson, data: Form) -> Response[Any]:
    """Make a class."""
    try:
        made = await asyncio.to_thread(house.community.classes.create, person, data.get("name", ""))
    except UnfitError as error:
        return await _corner(house, visit, problem=visit.words.of(error), status=400)
    return back(made.id)


# ── a class ────────────────────────────────────────────────────────────────────────────────────────────────────────


@get("/teach/{which:int}")
async def class_page(house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int]) -> Response[str]:
    """Show a class: everything to its teacher, one's own desk to a pupil."""
    found = await asyncio.to_thread(house.community.classes.get, person, ClassId(which))
    return await (_for_teacher if found.run_by(person) else _for_pupil)(house, visit, person, found)


async def _for_teacher(
    house: WebApp, visit: Visit, person: Account, klass: Class, problem: str = "", status: int = 200
) -> Response[str]:
    desks = await asyncio.to_thread(classroom.desks, house, person, klass)
    present = {one.id for desk in desks for one in desk.engines if dial.present(house, one)}
    going = classroom.games_now(house, desks)
    boards = await boards_of(house, tuple(going.values()), visit.words)
    competitions = await asyncio.to_thread(house.community.competitions.of_class, klass.id)
    lines = await classroom.results(house, competitions)
    return house.page(
        visit,
        "class.html",
        status=status,
        klass=klass,
        present=present,
        states={desk.pupil.id: classroom.state_of(desk, desk.pupil.id in going, present) for desk in desks},
        boards=dict(zip(going, boards, strict=True)),
        written=await _written(house, person, klass),
        typed=typed(klass.code),
        over=klass.expires <= house.community.database.now(),
        desks=desks,
        last=classroom.last_games(house, (engine for desk in desks for engine in desk.engines)),
        titles=dict(games(visit.language)),
        competitions=competitions,
        totals=classroom.totals(lines),
        best=_best(lines),
        points_text=points_text,
        lasts=tuple(LASTS),
        problem=problem,
    )


async def _written(house: WebApp, person: Account, klass: Class) -> dict[AccountId, list[Source]]:
    """Return what each pupil keeps in the workshop; only the teacher reads it, and nobody whose class it is not."""
    found: dict[AccountId, list[Source]] = {}
    for one in await sources.of_class(house, person, klass.id):
        found.setdefault(one.pupil.id, []).append(one.source)
    return found


def _best(lines: list[classroom.PupilResult]) -> dict[int, list[classroom.PupilResult]]:
    """Return the three best of each competition."""
    found: dict[int, list[classroom.PupilResult]] = {}
    for line in lines:
        if len(found.setdefault(line.competition.id, [])) < 3:
            found[line.competition.id].append(line)
    return found


async def _for_pupil(house: WebApp, visit: Visit, person: Account, klass: Class) -> Response[str]:
    def look() -> dict[str, Any]:
        competitions = house.community.competitions.of_class(klass.id)
        engines = house.community.engines.of(person)
        return {
            "competitions": competitions,
            "engines": engines,
            "teacher": house.community.accounts.get(klass.teacher).name,
            "entered": {one.competition for one in house.community.entries.by(person) if one.withdrawn is None},
        }

    seen = await asyncio.to_thread(look)
    running = [one for one in seen["competitions"] if one.stage is Stage.RUNNING]
    return house.page(
        visit,
        "class_pupil.html",
        klass=klass,
        titles=dict(games(visit.language)),
        last=classroom.last_games(house, seen["engines"]),
        coming=classroom.next_games(house, person, running),
        **seen,
    )


@post("/teach/{which:int}/rename")
async def rename(house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int], data: Form) -> Response[Any]:
    """Give a class another name."""
    found = await asyncio.to_thread(house.community.classes.taught, person, ClassId(which))
    try:
        await asyncio.to_thread(house.community.classes.rename, person, found.id, data.get("name", ""))
    except UnfitError as error:
        return await _for_teacher(house, visit, person, found, visit.words.of(error), 400)
    return back(which)


@post("/teach/{which:int}/code")
async def renew(house: OurHouse, person: ThisPerson, which: FromPath[int], data: Form) -> Redirect:
    """Make a new join code, good for an hour, a day or two weeks, or for no time at all."""
    seconds = LASTS.get(data.get("lasts", ""))
    if seconds is None:
        raise NotFoundException
    await asyncio.to_thread(classroom.renew_code, house, person, which, seconds)
    return back(which)


@post("/teach/{which:int}/lesson")
async def lesson_door(house: OurHouse, person: ThisPerson, which: FromPath[int], data: Form) -> Redirect:
    """Say whether the code and a name are enough for a lesson."""
    on = data.get("accounts_only") == "yes"
    await asyncio.to_thread(lambda: house.community.classes.set_accounts_only(person, ClassId(which), on=on))
    return back(which)


@post("/teach/{which:int}/accounts")
async def accounts(house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int], data: Form) -> Response[Any]:
    """Make accounts for a list of names, and show their codes, to be printed."""
    found = await asyncio.to_thread(house.community.classes.taught, person, ClassId(which))
    try:
        made = await prepared.prepare(house, person, which, data.get("names", "")[:10_000].splitlines())
    except (UnfitError, QuotaError, HasteError) as error:
        return await _for_teacher(house, visit, person, found, spoken(visit, error), 400)
    return house.page(visit, "class_codes.html", klass=found, made=made)


@post("/teach/{which:int}/reset")
async def reset(house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int], data: Form) -> Response[Any]:
    """Make a new code for an account of the class, and show it."""
    found = await asyncio.to_thread(house.community.classes.taught, person, ClassId(which))
    made = await prepared.reset(house, person, which, number_in(data.get("pupil", "")))
    return house.page(visit, "class_codes.html", klass=found, made=(made,))


@post("/teach/{which:int}/remove")
async def remove(house: OurHouse, person: ThisPerson, which: FromPath[int], data: Form) -> Redirect:
    """Take a pupil out of one's class."""
    pupil = AccountId(number_in(data.get("pupil", "")))
    await asyncio.to_thread(house.community.classes.remove, person, ClassId(which), pupil)
    return back(which, "#pupils")


@post("/teach/{which:int}/leave")
async def leave(house: OurHouse, person: ThisPerson, which: FromPath[int]) -> Redirect:
    """Leave a class."""
    await asyncio.to_thread(house.community.classes.leave, person, ClassId(which))
    return Redirect("/teach", status_code=303)


@post("/teach/{which:int}/end")
async def end(house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int], data: Form) -> Response[Any]:
    """End a class; its name is typed again, so that none ends by a slip."""
    found = await asyncio.to_thread(house.community.classes.taught, person, ClassId(which))
    try:
        await asyncio.to_thread(classroom.end, house, person, which, data.get("name", ""))
    except UnconfirmedError:
        words = visit.words("Type the name of the class to end it.")
        return await _for_teacher(house, visit, person, found, words, 400)
    return Redirect("/teach", status_code=303)


@get("/teach/{which:int}/sheet")
async def sheet(house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int]) -> Response[str]:
    """Show the join code on one page, to be printed or projected."""
    found = await asyncio.to_thread(house.community.classes.taught, person, ClassId(which))
    return house.page(visit, "class_sheet.html", klass=found, typed=typed(found.code), public=house.settings.public)


# ── a competition in three clicks ──────────────────────────────────────────────────────────────────────────────────


@get("/teach/{which:int}/compete")
async def compete_page(
    house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int], game: FromQuery[str] = ""
) -> Response[str]:
    """Show the games; then who would play the chosen one, and how."""
    found = await asyncio.to_thread(house.community.classes.taught, person, ClassId(which))
    return await _ready(house, visit, person, found, game)


async def _ready(
    house: WebApp, visit: Visit, person: Account, klass: Class, game: str, problem: str = "", status: int = 200
) -> Response[str]:
    desks = await asyncio.to_thread(classroom.desks, house, person, klass)
    chosen = await asyncio.to_thread(played, house, game, person)
    field = () if chosen is None else classroom.field(desks, chosen.label)
    added = {one.label for one in await asyncio.to_thread(added_games, house, person) if not one.framed}
    theirs = sorted(added & {engine.game for desk in desks for engine in desk.engines})
    now = house.community.database.now()
    return house.page(
        visit,
        "class_compete.html",
        status=status,
        klass=klass,
        game="" if chosen is None else chosen.label,
        title="" if chosen is None else chosen.called(visit.language),
        games=[
            (name, shown, len(classroom.field(desks, name)))
            for name, shown in (*games(visit.language), *((label, title_of(label, visit.language)) for label in theirs))
        ],
        field=field,
        rounds=classroom.rounds(len(field)),
        missing=[one.pupil.name for one in desks if one.pupil.id not in {pupil.id for pupil, _ in field}],
        soon=datetime.fromtimestamp(now + classroom.HOUR, UTC).strftime("%Y-%m-%dT%H:%M"),
        problem=problem,
    )


@post("/teach/{which:int}/compete")
async def compete(house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int], data: Form) -> Response[Any]:
    """Hold the competition: now, or at an hour."""
    found = await asyncio.to_thread(house.community.classes.taught, person, ClassId(which))
    game = await asyncio.to_thread(played, house, data.get("game", ""), person)
    if game is None:
        raise NotFoundException
    try:
        begins = _hour(data.get("begins", "")) if data.get("when") == "later" else 0
        made = await classroom.held(house, person, found, game.label, data.get("title", ""), begins)
    except StoreError:  # no fault of what was typed
        raise
    except ArbitreError as error:
        return await _ready(house, visit, person, found, game.label, spoken(visit, error), 400)
    return Redirect(f"/compete/{made.id}", status_code=303)


def _hour(text: str) -> int:
    try:
        return int(datetime.strptime(text.strip()[:16], "%Y-%m-%dT%H:%M").replace(tzinfo=UTC).timestamp())
    except (ValueError, OverflowError):
        raise UnfitError("begins", "a date and a time") from None


@get("/teach/{which:int}/results.csv", media_type="text/csv")
async def results(house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int]) -> Response[str]:
    """Hand out the results of a class for a spreadsheet: in French with semicolons, as French spreadsheets expect them."""
    found = await asyncio.to_thread(house.community.classes.taught, person, ClassId(which))
    competitions = await asyncio.to_thread(house.community.competitions.of_class, found.id)
    lines = await classroom.results(house, competitions)
    sheet = Sheet(visit.words)
    return handed(sheet.text(HEADS, (_cells(found, one, sheet) for one in lines)), f"class-{found.id}")


def _cells(klass: Class, one: classroom.PupilResult, sheet: Sheet) -> tuple[object, ...]:
    """Return a line of the results for a spreadsheet."""
    date = datetime.fromtimestamp(one.competition.created, UTC).strftime("%Y-%m-%d")
    title, game = one.competition.announcement.title, title_of(one.competition.game, sheet.words.language)
    counts = (one.games, one.wins, one.draws, one.losses, one.byes, one.faults)
    said = sheet.words.of(one.fault)
    return klass.name, title, date, game, one.place, one.pupil, one.engine, sheet.number(one.points), *counts, said
