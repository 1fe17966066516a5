"""The daily puzzle, and those of the days before: one move alone keeps the result, and the answer comes with its proof."""

from litestar import Response, get

from arbitre.games.catalogue import game as find_game
from arbitre.games.catalogue import listing
from arbitre.games.notation import notation_of
from arbitre.site.puzzles import Daily
from arbitre.web.analysed import drawing
from arbitre.web.dependencies import FromPath, FromQuery, OurHouse, ThisVisit
from arbitre.web.house import WebApp
from arbitre.web.visit import Visit

SHOWN = 30
"""Days that are listed."""


@get("/puzzles")
async def puzzles(house: OurHouse, visit: ThisVisit) -> Response[str]:
    """Show the newest puzzle, and lead to those before."""
    found = house.puzzles.shown()
    return _page(house, visit, found[0] if found else None)


@get("/puzzles/{day:str}")
async def puzzle(house: OurHouse, visit: ThisVisit, day: FromPath[str], move: FromQuery[str] = "") -> Response[str]:
    """Show the puzzle of a day, and with a move what it leads to."""
    return _page(house, visit, house.puzzles.find(day), move[:20])


def _page(house: WebApp, visit: Visit, daily: Daily | None, move: str = "") -> Response[str]:
    picture = None
    if daily is not None:
        table = find_game(daily.game)
        picture = drawing(table, notation_of(table).read_state(daily.puzzle.position), None)
    return house.page(
        visit,
        "puzzles.html",
        daily=daily,
        game="" if daily is None else listing(daily.game).called(visit.language),
        picture=picture,
        results={} if daily is None else dict(daily.puzzle.results),
        move=move,
        there=daily is not None and house.arena.sittings.has(daily.match),
        days=[one.day for one in house.puzzles.shown()[:SHOWN]],
    )
