"""Added games: the form and the trial of one's own, the sheet of anybody's, and a new game of one (spec: tournoyons, 6 and 7).

A game is tried when it is added: its model engine plays against itself before its referee, and the page shows every exchange.
What does not work may be corrected, or kept as it is, marked broken.
"""

import asyncio
from collections.abc import Mapping
from time import time
from typing import Any

from litestar import Response, get, post
from litestar.exceptions import NotFoundException
from litestar.response import Redirect

from arbitre.errors import ArbitreError, ArenaError, StoreError, TermsError, UnfitError, UnknownError
from arbitre.referee.clock import read_clock
from arbitre.site.accounts import Account
from arbitre.site.added import AddedGame, AddedGameId, rules_of
from arbitre.site.added_trial import Trial, model, referee, tried
from arbitre.site.arena.plan import GUEST, Engine, Person, Plan, Sitter
from arbitre.site.forms import check_about, check_url
from arbitre.web import boards
from arbitre.web.given import Form, FromPath, FromQuery, OurHouse, ThisPerson, ThisVisit
from arbitre.web.house import House
from arbitre.web.pages.account import number
from arbitre.web.pages.games import who
from arbitre.web.pages.programs import own, status_of
from arbitre.web.pages.testers import call_out, told
from arbitre.web.pages.train import (
    CLOCKS,
    LONGEST_START,
    MOST_TURNS,
    WATCH_PACE,
    count_beginning,
    engines_for,
    sitter_of,
    told_why,
)
from arbitre.web.visit import Visit

FIELDS = ("name", "url", "engine", "interface", "about", "board")
LONGEST = 4_200


# ── one's own ──────────────────────────────────────────────────────────────────────────────────────────────────────


@get("/program/added")
async def added_page(house: OurHouse, visit: ThisVisit, person: ThisPerson) -> Response[str]:
    """Show one's own added games."""
    found = await asyncio.to_thread(house.community.added.of, person, retired=True)
    return house.page(visit, "added_games.html", games=found)


@get("/program/added/new")
async def new_added(house: OurHouse, visit: ThisVisit, person: ThisPerson) -> Response[str]:  # noqa: ARG001 - who logs in
    """Show the form of a new game."""
    return _form(house, visit, {"public": "yes", "game": "added"})


def _form(house: House, visit: Visit, given: dict[str, str], **more: Any) -> Response[str]:
    context = {"problem": "", "trial": None, "added": None, "status": 200} | more
    return house.page(visit, "added_form.html", given=given, **context)


async def trial_of(house: House, visit: Visit, data: dict[str, str]) -> Trial:
    """Try what a form says; `UnfitError` names a field that cannot be."""
    addresses = {name: check_url(data.get(name, ""), name) for name in ("url", "engine", "interface")}
    boards.origin_of(addresses["interface"])
    boards.origin_of(addresses["url"])
    framed = [addresses["interface"], *([addresses["url"]] if data.get("framed") == "yes" else [])]
    if house.settings.secure and any(one.startswith("http://") for one in framed):
        raise UnfitError("url", "this site is reached by https, and browsers show no http page within it")
    call_out(house, visit)
    return await tried(
        house.switchboard,
        _rules(data),
        referee=addresses["url"],
        engine=addresses["engine"],
        interface=addresses["interface"],
        framed=data.get("framed") == "yes",
    )


def _rules(data: dict[str, str]) -> Any:
    return rules_of(
        "addedpair" if data.get("game") == "addedpair" else "added",
        data.get("name", "").strip(),
        data.get("board", "").strip(),
        simultaneous=data.get("simultaneous") == "yes",
        is_open=data.get("open") == "yes",
    )


@post("/program/added")
async def add(house: OurHouse, visit: ThisVisit, person: ThisPerson, data: Form) -> Response[Any]:
    """Add a game whose programs work; one whose do not is kept if that is wanted."""
    given = {key: text[:LONGEST] for key, text in data.items()}
    try:
        if not check_about(data.get("about", "")):
            raise UnfitError("about", "says how trays, moves and gains are written")
        house.community.limits.take("write", person.neutral, time())
        trial = await trial_of(house, visit, data)
        if trial.fault and data.get("anyway") != "yes":
            return _form(house, visit, given, trial=trial, status=422)
        made = await asyncio.to_thread(
            house.community.added.add,
            person,
            _rules(data),
            url=data["url"],
            engine=data["engine"],
            interface=data["interface"],
            about=data["about"],
            framed=data.get("framed") == "yes",
            public=data.get("public") == "yes",
        )
    except StoreError:  # no fault of what was typed
        raise
    except ArbitreError as error:
        return _form(house, visit, given, problem=told(visit, error), status=status_of(error))
    if trial.fault:
        await asyncio.to_thread(house.community.added.broke, made.id, trial.fault)
    return Redirect(f"/program/added/{made.id}", status_code=303)


async def _own(house: House, person: Account, which: int) -> AddedGame:
    found = await asyncio.to_thread(house.community.added.get, which, person)
    own(found, person)
    return found


def _given(found: AddedGame) -> dict[str, str]:
    flags = {name: "yes" for name in ("simultaneous", "open", "framed", "public") if getattr(found, name)}
    return {name: getattr(found, name) for name in (*FIELDS, "game")} | flags


@get("/program/added/{which:int}")
async def added_sheet(house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int]) -> Response[str]:
    """Show one of one's own games."""
    found = await _own(house, person, which)
    return _form(house, visit, _given(found), added=found)


