"""Competitions for programs: announce and change them, look, steer.

A competition with the same title, game and organiser that is not over is announced once. What the account may
not do on the pages it may not do here.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from litestar import get, patch, post
from litestar.params import JSONBody, QueryParameter
from msgspec import Meta, Struct, convert

from arbitre.errors import ArenaError
from arbitre.games.added.rules import Added
from arbitre.games.catalogue import game as find_game
from arbitre.games.game import AnyGame
from arbitre.site.accounts import Account, Role
from arbitre.site.classes import ClassId
from arbitre.site.competitions.competitions import Announcement, Competition, Kind, Stage, trial_plan
from arbitre.site.tokens import Scope
from arbitre.web.api.common import PAGE, After, Number, bearer, fetched, open_to_all, paged, reader, repeatable, with_token
from arbitre.web.api.forms import GameName, Id, Page, Position
from arbitre.web.contests import find, plan_keys, steer, stirred
from arbitre.web.given import OurHouse, ThisVisit
from arbitre.web.house import House
from arbitre.web.options import check_playable
from arbitre.web.played import played, runs_referee

HOUR = 3_600

Code = Annotated[str, QueryParameter(max_length=64, description="the code of its link, where it is not listed")]


Format = Literal["swiss", "round-robin", "double-round-robin", "gauntlet", "knockout"]
Rounds = Annotated[int, Meta(ge=0, le=99)]
Games = Annotated[int, Meta(ge=1, le=1_000)]
ClockText = Annotated[str, Meta(max_length=30)]
Turns = Annotated[int, Meta(ge=0, le=1_000_000)]
Many = Annotated[int, Meta(ge=0, le=1_000)]
Starts = Annotated[list[Position], Meta(max_length=100)]
About = Annotated[str, Meta(max_length=2_000)]
Access = Literal["all", "class", "link"]
Moment = Annotated[int, Meta(ge=0, le=2**40)]
Each = Annotated[int, Meta(ge=1, le=100)]
Patience = Annotated[int, Meta(ge=0, le=86_400)]
Options = dict[str, str | int | bool]
PLANNED = ("game", "options", "format", "seeding", "rounds", "games", "clock", "turns", "refusals", "concurrency", "starts")
"""Keys of a tournament's plan that an organiser decides here."""
Heading = Annotated[str, Meta(min_length=1, max_length=120)]


class CompetitionTerms(Struct, forbid_unknown_fields=True, kw_only=True):
    """What an organiser decides; times in seconds since 1970."""

    title: Heading
    format: Format = "swiss"
    """How it is held."""
    rounds: Rounds = 0
    """Rounds of a Swiss; 0: as many as it takes."""
    games: Games = 2
    """Games of a pairing."""
    clock: ClockText = "10s/move"
    """A time limit: `10s/move`, `3m+2s`, `none`."""
    turns: Turns = 0
    """After so many turns a game is a draw; 0: as the game has it."""
    refusals: Many = 0
    """How many illegal moves are forgiven."""
    concurrency: Many = 0
    """Games at a time; 0: as many as usual."""
    starts: Starts = []
    """Positions that games start from, one after the other; none: the usual one."""
    about: About = ""
    access: Access = "all"
    """Who may enter: everybody, one class, or whoever has the link."""
    klass: Id | None = None
    """The number of the class, where it is for one."""
    opens: Moment = 0
    """When entries are taken; 0: now."""
    begins: Moment = 0
    """When the games start; 0: in an hour."""
    listed: bool = True
    """Whether everybody sees it, or only whoever has the link."""
    each: Each = 1
    """How many engines one owner may enter."""
    patience: Patience = 600
    """Seconds that a person is waited for where a clock runs, 60 at least; 0: as long as the organiser likes."""


class NewCompetition(CompetitionTerms, forbid_unknown_fields=True, kw_only=True):
    """A competition to announce."""

    game: GameName
    options: Options = {}
    """Options of a game of the house."""
    kind: Literal["engines", "people"] = "engines"
    """Who plays."""
    draw: Literal["seed", "contestants"] = "seed"
    """Who settles the draw: a committed seed of the house, or the contestants by Commits of their own besides."""


