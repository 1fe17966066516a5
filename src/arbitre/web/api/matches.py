"""Matches for programs: call one, look, answer, resign, follow it line by line, take the record.

To call a match twice with the same `Idempotency-Key` is to call it once: its name follows from the account and the key.
"""

import asyncio
from collections.abc import AsyncIterator
from itertools import islice
from json import loads
from typing import Annotated, Literal

from litestar import MediaType, Response, get, post
from litestar.exceptions import HTTPException, NotFoundException
from litestar.params import HeaderParameter, JSONBody, PathParameter, QueryParameter
from litestar.response import Stream
from msgspec import Struct

from arbitre.community.accounts import Account
from arbitre.community.tokens import Scope
from arbitre.engines import levels
from arbitre.errors import ArenaError, OpenSetError, UnknownRecordError
from arbitre.protocol.screens import SCREENS
from arbitre.referee.clock import read_clock
from arbitre.referee.player import MOST_LISTED, Position
from arbitre.referee.story import FORMS, export
from arbitre.rules.catalogue import game as find_game
from arbitre.rules.game import AnyGame, Seat
from arbitre.rules.game import Eye as GameEye
from arbitre.rules.labels import label_of
from arbitre.services.arena import NAME_LENGTH
from arbitre.services.sitting import Engine, Person, Plan
from arbitre.services.sitting import House as HousePlayer
from arbitre.services.sitting import Sitter as Seated
from arbitre.services.sittings import Sitting
from arbitre.web.api.common import API, LINES, LISTS, PAGE, READS, WRITE, WRITES, After, bearer, reader
from arbitre.web.api.forms import MatchForm, NewMatch, Page, Said, Sitter, Turn
from arbitre.web.given import OurHouse, ThisVisit
from arbitre.web.house import House
from arbitre.web.lists import all_names, known_as, names_of
from arbitre.web.options import check_playable
from arbitre.web.pages.games import told_for, verified
from arbitre.web.pages.train import MOST_TURNS, count_beginning
from arbitre.web.played import runs_referee
from arbitre.web.telling import Teller, eye_of, screen_for
from arbitre.web.visit import Visit

Name = Annotated[str, PathParameter(pattern=f"^[0-9a-f]{{{NAME_LENGTH}}}$", description="the name of a match")]


async def find_match(house: House, name: str) -> Sitting:
    """Return a match of this site."""
    if len(name) != NAME_LENGTH:
        raise NotFoundException
    return house.arena.sitting(name)


def called(account: Account | None) -> str:
    """Return how the arena knows somebody."""
    return "" if account is None else f"account:{account.id}"


def seats_at(account: Account | None, sitting: Sitting) -> frozenset[Seat]:
    """Return where somebody sits."""
    return sitting.plan.seats_of(called(account)) if account is not None else frozenset()


async def match_form(house: House, sitting: Sitting, account: Account | None) -> MatchForm:
    """Return a match, as programs read it."""
    (names,) = await all_names(house, (sitting.plan,))
    return await asyncio.to_thread(_filled, house, sitting, names, account)


def _filled(house: House, sitting: Sitting, names: tuple[str, ...], account: Account | None) -> MatchForm:
    row = house.store.match(sitting.name) if sitting.state == "over" else None
    return MatchForm(
        sitting.name,
        sitting.number,
        sitting.plan.game.name,
        sitting.title,
        sitting.state,
        list(names),
        f"{house.settings.public}/games/{sitting.name}",
        sorted(seats_at(account, sitting)),
        None if row is None else row.verdict,
        None if row is None or row.seal is None else str(loads(row.seal)["head"]),
        runs_referee(house, label_of(sitting.plan.game)),
    )


@get("/api/matches", responses=LISTS, **API)
async def matches(
    house: OurHouse,
    visit: ThisVisit,
    stage: Annotated[
        Literal["waiting", "playing", "over"] | None, QueryParameter(name="state", description="only in this state")
    ] = None,
    game: Annotated[str, QueryParameter(max_length=60, description="only of this game")] = "",
    words: Annotated[str, QueryParameter(max_length=60, description="part of a title or of a player's name")] = "",
    mine: Annotated[bool, QueryParameter(description="those of the account of the token")] = False,
    after: After = 0,
) -> Page[MatchForm]:
    """List matches that anybody may find, or one's own, the newest first."""
    account = reader(visit)
    owner = bearer(visit, Scope.READ).id if mine else None
    known = await known_as(house, words)
    found = house.arena.sittings.search(state=stage, owner=owner, words=words, known=known, game=game, after=after, most=PAGE + 1)
    shown = found[:PAGE]
    names = await all_names(house, tuple(one.plan for one in shown))
    filled = ((house, one, known, account) for one, known in zip(shown, names, strict=True))
    items = await asyncio.to_thread(lambda: [_filled(*one) for one in filled])
    return Page(items, shown[-1].number if len(found) > PAGE else None)