@post("/program/added/{which:int}")
async def edit_added(house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int], data: Form) -> Response[Any]:
    """Change one's own game, and try it again."""
    found = await _own(house, person, which)
    given = _given(found) | {key: text[:LONGEST] for key, text in data.items() if key in FIELDS and key not in ("name", "board")}
    try:
        house.community.limits.take("write", person.neutral, time())
        trial = await trial_of(house, visit, given)
        changed = await asyncio.to_thread(
            house.community.added.edit,
            person,
            AddedGameId(which),
            url=given["url"],
            engine=given["engine"],
            interface=given["interface"],
            about=given["about"],
            public=data.get("public") == "yes",
        )
    except StoreError:  # no fault of what was typed
        raise
    except ArbitreError as error:
        return _form(house, visit, given, added=found, problem=told(visit, error), status=status_of(error))
    await asyncio.to_thread(house.community.added.tried, which, trial.fault)
    return _form(house, visit, _given(changed), added=house.community.added.find(which), trial=trial)


@post("/program/added/{which:int}/retire")
async def retire_added(house: OurHouse, person: ThisPerson, which: FromPath[int]) -> Redirect:
    """Take one's own game out of use."""
    await _own(house, person, which)
    await asyncio.to_thread(house.community.added.retire, person, which)
    return Redirect("/program/added", status_code=303)


# ── anybody's ──────────────────────────────────────────────────────────────────────────────────────────────────────


async def _found(house: House, visit: Visit, name: str) -> AddedGame:
    """Return a game by its name, if this visitor may see it and it is in use."""
    try:
        found = await asyncio.to_thread(house.community.added.called, name)
        found = await asyncio.to_thread(house.community.added.get, found.id, visit.person)
    except UnknownError:
        raise NotFoundException from None
    if found.retired is not None:
        raise NotFoundException
    return found


@get("/added/{name:str}")
async def sheet(house: OurHouse, visit: ThisVisit, name: FromPath[str], start: FromQuery[str] = "") -> Response[str]:
    """Show the sheet of a game, and the form of a new game."""
    return await _sheet(house, visit, await _found(house, visit, name), {"start": start[:LONGEST_START]})


async def _sheet(house: House, visit: Visit, found: AddedGame, given: dict[str, str], problem: str = "") -> Response[str]:
    owner = await asyncio.to_thread(house.community.accounts.get, found.owner)
    shown = await asyncio.to_thread(lambda: house.community.interfaces.all(game=found.label, by=visit.person))
    return house.page(
        visit,
        "added_sheet.html",
        engines=await asyncio.to_thread(engines_for, house, visit, found.label),
        interfaces=shown,
        status=400 if problem else 200,
        added=found,
        rules=found.rules,
        owner=owner,
        given=given,
        problem=problem,
        clocks=CLOCKS,
    )


@post("/added/{name:str}")
async def play_added(house: OurHouse, visit: ThisVisit, name: FromPath[str], data: Form) -> Response[Any]:
    """Begin a game."""
    found = await _found(house, visit, name)
    if not who(visit):
        visit.new_guest()
    try:
        plan = plan_for(visit, found, data, await _registered(house, visit, found, data))
        count_beginning(house, visit)
        owner = None if visit.person is None else visit.person.id
        sitting = await house.arena.open(plan, owner=owner, hidden="hidden" in data or bool(plan.free) or not found.public)
    except StoreError:  # no fault of what was typed
        raise
    except ArbitreError as error:
        why = told_why(visit, error) if isinstance(error, TermsError) else told(visit, error)
        return await _sheet(house, visit, found, {key: data[key][:LONGEST_START] for key in data}, why)
    chosen = number(data.get("interface", ""))
    return Redirect(f"/games/{sitting.name}" + (f"?interface={chosen}" if chosen > 0 else ""), status_code=303)


async def _registered(house: House, visit: Visit, found: AddedGame, data: dict[str, str]) -> dict[str, Sitter]:
    """Return the registered engines that a form asks for, by how it names them."""
    named = {text for seat in ("one", "two") if (text := data.get(seat, "")).startswith("engine:")}
    return {text: await sitter_of(house, visit, found.rules, text) for text in named}


def plan_for(visit: Visit, found: AddedGame, data: dict[str, str], engines: Mapping[str, Sitter] | None = None) -> Plan:
    """Return the plan of a game that a form asks for; `engines` are the registered ones, by how the form names them."""
    players = [_sitter(visit, found, data, seat, engines or {}) for seat in ("one", "two")]
    clock = read_clock(data.get("clock", "none"))
    stepped = "stepped" in data
    people = any(isinstance(one, Person) for one in players)
    pace = 0.0 if people or clock.runs or stepped else WATCH_PACE
    start = data.get("start", "")[:LONGEST_START].strip()
    turns = None if people else MOST_TURNS
    return Plan(
        found.rules, (*players, referee(found)), start, clock, pace=pace, stepped=stepped, turns=turns, starter=who(visit)
    )


def _sitter(visit: Visit, found: AddedGame, data: dict[str, str], seat: str, engines: Mapping[str, Sitter]) -> Sitter:
    chosen = data.get(seat, "model")
    if chosen in engines:
        return engines[chosen]
    if chosen == "me":
        return Person(who(visit), GUEST if visit.person is None else visit.person.neutral)
    if chosen == "friend":
        return Person()
    if chosen == "model":
        return model(found)
    if chosen == "address":
        if visit.person is None:
            raise ArenaError("only members let an engine play by its address")
        return Engine(0, f"engine of {visit.person.neutral}", check_url(data.get(f"{seat}_url", "")))
    raise ArenaError("nobody sits down as %(chosen)r", chosen=chosen[:40])


ROUTES = (added_page, new_added, add, added_sheet, edit_added, retire_added, sheet, play_added)
