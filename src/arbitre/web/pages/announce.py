"""The form of a competition: a game, a way to hold it, and it is announced; everything else has a sensible default.

The same form changes one that has not begun. What may not change any more is shown, and cannot be typed into; what changes is
kept in the history of the competition.
"""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from litestar import Response, get, post
from litestar.response import Redirect

from arbitre.errors import ArbitreError, SettledError, StoreError, UnfitError, shorten
from arbitre.games.game import AnyGame
from arbitre.games.labels import listing_for
from arbitre.games.wires import is_wired, wired
from arbitre.site.accounts import Account, Role
from arbitre.site.classes import ClassId
from arbitre.site.competitions import contests
from arbitre.site.competitions.competitions import FARTHEST, Competition, trial_plan
from arbitre.site.games import added_games
from arbitre.tournament.config import DOUBLE, FITTING
from arbitre.web.dependencies import Form, FromPath, FromQuery, OurHouse, ThisPerson, ThisVisit, Whole
from arbitre.web.house import WebApp
from arbitre.web.options import FIELD, choices, chosen, fields_of
from arbitre.web.render import dated
from arbitre.web.telling import N_
from arbitre.web.visit import Visit
from arbitre.words import Words

CLOCKS = ("4s/move", "10s/move", "30s/move", "60s+1s", "3m+2s", "10m", "1h", "none")

TEMPLATES: dict[str, dict[str, Any]] = {
    "fitting": {"format": FITTING, "games": 1},
    "swiss": {"format": "swiss", "games": 1},
    "everybody": {"format": "round-robin", "games": 2},
    "knockout": {"format": "knockout", "games": 2},
    "gauntlet": {"format": "gauntlet", "games": 2},
    "twice": {"format": DOUBLE, "games": 1},
}
"""Ways to hold a competition, ready to use."""

WHYS = (
    N_("choose one of the games"), N_("after entries open, not in the past, and within five years"), N_("a date and a time"),
    N_("for engines or people; for all, a class, or whoever has the link"), N_("holds characters that cannot be shown"),
    N_("named where the competition is for a class, and only there"),
    N_("a minute to a day, or 0 to wait as long as the organiser likes"),
)  # fmt: skip
"""Why something in the form is refused, as the catalogue knows it; what names a number is shown as it is."""

FIELDS = {
    "title": N_("Title"), "game": N_("Game"), "opens": N_("Entries from"), "begins": N_("Begins"),
    "each": N_("Engines of one owner"), "clock": N_("Time limit"), "format": N_("How it is held"),
    "access": N_("Who may enter"), "class": N_("Class"), "patience": N_("People are waited for"), "about": N_("What else to say"),
    "rounds": N_("Rounds"), "games": N_("Games of a pairing"), "concurrency": N_("Games at a time"),
    "refusals": N_("Illegal moves forgiven in a game"), "turns": N_("A draw after so many turns"),
    "agree": N_("Agreed score"),
    "starts": N_("Start positions"), "options": N_("Rules"), "records": N_("Records"),
}  # fmt: skip

USUAL = {
    "template": "fitting", "clock": "10s/move", "kind": "engines", "access": "all", "listed": "1", "each": "1", "draw": "seed",
    "concurrency": "8", "rounds": "0", "refusals": "0", "begins": "", "opens": "", "games": "", "turns": "",
    "agree": "", "patience": "10", "records": "at-once",
}  # fmt: skip

MINUTE = 60
LONGEST = 4_000


@get("/compete/new")
async def announce_page(
    house: OurHouse,
    visit: ThisVisit,
    person: ThisPerson,
    game: FromQuery[str] = "",
    klass: Whole = 0,
    starts: FromQuery[str] = "",
) -> Response[str]:
    """Show the form; a position that was set up comes along."""
    given = {"game": game, "starts": starts, **({"access": "class", "class": str(klass)} if klass else {})}
    return await _form(house, visit, person, {**USUAL, **given}, "")


