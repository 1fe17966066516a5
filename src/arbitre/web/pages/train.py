"""Train: a new game with anybody on each seat, the games that go on, and those that were recorded."""

import asyncio
from dataclasses import replace
from time import time
from typing import Any
from urllib.parse import urlencode

from litestar import Request, Response, get, post
from litestar.exceptions import NotFoundException
from litestar.response import Redirect

from arbitre.errors import ArbitreError, ArenaError, HasteError, QuotaError, StoreError, UnknownGameError
from arbitre.games.catalogue import game as find_game
from arbitre.games.catalogue import listing, listings
from arbitre.games.game import AnyGame, Seat
from arbitre.games.labels import label_of, title_of
from arbitre.games.levels import levels
from arbitre.games.screens import SCREENS
from arbitre.referee.clock import read_clock
from arbitre.site.added_trial import renewed
from arbitre.site.arena.arena import MOST_EACH, ONE_CHAIR
from arbitre.site.arena.matches import Sitting
from arbitre.site.arena.plan import GUEST, STEPS_OR_CLOCK, Engine, Person, Plan, Referee, Sitter
from arbitre.site.arena.plan import House as HousePlayer
from arbitre.site.arena.showcase import is_shown
from arbitre.site.engines import Engine as Registered
from arbitre.site.photos import PhotoId
from arbitre.tournoyons.wire import MOST_SECONDS
from arbitre.transport.limits import household
from arbitre.web.given import Form, FromPath, FromQuery, OurHouse, ThisVisit, Whole
from arbitre.web.house import House
from arbitre.web.lists import cards, known_as, listing_of, show_case
from arbitre.web.options import FIELD, LONGEST, check_playable, choices, chosen, form_of, told
from arbitre.web.pages.games import find, seats_of, who
from arbitre.web.played import judge_at
from arbitre.web.visit import Visit

PAGE = 30
"""Games on one page of a list."""

CLOCKS = ("none", "4s/move", "10s/move", "30s/move", "3m+2s", "10m", "1h")
"""Time limits to choose from."""

WATCH_PACE = 1.0
LONGEST_START = 4_000
MOST_TURNS = 10_000
"""Turns of a game in which nobody sits who could grow tired of it: some games have no end of their own."""


@get("/train")
async def train(
    house: OurHouse, visit: ThisVisit, words: FromQuery[str] = "", game: FromQuery[str] = "", after: Whole = 0
) -> Response[str]:
    """Show my games, what goes on, and what was recorded."""
    known = {one.name for one in listings()}
    wanted = game if game in known else ""
    mine: tuple[Sitting, ...] = ()
    if visit.person is not None:
        mine = house.arena.sittings.search(owner=visit.person.id, most=PAGE)
    playing = house.arena.playing()
    own = tuple(one.sitting for one in playing if seats_of(visit, one.sitting.plan))
    going = tuple(one.sitting for one in playing if one.going and (not one.sitting.hidden or one.sitting in own))
    words = words[:60]
    known_names = await known_as(house, words)
    past = house.arena.sittings.search(state="over", words=words, known=known_names, game=wanted, after=after, most=PAGE + 1)
    return house.page(
        visit,
        "train.html",
        mine=await cards(house, tuple(dict.fromkeys((*own, *mine)))[:PAGE], visit.words),
        going=await cards(house, going[:PAGE], visit.words),
        past=await cards(house, past[:PAGE], visit.words),
        further=past[PAGE - 1].number if len(past) > PAGE else 0,
        words=words,
        game=wanted,
        games=listings(),
    )


@get("/watch")
async def watch(house: OurHouse, visit: ThisVisit) -> Response[Any]:  # noqa: ARG001 - every handler of a page has it
    """Show two of the house playing: those who do, or two more."""
    await show_case(house)
    for live in house.arena.playing():
        if is_shown(live.sitting):
            return Redirect(f"/games/{live.name}", status_code=303)
    return Redirect("/train", status_code=303)


# ── a new game ─────────────────────────────────────────────────────────────────────────────────────────────────────


@get("/play")
async def play_page(
    request: Request[Any, Any, Any],
    house: OurHouse,
    visit: ThisVisit,
    game: FromQuery[str] = "",
    start: FromQuery[str] = "",
    photo: Whole = 0,
) -> Response[str]:
    """Show the form of a new game; a photograph brings its position, and the rules that it was played by."""
    if not game:
        added = await asyncio.to_thread(lambda: house.community.added.all(by=visit.person))
        return house.page(visit, "choose.html", games=[one for one in listings() if one.name in SCREENS], added=added)
    rules = {key: text[:LONGEST] for key, text in request.query_params.items() if key.startswith(FIELD)}
    if photo and visit.person is not None:
        kept = await asyncio.to_thread(house.community.photos.get, visit.person, PhotoId(photo))
        game, start, rules = kept.game, kept.state, form_of(kept.options)
    return await _form(house, visit, game, {"start": start[:LONGEST_START], **rules}, "")


