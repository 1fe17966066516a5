"""Rankings and personal challenges for programs."""

import asyncio
from typing import Annotated

from litestar import get, post
from litestar.exceptions import NotFoundException
from litestar.params import JSONBody, PathParameter

from arbitre.community.challenges import Challenge, ChallengeId
from arbitre.community.engines import EngineId
from arbitre.community.tokens import Scope
from arbitre.protocol.screens import SCREENS
from arbitre.web.api.common import API, READS, WRITE, WRITES, bearer
from arbitre.web.api.forms import ChallengeForm, NewChallenge, RatedForm, ReplyForm
from arbitre.web.given import OurHouse, ThisVisit
from arbitre.web.pages.rankings import rank, standing_names

Number = Annotated[int, PathParameter(ge=1, le=2**53 - 1, description="its number")]


@get("/api/rankings/{game:str}", responses=READS, **API)
async def ranking(
    house: OurHouse, game: Annotated[str, PathParameter(max_length=60, description="the name of a game")]
) -> list[RatedForm]:
    """Return the ranking of a game, the first first."""
    if game not in SCREENS:
        raise NotFoundException
    found = await rank(house, game)
    names = await standing_names(house, found.standings)
    return [
        RatedForm(
            names.get(one.neutral, one.neutral), one.rating, one.games, one.wins, one.draws, one.losses, one.faults, one.mean
        )
        for one in found.standings
    ]


def _form(one: Challenge) -> ChallengeForm:
    return ChallengeForm(one.id, one.challenger, one.challenged, one.answer.value, one.match)


@get("/api/challenges", responses=WRITES, **API)
async def challenges(house: OurHouse, visit: ThisVisit) -> list[ChallengeForm]:
    """List the challenges of one's engines, in both directions, the newest first."""
    account = bearer(visit, Scope.READ)
    return [_form(one) for one in await asyncio.to_thread(house.community.challenges.of, account)]


@post("/api/challenges", status_code=201, responses=WRITES, **WRITE)
async def propose(house: OurHouse, visit: ThisVisit, data: JSONBody[NewChallenge]) -> ChallengeForm:
    """Challenge another engine; the same challenge waits only once."""
    account = bearer(visit, Scope.COMPETE)
    kept = house.community.challenges
    return _form(await asyncio.to_thread(kept.propose, account, EngineId(data.mine), EngineId(data.theirs)))


@post("/api/challenges/{number:int}", status_code=200, responses=WRITES, **WRITE)
async def reply(house: OurHouse, visit: ThisVisit, number: Number, data: JSONBody[ReplyForm]) -> ChallengeForm:
    """Accept or decline a challenge to one's engine, or withdraw one's own."""
    account = bearer(visit, Scope.COMPETE)
    kept = house.community.challenges
    act = {"accept": kept.accept, "decline": kept.decline, "withdraw": kept.withdraw}[data.do]
    found = await asyncio.to_thread(act, account, ChallengeId(number))
    house.steward.wake()
    return _form(found)


ROUTES = (ranking, challenges, propose, reply)