@post("/api/matches", status_code=201, responses=WRITES, **API)
async def call(
    house: OurHouse,
    visit: ThisVisit,
    data: JSONBody[NewMatch],
    key: Annotated[
        str, HeaderParameter(name="Idempotency-Key", max_length=64, description="the same key calls the same match once")
    ] = "",
) -> MatchForm:
    """Call a match; it begins when no chair is free."""
    account = bearer(visit, Scope.PLAY)
    game = find_game(data.game, data.options)
    if game.name not in SCREENS:
        raise ArenaError(f"{game.name} has no interface, so nobody can watch it here")
    check_playable(game)
    seated = [await _sitter(house, account, game, one) for one in data.seats]
    stepped = data.stepped
    start, clock = data.start.strip(), read_clock(data.clock)
    turns = None if any(isinstance(one, Person) for one in seated) else MOST_TURNS
    plan = Plan(game, tuple(seated), start, clock, data.limit, stepped=stepped, turns=turns, starter=called(account))
    return await call_match(house, visit, account, plan, key=key, title=data.title, hidden=data.hidden or bool(plan.free))


async def call_match(
    house: House, visit: Visit, account: Account, plan: Plan, *, key: str, title: str = "", hidden: bool
) -> MatchForm:
    """Call a match, once however often it is asked for under one key."""
    # with a secret of ours: whoever guesses a key does not find the address of a game that is not listed
    name = visit.signer.mark("match", f"{account.id}/{key}")[:NAME_LENGTH] if key else ""
    if name:
        try:
            before = house.arena.sitting(name)
        except UnknownRecordError:
            pass
        else:
            if (before.plan.game, before.plan.start) != (plan.game, plan.start):
                raise HTTPException("this Idempotency-Key was used for another match", status_code=409)
            return await match_form(house, before, account)
    count_beginning(house, visit)
    sitting = await house.arena.open(plan, owner=account.id, title=title, hidden=hidden, name=name)
    return await match_form(house, sitting, account)


async def _sitter(house: House, account: Account, game: AnyGame, form: Sitter) -> Seated:
    if form.who == "me":
        return Person(called(account), account.neutral)
    if form.who == "friend":
        return Person()
    if form.who == "house":
        count = len(levels(game.name))
        level = form.level or (count + 1) // 2
        if level > count:
            raise ArenaError(f"the house plays {game.name} at levels 1 to {count}, not {level}")
        return HousePlayer(level)
    if form.engine is None:
        raise ArenaError("an engine sits down by its number: engine is missing")
    found = await asyncio.to_thread(house.community.engines.get, form.engine, account)
    if found.game != game.name:
        raise ArenaError(f"{found.name} plays {found.game}, not {game.name}")
    return Engine(found.id, found.neutral, found.url, found.style, found.opponent)


@get("/api/matches/{name:str}", responses=READS, **API)
async def match(house: OurHouse, visit: ThisVisit, name: Name) -> MatchForm:
    """Return one match."""
    account = reader(visit)
    return await match_form(house, await find_match(house, name), account)


@get("/api/matches/{name:str}/turn", responses=WRITES, **API)
async def turn(house: OurHouse, visit: ThisVisit, name: Name) -> Turn:
    """Return what one is asked: the position as one's own seat sees it, and the moves that may be said."""
    account = bearer(visit, Scope.PLAY)
    sitting = await find_match(house, name)
    for seat in sorted(seats_at(account, sitting)):
        if sitting.state == "playing" and (person := house.arena.live(name).people.get(seat)) and person.position is not None:
            position = person.position
            return Turn(True, seat, position.turn, person.ticket, position.text, _listed(position))
    return Turn(False)


def _listed(position: Position) -> list[str] | None:
    try:
        found = list(islice(position.game.legal(position.view), MOST_LISTED + 1))
    except OpenSetError:
        return None
    return [position.notation.write(move) for move in found] if len(found) <= MOST_LISTED else None


@post("/api/matches/{name:str}/move", status_code=200, responses=WRITES, **WRITE)
async def move(house: OurHouse, visit: ThisVisit, name: Name, data: JSONBody[Said]) -> MatchForm:
    """Say a move; with a ticket it answers that question and no other, and may be repeated."""
    account = bearer(visit, Scope.PLAY)
    sitting = await find_match(house, name)
    seat = _seat(account, sitting)
    person = house.arena.live(name).people[seat]
    house.arena.answer(name, seat, data.ticket or person.ticket, data.move)
    await house.arena.kept(name, seat)
    return await match_form(house, sitting, account)