async def _form(
    house: WebApp,
    visit: Visit,
    person: Account,
    given: dict[str, str],
    problem: str,
    changing: Competition | None = None,
    settled: bool = False,
) -> Response[str]:
    person.require(Role.ORGANISER)
    classes = await asyncio.to_thread(house.community.classes.taught_by, person)
    now = house.community.database.now()
    return house.page(
        visit,
        "announce.html",
        status=400 if problem else 200,
        games=wired(),
        added=[one for one in await asyncio.to_thread(added_games, house, person) if not one.framed],
        templates=tuple(TEMPLATES),
        offered={one.name: choices(one.name, visit.words) for one in wired() if changing is None or one.name == changing.game},
        clocks=CLOCKS if given.get("clock", "none") in CLOCKS else (given["clock"][:LONGEST], *CLOCKS),
        classes=classes,
        given={key: text[:LONGEST] for key, text in given.items()},
        now=datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M"),
        soon=datetime.fromtimestamp(now + contests.HOUR, UTC).strftime("%Y-%m-%dT%H:%M"),
        latest=datetime.fromtimestamp(now + FARTHEST, UTC).strftime("%Y-%m-%dT%H:%M"),
        problem=problem,
        changing=changing,
        settled=settled,
    )


@post("/compete/new")
async def announce(house: OurHouse, visit: ThisVisit, person: ThisPerson, data: Form) -> Response[Any]:
    """Announce a competition."""
    person.require(Role.ORGANISER)
    try:
        game = await asyncio.to_thread(contests.game_of, house, person, data.get("game", ""), _options(data))
        terms = _terms(game, data)
        if not terms.title:
            called = listing_for(data["game"]).called(visit.language)
            terms = replace(terms, title=f"{called}, {dated(visit.language, house.community.database.now())}")
        made = await contests.announce(house, person, terms, "contestants" if data.get("draw") == "contestants" else "seed")
    except StoreError:  # no fault of what was typed
        raise
    except ArbitreError as error:
        return await _form(house, visit, person, {**USUAL, "listed": "", **data}, problem_in(visit.words, error))
    return Redirect(f"/compete/{made.id}", status_code=303)


def problem_in(words: Words, error: ArbitreError) -> str:
    """Return what is wrong with a form in the visitor's words, the field first."""
    if isinstance(error, UnfitError):
        return words("%(field)s: %(why)s", field=words(FIELDS.get(error.field, error.field)), why=words.of(error.why))
    if isinstance(error, SettledError):
        fields = ", ".join(words(FIELDS.get(one, one)) for one in error.settled)
        return words(
            N_("Somebody has entered on these terms, so they stay: %(fields)s. Announce another competition."), fields=fields
        )
    return words.of(error)


def _options(data: dict[str, str]) -> dict[str, str]:
    """Return the options that a form asks for."""
    game = data.get("game", "")
    return chosen(game, data, among=True) if is_wired(game) else {}


def _terms(game: AnyGame, data: dict[str, str]) -> contests.Terms:
    """Return what a form says; `UnfitError` names the field."""
    usual = TEMPLATES.get(data.get("template", ""), TEMPLATES["fitting"])
    numbers = {key: _whole(key, data.get(key, "").strip() or "0") for key in ("turns", "refusals", "concurrency", "rounds")}
    klass = data.get("class", "") if data.get("access") == "class" else ""
    return contests.Terms(
        game,
        data.get("title", "").strip(),
        usual["format"],
        _whole("games", data.get("games", "").strip() or "0") or usual["games"],
        data.get("clock", "10s/move")[:40],
        **numbers,
        starts=tuple(line.strip() for line in data.get("starts", "").splitlines() if line.strip()),
        agree=data.get("agree", "").strip()[:40],
        about=data.get("about", ""),
        kind=data.get("kind", "engines"),  # type: ignore[arg-type] # judged where it is kept
        access=data.get("access", "all"),  # type: ignore[arg-type]
        klass=ClassId(_whole("class", klass)) if klass else None,
        opens=_moment("opens", data.get("opens", "")),
        begins=_moment("begins", data.get("begins", "")),
        listed=bool(data.get("listed")),
        each=_whole("each", data.get("each", "1") or "1"),
        patience=MINUTE * _whole("patience", data.get("patience", "10") or "0"),
        records="after" if data.get("records") == "after" else "at-once",
    )


