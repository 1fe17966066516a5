"""The form of a new competition: a game, a way to hold it, and it is announced; everything else has a sensible default."""

import asyncio
from datetime import UTC, datetime
from typing import Any

from litestar import Response, get, post
from litestar.response import Redirect

from arbitre.community.accounts import Account, Role
from arbitre.community.classes import ClassId
from arbitre.community.competitions import FARTHEST, Announcement
from arbitre.errors import ArbitreError, UnfitError, shorten
from arbitre.protocol.trays import TRAYS
from arbitre.rules.catalogue import listings
from arbitre.rules.game import AnyGame
from arbitre.rules.labels import keys_of, listing_for
from arbitre.web.given import Form, FromQuery, OurHouse, ThisPerson, ThisVisit, Whole
from arbitre.web.house import House
from arbitre.web.played import added_games
from arbitre.web.visit import Visit

CLOCKS = ("1s/move", "4s/move", "10s/move", "30s/move", "60s+1s", "3m+2s", "10m", "1h", "none")

TEMPLATES: dict[str, dict[str, Any]] = {
    "swiss": {"format": "swiss", "rounds": 0, "games": 1},
    "everybody": {"format": "round-robin", "games": 2},
    "knockout": {"format": "knockout", "games": 2},
}
"""Ways to hold a competition, ready to use."""

USUAL = {
    "template": "swiss", "clock": "10s/move", "kind": "engines", "access": "all", "listed": "1", "each": "1", "draw": "seed",
    "concurrency": "8", "rounds": "0", "refusals": "0", "begins": "", "opens": "", "games": "", "turns": "",
}  # fmt: skip

HOUR = 3_600
MOST_STARTS = 100
LONGEST = 4_000


@get("/compete/new")
async def announce_page(
    house: OurHouse, visit: ThisVisit, person: ThisPerson, game: FromQuery[str] = "", klass: Whole = 0
) -> Response[str]:
    """Show the form."""
    given = {"game": game, **({"access": "class", "class": str(klass)} if klass else {})}
    return await _form(house, visit, person, {**USUAL, **given}, "")


async def _form(house: House, visit: Visit, person: Account, given: dict[str, str], problem: str) -> Response[str]:
    person.require(Role.ORGANISER)
    classes = await asyncio.to_thread(house.community.classes.taught_by, person)
    now = house.community.database.now()
    return house.page(
        visit,
        "announce.html",
        status=400 if problem else 200,
        games=[one for one in listings() if one.name in TRAYS],
        added=[one for one in await asyncio.to_thread(added_games, house, person) if not one.framed],
        templates=tuple(TEMPLATES),
        clocks=CLOCKS,
        classes=classes,
        given={key: text[:LONGEST] for key, text in given.items()},
        now=datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M"),
        soon=datetime.fromtimestamp(now + HOUR, UTC).strftime("%Y-%m-%dT%H:%M"),
        latest=datetime.fromtimestamp(now + FARTHEST, UTC).strftime("%Y-%m-%dT%H:%M"),
        problem=problem,
    )


@post("/compete/new")
async def announce(house: OurHouse, visit: ThisVisit, person: ThisPerson, data: Form) -> Response[Any]:
    """Announce a competition."""
    person.require(Role.ORGANISER)
    try:
        found = await asyncio.to_thread(house.community.added.labelled, data.get("game", ""), person)
        said = _said(house.community.database.now(), data, None if found is None else found.rules)
        way = "contestants" if data.get("draw") == "contestants" else "seed"
        made = await asyncio.to_thread(house.steward.announce, person, said, way)  # type: ignore[arg-type]
    except ArbitreError as error:
        return await _form(house, visit, person, {**USUAL, "listed": "", **data}, str(error))
    house.steward.wake()
    return Redirect(f"/compete/{made.id}", status_code=303)


def _said(now: int, data: dict[str, str], added: AnyGame | None = None) -> Announcement:
    """Return what a form says; `UnfitError` names the field. `added` are the rules where the game is one that somebody added."""
    game = data.get("game", "")
    if game not in TRAYS and added is None:
        raise UnfitError("game", "choose one of the games")
    shown = listing_for(game)
    rules: dict[str, object] = {"game": game} if added is None else keys_of(added)
    plan: dict[str, object] = {**rules, **TEMPLATES.get(data.get("template", ""), TEMPLATES["swiss"])}
    for key in ("games", "turns", "refusals", "concurrency"):
        if (text := data.get(key, "").strip()) and text != "0":
            plan[key] = _whole(key, text)
    if plan["format"] == "swiss":
        plan["rounds"] = _whole("rounds", data.get("rounds", "0") or "0")
    if game == "kriegspiel":
        plan["refusals"] = "any"  # there the umpire says no, and the game goes on
    plan |= {"clock": data.get("clock", "10s/move")[:40], "seeding": "lot"}
    starts = [line.strip() for line in data.get("starts", "").splitlines() if line.strip()][: MOST_STARTS + 1]
    if len(starts) > MOST_STARTS:
        raise UnfitError("starts", f"at most {MOST_STARTS} positions")
    if starts:
        plan["starts"] = starts
    opens = _moment("opens", data.get("opens", "")) or now
    begins = _moment("begins", data.get("begins", "")) or now + HOUR
    klass = data.get("class", "") if data.get("access") == "class" else ""
    return Announcement(
        data.get("title", "").strip() or f"{shown.title or shown.name} {datetime.fromtimestamp(now, UTC):%Y-%m-%d}",
        plan,
        max(opens, now),
        begins,
        data.get("about", ""),
        kind=data.get("kind", "engines"),  # type: ignore[arg-type] # judged where it is kept
        access=data.get("access", "all"),  # type: ignore[arg-type]
        klass=ClassId(_whole("class", klass)) if klass else None,
        listed="listed" in data,
        each=_whole("each", data.get("each", "1") or "1"),
    )


def _whole(field: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 8):
        raise UnfitError(field, f"a whole number, not {shorten(text)!r}")
    return int(text)


def _moment(field: str, text: str) -> int:
    """Return a time that a browser's field gives, in UTC; 0 where it is empty."""
    if not text.strip():
        return 0
    try:
        return int(datetime.strptime(text.strip()[:16], "%Y-%m-%dT%H:%M").replace(tzinfo=UTC).timestamp())
    except (ValueError, OverflowError):
        raise UnfitError(field, f"a date and a time, not {shorten(text)!r}") from None


ROUTES = (announce_page, announce)