def _seat(account: Account, sitting: Sitting) -> Seat:
    seats = seats_at(account, sitting)
    if not seats:
        raise HTTPException("you do not sit at this table", status_code=403)
    return min(seats)


@post("/api/matches/{name:str}/resign", status_code=200, responses=WRITES, **WRITE)
async def resign(house: OurHouse, visit: ThisVisit, name: Name) -> MatchForm:
    """Give up; a match that is over stays as it is."""
    account = bearer(visit, Scope.PLAY)
    sitting = await find_match(house, name)
    seat = _seat(account, sitting)
    if sitting.state == "playing":
        house.arena.resign(name, seat)
    return await match_form(house, house.arena.sitting(name), account)


@post("/api/matches/{name:str}/step", status_code=200, responses=WRITES, **WRITE)
async def step(
    house: OurHouse,
    visit: ThisVisit,
    name: Name,
    all: Annotated[bool, QueryParameter(description="let all moves through from now on")] = False,  # noqa: A002
) -> MatchForm:
    """Let one move of a match that waits for steps through, or all."""
    account = bearer(visit, Scope.PLAY)
    sitting = await find_match(house, name)
    if sitting.owner != account.id:
        raise HTTPException("only whoever called this match may do that", status_code=403)
    gate = house.arena.live(name).gate
    gate.run() if all else gate.step()
    return await match_form(house, sitting, account)


Eye = Literal["own", "spectator", "referee", "first", "second"]
EYES: dict[Eye, GameEye] = {"spectator": "spectator", "referee": "referee", "first": Seat(0), "second": Seat(1)}


@get("/api/matches/{name:str}/events", responses=READS, media_type="application/x-ndjson", **API)
async def events(
    house: OurHouse,
    visit: ThisVisit,
    name: Name,
    after: After = 0,
    eye: Annotated[Eye, QueryParameter(description="through whose eyes; others' open when the match is over")] = "own",
) -> Stream:
    """Follow a match: one JSON object a line for each scene, an empty line now and then, until it is over."""
    account = reader(visit)
    sitting = await find_match(house, name)
    if sitting.state == "waiting":
        raise ArenaError("the match has not begun: a chair is free")
    people = frozenset(Seat(seat) for seat, one in enumerate(sitting.plan.sitters) if isinstance(one, Person))
    teller = Teller(screen_for(sitting.plan.game, people), await names_of(house, sitting.plan, visit.words), visit.words)
    own = eye_of(seats_at(account, sitting))
    looks = EYES.get(eye, own)
    if looks not in (own, "spectator") and sitting.state != "over":
        raise HTTPException("what others see stays closed until the match is over", status_code=403)

    async def lines() -> AsyncIterator[bytes]:
        async for text in told_for(house, sitting, looks, after, teller):
            yield (text + "\n").encode()

    return Stream(lines(), **LINES)


class FindingForm(Struct):
    """What a record is worth, found out by judging it again."""

    standing: str
    line: str
    head: str


@get("/api/matches/{name:str}/finding", responses=WRITES, **API)
async def finding(house: OurHouse, name: Name) -> FindingForm:
    """Judge the record of a match that is over again, and tell what it is worth."""
    sitting = await find_match(house, name)
    if sitting.state != "over":
        raise HTTPException("the record opens when the match is over", status_code=409)
    kept = house.arena.record(name)
    found = await asyncio.to_thread(verified, kept.text().encode(), house.key.fingerprint)
    return FindingForm(found.standing.value, found.line, "" if kept.seal is None else kept.seal.head)


@get("/api/matches/{name:str}/record", responses=WRITES, media_type=MediaType.TEXT, **API)
async def record(
    house: OurHouse,
    name: Name,
    form: Annotated[Literal["record", "story", "json", "pdn", "pgn"], QueryParameter(description="which form of it")] = "record",
) -> Response[str]:
    """Return the record of a match that is over, or another form of it."""
    sitting = await find_match(house, name)
    if sitting.state != "over":
        raise HTTPException("the record opens when the match is over", status_code=409)
    if FORMS[form][0] not in ("", sitting.plan.game.name):
        raise ArenaError(f"{form} is for {FORMS[form][0]}, and this is {sitting.plan.game.name}")
    return Response(await asyncio.to_thread(export, house.arena.record(name), form), media_type="text/plain")


ROUTES = (matches, call, match, turn, move, resign, step, events, finding, record)
