"""For whoever programs: where to begin, one's own engines, and those of everybody (spec: tournoyons, sections 7 and 9).

An address is tried when it is registered. What does not answer well may be corrected, or kept as it is, marked broken, with what
was wrong; its owner sees that, nobody else does. Addresses are their owners' affair too: a list of engines shows names.
"""

import asyncio
import re
from functools import cache
from time import time
from typing import Any

from litestar import Response, get, post
from litestar.response import Redirect

from arbitre.errors import ArbitreError, CommunityError, ForbiddenError, HasteError, StoreError, UnfitError
from arbitre.games.levels import levels
from arbitre.site.accounts import Account, AccountId, Role
from arbitre.site.arena.traces import games_of, last_fault, seats_of
from arbitre.site.engines import Engine, EngineId
from arbitre.site.forms import check_name
from arbitre.site.registered import Owned
from arbitre.tournoyons.gateway import Way
from arbitre.tournoyons.positions import presets_of
from arbitre.tournoyons.tester import Trial, examined, preset_exercises
from arbitre.tournoyons.wire import Style
from arbitre.web.given import Form, FromPath, FromQuery, OurHouse, ThisPerson, ThisVisit, Whole
from arbitre.web.house import House
from arbitre.web.pages.manual import pages
from arbitre.web.pages.testers import call_out, games, heard_out, told
from arbitre.web.played import choices, in_use, played
from arbitre.web.visit import Visit

CHECK_SECONDS = 8
PAGE = 100


@cache
def listing_in(page: str, marked: str, language: str) -> str:
    """Return the first block of Python in a page of the manual that has these words in it: what tests run there.

    The French page has the same program with French comments.
    """
    text = pages(language).get(page, pages()[page]).read_text(encoding="utf-8")
    found: list[str] = re.findall(r"^```py(?:thon)?\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return next((one for one in found if marked in one), "").strip()


def bot(language: str) -> str:
    """Return the bot of ten lines."""
    return listing_in("bots", "class Careless(Bot)", language)


def example(language: str) -> str:
    """Return the engine that needs no library."""
    return listing_in("engines-http", "class Engine(BaseHTTPRequestHandler)", language)


# ── where to begin ─────────────────────────────────────────────────────────────────────────────────────────────────


@get("/program")
async def program(house: OurHouse, visit: ThisVisit) -> Response[str]:
    """Show where whoever programs begins."""
    counts = (0, 0)
    if visit.person is not None:
        counts = (len(house.community.engines.of(visit.person)), len(house.community.interfaces.of(visit.person)))
    offered = [(name, title, len(levels(name))) for name, title in games(visit.language)]
    return house.page(
        visit,
        "program.html",
        example=example(visit.language),
        offered=offered,
        sources=house.settings.sources,
        counts=counts,
        bot=bot(visit.language),
    )


@get("/program/directory")
async def directory(house: OurHouse, visit: ThisVisit, game: FromQuery[str] = "", after: Whole = 0) -> Response[str]:
    """Show the engines and interfaces that anybody may choose."""
    found = await asyncio.to_thread(played, house, game, visit.person)
    name = None if found is None else found.label
    engines, interfaces = await asyncio.to_thread(
        lambda: (
            house.community.engines.all(game=name, by=visit.person, after=max(0, after), most=PAGE),
            house.community.interfaces.all(game=name, by=visit.person, most=PAGE),
        )
    )
    theirs = {one.owner for one in engines} | {one.owner for one in interfaces}
    owners = {one: _name(house, one) for one in theirs}
    titles = dict(games(visit.language))
    return house.page(
        visit,
        "directory.html",
        game=name or "",
        games=await asyncio.to_thread(choices, house, visit.person, visit.language),
        engines=engines,
        interfaces=interfaces,
        owners=owners,
        more=engines[-1].id if len(engines) == PAGE else 0,
        offered=[(one, titles[one], len(levels(one))) for one in ([name] if name else titles) if one in titles],
    )


def _name(house: House, owner: AccountId) -> str:
    try:
        return house.community.accounts.get(owner).name
    except CommunityError:
        return "–"


# ── engines ────────────────────────────────────────────────────────────────────────────────────────────────────────


async def checked(house: House, game: str, url: str, style: Style, way: Way) -> Trial:
    """Try an engine out as a match would call it, with the board of the start; of an added game, its referee is asked too."""
    table = await asyncio.to_thread(in_use, house, game)
    first = preset_exercises(table.rules, presets_of(table.label)[0])[0]
    trial = await examined(house.switchboard, table.rules, url, first, style, CHECK_SECONDS, back=not style.direct, way=way)
    return (await heard_out(house, table, first, trial))[0]


def _style(data: dict[str, str]) -> Style:
    return Style(
        full=data.get("full") == "yes",
        direct=data.get("direct") == "yes",
        notify=data.get("notify") == "yes",
        login=data.get("login", ""),
    )


def own(found: Owned, person: Account) -> None:
    """Let nobody but the owner and operators see more of a thing than its name."""
    if found.owner != person.id and not person.may(Role.OPERATOR):
        raise ForbiddenError("this is somebody else's")


@get("/program/engines")
async def engines_page(house: OurHouse, visit: ThisVisit, person: ThisPerson) -> Response[str]:
    """Show one's own engines."""
    found = await asyncio.to_thread(house.community.engines.of, person, retired=True)
    return house.page(visit, "engines.html", engines=found, kind="engine")


@get("/program/engines/new")
async def new_engine(house: OurHouse, visit: ThisVisit, person: ThisPerson, game: FromQuery[str] = "") -> Response[str]:  # noqa: ARG001
    """Show the form of a new engine."""
    return _engine_form(house, visit, {"game": game, "public": "yes"})


def _engine_form(house: House, visit: Visit, given: dict[str, str], **more: Any) -> Response[str]:
    context: dict[str, Any] = {"problem": "", "trial": None, "engine": None, "status": 200, "saved": False}
    context |= {"played": (), "faults": {}, "seats": {}, "owner": ""} | more
    return house.page(visit, "engine.html", given=given, games=choices(house, visit.person, visit.language), **context)


@post("/program/engines")
async def register_engine(house: OurHouse, visit: ThisVisit, person: ThisPerson, data: Form) -> Response[Any]:
    """Register an engine that answers well; one that does not is shown with what is wrong, and kept if that is wanted."""
    given = {key: text[:2_100] for key, text in data.items()}
    try:
        game = await asyncio.to_thread(played, house, data.get("game", ""), person)
        if game is None:
            raise UnfitError("game", "one that engines by URL play")
        name, url, public = check_name(data.get("name", "")), data.get("url", ""), data.get("public") == "yes"
        url = await asyncio.to_thread(house.community.engines.check_address, person, url)
        wanted: dict[str, Any] = {"game": game.label, "name": name, "url": url, "style": _style(data), "public": public}
        added, trial = await register(house, visit, person, anyway=data.get("anyway") == "yes", **wanted)
    except StoreError:  # no fault of what was typed
        raise
    except (CommunityError, ArbitreError) as error:
        return _engine_form(house, visit, given, problem=told(visit, error), status=status_of(error))
    if added is None:
        return _engine_form(house, visit, given, trial=trial, status=422)
    return Redirect(f"/program/engines/{added.id}", status_code=303)


async def register(
    house: House, visit: Visit, person: Account, *, game: str, name: str, url: str, style: Style, public: bool, anyway: bool
) -> tuple[Engine | None, Trial]:
    """Try an engine and register it where it answers well, or `anyway`, marked broken; return it and what came of the trial."""
    house.community.limits.take("write", person.neutral, time())
    call_out(house, visit)
    trial = await checked(house, game, url, style, await asyncio.to_thread(house.ways.for_person, person, url))
    if not trial.good and not anyway:
        return None, trial

    def add() -> Engine:
        made = house.community.engines.add(person, game=game, name=name, url=url, style=style, public=public)
        if not trial.good:
            house.community.engines.tried(made.id, trial.fault)
        return house.community.engines.find(made.id)

    return await asyncio.to_thread(add), trial


def status_of(error: ArbitreError) -> int:
    """Return the status of a form that is shown again."""
    return 429 if isinstance(error, HasteError) else 400


async def _engine(house: House, person: Account, which: int) -> Engine:
    found = await asyncio.to_thread(house.community.engines.get, which, person)
    own(found, person)
    return found


@get("/program/engines/{which:int}")
async def engine_page(house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int]) -> Response[str]:
    """Show one of one's own engines: how it is called, its last games and faults."""
    found = await _engine(house, person, which)
    return await _engine_sheet(house, visit, found)


