"""For whoever programs: where to begin, one's own engines, and those of everybody (spec: tournoyons, sections 7 and 9).

An address is tried when it is registered. What does not answer well may be corrected, or kept as it is, marked broken, with what
was wrong; its owner sees that, nobody else does. Addresses are their owners' affair too: a list of engines shows names.
"""

import asyncio
import re
from functools import cache
from typing import Any

from litestar import Response, get, post
from litestar.response import Redirect

from arbitre.errors import ArbitreError, CommunityError, StoreError
from arbitre.games.levels import levels
from arbitre.site import dial, programs, rankings
from arbitre.site.arena.dialing import DIAL
from arbitre.site.engines import Engine
from arbitre.site.games import choices, played
from arbitre.tournament.charts import Paper
from arbitre.tournament.tables import points_text
from arbitre.tournoyons.wire import Style
from arbitre.web.curves import curves
from arbitre.web.dependencies import Form, FromPath, FromQuery, OurHouse, ThisPerson, ThisVisit, Whole
from arbitre.web.house import WebApp
from arbitre.web.manual import pages
from arbitre.web.pages.testers import games, status_of, told
from arbitre.web.smalls import boards_of
from arbitre.web.visit import Visit

PAGE = 100
MOST_PICTURES = 8
MOST_MET = 12
PAPERS = (Paper(720, 56, 10, 56, 6), Paper(360, 48, 10, 42, 3))
"""What the curve of one engine is drawn on: for a page, and for a phone."""


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
    owners = {one: programs.owner_name(house, one) for one in theirs}
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


# ── engines ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _wanted(data: dict[str, str]) -> dict[str, Any]:
    """Return what a form says of an engine."""
    full, direct, notify = (data.get(key) == "yes" for key in ("full", "direct", "notify"))
    style = Style(full, direct, notify, data.get("login", ""))
    url = DIAL if data.get("dials") == "yes" else data.get("url", "")
    return {"name": data.get("name", ""), "url": url, "style": style, "public": data.get("public") == "yes"}


@get("/program/engines")
async def engines_page(house: OurHouse, visit: ThisVisit, person: ThisPerson) -> Response[str]:
    """Show one's own engines."""
    found = await asyncio.to_thread(house.community.engines.of, person, retired=True)
    present = {one.id for one in found if dial.present(house, one)}
    return house.page(visit, "engines.html", engines=found, kind="engine", present=present)


@get("/program/engines/new")
async def new_engine(house: OurHouse, visit: ThisVisit, person: ThisPerson, game: FromQuery[str] = "") -> Response[str]:  # noqa: ARG001
    """Show the form of a new engine."""
    return _engine_form(house, visit, {"game": game, "public": "yes"})


def _engine_form(house: WebApp, visit: Visit, given: dict[str, str], **more: Any) -> Response[str]:
    context: dict[str, Any] = {"problem": "", "trial": None, "engine": None, "status": 200, "saved": False}
    context |= {"played": (), "career": None, "owner": "", "present": None, "token": ""} | more
    return house.page(visit, "engine.html", given=given, games=choices(house, visit.person, visit.language), **context)


@post("/program/engines")
async def register_engine(house: OurHouse, visit: ThisVisit, person: ThisPerson, data: Form) -> Response[Any]:
    """Register an engine that answers well; one that does not is shown with what is wrong, and kept if that is wanted."""
    given = {key: text[:2_100] for key, text in data.items()}
    try:
        added, trial = await programs.register_engine(
            house, person, game=data.get("game", ""), anyway=data.get("anyway") == "yes", **_wanted(data)
        )
    except StoreError:  # no fault of what was typed
        raise
    except (CommunityError, ArbitreError) as error:
        return _engine_form(house, visit, given, problem=told(visit, error), status=status_of(error))
    if added is None:
        return _engine_form(house, visit, given, trial=trial, status=422)
    return Redirect(f"/program/engines/{added.id}", status_code=303)


@get("/program/engines/{which:int}")
async def engine_page(house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int]) -> Response[str]:
    """Show one of one's own engines: how it is called, its last games and faults."""
    return await _engine_sheet(house, visit, await asyncio.to_thread(house.community.engines.own, which, person))


