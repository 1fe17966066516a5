"""Engines for programs: registered with the check that the pages make, tried, changed, retired.

To register the same engine twice is to register it once; with the same name and something else in it, it clashes. What does not
answer well when it is tried is refused with what was wrong, or kept, marked broken, where `anyway` says so.
"""

import asyncio
from time import time
from typing import Annotated, Any, Literal, TypeVar

from litestar import delete, get, post, put
from litestar.exceptions import HTTPException, NotFoundException
from litestar.params import JSONBody, QueryParameter
from msgspec import Meta, Struct

from arbitre.errors import UnfitError
from arbitre.games.game import AnyGame, Seat
from arbitre.site.accounts import Account
from arbitre.site.arena.traces import games_of, last_fault, seats_of
from arbitre.site.engines import Engine, EngineId
from arbitre.site.forms import check_name
from arbitre.site.interfaces import Interface
from arbitre.site.registered import Registered
from arbitre.site.tokens import Scope
from arbitre.tournoyons.positions import preset_of
from arbitre.tournoyons.tester import Exercise, Proposal, Trial, composed, examined, preset_exercises
from arbitre.tournoyons.wire import Style
from arbitre.web.api.common import PAGE, After, Number, bearer, fetched, open_to_all, reader, repeatable, unfit, with_token
from arbitre.web.api.forms import GameName, Id, Name, Page, Position, Url
from arbitre.web.given import OurHouse, ThisVisit
from arbitre.web.house import House
from arbitre.web.pages.programs import marked, register
from arbitre.web.pages.testers import call_out, heard_out
from arbitre.web.played import played as game_of

K = TypeVar("K", Engine, Interface)
OfGame = Annotated[str, QueryParameter(max_length=60, description="only for this game")]
Mine = Annotated[bool, QueryParameter(description="one's own alone")]


class NewEngine(Struct, forbid_unknown_fields=True):
    """An engine to register."""

    game: GameName
    name: Name
    """Letters, digits, `_`, `-` and `.`; a letter or a digit at both ends."""
    url: Url
    full: bool = False
    """Whether the board of the start is written out for it."""
    direct: bool = False
    """Whether it answers in the body of the call, instead of calling back."""
    notify: bool = False
    """Whether it is told how a match ended."""
    login: Annotated[str, Meta(max_length=200)] = ""
    """What it is sent as its login."""
    public: bool = True
    """Whether others may play against it."""
    anyway: bool = False
    """Keep it although it did not answer well when it was tried; it is marked broken."""


class TrialForm(Struct):
    """What came of calling a program."""

    good: bool
    fault: str
    """What is wrong; empty: nothing is."""
    called: str
    """The address as it was called."""
    milliseconds: int
    status: int
    """The status of the answer; 0 where there was none."""
    body: str
    said: str | None
    """The move as it was said; null where none was."""
    move: str
    """The move as our notation writes it, where it is a good one."""
    heard: list[str]
    """What called back, and what it was told."""
    came: Literal["", "body", "during", "after"]
    """How the move came: in the body, or by a call back during our call or after it; empty where none came."""
    proposal: Proposal
    """How it would have answered well: with the full board, in the body, or by calling back; empty where that is not known."""


class TryEngine(Struct, forbid_unknown_fields=True):
    """A position to show to an engine: one's own by its number, or one at an address."""

    game: GameName
    engine: Id | None = None
    url: Annotated[str, Meta(max_length=2_048)] = ""
    preset: Annotated[str, Meta(max_length=60)] = "start"
    """One of the positions that the tester of the pages offers."""
    position: Position = ""
    """A tray, or a position in the game's notation; then the preset does not count."""
    seat: Annotated[int, Meta(ge=0, le=1)] = 0
    full: bool = False
    back: bool = False
    """Let it call back instead of answering in the body."""
    limit: Annotated[int, Meta(ge=4, le=30)] = 8
    """Seconds that it has."""


