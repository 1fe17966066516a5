"""Added games for programs: list and read them, add and change one's own with the trial that the page makes, begin a match.

To add the same game twice is to add it once. Its name and its rules stay; its addresses, its sheet and whether others see it may
change, and then it is tried again (spec: tournoyons, section 6).
"""

import asyncio
from time import time
from typing import Annotated, Literal

from litestar import delete, get, post, put
from litestar.exceptions import HTTPException, NotFoundException
from litestar.params import HeaderParameter, JSONBody, QueryParameter
from msgspec import Meta, Struct

from arbitre.errors import UnfitError, UnknownError
from arbitre.referee.clock import read_clock
from arbitre.site.accounts import Account
from arbitre.site.added import AddedGame, AddedGameId, rules_of
from arbitre.site.added_trial import Trial, model, referee
from arbitre.site.arena.plan import Engine, Person, Plan, Sitter
from arbitre.site.forms import check_about, check_url
from arbitre.site.tokens import Scope
from arbitre.web.api.common import PAGE, After, Number, bearer, fetched, open_to_all, reader, repeatable, unfit, with_token
from arbitre.web.api.forms import Id, Page, Position, Url
from arbitre.web.api.matches import MatchForm, called, open_match
from arbitre.web.given import OurHouse, ThisVisit
from arbitre.web.house import House
from arbitre.web.pages.added import trial_of
from arbitre.web.pages.train import MOST_TURNS, sitter_of

Sheet = Annotated[str, Meta(min_length=1, max_length=4_000)]


class Programs(Struct, forbid_unknown_fields=True, kw_only=True):
    """Where the programs of a game are, and its sheet."""

    url: Url
    """The external referee's."""
    engine: Url
    """The model engine's."""
    interface: Url
    """The model interface's."""
    about: Sheet
    """What it is, and the syntax of its trays, moves and gains."""
    public: bool = True


class NewAdded(Programs, forbid_unknown_fields=True, kw_only=True):
    """A game to add."""

    name: Annotated[str, Meta(min_length=3, max_length=30)]
    """The value of `Set` on the wire: letters and digits, a letter first."""
    boards: Literal[1, 2] = 1
    board: Position = ""
    """The tray of the start; empty: the referee says it."""
    simultaneous: bool = False
    open: bool = False
    """With two boards: whether each sees the other's."""
    framed: bool = False
    """Whether the referee answers from his frame in a player's browser: for training only."""
    anyway: bool = False
    """Keep it although its programs do not play together; it is marked broken."""


class AddedForm(Struct):
    """A game that somebody added; its addresses and what is wrong with it only for its owner."""

    id: int
    name: str
    owner: str
    """Who added it, and runs its referee: its verdicts rest on his word."""
    about: str
    boards: int
    board: str
    simultaneous: bool
    open: bool
    framed: bool
    public: bool
    retired: bool
    state: Literal["ok", "broken"]
    mine: bool
    url: str | None = None
    engine: str | None = None
    interface: str | None = None
    fault: str | None = None


class StepForm(Struct):
    """One exchange of a trial."""

    who: str
    """`engine 1`, `engine 2`, `referee`, `interface`."""
    what: str
    text: str
    status: int
    body: str


class ConversationForm(Struct):
    """What the programs of a game said to each other when they were tried."""

    good: bool
    fault: str
    steps: list[StepForm]


class AddedSitter(Struct, forbid_unknown_fields=True):
    """Who sits down: me, whoever gets the link, the model engine, a registered engine, or an engine at an address."""

    who: Literal["me", "friend", "model", "engine", "address"]
    url: Annotated[str, Meta(max_length=500)] = ""
    engine: Id | None = None


class NewAddedMatch(Struct, forbid_unknown_fields=True):
    """A match of an added game."""

    seats: Annotated[list[AddedSitter], Meta(min_length=2, max_length=2)]
    start: Position = ""
    clock: Annotated[str, Meta(max_length=30)] = "none"
    stepped: bool = False
    hidden: bool = False


