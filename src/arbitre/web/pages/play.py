"""Play: a new game with anybody on each seat, the same once more, and the links by which others join."""

import asyncio
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from litestar import Request, Response, get, post
from litestar.exceptions import NotFoundException
from litestar.response import Redirect

from arbitre.errors import ArbitreError, ArenaError, HasteError, QuotaError, StoreError, UnknownGameError
from arbitre.games.catalogue import game as find_game
from arbitre.games.catalogue import listing
from arbitre.games.game import AnyGame
from arbitre.games.levels import RUNGS, lines, missing, rungs
from arbitre.games.wires import is_wired, wired
from arbitre.referee.clock import read_clock
from arbitre.site import matches, seating
from arbitre.site.added import AddedGame
from arbitre.site.arena.arena import MOST_EACH, ONE_CHAIR
from arbitre.site.arena.plan import STEPS_OR_CLOCK, HouseSeat
from arbitre.site.games import judge_at
from arbitre.site.photos import PhotoId
from arbitre.tournoyons.wire import MOST_SECONDS
from arbitre.web.choice import CLOCKS, Choice, choice_of, chosen_in, remember
from arbitre.web.covers import cover, steps
from arbitre.web.dependencies import Form, FromPath, FromQuery, OurHouse, ThisVisit, Whole, number_in
from arbitre.web.house import WebApp
from arbitre.web.limits import limit_in
from arbitre.web.lists import cards, listing_of
from arbitre.web.options import FIELD, LONGEST, choices, chosen, form_of, told
from arbitre.web.smalls import boards_of
from arbitre.web.visit import Visit

LONGEST_START = 4_000
MOST_OWN = 4
"""Games of one's own that go on, on the page where one chooses another."""
KINDS = frozenset({"me", "friend", "house", "engine", "model", "address"})


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
    """Show the games, and the form of the one that was played last, or is asked for; a photograph brings position and rules."""
    rules = {key: text[:LONGEST] for key, text in request.query_params.items() if key.startswith(FIELD)}
    if photo and visit.person is not None:
        kept = await asyncio.to_thread(house.community.photos.get, visit.person, PhotoId(photo))
        game, start, rules = kept.game, kept.state, form_of(kept.options)
    return await _form(house, visit, game or choice_of(visit).game, {"start": start[:LONGEST_START], **rules}, "")