class PlayedForm(Struct):
    """A match that an engine played, and the last exchange with it that came to nothing."""

    match: str
    seats: list[int]
    state: str
    fault: str | None


class EngineForm(Struct):
    """A registered engine; its address only for its owner."""

    id: int
    game: str
    name: str
    opponent: str
    state: Literal["ok", "broken"]
    mine: bool
    url: str | None = None
    fault: str | None = None


def trial_form(trial: Trial) -> TrialForm:
    """Return what came of a call, as programs read it."""
    return TrialForm(
        trial.good,
        str(trial.fault or ""),
        trial.called,
        trial.milliseconds,
        trial.status,
        trial.body,
        trial.said,
        trial.move,
        list(trial.heard),
        trial.came,
        trial.proposal,
    )


def listed(kept: Registered[K], account: Account | None, game: str, mine: bool, after: int) -> tuple[K, ...]:
    """Return a page, and one more, of what somebody may choose, or of what is his own."""
    if mine and account is not None:
        return tuple(one for one in kept.of(account) if one.id > after and game in ("", one.game))
    return kept.all(game=game or None, by=account, after=after, most=PAGE + 1)


# ── engines ────────────────────────────────────────────────────────────────────────────────────────────────────────


def engine_form(one: Engine, account: Account | None) -> EngineForm:
    """Return an engine as somebody may see it."""
    mine = account is not None and one.owner == account.id
    return EngineForm(
        one.id,
        one.game,
        one.name,
        one.neutral,
        one.state,
        mine,
        one.url if mine else None,
        str(one.fault or "") if mine else None,
    )


@get("/api/engines", **open_to_all())
async def list_engines(
    house: OurHouse, visit: ThisVisit, game: OfGame = "", mine: Mine = False, after: After = 0
) -> Page[EngineForm]:
    """List engines that one may play against, or one's own, the oldest first."""
    account = bearer(visit) if mine else reader(visit)
    found = await asyncio.to_thread(listed, house.community.engines, account, game, mine, after)
    return fetched(found, lambda one: one.id, lambda one: engine_form(one, account))


@get("/api/engines/{number:int}", **open_to_all())
async def get_engine(house: OurHouse, visit: ThisVisit, number: Number) -> EngineForm:
    """Return one engine."""
    account = reader(visit)
    return engine_form(await asyncio.to_thread(house.community.engines.get, number, account), account)


@post("/api/engines", status_code=201, **repeatable(Scope.ENGINES, 422))
async def add_engine(house: OurHouse, visit: ThisVisit, data: JSONBody[NewEngine]) -> EngineForm:
    """Register an engine that answers well with the board of the start."""
    account = bearer(visit)
    kept = house.community.engines
    if await asyncio.to_thread(game_of, house, data.game, account) is None:
        raise UnfitError("game", "one that engines by URL play")
    name, style = check_name(data.name), Style(data.full, data.direct, data.notify, data.login)
    url = await asyncio.to_thread(kept.check_address, account, data.url)
    for one in await asyncio.to_thread(kept.of, account):
        if (one.game, one.name, one.url, one.style, one.public) == (data.game, name, url, style, data.public):
            return engine_form(one, account)
    wanted: dict[str, Any] = {"game": data.game, "name": name, "url": url, "style": style, "public": data.public}
    made, trial = await register(house, visit, account, anyway=data.anyway, **wanted)
    if made is None:
        raise unfit(f"the engine was tried and is not registered: {trial.fault}")
    return engine_form(made, account)


async def _own(house: House, account: Account, number: int) -> Engine:
    """Return an engine of one's own; who may see it, but not change it, is told so."""
    found = await asyncio.to_thread(house.community.engines.get, number, account)
    if found.owner != account.id:
        raise HTTPException("this engine is somebody else's", status_code=403)
    return found