def _form(house: House, one: AddedGame, account: Account | None) -> AddedForm:
    mine = account is not None and one.owner == account.id
    try:
        owner = house.community.accounts.get(one.owner).name
    except UnknownError:
        owner = "–"
    shown = (one.url, one.engine, one.interface, str(one.fault or "")) if mine else (None, None, None, None)
    return AddedForm(
        one.id,
        one.name,
        owner,
        one.about,
        2 if one.game == "addedpair" else 1,
        one.board,
        one.simultaneous,
        one.open,
        one.framed,
        one.public,
        one.retired is not None,
        one.state,
        mine,
        *shown,
    )


def _conversation(trial: Trial) -> ConversationForm:
    steps = [StepForm(who, said.what, said.text, said.status, said.body) for who, said in trial.steps]
    return ConversationForm(not trial.fault, str(trial.fault or ""), steps)


def _fields(data: NewAdded) -> dict[str, str]:
    """Return what the form of the page would hold."""
    flags = {name: "yes" for name in ("simultaneous", "open", "framed") if getattr(data, name)}
    texts = {name: getattr(data, name) for name in ("name", "url", "engine", "interface", "about", "board")}
    return texts | flags | {"game": "addedpair" if data.boards == 2 else "added"}


# ── anybody's ──────────────────────────────────────────────────────────────────────────────────────────────────────


@get("/api/added", **open_to_all())
async def list_added_games(
    house: OurHouse,
    visit: ThisVisit,
    name: Annotated[str, QueryParameter(max_length=60, description="only the one of this name")] = "",
    mine: Annotated[bool, QueryParameter(description="one's own alone, retired ones too")] = False,
    after: After = 0,
) -> Page[AddedForm]:
    """List added games that one may play, or one's own, the oldest first."""
    account = bearer(visit) if mine else reader(visit)
    kept = house.community.added

    def listed() -> tuple[AddedGame, ...]:
        if name:
            return _named(house, name, account)
        if mine and account is not None:
            return tuple(one for one in kept.of(account, retired=True) if one.id > after)
        return kept.all(by=account, after=after, most=PAGE + 1)

    def page() -> Page[AddedForm]:
        return fetched(listed(), lambda one: one.id, lambda one: _form(house, one, account))

    return await asyncio.to_thread(page)


def _named(house: House, name: str, account: Account | None) -> tuple[AddedGame, ...]:
    try:
        found = house.community.added.get(house.community.added.called(name).id, account)
    except UnknownError:
        return ()
    return () if found.retired is not None else (found,)


@get("/api/added/{number:int}", **open_to_all())
async def get_added_game(house: OurHouse, visit: ThisVisit, number: Number) -> AddedForm:
    """Return an added game with its sheet."""
    account = reader(visit)
    return await asyncio.to_thread(lambda: _form(house, house.community.added.get(number, account), account))


@post("/api/added/{number:int}/matches", status_code=201, **with_token(Scope.PLAY))
async def call_added_match(
    house: OurHouse,
    visit: ThisVisit,
    number: Number,
    data: JSONBody[NewAddedMatch],
    key: Annotated[
        str, HeaderParameter(name="Idempotency-Key", max_length=64, description="the same key calls the same match once")
    ] = "",
) -> MatchForm:
    """Call a match of an added game; it begins when no chair is free."""
    account = bearer(visit)
    found = await asyncio.to_thread(house.community.added.get, number, account)
    if found.retired is not None:
        raise NotFoundException(f"{found.name} is retired")
    players = [
        await sitter_of(house, visit, found.rules, f"engine:{one.engine or 0}")
        if one.who == "engine"
        else _sitter(account, found, one)
        for one in data.seats
    ]
    turns = None if any(isinstance(one, Person) for one in players) else MOST_TURNS
    start, clock, stepped = data.start.strip(), read_clock(data.clock), data.stepped
    plan = Plan(found.rules, (*players, referee(found)), start, clock, stepped=stepped, turns=turns, starter=called(account))
    hidden = data.hidden or bool(plan.free) or not found.public
    return await open_match(house, visit, account, plan, key=f"added/{key}" if key else "", hidden=hidden)


def _sitter(account: Account, found: AddedGame, form: AddedSitter) -> Sitter:
    if form.who == "me":
        return Person(called(account), account.neutral)
    if form.who == "friend":
        return Person()
    return model(found) if form.who == "model" else Engine(0, f"engine of {account.neutral}", check_url(form.url))


# ── one's own ──────────────────────────────────────────────────────────────────────────────────────────────────────


