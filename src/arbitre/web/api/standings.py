"""How competitions stand, for programs: standings, games, faults, honours, the draw and its proof, a stream, one's own games."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from json import dumps
from typing import Annotated, Any

from litestar import Response, get, post
from litestar.exceptions import NotFoundException
from litestar.params import PathParameter
from litestar.response import Stream
from msgspec import Struct

from arbitre.errors import UnfinishedError
from arbitre.reasons import plain
from arbitre.site.competitions import contests
from arbitre.site.competitions.competitions import CompetitionId, Stage
from arbitre.site.competitions.honours import Feat
from arbitre.site.competitions.scoreboard import Board
from arbitre.site.competitions.watching import changes
from arbitre.site.tokens import Scope
from arbitre.web.api.common import After, Number, bearer, open_to_all, paged, repeatable, streamed, with_token
from arbitre.web.api.competitions import Code
from arbitre.web.api.forms import Page
from arbitre.web.dependencies import OurHouse, ThisVisit
from arbitre.web.house import WebApp
from arbitre.web.scoreboard import awards_in

COUNTED = ("games", "wins", "draws", "losses", "byes", "faults", "elo", "error")


class StandingForm(Struct):
    """A line of the standings."""

    rank: int
    entry: int
    name: str
    points: str
    games: int
    wins: int
    draws: int
    losses: int
    byes: int
    faults: int
    elo: str
    error: str


class FixtureForm(Struct):
    """A game of a competition that was begun."""

    number: int
    match: str
    live: bool


class ResultForm(Struct):
    """A game of a competition, begun or not."""

    number: int
    round: int
    players: list[str]
    match: str | None
    live: bool
    scores: list[str]
    """Empty while it is not over."""
    end: str
    """How it ended."""


class ChangedForm(Struct):
    """The stage of a competition that has changed; who wants to know what has, asks for the progress."""

    stage: Stage
    count: int
    """How much has happened since the site was opened."""


class FaultForm(Struct):
    """A game that was lost by a fault."""

    number: int
    match: str
    kind: str
    reason: dict[str, Any]
    """Why: a code, and its fields beside it."""
    entries: list[int]
    """Whose fault it was."""


class ProgressForm(Struct):
    """How a competition stands."""

    stage: str
    standings: list[StandingForm]
    games: list[FixtureForm]
    trouble: str
    faults: list[FaultForm] = []


class AwardForm(Struct):
    """What somebody is honoured for when a competition is over."""

    feat: Feat
    entry: int
    name: str
    against: int | None
    """The entry of the opponent; null: everybody."""
    number: int
    """What tells it: moves, places or games."""
    match: str | None
    """Where it happened; null: in no single match."""
    words: str
    """The same as a sentence, in the language of the request."""


class HonoursForm(Struct):
    """What is said on the podium of a competition."""

    awards: list[AwardForm]
    verified: int
    """How many of its records the site has verified again."""
    records: int


class DrawForm(Struct):
    """How a competition is drawn, and what proves it."""

    way: str
    """`seed`: by the house's committed seed; `contestants`: by their own Commits besides."""
    commitment: str
    seed: str | None
    """The house's, in hexadecimal, when the last game is over."""
    purpose: str
    """What Commits and Reveals are made for: `lot_terms(purpose)` of `arbitre.elections`."""
    binders: dict[str, str]
    """The end of the nonce that the Commit of each contestant needs, by neutral name."""
    commits: list[str]
    """Who has brought a Commit."""
    awaited: list[str]
    """Who has still to open it."""
    transcript: str | None
    """The proof of the order, where the contestants drew it."""


class YourGame(Struct):
    """A game of a competition in which one plays oneself, being played or waiting."""

    competition: int
    number: int
    players: list[str]
    match: str | None
    asks: bool
    """Whether it begins when one says that one is there."""
    waits: bool
    """Whether it waits for the other."""
    until: int | None
    """When whoever has not come loses it, in seconds since 1970; null: never."""


def _standings(board: Board) -> list[StandingForm]:
    return [
        StandingForm(row["rank"], row["entry"].id, row["entry"].name, row["points"], *(row[key] for key in COUNTED))
        for row in board.standings
    ]


def _faults(board: Board) -> list[FaultForm]:
    return [
        FaultForm(one["number"], one["match"], one["kind"], plain(one["reason"]), [each["entry"].id for each in one["guilty"]])
        for one in board.faults
    ]


@get("/api/competitions/{number:int}/progress", **open_to_all(410))
async def get_progress(house: OurHouse, visit: ThisVisit, number: Number, code: Code = "") -> ProgressForm:
    """Return the standings, the games that were begun, and who failed how."""
    found = await contests.find(house, visit.person, number, code)
    board = await house.scoreboard.show(found)
    trouble = visit.words.of(house.steward.trouble(found.id))
    if board is None:
        return ProgressForm(found.stage.value, [], [], trouble)
    games = [FixtureForm(fixture, match, fixture in board.live) for fixture, match in sorted(board.games.items())]
    return ProgressForm(found.stage.value, _standings(board), games, trouble, _faults(board))


