"""Personal challenges: an owner's engine asks another owner's for a match, and that owner says yes or no."""

import asyncio
from typing import Any, get_args

from litestar import Response, get, post
from litestar.exceptions import NotFoundException
from litestar.response import Redirect

from arbitre.errors import UnknownError
from arbitre.site import challenging
from arbitre.site.accounts import AccountId
from arbitre.site.challenge_runner import CLOCK
from arbitre.site.engines import EngineId
from arbitre.site.games import judge_of
from arbitre.web.dependencies import Form, FromPath, OurHouse, ThisPerson, ThisVisit, Whole, number_in


@get("/compete/challenges")
async def challenges(house: OurHouse, visit: ThisVisit, person: ThisPerson, engine: Whole = 0) -> Response[str]:
    """Show somebody's challenges in both directions, and the form of a new one."""
    community = house.community

    def look() -> dict[str, Any]:
        mine = community.engines.of(person)
        found = community.challenges.of(person)
        shown = {}
        for number in {one for each in found for one in (each.challenger, each.challenged)}:
            try:
                shown[number] = community.engines.find(number)
            except UnknownError:
                continue
        games = sorted({one.game for one in mine})
        others = {game: [one for one in community.engines.all(game=game) if one.owner != person.id] for game in games}
        owners = {one.owner for part in others.values() for one in part} | {one.owner for one in shown.values()}
        names = community.accounts.many(sorted(owners))
        played: dict[str, set[AccountId]] = {}
        for entrant in shown.values():
            played.setdefault(entrant.game, set()).add(entrant.owner)
        told = (judge_of(house, game, played.get(game, ())) for game in sorted({*games, *played}))
        return {
            "mine": mine,
            "found": found,
            "faults": {one.id: house.steward.herald.fault(one) for one in found},
            "engines": shown,
            "others": others,
            "owners": names,
            "judges": [one for one in told if one is not None],
        }

    seen = await asyncio.to_thread(look)
    return house.page(visit, "challenges.html", clock=CLOCK, wanted=engine, **seen)


@post("/compete/challenges")
async def propose(house: OurHouse, person: ThisPerson, data: Form) -> Redirect:
    """Challenge somebody's engine."""
    mine, theirs = (EngineId(number_in(data.get(key, ""), 0)) for key in ("mine", "theirs"))
    await asyncio.to_thread(house.community.challenges.propose, person, mine, theirs)
    return Redirect("/compete/challenges", status_code=303)


@post("/compete/challenges/{number:int}")
async def answer(house: OurHouse, person: ThisPerson, number: FromPath[int], data: Form) -> Redirect:
    """Accept, decline or take back a challenge."""
    act = data.get("what", "")
    if act not in get_args(challenging.Act):
        raise NotFoundException
    await challenging.answer(house, person, number, act)  # type: ignore[arg-type]
    return Redirect("/compete/challenges", status_code=303)