@post("/api/added/check", status_code=200, **repeatable(Scope.ENGINES))
async def try_added_game(house: OurHouse, visit: ThisVisit, data: JSONBody[NewAdded]) -> ConversationForm:
    """Try the programs of a game as they would be added, and tell what they said; nothing is kept."""
    account = bearer(visit)
    house.community.limits.take("write", account.neutral, time())
    return _conversation(await trial_of(house, visit, _fields(data)))


@post("/api/added", status_code=201, **repeatable(Scope.ENGINES, 422))
async def add_game(house: OurHouse, visit: ThisVisit, data: JSONBody[NewAdded]) -> AddedForm:
    """Add a game whose programs play together."""
    account = bearer(visit)
    kept = house.community.added
    if not check_about(data.about):
        raise UnfitError("about", "says how trays, moves and gains are written")
    fields = _fields(data)
    rules = rules_of(fields["game"], data.name.strip(), data.board.strip(), simultaneous=data.simultaneous, is_open=data.open)
    for one in await asyncio.to_thread(kept.of, account):
        same = (one.rules, one.url, one.engine, one.interface, one.framed, one.public)
        if same == (rules, data.url, data.engine, data.interface, data.framed, data.public):
            return await asyncio.to_thread(_form, house, one, account)
    house.community.limits.take("write", account.neutral, time())
    trial = await trial_of(house, visit, fields)
    if trial.fault and not data.anyway:
        raise unfit(f"the game was tried and is not added: {trial.fault}")

    def make() -> AddedForm:
        made = kept.add(
            account,
            rules,
            url=data.url,
            engine=data.engine,
            interface=data.interface,
            about=data.about,
            framed=data.framed,
            public=data.public,
        )
        if trial.fault:
            kept.broke(made.id, trial.fault)
        return _form(house, kept.find(made.id), account)

    return await asyncio.to_thread(make)


async def _own(house: House, account: Account, number: int) -> AddedGame:
    found = await asyncio.to_thread(house.community.added.get, number, account)
    if found.owner != account.id:
        raise HTTPException("this game is somebody else's", status_code=403)
    return found


def _kept_fields(found: AddedGame) -> dict[str, str]:
    flags = {name: "yes" for name in ("simultaneous", "open", "framed") if getattr(found, name)}
    return {name: getattr(found, name) for name in ("name", "url", "engine", "interface", "about", "board", "game")} | flags


@put("/api/added/{number:int}", **with_token(Scope.ENGINES))
async def change_added_game(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[Programs]) -> AddedForm:
    """Change one's own game, which is tried again; its name and its rules stay."""
    account = bearer(visit)
    found = await _own(house, account, number)
    house.community.limits.take("write", account.neutral, time())
    fields = _kept_fields(found) | {"url": data.url, "engine": data.engine, "interface": data.interface, "about": data.about}
    trial = await trial_of(house, visit, fields)
    kept = house.community.added

    def edit() -> AddedForm:
        kept.edit(
            account,
            AddedGameId(number),
            url=data.url,
            engine=data.engine,
            interface=data.interface,
            about=data.about,
            public=data.public,
        )
        kept.tried(number, trial.fault)
        return _form(house, kept.find(number), account)

    return await asyncio.to_thread(edit)


@post("/api/added/{number:int}/check", status_code=200, **repeatable(Scope.ENGINES))
async def check_added_game(house: OurHouse, visit: ThisVisit, number: Number) -> ConversationForm:
    """Try one's own game again, and take down whether it works."""
    found = await _own(house, bearer(visit), number)
    trial = await trial_of(house, visit, _kept_fields(found))
    kept = house.community.added
    await asyncio.to_thread(kept.tried, number, trial.fault)
    return _conversation(trial)


@delete("/api/added/{number:int}", status_code=200, **with_token(Scope.ENGINES))
async def retire_added_game(house: OurHouse, visit: ThisVisit, number: Number) -> AddedForm:
    """Take one's own game out of use; what was played stays."""
    account = bearer(visit)
    return await asyncio.to_thread(lambda: _form(house, house.community.added.retire(account, number), account))


ROUTES = (
    list_added_games,
    get_added_game,
    call_added_match,
    try_added_game,
    add_game,
    change_added_game,
    check_added_game,
    retire_added_game,
)
