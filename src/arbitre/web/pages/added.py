"""Added games: the form and the trial of one's own, the sheet of anybody's, and a new game of one (spec: tournoyons, 6 and 7).

A game is tried when it is added: its model engine plays against itself before its referee, and the page shows every exchange.
What does not work may be corrected, or kept as it is, marked broken.
"""

import asyncio
from typing import Any

from litestar import Response, get, post
from litestar.exceptions import NotFoundException
from litestar.response import Redirect

from arbitre.errors import ArbitreError, StoreError, TermsError
from arbitre.games.labels import MARK
from arbitre.site import programs, seating
from arbitre.site.added import AddedGame
from arbitre.web.choice import CLOCKS
from arbitre.web.dependencies import Form, FromPath, FromQuery, OurHouse, ThisPerson, ThisVisit, number_in
from arbitre.web.house import WebApp
from arbitre.web.pages.play import LONGEST_START, told_why, wish_of
from arbitre.web.pages.testers import status_of, told
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


def _form(house: WebApp, visit: Visit, given: dict[str, str], **more: Any) -> Response[str]:
    context = {"problem": "", "trial": None, "added": None, "status": 200} | more
    return house.page(visit, "added_form.html", given=given, **context)


def _declared(data: dict[str, str]) -> programs.Declared:
    """Return the game that a form declares."""
    said: dict[str, Any] = {name: data.get(name, "") for name in FIELDS}
    said |= {name: data.get(name) == "yes" for name in ("simultaneous", "open", "framed", "public")}
    return programs.Declared(**said, pair=data.get("game") == "addedpair")


@post("/program/added")
async def add(house: OurHouse, visit: ThisVisit, person: ThisPerson, data: Form) -> Response[Any]:
    """Add a game whose programs work; one whose do not is kept if that is wanted."""
    given = {key: text[:LONGEST] for key, text in data.items()}
    try:
        made, trial = await programs.add_game(house, person, _declared(data), anyway=data.get("anyway") == "yes")
    except StoreError:  # no fault of what was typed
        raise
    except ArbitreError as error:
        return _form(house, visit, given, problem=told(visit, error), status=status_of(error))
    if made is None:
        return _form(house, visit, given, trial=trial, status=422)
    return Redirect(f"/program/added/{made.id}", status_code=303)


def _given(found: AddedGame) -> dict[str, str]:
    flags = {name: "yes" for name in ("simultaneous", "open", "framed", "public") if getattr(found, name)}
    return {name: getattr(found, name) for name in (*FIELDS, "game")} | flags


@get("/program/added/{which:int}")
async def added_sheet(house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int]) -> Response[str]:
    """Show one of one's own games."""
    found = await asyncio.to_thread(house.community.added.own, which, person)
    return _form(house, visit, _given(found), added=found)


@post("/program/added/{which:int}")
async def edit_added(house: OurHouse, visit: ThisVisit, person: ThisPerson, which: FromPath[int], data: Form) -> Response[Any]:
    """Change one's own game, and try it again."""
    found = await asyncio.to_thread(house.community.added.own, which, person)
    given = _given(found) | {key: text[:LONGEST] for key, text in data.items() if key in FIELDS and key not in ("name", "board")}
    try:
        wanted = {name: given[name] for name in ("url", "engine", "interface", "about")}
        changed, trial = await programs.change_game(house, person, which, public=data.get("public") == "yes", **wanted)
    except StoreError:  # no fault of what was typed
        raise
    except ArbitreError as error:
        return _form(house, visit, given, added=found, problem=told(visit, error), status=status_of(error))
    return _form(house, visit, _given(changed), added=changed, trial=trial)


@post("/program/added/{which:int}/retire")
async def retire_added(house: OurHouse, person: ThisPerson, which: FromPath[int]) -> Redirect:
    """Take one's own game out of use."""
    await asyncio.to_thread(house.community.added.retire, person, which)
    return Redirect("/program/added", status_code=303)


# ── anybody's ──────────────────────────────────────────────────────────────────────────────────────────────────────


async def _found(house: WebApp, visit: Visit, name: str) -> AddedGame:
    """Return a game by its name, if this visitor may see it and it is in use."""
    found = await asyncio.to_thread(house.community.added.labelled, f"{MARK}{name}", visit.person)
    if found is None:
        raise NotFoundException
    return found


@get("/added/{name:str}")
async def sheet(house: OurHouse, visit: ThisVisit, name: FromPath[str], start: FromQuery[str] = "") -> Response[str]:
    """Show the sheet of a game, and the form of a new game."""
    return await _sheet(house, visit, await _found(house, visit, name), {"start": start[:LONGEST_START]})


async def _sheet(house: WebApp, visit: Visit, found: AddedGame, given: dict[str, str], problem: str = "") -> Response[str]:
    owner = await asyncio.to_thread(house.community.accounts.get, found.owner)
    shown = await asyncio.to_thread(lambda: house.community.interfaces.all(game=found.label, by=visit.person))
    return house.page(
        visit,
        "added_sheet.html",
        engines=await asyncio.to_thread(seating.engines_for, house, visit.caller, found.label),
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
    if not visit.caller.who:
        visit.new_guest()
    try:
        wish = wish_of(found.rules, data, ("model", "model"), found)
        sitting = await seating.begin(house, visit.caller, wish)
    except StoreError:  # no fault of what was typed
        raise
    except ArbitreError as error:
        why = told_why(visit, error) if isinstance(error, TermsError) else told(visit, error)
        return await _sheet(house, visit, found, {key: data[key][:LONGEST_START] for key in data}, why)
    chosen = number_in(data.get("interface", ""))
    return Redirect(f"/games/{sitting.name}" + (f"?interface={chosen}" if chosen > 0 else ""), status_code=303)