@put("/api/engines/{number:int}", **with_token(Scope.ENGINES))
async def change_engine(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[NewEngine]) -> EngineForm:
    """Change an engine of one's own, which is tried again; its game stays."""
    account = bearer(visit)
    found = await _own(house, account, number)
    if found.game != data.game:
        raise HTTPException("an engine keeps its game; register another", status_code=409)
    house.community.limits.take("write", account.neutral, time())
    call_out(house, visit)
    style = Style(data.full, data.direct, data.notify, data.login)
    kept = house.community.engines
    changed = await asyncio.to_thread(
        lambda: kept.edit(account, EngineId(number), name=data.name, url=data.url, style=style, public=data.public)
    )
    await marked(house, changed)
    return engine_form(await asyncio.to_thread(kept.find, number), account)


@post("/api/engines/{number:int}/check", status_code=200, **repeatable(Scope.ENGINES))
async def check_engine(house: OurHouse, visit: ThisVisit, number: Number) -> TrialForm:
    """Try an engine of one's own out, and take down whether it works."""
    found = await _own(house, bearer(visit), number)
    call_out(house, visit)
    return trial_form(await marked(house, found))


@delete("/api/engines/{number:int}", status_code=200, **with_token(Scope.ENGINES))
async def retire_engine(house: OurHouse, visit: ThisVisit, number: Number) -> EngineForm:
    """Retire an engine of one's own; its games stay."""
    account = bearer(visit)
    return engine_form(await asyncio.to_thread(house.community.engines.retire, account, number), account)


@get("/api/engines/{number:int}/games", **with_token(Scope.ENGINES))
async def list_engine_games(house: OurHouse, visit: ThisVisit, number: Number) -> list[PlayedForm]:
    """Return the last matches of one's own engine, the newest first, with what went wrong in each."""
    found = await _own(house, bearer(visit), number)
    made = []
    for one in games_of(house.arena, found.id):
        fault = last_fault(house.store, one, found.id)
        seats = [int(seat) for seat in seats_of(one, found.id)]
        made.append(PlayedForm(one.name, seats, one.state, None if fault is None else fault.text))
    return made


@post("/api/engines/test", status_code=200, **repeatable(Scope.ENGINES, 404))
async def try_engine(house: OurHouse, visit: ThisVisit, data: JSONBody[TryEngine]) -> TrialForm:
    """Show an engine a position, as a test, and tell what it answers."""
    account = bearer(visit)
    table = await asyncio.to_thread(game_of, house, data.game, account)
    if table is None:
        raise UnfitError("game", "one that engines by URL play")
    exercise = _exercise(table.rules, data)
    if data.engine is not None:
        mine = await _own(house, account, data.engine)
        if mine.game != data.game:
            raise UnfitError("engine", "%(name)s plays %(game)s, not %(game2)s", name=mine.name, game=mine.game, game2=data.game)
        url, style = mine.url, Style(mine.style.full or data.full, not data.back, login=mine.style.login)
    else:
        url = await asyncio.to_thread(house.community.engines.check_address, account, data.url)
        style = Style(full=data.full, direct=not data.back)
    call_out(house, visit)
    way = await asyncio.to_thread(house.ways.for_person, account, url)
    trial = await examined(house.switchboard, table.rules, url, exercise, style, data.limit, back=data.back, way=way)
    return trial_form((await heard_out(house, table, exercise, trial))[0])


def _exercise(game: AnyGame, data: TryEngine) -> Exercise:
    """Return the position that is wished for."""
    if data.position.strip():
        return composed(game, data.position, Seat(data.seat))
    preset = preset_of(data.game, data.preset)
    if preset is None:
        raise NotFoundException(f"no position of {data.game} is called {data.preset!r}")
    found = preset_exercises(game, preset)
    return next((one for one in found if one.seat == data.seat), found[0])


ROUTES = (list_engines, get_engine, add_engine, change_engine, check_engine, retire_engine, list_engine_games, try_engine)