@get("/play/{name:str}")
async def play_game(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Response[str]:
    """Show the form of a game."""
    return await _form(house, visit, name, {}, "")


async def _form(house: WebApp, visit: Visit, game: str, given: dict[str, str], problem: str) -> Response[str]:
    try:
        shown = listing(game)
    except UnknownGameError:
        raise NotFoundException from None
    if not is_wired(game):
        raise NotFoundException
    last = choice_of(visit)
    engines = await asyncio.to_thread(seating.engines_for, house, visit.caller, game)
    photos = () if visit.person is None else await asyncio.to_thread(house.community.photos.of, visit.person, game)
    added = await asyncio.to_thread(lambda: house.community.added.all(by=visit.person))
    own, _ = matches.going(house, visit.caller)
    return house.page(
        visit,
        "play.html",
        status=400 if problem else 200,
        listing=shown,
        games=[(one, cover(one.name)) for one in wired()],
        steps=[(picture, visit.words(line)) for picture, line in steps(game)],
        added=added,
        offered=choices(game, visit.words),
        levels=[(visit.words(RUNGS[rung]), rung, visit.words(line)) for rung, line in zip(rungs(game), lines(game), strict=True)],
        missing=missing(game),
        choice=chosen_in(game, given) or (last if last.game == game else Choice(game)),
        last=last if visit.choice and last.against == "house" else None,
        limit=lambda text: limit_in(visit.words, read_clock(text)),
        engines=engines,
        photos=photos,
        clocks=CLOCKS,
        given=given,
        problem=problem,
        ruled=any(key.startswith(FIELD) for key in given),
        seconds=MOST_SECONDS,
        mine=await boards_of(house, own[:MOST_OWN], visit.words),
    )


@post("/play/now")
async def play_now(house: OurHouse, visit: ThisVisit, data: Form) -> Redirect:
    """Begin a game against the house at once: as the last time, where it was this game."""
    last = choice_of(visit)
    game = data.get("game", last.game)[:40]
    if not is_wired(game):
        raise NotFoundException
    choice = replace(last, against="house") if game == last.game else Choice(game)
    if not visit.caller.who:
        visit.new_guest()
    remember(visit, choice)
    wish = seating.Wish(find_game(game), choice.seats(), clock=read_clock(choice.clock), drawn=choice.side == "drawn")
    sitting = await seating.begin(house, visit.caller, wish)
    return Redirect(f"/games/{sitting.name}", status_code=303)


@post("/play")
async def play(house: OurHouse, visit: ThisVisit, data: Form) -> Response[Any]:
    """Begin a game."""
    name = data.get("game", "")
    if not visit.caller.who:
        visit.new_guest()
    choice = None if data.get("one") or data.get("two") else chosen_in(name, data)
    try:
        wish = wish_of(find_game(name, chosen(name, data)), data, ("me", "house"))
        if choice is not None:
            wish = replace(wish, seats=choice.seats(), drawn=choice.side == "drawn")
        sitting = await seating.begin(house, visit.caller, wish)
    except StoreError:  # no fault of what was typed
        raise
    except ArbitreError as error:
        if isinstance(error, UnknownGameError):
            raise NotFoundException from None
        rules = {key: text[:LONGEST] for key, text in data.items() if key.startswith(FIELD)}
        visit.here = "/play?" + urlencode({"game": name[:40], "start": data.get("start", "")[:LONGEST_START], **rules})
        return await _form(house, visit, name, {key: data[key][:LONGEST_START] for key in data}, told_why(visit, error))
    if choice is not None:
        remember(visit, choice)
    return Redirect(f"/games/{sitting.name}", status_code=303)


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


def wish_of(game: AnyGame, data: dict[str, str], usual: tuple[str, str], added: AddedGame | None = None) -> seating.Wish:
    """Return the match that a form asks for; `usual` is who sits down where it does not say."""
    return seating.Wish(
        game,
        tuple(_chosen(data, seat, other) for seat, other in zip(("one", "two"), usual, strict=True)),
        data.get("start", "")[:LONGEST_START].strip(),
        read_clock(data.get("clock", "none")),
        number_in(data.get("limit", ""), MOST_SECONDS),
        "stepped" in data,
        "hidden" in data,
        watched=True,
        added=added,
    )


def _chosen(data: dict[str, str], seat: str, usual: str) -> seating.Chosen:
    """Return who sits down as a form says it: `me`, `friend`, `house:LEVEL`, `engine:NUMBER`, `model`, `address`."""
    text = data.get(seat) or usual
    kind, _, rest = text.partition(":")
    if kind not in KINDS:
        raise ArenaError("nobody sits down as %(text)r", text=text[:40])
    counted = number_in(rest)
    return seating.Chosen(kind, None if counted < 0 else counted, data.get(f"{seat}_url", ""))  # type: ignore[arg-type] # looked at above


@post("/games/{name:str}/again")
async def again(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Redirect:
    """Play the same once more, with the seats changed."""
    sitting = await seating.again(house, visit.caller, name)
    return Redirect(f"/games/{sitting.name}", status_code=303)


@post("/games/{name:str}/climb")
async def climb(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Redirect:
    """Play against the next better player of the house; the browser remembers the level."""
    sitting = await seating.climb(house, visit.caller, name)
    level = next(one.level for one in sitting.plan.sitters if isinstance(one, HouseSeat))
    game, last = sitting.plan.game.name, choice_of(visit)
    remember(visit, replace(last if last.game == game else Choice(game), against="house", level=level))
    return Redirect(f"/games/{sitting.name}", status_code=303)


# ── invitations ────────────────────────────────────────────────────────────────────────────────────────────────────


@post("/games/{name:str}/invite")
async def invite(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Response[str]:
    """Offer the free chair of a game by a link; a link that was given before is good no more."""
    offered = await seating.invite(house, visit.caller, name)
    sitting = matches.find(house, visit.caller, name)
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
    invitation, sitting = await seating.invited(house, code)
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
    if not visit.caller.who:
        visit.new_guest()
    sitting = await seating.join(house, visit.caller, code)
    return Redirect(f"/games/{sitting.name}", status_code=303)


@post("/games/{name:str}/cancel")
async def cancel(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Redirect:
    """Take back a game that has not begun."""
    await seating.cancel(house, visit.caller, name)
    return Redirect("/watch", status_code=303)