class ChangedCompetition(Struct, forbid_unknown_fields=True, kw_only=True):
    """What an organiser decides otherwise while it is not running; what is not sent, or null, stays as it was."""

    options: Options | None = None
    """All options of a game of the house that are not as usual; none: as usual."""
    title: Heading | None = None
    format: Format | None = None
    rounds: Rounds | None = None
    games: Games | None = None
    clock: ClockText | None = None
    turns: Turns | None = None
    refusals: Many | None = None
    concurrency: Many | None = None
    starts: Starts | None = None
    about: About | None = None
    access: Access | None = None
    klass: Id | None = None
    opens: Moment | None = None
    begins: Moment | None = None
    listed: bool | None = None
    each: Each | None = None
    patience: Patience | None = None


class PlanForm(Struct):
    """How the games of a competition are played; what is null is as usual."""

    format: Format
    games: int = 1
    clock: str = "none"
    seeding: Literal["listed", "lot"] = "listed"
    options: dict[str, str | int | bool] = {}
    """What is not as usual in the rules."""
    rounds: int | None = None
    turns: int | None = None
    refusals: int | Literal["any"] | None = None
    concurrency: int | None = None
    starts: list[str] = []


class CompetitionForm(Struct):
    """A competition; the code of its link only for its organiser."""

    id: int
    title: str
    game: str
    kind: str
    stage: str
    opens: int
    begins: int
    url: str
    mine: bool
    about: str
    access: str
    klass: int | None
    listed: bool
    each: int
    plan: PlanForm
    """How the games are played."""
    patience: int
    code: str | None = None
    referee: str | None = None
    """Of an added game: who runs its referee, on whose word every verdict rests."""


class ChangeForm(Struct):
    """One thing that was changed after the announcement, or why it was cancelled."""

    at: int
    field: str
    before: str
    after: str


class Steer(Struct, forbid_unknown_fields=True):
    """What an organiser does: open entries, begin the games, call it off, go on after a fault of the house."""

    do: Literal["open", "begin", "cancel", "again"]
    why: Annotated[str, Meta(max_length=500)] = ""
    """Why it is cancelled."""


def _form(house: House, one: Competition, account: Account | None) -> CompetitionForm:
    said = one.announcement
    mine = account is not None and one.organiser == account.id
    return CompetitionForm(
        one.id,
        said.title,
        one.game,
        said.kind,
        one.stage.value,
        said.opens,
        said.begins,
        f"{house.settings.public}/compete/{one.id}",
        mine,
        said.about,
        said.access,
        said.klass,
        said.listed,
        said.each,
        convert(dict(said.plan), PlanForm),
        said.patience,
        one.code if mine else None,
        runs_referee(house, one.game),
    )


@get("/api/competitions", **open_to_all())
async def list_competitions(
    house: OurHouse,
    visit: ThisVisit,
    stage: Annotated[Stage | None, QueryParameter(description="only in this stage")] = None,
    game: Annotated[str, QueryParameter(max_length=60, description="only of this game")] = "",
    after: After = 0,
) -> Page[CompetitionForm]:
    """List competitions, the newest first."""
    account = reader(visit)
    kept = house.community.competitions
    found = await asyncio.to_thread(
        lambda: kept.all(by=account, stage=stage, game=game or None, before=after or None, most=PAGE + 1)
    )
    return fetched(found, lambda one: one.id, lambda one: _form(house, one, account))


def _plan(game: AnyGame, data: CompetitionTerms) -> dict[str, object]:
    return plan_keys(
        game,
        form=data.format,
        games=data.games,
        clock=data.clock,
        rounds=data.rounds,
        turns=data.turns,
        refusals=data.refusals,
        concurrency=data.concurrency,
        starts=data.starts,
    )


def _said(game: AnyGame, kind: Kind, data: CompetitionTerms, opens: int, begins: int) -> Announcement:
    return Announcement(
        data.title,
        _plan(game, data),
        opens,
        begins,
        data.about,
        kind,
        data.access,
        None if data.klass is None else ClassId(data.klass),
        data.listed,
        data.each,
        data.patience,
    )


