"""The film of a game that is over: the small pictures of its positions, from which `static/film.js` makes something to share."""

import asyncio
from typing import Any

from litestar import MediaType, Response, get
from litestar.exceptions import NotFoundException

from arbitre.games.miniature import miniature_of
from arbitre.referee.story import tell
from arbitre.site import matches
from arbitre.web.dependencies import FromPath, OurHouse, ThisVisit
from arbitre.web.lists import listing_of, names_of
from arbitre.web.smalls import film_of
from arbitre.web.telling import Teller, screen_for


@get("/games/{name:str}/film")
async def film(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Response[Any]:
    """Tell the pictures of a game, and what is written below them."""
    sitting = matches.find(house, visit.caller, name)
    game = sitting.plan.game
    if sitting.state != "over" or miniature_of(game) is None:
        raise NotFoundException
    kept = matches.record(house, sitting)
    names = await names_of(house, sitting.plan, visit.words)
    told = await asyncio.to_thread(tell, kept)
    verdict = told.last.verdict
    return Response(
        {
            "title": listing_of(game).called(visit.language),
            "names": names[:2],
            "ending": ""
            if verdict is None
            else Teller(screen_for(game, frozenset()), names, visit.words, game=game).verdict(verdict),
            "frames": await asyncio.to_thread(film_of, game, told),
        },
        media_type=MediaType.JSON,
    )