async def _form(house: House, visit: Visit, game: str, given: dict[str, str], problem: str) -> Response[str]:
    try:
        shown = listing(game)
    except UnknownGameError:
        raise NotFoundException from None
    if game not in SCREENS:
        raise NotFoundException
    engines = await asyncio.to_thread(engines_for, house, visit, game)
    photos = () if visit.person is None else await asyncio.to_thread(house.community.photos.of, visit.person, game)
    count = len(levels(game))
    return house.page(
        visit,
        "play.html",
        status=400 if problem else 200,
        listing=shown,
        offered=choices(game, visit.words),
        levels=range(1, count + 1),
        middle=(count + 1) // 2,
        engines=engines,
        photos=photos,
        clocks=CLOCKS,
        given=given,
        problem=problem,
        ruled=any(key.startswith(FIELD) for key in given),
        seconds=MOST_SECONDS,
    )


def engines_for(house: House, visit: Visit, label: str) -> tuple[Registered, ...]:
    """Return the engines of a game that a visitor may choose, the own ones first."""
    found = house.community.engines.all(game=label)
    mine = () if visit.person is None else house.community.engines.of(visit.person)
    own = tuple(one for one in mine if one.game == label)
    return (*own, *(one for one in found if one not in own))


@post("/play")
async def play(house: OurHouse, visit: ThisVisit, data: Form) -> Response[Any]:
    """Begin a game."""
    name = data.get("game", "")
    if not who(visit):
        visit.new_guest()
    try:
        count_beginning(house, visit)
        plan = await _plan(house, visit, name, data)
        owner = None if visit.person is None else visit.person.id
        sitting = await house.arena.open(plan, owner=owner, hidden="hidden" in data or bool(plan.free))
    except StoreError:  # no fault of what was typed
        raise
    except ArbitreError as error:
        if isinstance(error, UnknownGameError):
            raise NotFoundException from None
        rules = {key: text[:LONGEST] for key, text in data.items() if key.startswith(FIELD)}
        visit.here = "/play?" + urlencode({"game": name[:40], "start": data.get("start", "")[:LONGEST_START], **rules})
        return await _form(house, visit, name, {key: data[key][:LONGEST_START] for key in data}, told_why(visit, error))
    return Redirect(f"/games/{sitting.name}", status_code=303)


def count_beginning(house: House, visit: Visit) -> None:
    """Count a game that a visitor begins; `HasteError` where there were too many."""
    key = visit.person.neutral if visit.person is not None else household(visit.address)
    house.community.limits.take("begin", key, time())


def told_why(visit: Visit, error: ArbitreError) -> str:
    """Return why a game cannot begin, in the visitor's words where it may happen to anybody."""
    if isinstance(error, QuotaError):
        return visit.words(
            "You have begun %(count)s games that are not over. Finish one, give it up or take it back first.", count=MOST_EACH
        )
    if isinstance(error, HasteError):
        return visit.words("Very many games were begun from here within an hour. Play those first, and come back later.")
    if error.reason == ONE_CHAIR:
        return visit.words("You can take one chair. The other is for a friend, an engine or the house.")
    if error.reason == STEPS_OR_CLOCK:
        return visit.words("Nobody waits for a step while a clock runs: choose no time limit, or let the game run.")
    return visit.words.of(error)


async def _plan(house: House, visit: Visit, name: str, data: dict[str, str]) -> Plan:
    game = find_game(name, chosen(name, data))
    if game.name not in SCREENS:
        raise ArenaError("%(name)s has no interface, so nobody can play it here", name=game.name)
    check_playable(game)
    first = await sitter_of(house, visit, game, data.get("one", "me"))
    second = await sitter_of(house, visit, game, data.get("two", "house"))
    people = any(isinstance(one, Person) for one in (first, second))
    clock = read_clock(data.get("clock", "none"))
    stepped = "stepped" in data
    pace = 0.0 if people or clock.runs or stepped else WATCH_PACE
    limit = data.get("limit", "")
    seconds = int(limit) if limit.isascii() and limit.isdigit() and len(limit) < 4 else MOST_SECONDS
    start = data.get("start", "")[:LONGEST_START].strip()
    turns = None if people else MOST_TURNS
    return Plan(game, (first, second), start, clock, seconds, pace, stepped, turns=turns, starter=who(visit))