@post("/api/competitions", status_code=201, **repeatable(Scope.COMPETE, 404))
async def announce_competition(house: OurHouse, visit: ThisVisit, data: JSONBody[NewCompetition]) -> CompetitionForm:
    """Announce a competition; the account needs the role of an organiser."""
    account = bearer(visit)
    account.require(Role.ORGANISER)
    table = await asyncio.to_thread(played, house, data.game, account)
    if table is None:
        raise ArenaError("%(game)r is no game of competitions", game=data.game[:60])
    if table.added is not None and data.options:
        raise ArenaError("%(title)s has no options", title=table.title)
    game = table.rules if table.added is not None else find_game(data.game, data.options)
    check_playable(game)
    now = house.community.database.now()
    said = _said(game, data.kind, data, max(data.opens, now), data.begins or now + HOUR)

    def once() -> Competition:
        for one in house.community.competitions.all(by=account, game=data.game):
            same = (one.organiser, one.announcement.title) == (account.id, data.title)
            if same and one.stage not in (Stage.OVER, Stage.CANCELLED):
                return one
        return house.steward.announce(account, said, data.draw)

    made = await asyncio.to_thread(once)
    house.steward.wake()
    return _form(house, made, account)


@get("/api/competitions/{number:int}", **open_to_all(410))
async def get_competition(house: OurHouse, visit: ThisVisit, number: Number, code: Code = "") -> CompetitionForm:
    """Return one competition."""
    account = reader(visit)
    return _form(house, await find(house, visit, number, code), account)


@patch("/api/competitions/{number:int}", **with_token(Scope.COMPETE))
async def change_competition(
    house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[ChangedCompetition]
) -> CompetitionForm:
    """Announce a competition of one's own otherwise, while it is not running; game, kind and draw stay, and who has entered.

    Once somebody has entered, the terms of the games stay too: 409 names those that were to change.
    """
    account = bearer(visit)
    found = await find(house, visit, number)
    said = await asyncio.to_thread(_changed, found.announcement, data)
    changed = await asyncio.to_thread(house.community.competitions.change, account, found.id, said)
    stirred(house, found)
    return _form(house, changed, account)


SAID = ("title", "about", "access", "opens", "begins", "listed", "each", "patience")
"""What is of the announcement itself; the rest are keys of the tournament's plan."""


def _changed(before: Announcement, data: ChangedCompetition) -> Announcement:
    """Return what is announced now: what is not sent stays as it was."""
    given = {key: one for key in SAID if (one := getattr(data, key)) is not None}
    access = given.get("access", before.access)
    klass = (before.klass if data.klass is None else ClassId(data.klass)) if access == "class" else None
    return replace(before, plan=_changed_plan(before.plan, data), klass=klass, **given)


def _changed_plan(before: Mapping[str, Any], data: ChangedCompetition) -> dict[str, object]:
    """Return the plan with what is sent, as if it had been announced so."""

    def now(key: str, usual: Any) -> Any:
        return before.get(key, usual) if (one := getattr(data, key)) is None else one

    game = trial_plan(before).game
    if data.options is not None:
        if isinstance(game, Added):
            raise ArenaError("%(name)s has no options", name=game.name)
        game = find_game(game.name, data.options)
        check_playable(game)
    made = plan_keys(
        game,
        form=now("format", "round-robin"),
        games=now("games", 1),
        clock=now("clock", "none"),
        rounds=now("rounds", 0),
        turns=now("turns", 0),
        refusals=now("refusals", 0),
        concurrency=now("concurrency", 0),
        starts=now("starts", ()),
    )
    return made | {key: one for key, one in before.items() if key not in PLANNED}


@get("/api/competitions/{number:int}/changes", **open_to_all(410))
async def list_changes(house: OurHouse, visit: ThisVisit, number: Number, code: Code = "", after: After = 0) -> Page[ChangeForm]:
    """List what was changed since the announcement, the newest first; `after` counts lines."""
    found = await find(house, visit, number, code)
    lines = list(enumerate(await asyncio.to_thread(house.community.competitions.history, found.id), start=1))
    return paged(lines, lambda one: one[0], after, lambda one: ChangeForm(one[1].at, one[1].field, one[1].before, one[1].after))


@post("/api/competitions/{number:int}/steer", status_code=200, **repeatable(Scope.COMPETE))
async def steer_competition(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[Steer]) -> CompetitionForm:
    """Steer a competition of one's own: open the entries, begin the games, call it off, go on after a fault of the house."""
    account = bearer(visit)
    await steer(house, account, await find(house, visit, number), data.do, data.why)
    return _form(house, await find(house, visit, number), account)


ROUTES = (list_competitions, announce_competition, get_competition, change_competition, list_changes, steer_competition)
