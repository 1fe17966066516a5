"""The analysis of a game that is over: asked for with one click, made beside the site, looked at by whoever may see the game."""

import asyncio

from litestar import MediaType, Response, get, post
from litestar.exceptions import NotFoundException
from litestar.response import Redirect

from arbitre.referee.story import tell
from arbitre.site import analysing, matches
from arbitre.site.analyses import Stage
from arbitre.site.arena.matches import ArenaMatch
from arbitre.web.analysed import Check, report
from arbitre.web.dependencies import FromPath, OurHouse, ThisVisit
from arbitre.web.lists import listing_of, names_of
from arbitre.web.render import INTERFACES


@get("/games/{name:str}/analysis")
async def analysis(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Response[str]:
    """Show the analysis of a game, how far it has come, or the button that asks for it."""
    sitting, progress, document = await analysing.look(house, visit.caller, name)
    names = await names_of(house, sitting.plan, visit.words)
    record = None if document is None else matches.record(house, sitting)
    found = None
    if document is not None and record is not None:  # a long game takes long to tell: nobody waits for whoever looks at it
        found = await asyncio.to_thread(lambda: report(document, tell(record), names, visit.words))
    return house.page(
        visit,
        "analysis.html",
        sitting=sitting,
        listing=listing_of(sitting.plan.game),
        names=names,
        progress=progress,
        waits=progress.stage in (Stage.WAITING, Stage.WORKING),
        report=found,
        check=Check(
            f"{sitting.name}.analysis",
            f"/games/{sitting.name}/analysis/document",
            f"/games/{sitting.name}/record?form=record",
            _rules(sitting),
        ),
        asks=analysing.may_ask(visit.caller, sitting),
    )


@post("/games/{name:str}/analysis")
async def ask(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Redirect:
    """Ask for the analysis of a game."""
    await analysing.ask(house, visit.caller, name)
    return Redirect(f"/games/{name}/analysis", status_code=303)


@get("/games/{name:str}/analysis/document", media_type=MediaType.TEXT)
async def document(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Response[str]:
    """Hand out the signed document, to be kept beside the record."""
    sitting, _, found = await analysing.look(house, visit.caller, name)
    if found is None:
        raise NotFoundException
    headers = {"Content-Disposition": f'attachment; filename="{sitting.name}.analysis"'}
    return Response(found.text(), media_type="application/json", headers=headers)


def _rules(sitting: ArenaMatch) -> str:
    """Return the address of a game's rules for browsers, empty where it brings none."""
    file = f"{sitting.plan.game.name}-rules.js"
    mark = INTERFACES.mark(file)
    return f"/interfaces/{file}?v={mark}" if mark else ""