@get("/api/competitions/{number:int}/honours", **open_to_all(409, 410))
async def get_honours(house: OurHouse, visit: ThisVisit, number: Number, code: Code = "") -> HonoursForm:
    """Return the kind awards of a competition that is over, and how many of its records were verified."""
    found = await contests.find(house, visit.person, number, code)
    board = await house.scoreboard.show(found)
    honours = await house.honoured.show(found, board)
    if board is None or honours is None:
        raise UnfinishedError("the honours of a competition are known when it is over and its records are verified")
    awards = [
        AwardForm(
            one.feat,
            told["entry"].id,
            told["entry"].name,
            None if one.against is None else board.entries[one.against].id,
            one.number,
            one.match or None,
            told["words"],
        )
        for one, told in zip(honours.awards, awards_in(visit.words, board, honours), strict=True)
    ]
    return HonoursForm(awards, honours.verified, honours.records)


@get("/api/competitions/{number:int}/games", **open_to_all(410))
async def list_competition_games(
    house: OurHouse, visit: ThisVisit, number: Number, code: Code = "", after: After = 0
) -> Page[ResultForm]:
    """List every game of a competition that was drawn, with its result where it has one."""
    board = await house.scoreboard.show(await contests.find(house, visit.person, number, code))
    found = [] if board is None else sorted(_results(board), key=lambda one: one.number)
    return paged(found, lambda one: one.number, after, lambda one: one)


def _results(board: Board) -> list[ResultForm]:
    return [
        ResultForm(
            game["number"],
            each["number"],
            game["names"],
            game["match"],
            game["live"],
            game["scores"],
            game["how"],
        )
        for each in board.rounds
        for game in each["games"]
    ]


@get("/api/competitions/{number:int}/draw", **open_to_all(410))
async def get_draw(house: OurHouse, visit: ThisVisit, number: Number, code: Code = "") -> DrawForm:
    """Return how a competition is drawn, and what proves it."""
    found = await contests.find(house, visit.person, number, code)
    proof = await asyncio.to_thread(contests.draw_proof, house, found)
    if proof is None:
        raise NotFoundException("this competition was announced without a draw")
    drawn = proof.draw
    return DrawForm(
        drawn.way,
        drawn.commitment,
        None if proof.seed is None else proof.seed.hex(),
        proof.purpose,
        dict(proof.binders),
        sorted(drawn.commits or {}),
        list(drawn.awaited),
        drawn.transcript or None,
    )


@get("/api/competitions/{number:int}/records", media_type="application/zip", **open_to_all(409, 410))
async def get_competition_records(house: OurHouse, visit: ThisVisit, number: Number, code: Code = "") -> Response[bytes]:
    """Hand out everything that proves a competition which is over, as an archive that `arbitre tournament judge` reads."""
    body = await contests.records(house, await contests.find(house, visit.person, number, code))
    return Response(body, media_type="application/zip")


@get("/api/competitions/{number:int}/events", media_type="application/x-ndjson", **open_to_all(410, line=ChangedForm))
async def follow_competition(house: OurHouse, visit: ThisVisit, number: Number, code: Code = "") -> Stream:
    """Follow a competition: a line whenever it has changed, an empty one now and then, until it is over or cancelled."""
    found = await contests.find(house, visit.person, number, code)
    return streamed(house, visit, _told(house, found.id))


async def _told(house: WebApp, number: CompetitionId) -> AsyncGenerator[bytes, None]:
    """Yield the stage and how much has happened; who wants to know what asks for the progress."""
    async with aclosing(changes(house, number)) as told:
        async for change in told:
            if change is None:
                yield b"\n"
                continue
            stage, count = change
            yield (dumps({"stage": stage.value, "count": count}) + "\n").encode()
            if stage in (Stage.OVER, Stage.CANCELLED):
                return


# ── one's own games ────────────────────────────────────────────────────────────────────────────────────────────────


@get("/api/me/games", **with_token(Scope.READ))
async def list_own_games(house: OurHouse, visit: ThisVisit) -> list[YourGame]:
    """List one's games in competitions that are being played or wait for somebody."""
    account = bearer(visit)
    entered = await asyncio.to_thread(house.community.entries.by, account)
    return [
        YourGame(number, one.number, list(one.names), one.match, one.asks, one.waits, one.until or None)
        for number in dict.fromkeys(one.competition for one in entered)
        for one in contests.own_games(house, account, number)
    ]


@post("/api/competitions/{number:int}/games/{game:int}/here", status_code=204, **repeatable(Scope.COMPETE))
async def say_here(
    house: OurHouse,
    visit: ThisVisit,
    number: Number,
    game: Annotated[int, PathParameter(ge=0, le=2**53 - 1, description="the number of the game")],
) -> None:
    """Say that one is there for a game of one's own that waits for its players."""
    account = bearer(visit)
    found = await contests.find(house, visit.person, number)
    await house.steward.here(account, found.id, game)