async def _engine_sheet(house: House, visit: Visit, found: Engine, **more: Any) -> Response[str]:
    played = games_of(house.arena, found.id)
    faults = {one.name: last_fault(house.store, one, found.id) for one in played}
    seats = {one.name: seats_of(one, found.id) for one in played}
    given = {"game": found.game, "name": found.name, "url": found.url, "login": found.style.login}
    given |= {key: "yes" for key in ("full", "direct", "notify") if getattr(found.style, key)}
    given |= {"public": "yes"} if found.public else {}
    context = {"engine": found, "played": played, "faults": faults, "seats": seats, "owner": _name(house, found.owner)}
    return _engine_form(house, visit, given, **context | more)


@post("/program/engines/{which:int}")
async def edit_engine(house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int], data: Form) -> Response[Any]:
    """Change one's own engine; it is tried again where that may matter."""
    found = await _engine(house, person, which)
    style = _style(data)
    try:
        house.community.limits.take("write", person.neutral, time())
        call_out(house, visit)
        changed = await asyncio.to_thread(
            house.community.engines.edit,
            person,
            found.id,
            name=data.get("name", ""),
            url=data.get("url", ""),
            style=style,
            public=data.get("public") == "yes",
        )
    except CommunityError as error:
        return await _engine_sheet(house, visit, found, problem=told(visit, error), status=status_of(error))
    trial = await marked(house, changed)
    return await _engine_sheet(house, visit, house.community.engines.find(changed.id), trial=trial, saved=True)


@post("/program/engines/{which:int}/check", status_code=200)
async def check_engine(house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int]) -> Response[str]:
    """Try one's own engine out, and take down whether it works."""
    found = await _engine(house, person, which)
    call_out(house, visit)
    trial = await marked(house, found)
    return await _engine_sheet(house, visit, house.community.engines.find(found.id), trial=trial)


async def marked(house: House, found: Engine) -> Trial:
    """Try a registered engine out, and take down whether it works."""
    way = await asyncio.to_thread(house.ways.to_engine, found.id, found.url)
    trial = await checked(house, found.game, found.url, found.style, way)
    engines = house.community.engines
    await asyncio.to_thread(engines.tried, found.id, trial.fault)
    return trial


@post("/program/engines/{which:int}/retire")
async def retire_engine(house: OurHouse, person: ThisPerson, which: FromPath[int]) -> Redirect:
    """Take one's own engine out of use."""
    await _engine(house, person, which)
    await asyncio.to_thread(house.community.engines.retire, person, EngineId(which))
    return Redirect("/program/engines", status_code=303)


ROUTES = (
    program,
    directory,
    engines_page,
    new_engine,
    register_engine,
    engine_page,
    edit_engine,
    check_engine,
    retire_engine,
)
