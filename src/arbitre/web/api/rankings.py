"""Rankings with their history, and personal challenges, for programs."""

import asyncio
from typing import Annotated, Literal

from litestar import get, post
from litestar.exceptions import NotFoundException
from litestar.params import JSONBody, PathParameter
from msgspec import Struct

from arbitre.site import challenging
from arbitre.site import rankings as use
from arbitre.site.challenges import Challenge
from arbitre.site.engines import EngineId
from arbitre.site.games import runs_referee
from arbitre.site.ratings import Ranked, Ranking
from arbitre.site.tokens import Scope
from arbitre.tournament.tables import points_text
from arbitre.web.api.common import After, Number, bearer, open_to_all, paged, repeatable, with_token
from arbitre.web.api.forms import Coded, Id, Page, coded
from arbitre.web.dependencies import OurHouse, ThisVisit
from arbitre.web.house import WebApp
from arbitre.web.visit import Visit

Game = Annotated[str, PathParameter(max_length=60, description="the name of a game")]


class RatedForm(Struct):
    """A line of a ranking."""

    place: int
    name: str
    neutral: str
    """What records say for the name."""
    rating: float
    games: int
    wins: int
    draws: int
    losses: int
    faults: int
    mean_ms: int | None
    referee: str | None = None
    """Of an added game: who runs its referee, on whose word the rating rests."""


class MetForm(Struct):
    """What one made against another."""

    name: str
    neutral: str
    points: str
    games: int


class RatedHistory(Struct):
    """How the rating of one came about."""

    line: RatedForm
    history: list[tuple[int, float]]
    """After which game of the ranking, from 1, which rating."""
    met: list[MetForm]


class NewChallenge(Struct, forbid_unknown_fields=True):
    """One of one's engines challenges another."""

    mine: Id
    theirs: Id


class ChallengeForm(Struct):
    """A challenge."""

    id: int
    challenger: int
    challenged: int
    state: str
    match: str | None
    """The last one, where it had to be played again."""
    game: str
    fault: str = ""
    """Why it failed, once it has, in the caller's language."""
    referee: str | None = None
    """Of an added game: who runs its referee, on whose word the verdict rests."""
    why: Coded = None
    """Why it failed, as a code with its fields."""


class ReplyForm(Struct, forbid_unknown_fields=True):
    """What one says to a challenge: yes or no to another's, withdraw for one's own."""

    do: Literal["accept", "decline", "withdraw"]


async def _ranking(house: WebApp, visit: Visit, game: str) -> tuple[Ranking, str | None]:
    """Return the ranking of a game, and who runs its referee where it is an added one."""
    table, found = await use.ranked(house, game, visit.person)
    return found, await asyncio.to_thread(runs_referee, house, table.label)


def _line(place: int, one: Ranked, names: dict[str, str], referee: str | None) -> RatedForm:
    counts = (one.games, one.wins, one.draws, one.losses, one.faults)
    return RatedForm(place, names.get(one.neutral, one.neutral), one.neutral, one.rating, *counts, one.mean, referee)


@get("/api/rankings/{game:str}", **open_to_all())
async def list_ranking(house: OurHouse, visit: ThisVisit, game: Game, after: After = 0) -> Page[RatedForm]:
    """List the ranking of a game, the first first; `after` is a place."""
    found, referee = await _ranking(house, visit, game)
    names = await use.names(house, found.standings)
    placed = list(enumerate(found.standings, start=1))
    return paged(placed, lambda one: one[0], after, lambda one: _line(*one, names, referee))


@get("/api/rankings/{game:str}/{neutral:str}", **open_to_all())
async def get_rating(
    house: OurHouse,
    visit: ThisVisit,
    game: Game,
    neutral: Annotated[str, PathParameter(max_length=80, description="what records call somebody")],
) -> RatedHistory:
    """Return how the rating of somebody came about, and what he made against each of the others."""
    found, referee = await _ranking(house, visit, game)
    placed = next(((at, one) for at, one in enumerate(found.standings, start=1) if one.neutral == neutral), None)
    if placed is None:
        raise NotFoundException("nobody of that name is in this ranking")
    names = await use.names(house, found.standings)
    met = [
        MetForm(names.get(other, other), other, points_text(points), games)
        for (this, other), (points, games) in sorted(found.met.items())
        if this == neutral
    ]
    return RatedHistory(_line(*placed, names, referee), list(placed[1].history), met)


def _form(house: WebApp, visit: Visit, one: Challenge) -> ChallengeForm:
    game = challenging.game_of(house, one)
    fault, referee = house.steward.herald.fault(one), runs_referee(house, game)
    said = visit.words.of(fault)
    return ChallengeForm(one.id, one.challenger, one.challenged, one.answer.value, one.match, game, said, referee, coded(fault))


@get("/api/challenges", **with_token(Scope.READ))
async def list_challenges(house: OurHouse, visit: ThisVisit, after: After = 0) -> Page[ChallengeForm]:
    """List the latest challenges of one's engines, in both directions, the newest first."""
    account = bearer(visit)

    def listed() -> Page[ChallengeForm]:
        found = house.community.challenges.of(account)
        return paged(found, lambda one: one.id, after, lambda one: _form(house, visit, one), newest=True)

    return await asyncio.to_thread(listed)


@post("/api/challenges", status_code=201, **repeatable(Scope.COMPETE, 404))
async def challenge_engine(house: OurHouse, visit: ThisVisit, data: JSONBody[NewChallenge]) -> ChallengeForm:
    """Challenge another engine; the same challenge waits only once."""
    account = bearer(visit)
    kept = house.community.challenges
    return await asyncio.to_thread(lambda: _form(house, visit, kept.propose(account, EngineId(data.mine), EngineId(data.theirs))))


@post("/api/challenges/{number:int}", status_code=200, **repeatable(Scope.COMPETE))
async def answer_challenge(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[ReplyForm]) -> ChallengeForm:
    """Accept or decline a challenge to one's engine, or withdraw one's own."""
    account = bearer(visit)
    found = await challenging.answer(house, account, number, data.do)
    return await asyncio.to_thread(_form, house, visit, found)
