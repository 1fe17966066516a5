"""Engines for programs: registered with the check that the pages make, tried, changed, retired.

To register the same engine twice is to register it once; with the same name and something else in it, it clashes. What does not
answer well when it is tried is refused with what was wrong, or kept, marked broken, where `anyway` says so.
"""

import asyncio
from typing import Annotated, Any, Literal, TypeVar

from litestar import delete, get, post, put
from litestar.params import JSONBody, QueryParameter
from msgspec import Meta, Struct

from arbitre.games.game import Seat
from arbitre.site import dial, programs, trials
from arbitre.site.accounts import Account
from arbitre.site.engines import Engine
from arbitre.site.forms import LONGEST_URL
from arbitre.site.interfaces import Interface
from arbitre.site.registered import Registered
from arbitre.site.tokens import Scope
from arbitre.tournoyons.tester import EngineTrial, Proposal
from arbitre.tournoyons.wire import Style
from arbitre.web.api.common import PAGE, After, Number, bearer, fetched, open_to_all, reader, repeatable, unfit, with_token
from arbitre.web.api.forms import Coded, GameName, Id, Name, Page, Position, coded
from arbitre.web.dependencies import OurHouse, ThisVisit
from arbitre.web.house import WebApp
from arbitre.web.visit import Visit
from arbitre.words import Words

K = TypeVar("K", Engine, Interface)
OfGame = Annotated[str, QueryParameter(max_length=60, description="only for this game")]
Mine = Annotated[bool, QueryParameter(description="one's own alone")]


class NewEngine(Struct, forbid_unknown_fields=True):
    """An engine to register."""

    game: GameName
    name: Name
    """Letters, digits, `_`, `-` and `.`; a letter or a digit at both ends."""
    url: Annotated[str, Meta(min_length=5, max_length=LONGEST_URL, examples=["https://example.org/pond"])]
    """Where it is called; `dial:` for one that calls us, and needs no address."""
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
    """What is wrong, in the caller's language; empty: nothing is."""
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
    why: Coded = None
    """What is wrong, as a code with its fields."""


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
    """What was wrong when it was last called, in the caller's language; empty: nothing was."""
    why: Coded = None
    """The same as a code with its fields."""
    present: bool | None = None
    """Whether somebody listens for it; null for one that has an address, and is called."""


def trial_form(trial: EngineTrial, words: Words) -> TrialForm:
    """Return what came of a call, as programs read it."""
    return TrialForm(
        trial.good,
        words.of(trial.fault),
        trial.called,
        trial.milliseconds,
        trial.status,
        trial.body,
        trial.said,
        trial.move,
        list(trial.heard),
        trial.came,
        trial.proposal,
        coded(trial.fault),
    )


def listed(kept: Registered[K], account: Account | None, game: str, mine: bool, after: int) -> tuple[K, ...]:
    """Return a page, and one more, of what somebody may choose, or of what is his own."""
    if mine and account is not None:
        return tuple(one for one in kept.of(account) if one.id > after and game in ("", one.game))
    return kept.all(game=game or None, by=account, after=after, most=PAGE + 1)


# ── engines ────────────────────────────────────────────────────────────────────────────────────────────────────────


def engine_form(house: WebApp, one: Engine, visit: Visit) -> EngineForm:
    """Return an engine as the caller may see it."""
    account = reader(visit)
    mine = account is not None and one.owner == account.id
    made = EngineForm(one.id, one.game, one.name, one.neutral, one.state, mine, present=dial.present(house, one))
    if mine:
        made.url, made.fault, made.why = one.url, visit.words.of(one.fault), coded(one.fault)
    return made


@get("/api/engines", **open_to_all())
async def list_engines(
    house: OurHouse, visit: ThisVisit, game: OfGame = "", mine: Mine = False, after: After = 0
) -> Page[EngineForm]:
    """List engines that one may play against, or one's own, the oldest first."""
    account = bearer(visit) if mine else reader(visit)
    found = await asyncio.to_thread(listed, house.community.engines, account, game, mine, after)
    return fetched(found, lambda one: one.id, lambda one: engine_form(house, one, visit))


@get("/api/engines/{number:int}", **open_to_all())
async def get_engine(house: OurHouse, visit: ThisVisit, number: Number) -> EngineForm:
    """Return one engine."""
    return engine_form(house, await asyncio.to_thread(house.community.engines.get, number, reader(visit)), visit)


@post("/api/engines", status_code=201, **repeatable(Scope.ENGINES, 422))
async def add_engine(house: OurHouse, visit: ThisVisit, data: JSONBody[NewEngine]) -> EngineForm:
    """Register an engine that answers well with the board of the start."""
    made, trial = await programs.register_engine(house, bearer(visit), game=data.game, anyway=data.anyway, **_wanted(data))
    if made is None:
        raise unfit("the engine was tried and is not registered: %(fault)s", fault="" if trial is None else trial.fault)
    return engine_form(house, made, visit)


def _wanted(data: NewEngine) -> dict[str, Any]:
    style = Style(data.full, data.direct, data.notify, data.login)
    return {"name": data.name, "url": data.url, "style": style, "public": data.public}


@put("/api/engines/{number:int}", **with_token(Scope.ENGINES))
async def change_engine(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[NewEngine]) -> EngineForm:
    """Change an engine of one's own, which is tried again; its game stays."""
    changed, _ = await programs.change_engine(house, bearer(visit), number, game=data.game, **_wanted(data))
    return engine_form(house, changed, visit)


@post("/api/engines/{number:int}/check", status_code=200, **repeatable(Scope.ENGINES))
async def check_engine(house: OurHouse, visit: ThisVisit, number: Number) -> TrialForm:
    """Try an engine of one's own out, and take down whether it works."""
    return trial_form((await programs.check_engine(house, bearer(visit), number))[1], visit.words)


@delete("/api/engines/{number:int}", status_code=200, **with_token(Scope.ENGINES))
async def retire_engine(house: OurHouse, visit: ThisVisit, number: Number) -> EngineForm:
    """Retire an engine of one's own; its games stay."""
    return engine_form(house, await asyncio.to_thread(house.community.engines.retire, bearer(visit), number), visit)


@get("/api/engines/{number:int}/games", **with_token(Scope.ENGINES))
async def list_engine_games(house: OurHouse, visit: ThisVisit, number: Number) -> list[PlayedForm]:
    """Return the last matches of one's own engine, the newest first, with what went wrong in each."""
    found = await asyncio.to_thread(house.community.engines.own, number, bearer(visit))
    return [
        PlayedForm(one.match.name, list(one.seats), one.match.state, None if one.fault is None else one.fault.text)
        for one in await asyncio.to_thread(programs.engine_games, house, found)
    ]


@post("/api/engines/test", status_code=200, **repeatable(Scope.ENGINES, 404))
async def try_engine(house: OurHouse, visit: ThisVisit, data: JSONBody[TryEngine]) -> TrialForm:
    """Show an engine a position, as a test, and tell what it answers."""
    table = await programs.playable(house, bearer(visit), data.game)
    seat = Seat(data.seat)
    test = trials.Test(data.preset, data.position, seat, data.url, data.engine, data.full, data.back, data.limit)
    return trial_form((await trials.examine(house, visit.caller, table, test))[0], visit.words)
