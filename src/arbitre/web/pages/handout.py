"""A hand-out for pupils: "write your first bot" on one sheet of paper, for each game, with the code of the class."""

import asyncio
from typing import Any

from litestar import Response, get
from litestar.exceptions import NotFoundException

from arbitre.games.catalogue import listing
from arbitre.games.wires import is_wired, wired
from arbitre.site.classes import Class, ClassId
from arbitre.web.dependencies import FromPath, FromQuery, OurHouse, ThisVisit
from arbitre.web.pages.teach import typed
from arbitre.web.workshop import template

FILE = "bot.py"


@get("/handout/{game:str}")
async def handout(house: OurHouse, visit: ThisVisit, game: FromPath[str], klass: FromQuery[int] = 0) -> Response[Any]:
    """Show the sheet of a game; with the code of a class to whoever may see it."""
    if not is_wired(game):
        raise NotFoundException
    joined: Class | None = None
    if klass and visit.person is not None:
        joined = await asyncio.to_thread(house.community.classes.get, visit.person, ClassId(klass))
    shown = listing(game)
    return house.page(
        visit,
        "handout.html",
        game=game,
        shown=shown,
        line=shown.ligne if visit.language == "fr" else shown.line,
        klass=joined,
        code="" if joined is None else typed(joined.code),
        bot=template(shown, "python", visit.words).strip(),
        file=FILE,
        public=house.settings.public,
        games=[(one.name, one.called(visit.language)) for one in wired()],
    )
