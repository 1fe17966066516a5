"""Competitions for programs: announce and change them, look, steer.

A competition with the same title, game and organiser that is not over is announced once. What the account may
not do on the pages it may not do here.
"""

import asyncio
from dataclasses import replace
from typing import Annotated, Any, Literal

from litestar import get, patch, post
from litestar.params import JSONBody, QueryParameter
from msgspec import Meta, Struct, convert

from arbitre.site.accounts import Account
from arbitre.site.competitions import contests
from arbitre.site.competitions.competitions import Competition, Stage
from arbitre.site.games import runs_referee
from arbitre.site.tokens import Scope
from arbitre.web.api.common import PAGE, After, Number, bearer, fetched, open_to_all, paged, reader, repeatable, with_token
from arbitre.web.api.forms import GameName, Id, Page, Position
from arbitre.web.dependencies import OurHouse, ThisVisit
from arbitre.web.house import WebApp

Code = Annotated[str, QueryParameter(max_length=64, description="the code of its link, where it is not listed")]


Format = Literal["fitting", "swiss", "round-robin", "double-round-robin", "gauntlet", "knockout"]
Rounds = Annotated[int, Meta(ge=0, le=99)]
Games = Annotated[int, Meta(ge=1, le=1_000)]
ClockText = Annotated[str, Meta(max_length=30)]
Turns = Annotated[int, Meta(ge=0, le=1_000_000)]
Agree = Annotated[str, Meta(max_length=40)]
Many = Annotated[int, Meta(ge=0, le=1_000)]
Starts = Annotated[list[Position], Meta(max_length=100)]
About = Annotated[str, Meta(max_length=2_000)]
Access = Literal["all", "class", "link"]
Moment = Annotated[int, Meta(ge=0, le=2**40)]
Each = Annotated[int, Meta(ge=1, le=100)]
Patience = Annotated[int, Meta(ge=0, le=86_400)]
Options = dict[str, str | int | bool]
TERMS = (
    "title", "format", "rounds", "games", "clock", "turns", "agree", "refusals", "concurrency", "starts", "about", "access",
    "klass", "opens", "begins", "listed", "each", "patience", "records",
)  # fmt: skip
"""What an organiser decides, beside the game and who plays."""
Heading = Annotated[str, Meta(min_length=1, max_length=120)]


class CompetitionTerms(Struct, forbid_unknown_fields=True, kw_only=True):
    """What an organiser decides; times in seconds since 1970."""

    title: Heading
    format: Format = "fitting"
    """How it is held; `fitting`: up to five all meet twice, more play a Swiss."""
    rounds: Rounds = 0
    """Rounds of a Swiss; 0: as many as it takes."""
    games: Games = 2
    """Games of a pairing."""
    clock: ClockText = "10s/move"
    """A time limit: `10s/move`, `3m+2s`, `none`."""
    turns: Turns = 0
    """After so many turns a game is a draw; 0: as the game has it."""
    agree: Agree = ""
    """A game ends when both sides say so: `5/3` lost, `=0.1/8@40` level, or both with a space between; empty: never."""
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
    records: Literal["at-once", "after"] = "at-once"
    """When records are signed, sealed and opened: each when its game is over, or all after the last."""


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
    agree: Agree | None = None
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
    records: Literal["at-once", "after"] | None = None


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
    agree: str = ""
    refusals: int | Literal["any"] | None = None
    concurrency: int | None = None
    starts: list[str] = []
    records: Literal["at-once", "after"] = "at-once"


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


def _form(house: WebApp, one: Competition, account: Account | None) -> CompetitionForm:
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


@post("/api/competitions", status_code=201, **repeatable(Scope.COMPETE, 404))
async def announce_competition(house: OurHouse, visit: ThisVisit, data: JSONBody[NewCompetition]) -> CompetitionForm:
    """Announce a competition; the account needs the role of an organiser."""
    account = bearer(visit)
    game = await asyncio.to_thread(contests.game_of, house, account, data.game, data.options)
    terms = contests.Terms(game, **_terms(data), kind=data.kind)
    made = await asyncio.to_thread(contests.announced, house, account, data.game, data.title)
    if made is None:
        made = await contests.announce(house, account, terms, data.draw)
    return _form(house, made, account)


@get("/api/competitions/{number:int}", **open_to_all(410))
async def get_competition(house: OurHouse, visit: ThisVisit, number: Number, code: Code = "") -> CompetitionForm:
    """Return one competition."""
    account = reader(visit)
    return _form(house, await contests.find(house, visit.person, number, code), account)


@patch("/api/competitions/{number:int}", **with_token(Scope.COMPETE))
async def change_competition(
    house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[ChangedCompetition]
) -> CompetitionForm:
    """Announce a competition of one's own otherwise, while it is not running; game, kind and draw stay, and who has entered.

    Once somebody has entered, the terms of the games stay too: 409 names those that were to change.
    """
    account = bearer(visit)
    found = await contests.changeable(house, account, number)
    before = await asyncio.to_thread(contests.terms_of, found.announcement)
    changed = await contests.change(house, account, found, before, _changed(before, data))
    return _form(house, changed, account)


def _terms(data: CompetitionTerms | ChangedCompetition) -> dict[str, Any]:
    """Return what is sent of the terms, the game aside."""
    sent = {key: one for key in TERMS if (one := getattr(data, key)) is not None}
    return sent | ({"starts": tuple(sent["starts"])} if "starts" in sent else {})


def _changed(before: contests.Terms, data: ChangedCompetition) -> contests.Terms:
    """Return the terms with what is sent: what is not stays as it was."""
    after = replace(before, **_terms(data))
    game = before.game if data.options is None else contests.with_options(before.game, data.options)
    return replace(after, game=game, klass=after.klass if after.access == "class" else None)


@get("/api/competitions/{number:int}/changes", **open_to_all(410))
async def list_changes(house: OurHouse, visit: ThisVisit, number: Number, code: Code = "", after: After = 0) -> Page[ChangeForm]:
    """List what was changed since the announcement, the newest first; `after` counts lines."""
    found = await contests.find(house, visit.person, number, code)
    lines = list(enumerate(await asyncio.to_thread(house.community.competitions.history, found.id), start=1))
    return paged(lines, lambda one: one[0], after, lambda one: ChangeForm(one[1].at, one[1].field, one[1].before, one[1].after))


@post("/api/competitions/{number:int}/steer", status_code=200, **repeatable(Scope.COMPETE))
async def steer_competition(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[Steer]) -> CompetitionForm:
    """Steer a competition of one's own: open the entries, begin the games, call it off, go on after a fault of the house."""
    account = bearer(visit)
    return _form(house, await contests.steer(house, account, number, data.do, data.why), account)
