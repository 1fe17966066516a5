"""Added games for programs: list and read them, add and change one's own with the trial that the page makes, begin a match.

To add the same game twice is to add it once. Its name and its rules stay; its addresses, its sheet and whether others see it may
change, and then it is tried again (spec: tournoyons, section 6).
"""

import asyncio
from typing import Annotated, Literal

from litestar import delete, get, post, put
from litestar.params import HeaderParameter, JSONBody, QueryParameter
from msgspec import Meta, Struct
from msgspec.structs import asdict

from arbitre.games.labels import MARK
from arbitre.reasons import reason_of
from arbitre.referee.clock import read_clock
from arbitre.site import programs, seating
from arbitre.site.added import AddedGame
from arbitre.site.added_trial import Rehearsal
from arbitre.site.tokens import Scope
from arbitre.web.api.common import PAGE, After, Number, bearer, fetched, open_to_all, reader, repeatable, unfit, with_token
from arbitre.web.api.forms import Coded, Id, Page, Position, Url, coded
from arbitre.web.api.matches import MatchForm, call_once
from arbitre.web.dependencies import OurHouse, ThisVisit
from arbitre.web.house import WebApp
from arbitre.web.visit import Visit
from arbitre.words import Words

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
    """What was wrong when it was last tried, in the caller's language; empty: nothing was."""
    why: Coded = None
    """The same as a code with its fields."""


class StepForm(Struct):
    """One exchange of a trial."""

    who: str
    """`engine 1`, `engine 2`, `referee`, `interface`."""
    what: str
    text: str
    status: int
    body: str
    """What went over the wire; of a call of ours without a status what went wrong, in the caller's language."""
    why: Coded = None
    """What went wrong with such a call, as a code with its fields."""


class ConversationForm(Struct):
    """What the programs of a game said to each other when they were tried."""

    good: bool
    fault: str
    """What is wrong, in the caller's language; empty: nothing is."""
    steps: list[StepForm]
    why: Coded = None
    """What is wrong, as a code with its fields."""


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


def _form(house: WebApp, visit: Visit, one: AddedGame) -> AddedForm:
    account, fault = reader(visit), one.fault
    mine = account is not None and one.owner == account.id
    shown = (one.url, one.engine, one.interface, visit.words.of(fault), coded(fault)) if mine else (None,) * 5
    return AddedForm(
        one.id,
        one.name,
        programs.owner_name(house, one.owner),
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


def _conversation(trial: Rehearsal, words: Words) -> ConversationForm:
    steps = [
        StepForm(who, said.what, said.text, said.status, words.of(said.shown), coded(reason_of(said.shown)))
        for who, said in trial.steps
    ]
    return ConversationForm(not trial.fault, words.of(trial.fault), steps, coded(trial.fault))


def _declared(data: NewAdded) -> programs.Declared:
    same = ("name", "url", "engine", "interface", "about", "board", "simultaneous", "open", "framed", "public")
    return programs.Declared(**{name: getattr(data, name) for name in same}, pair=data.boards == 2)


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
            found = kept.labelled(f"{MARK}{name}", account)
            return () if found is None else (found,)
        if mine and account is not None:
            return tuple(one for one in kept.of(account, retired=True) if one.id > after)
        return kept.all(by=account, after=after, most=PAGE + 1)

    def page() -> Page[AddedForm]:
        return fetched(listed(), lambda one: one.id, lambda one: _form(house, visit, one))

    return await asyncio.to_thread(page)


@get("/api/added/{number:int}", **open_to_all())
async def get_added_game(house: OurHouse, visit: ThisVisit, number: Number) -> AddedForm:
    """Return an added game with its sheet."""
    return await asyncio.to_thread(lambda: _form(house, visit, house.community.added.get(number, reader(visit))))


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
    found = await asyncio.to_thread(house.community.added.get, number, bearer(visit))
    seats = tuple(seating.Chosen(one.who, one.engine, one.url) for one in data.seats)
    clock, stepped, hidden = read_clock(data.clock), data.stepped, data.hidden
    wish = seating.Wish(found.rules, seats, data.start.strip(), clock, stepped=stepped, hidden=hidden, added=found)
    return await call_once(house, visit, wish, f"added/{key}" if key else "")


# ── one's own ──────────────────────────────────────────────────────────────────────────────────────────────────────


@post("/api/added/check", status_code=200, **repeatable(Scope.ENGINES))
async def try_added_game(house: OurHouse, visit: ThisVisit, data: JSONBody[NewAdded]) -> ConversationForm:
    """Try the programs of a game as they would be added, and tell what they said; nothing is kept."""
    return _conversation(await programs.try_game(house, bearer(visit), _declared(data)), visit.words)


@post("/api/added", status_code=201, **repeatable(Scope.ENGINES, 422))
async def add_game(house: OurHouse, visit: ThisVisit, data: JSONBody[NewAdded]) -> AddedForm:
    """Add a game whose programs play together."""
    made, trial = await programs.add_game(house, bearer(visit), _declared(data), anyway=data.anyway)
    if made is None:
        raise unfit("the game was tried and is not added: %(fault)s", fault="" if trial is None else trial.fault)
    return await asyncio.to_thread(_form, house, visit, made)


@put("/api/added/{number:int}", **with_token(Scope.ENGINES))
async def change_added_game(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[Programs]) -> AddedForm:
    """Change one's own game, which is tried again; its name and its rules stay."""
    changed, _ = await programs.change_game(house, bearer(visit), number, **asdict(data))
    return await asyncio.to_thread(_form, house, visit, changed)


@post("/api/added/{number:int}/check", status_code=200, **repeatable(Scope.ENGINES))
async def check_added_game(house: OurHouse, visit: ThisVisit, number: Number) -> ConversationForm:
    """Try one's own game again, and take down whether it works."""
    return _conversation(await programs.check_game(house, bearer(visit), number), visit.words)


@delete("/api/added/{number:int}", status_code=200, **with_token(Scope.ENGINES))
async def retire_added_game(house: OurHouse, visit: ThisVisit, number: Number) -> AddedForm:
    """Take one's own game out of use; what was played stays."""
    return await asyncio.to_thread(lambda: _form(house, visit, house.community.added.retire(bearer(visit), number)))