async def sitter_of(house: House, visit: Visit, game: AnyGame, text: str) -> Sitter:
    """Return who sits down as a form says it: `me`, `friend`, `house:LEVEL`, `engine:NUMBER`."""
    kind, _, rest = text.partition(":")
    if kind == "me":
        return Person(who(visit), GUEST if visit.person is None else visit.person.neutral)
    if kind == "friend":
        return Person()
    if kind == "house":
        count = len(levels(game.name))
        level = int(rest) if rest.isascii() and rest.isdigit() and len(rest) < 3 else (count + 1) // 2
        if not 1 <= level <= count:
            raise ArenaError(
                "the house plays %(name)s at levels 1 to %(count)s, not %(level)s", name=game.name, count=count, level=level
            )
        return HousePlayer(level)
    if kind == "engine" and rest.isascii() and rest.isdigit() and len(rest) < 12:
        found = await asyncio.to_thread(house.community.engines.get, int(rest), visit.person)
        if found.game != label_of(game):
            raise ArenaError(
                "%(name)s plays %(game)s, not %(game2)s",
                name=found.name,
                game=title_of(found.game),
                game2=title_of(label_of(game)),
            )
        return Engine(found.id, found.neutral, found.url, found.style, found.opponent)
    raise ArenaError("nobody sits down as %(text)r", text=text[:40])


@post("/games/{name:str}/again")
async def again(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Redirect:
    """Play the same once more, with the seats changed."""
    sitting = await once_more(house, visit, await find(house, visit, name))
    return Redirect(f"/games/{sitting.name}", status_code=303)


async def once_more(house: House, visit: Visit, former: Sitting) -> Sitting:
    """Begin a game like a former one, with the seats changed."""
    before = former.plan
    if before.event or any(isinstance(one, Person) and one.who != who(visit) for one in before.sitters):
        raise ArenaError("a game with another person begins with an invitation")
    # an engine is looked for again: it may have moved, or be nobody else's business any more
    referee = before.sitters[-1]
    sitters = [
        await sitter_of(house, visit, before.game, f"engine:{one.number}") if isinstance(one, Engine) and one.number else one
        for one in before.turned
    ]
    if isinstance(referee, Referee):
        sitters = renewed(await asyncio.to_thread(house.community.added.get, referee.number, visit.person), sitters)
    count_beginning(house, visit)
    plan = replace(before, sitters=tuple(sitters), starter=who(visit))
    owner = None if visit.person is None else visit.person.id
    return await house.arena.open(plan, owner=owner, hidden=former.hidden)


# ── invitations ────────────────────────────────────────────────────────────────────────────────────────────────────


@post("/games/{name:str}/invite")
async def invite(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Response[str]:
    """Offer the free chair of a game by a link; a link that was given before is good no more."""
    sitting = await find(house, visit, name)
    mine = seats_of(visit, sitting.plan) or (visit.person is not None and sitting.owner == visit.person.id)
    if not mine or not sitting.plan.free:
        raise NotFoundException
    offered = await asyncio.to_thread(house.community.invitations.offer, name, sitting.plan.free[0], visit.person)
    link = f"{house.settings.public}/invite/{offered.code}"
    visit.here = f"/games/{name}"
    (called,) = await cards(house, (sitting,), visit.words)
    return house.page(
        visit,
        "waiting.html",
        sitting=sitting,
        names=called["names"],
        listing=listing_of(sitting.plan.game),
        rules=told(sitting.plan.game, visit.words),
        offered=(),
        link=link,
    )


@get("/invite/{code:str}")
async def invited(house: OurHouse, visit: ThisVisit, code: FromPath[str]) -> Response[str]:
    """Show what somebody is invited to; to look changes nothing."""
    invitation = await asyncio.to_thread(house.community.invitations.look, code)
    sitting = house.arena.sitting(invitation.match)
    (called,) = await cards(house, (sitting,), visit.words)
    shown = listing_of(sitting.plan.game)
    return house.page(
        visit,
        "invited.html",
        code=code,
        sitting=sitting,
        seat=invitation.seat,
        judge=await asyncio.to_thread(judge_at, house, sitting.plan),
        names=called["names"],
        listing=shown,
        rules=told(sitting.plan.game, visit.words),
    )


@post("/invite/{code:str}")
async def accept(house: OurHouse, visit: ThisVisit, code: FromPath[str]) -> Redirect:
    """Take the chair that is offered."""
    invitation = await asyncio.to_thread(house.community.invitations.look, code)
    sitting = house.arena.sitting(invitation.match)
    if seats_of(visit, sitting.plan):
        raise ArenaError("you sit at this table already; the link is for the other player")
    if not who(visit):
        visit.new_guest()
    house.arena.check_room()  # before the link is used up
    await asyncio.to_thread(house.community.invitations.accept, code, visit.person)
    name = GUEST if visit.person is None else visit.person.neutral
    await house.arena.sit(sitting.name, Seat(invitation.seat), Person(who(visit), name))
    return Redirect(f"/games/{sitting.name}", status_code=303)


@post("/games/{name:str}/cancel")
async def cancel(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Redirect:
    """Take back a game that has not begun."""
    sitting = await find(house, visit, name)
    if not seats_of(visit, sitting.plan) and (visit.person is None or sitting.owner != visit.person.id):
        raise NotFoundException
    await house.arena.cancel(name)
    return Redirect("/train", status_code=303)


ROUTES = (train, watch, play_page, play, again, invite, invited, accept, cancel)
