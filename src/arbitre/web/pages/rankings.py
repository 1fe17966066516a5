"""Rankings: the rating of everybody in a game with its history, engines compared in a table, interfaces side by side."""

import asyncio
from typing import Any

from litestar import Response, get
from litestar.exceptions import NotFoundException

from arbitre.games.labels import listing_for
from arbitre.games.positions import preset_of, presets_of
from arbitre.games.wires import wired
from arbitre.site import rankings as use
from arbitre.site.frames import origin_of
from arbitre.site.games import judge_of, played
from arbitre.site.ratings import Ranked, Ranking
from arbitre.tournament.charts import NARROW, WIDE
from arbitre.tournament.standings import Cell
from arbitre.tournament.tables import points_text
from arbitre.web.boards import asked, framed, query_of, surroundings
from arbitre.web.curves import curves
from arbitre.web.dependencies import FromPath, FromQuery, OurHouse, ThisVisit

MOST_SHOWN = 100
MOST_COMPARED = 16
"""Of so many every meeting is shown."""
MOST_DRAWN = 10
MOST_FRAMES = 4


@get("/rankings")
async def rankings(house: OurHouse, visit: ThisVisit) -> Response[str]:
    """Show the first three of every game."""
    found = []
    added = await asyncio.to_thread(use.rated, house, visit.person)
    for label in (*(one.name for one in wired()), *added):
        made = await use.rank(house, label)
        found.append((listing_for(label), made, await use.names(house, made.standings[:3])))
    return house.page(visit, "rankings.html", found=found)


@get("/rankings/{game:str}")
async def of_game(house: OurHouse, visit: ThisVisit, game: FromPath[str]) -> Response[str]:
    """Show the ranking of a game, and how the first compare."""
    table, found = await use.ranked(house, game, visit.person)
    game = table.label  # whatever letters it was asked for in
    shown = found.standings[:MOST_SHOWN]
    names = await use.names(house, shown)
    lines = [(names.get(one.neutral, one.neutral), one.history) for one in shown[:MOST_DRAWN]]
    return house.page(
        visit,
        "ranking.html",
        listing=listing_for(game),
        judge=await asyncio.to_thread(judge_of, house, game),
        ranking=found,
        shown=shown,
        names=names,
        compared=shown[:MOST_COMPARED],
        cell=lambda one, other: _cell(found, one, other),
        charts=[curves(lines, found.games, paper) for paper in (WIDE, NARROW)] if shown else [],
    )


def _cell(found: Ranking, one: Ranked, other: Ranked) -> dict[str, Any] | None:
    met = found.met.get((one.neutral, other.neutral))
    return None if met is None else {"points": points_text(met[0]), "games": met[1], "tone": Cell(*met).tone}


@get("/rankings/{game:str}/interfaces")
async def interfaces(
    house: OurHouse,
    visit: ThisVisit,
    game: FromPath[str],
    position: FromQuery[str] = "",
    chosen: FromQuery[list[int] | None] = None,
) -> Response[str]:
    """Show interfaces side by side, on the same position."""
    table = await asyncio.to_thread(played, house, game, visit.person)
    if table is None or not presets_of(game):
        raise NotFoundException
    game = table.label
    presets = presets_of(game)
    preset = preset_of(game, position) or presets[min(1, len(presets) - 1)]
    known = await asyncio.to_thread(lambda: house.community.interfaces.all(game=game, by=visit.person))
    wanted = [one for one in known if not chosen or one.id in chosen][: MOST_FRAMES - 1]
    query = query_of({**surroundings(visit.theme), **asked(table.rules, preset, visit.words), "Mute": "yes"})
    if table.added is None:
        frames = [(visit.words("The house's interface"), f"/interfaces/{listing_for(game).page}?{query}")]
    else:
        visit.frames.append(origin_of(table.added.interface))
        frames = [(visit.words("The model interface"), framed(table.added.interface, query))]
    for one in wanted:
        visit.frames.append(origin_of(one.url))
        frames.append((one.name, framed(one.url, query)))
    return house.page(
        visit,
        "ranking_interfaces.html",
        listing=listing_for(game),
        presets=[one.key for one in presets],
        preset=preset.key,
        known=known,
        wanted={one.id for one in wanted},
        frames=frames,
    )