async def _engine_sheet(house: WebApp, visit: Visit, found: Engine, **more: Any) -> Response[str]:
    given = {"game": found.game, "name": found.name, "url": found.url, "login": found.style.login}
    given |= {key: "yes" for key in ("full", "direct", "notify") if getattr(found.style, key)}
    given |= {"public": "yes"} if found.public else {}
    given |= {"dials": "yes", "url": ""} if found.dials else {}
    context = {"engine": found, **await _played(house, visit, found)}
    context |= {"owner": programs.owner_name(house, found.owner), "present": dial.present(house, found)}
    return _engine_form(house, visit, given, **context | more)


async def _played(house: WebApp, visit: Visit, found: Engine) -> dict[str, Any]:
    """Return how an engine plays: its place and its curve, whom it met, its last games."""
    games = await asyncio.to_thread(programs.engine_games, house, found)
    career = await programs.career(house, found)
    met = () if career is None else career.met[:MOST_MET]
    names = await rankings.called(house, [name for name, _ in met])
    history = [] if career is None else [(at, rating) for at, (_, rating) in enumerate(career.rated.history)]
    charts = [curves([(f"{history[-1][1]:.0f}", history)], len(history) - 1, paper) for paper in PAPERS] if history else []
    return {
        "played": games,
        "boards": await boards_of(house, tuple(one.match for one in games[:MOST_PICTURES]), visit.words),
        "career": career,
        "best": max((rating for _, rating in history), default=0.0),
        "charts": charts,
        "met": [(names.get(name, name), points_text(cell.points), cell) for name, cell in met],
    }


@post("/program/engines/{which:int}")
async def edit_engine(house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int], data: Form) -> Response[Any]:
    """Change one's own engine; it is tried again where that may matter."""
    found = await asyncio.to_thread(house.community.engines.own, which, person)
    try:
        changed, trial = await programs.change_engine(house, person, which, **_wanted(data))
    except CommunityError as error:
        return await _engine_sheet(house, visit, found, problem=told(visit, error), status=status_of(error))
    return await _engine_sheet(house, visit, changed, trial=trial, saved=True)


@post("/program/engines/{which:int}/check", status_code=200)
async def check_engine(house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int]) -> Response[str]:
    """Try one's own engine out, and take down whether it works."""
    found, trial = await programs.check_engine(house, person, which)
    return await _engine_sheet(house, visit, found, trial=trial)


@post("/program/engines/{which:int}/token", status_code=200)
async def mint_token(house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int]) -> Response[str]:
    """Make a new token for one's own engine that dials in, and show it once."""
    token = await dial.mint(house, person, which)
    return await _engine_sheet(house, visit, await asyncio.to_thread(house.community.engines.own, which, person), token=token)


@post("/program/engines/{which:int}/dial.py", status_code=200, media_type="text/x-python")
async def hand_out(house: OurHouse, person: ThisPerson, which: FromPath[int]) -> Response[str]:
    """Hand out the program that plays for one's own engine at once, with a new token in it."""
    token = await dial.mint(house, person, which)
    return program_file(dial.handout(house, await asyncio.to_thread(house.community.engines.own, which, person), token))


def program_file(text: str) -> Response[str]:
    """Return `dial.py` as a file that nobody on the way keeps."""
    headers = {"Content-Disposition": 'attachment; filename="dial.py"', "Cache-Control": "no-store"}
    return Response(text, media_type="text/x-python", headers=headers)


@post("/program/engines/{which:int}/token/end")
async def end_token(house: OurHouse, person: ThisPerson, which: FromPath[int]) -> Redirect:
    """End the token of one's own engine."""
    await dial.revoke(house, person, which)
    return Redirect(f"/program/engines/{which}", status_code=303)


@post("/program/engines/{which:int}/retire")
async def retire_engine(house: OurHouse, person: ThisPerson, which: FromPath[int]) -> Redirect:
    """Take one's own engine out of use."""
    await asyncio.to_thread(house.community.engines.retire, person, which)
    return Redirect("/program/engines", status_code=303)