def _whole(field: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 8):
        raise UnfitError(field, "a whole number, not %(text)r", text=shorten(text))
    return int(text)


def _moment(field: str, text: str) -> int:
    """Return a time that a browser's field gives, in UTC; 0 where it is empty."""
    if not text.strip():
        return 0
    try:
        return int(datetime.strptime(text.strip()[:16], "%Y-%m-%dT%H:%M").replace(tzinfo=UTC).timestamp())
    except (ValueError, OverflowError):
        raise UnfitError(field, "a date and a time, not %(text)r", text=shorten(text)) from None


# ── changing one ───────────────────────────────────────────────────────────────────────────────────────────────────


@get("/compete/{number:int}/change")
async def change_page(house: OurHouse, visit: ThisVisit, person: ThisPerson, number: FromPath[int]) -> Response[str]:
    """Show what was announced, as the form that changes it."""
    found = await contests.changeable(house, person, number)
    return await _form(house, visit, person, _given(found), "", found, await _settled(house, found))


@post("/compete/{number:int}/change")
async def change(house: OurHouse, visit: ThisVisit, person: ThisPerson, number: FromPath[int], data: Form) -> Response[Any]:
    """Change a competition that has not begun: its organiser may."""
    found = await contests.changeable(house, person, number)
    given = _given(found)
    cleared = (
        {key: "" for key in given if key.startswith(FIELD)} if "rules" in data else {}
    )  # a box that is not ticked is not sent
    posted = {**given, "listed": "", **cleared, **data, "game": given["game"], "kind": given["kind"]}
    if not posted["title"].strip():
        posted["title"] = given["title"]
    try:
        game = trial_plan(found.announcement.plan).game
        before, after = (_terms(contests.with_options(game, _options(one)), one) for one in (given, posted))
        await contests.change(house, person, found, before, after)
    except StoreError:  # no fault of what was typed
        raise
    except ArbitreError as error:
        return await _form(house, visit, person, posted, problem_in(visit.words, error), found, await _settled(house, found))
    return Redirect(f"/compete/{found.id}#changes", status_code=303)


async def _settled(house: WebApp, found: Competition) -> bool:
    """Tell whether the terms of the games stay, since somebody has entered for them."""
    return bool(await asyncio.to_thread(house.community.entries.of, found.id))


def _given(found: Competition) -> dict[str, str]:
    """Return what the form would have to say for what was announced."""
    said, plan = found.announcement, found.announcement.plan
    template = next((name for name, keys in TEMPLATES.items() if keys["format"] == plan.get("format")), "")
    starts = plan.get("starts", ())
    numbers = (("rounds", "0"), ("refusals", "0"), ("games", ""), ("turns", ""))
    shown = {key: text if (text := str(plan.get(key, usual))).isdigit() else usual for key, usual in numbers}
    options = plan.get("options", {})
    rules = fields_of(found.game, options) if isinstance(options, dict) else {}
    return {
        **USUAL, **shown, **rules, "template": template, "game": found.game, "kind": said.kind, "access": said.access,
        "title": said.title, "about": said.about, "clock": str(plan.get("clock", "none")),
        "concurrency": str(plan.get("concurrency", 8)), "class": str(said.klass or ""), "each": str(said.each),
        "listed": "1" if said.listed else "", "opens": _field(said.opens), "begins": _field(said.begins),
        "records": str(plan.get("records", "at-once")), "agree": str(plan.get("agree", "")),
        "patience": str(said.patience // MINUTE), "starts": "\n".join(map(str, starts)) if isinstance(starts, list) else "",
    }  # fmt: skip


def _field(moment: int) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M")
