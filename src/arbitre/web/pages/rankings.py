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
from arbitre.tournament.charts import NARROW, WIDE, Paper, apart, short
from arbitre.tournament.tables import points_text
from arbitre.web.boards import asked, framed, query_of, surroundings
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
        charts=[_chart(shown[:MOST_DRAWN], names, found.games, paper) for paper in (WIDE, NARROW)] if shown else [],
    )


def _cell(found: Ranking, one: Ranked, other: Ranked) -> dict[str, Any] | None:
    met = found.met.get((one.neutral, other.neutral))
    if met is None:
        return None
    points, games = met
    tone = "good" if 2 * points > games else "bad" if 2 * points < games else ""
    return {"points": points_text(points), "games": games, "tone": tone}


def _chart(standings: tuple[Ranked, ...], names: dict[str, str], games: int, paper: Paper) -> dict[str, Any]:
    """Return the lines of a chart: where they go, and where their names stand."""
    top, bottom, left, right = 12, 260, 44, paper.width - paper.label
    ratings = [rating for one in standings for _, rating in one.history]
    low, high = min(*ratings, 1450.0), max(*ratings, 1550.0)

    def x(game: int) -> float:
        return round(left + (right - left) * game / max(1, games), 1)

    def y(rating: float) -> float:
        return round(bottom - (bottom - top) * (rating - low) / (high - low), 1)

    labels = apart([y(one.history[-1][1]) for one in standings], 15)
    lines = [
        {
            "points": " ".join(f"{x(game)},{y(rating)}" for game, rating in one.history),
            "end": x(one.history[-1][0]),
            "y": y(one.history[-1][1]),
            "label": round(labels[at] + 4, 1),
            "name": short(names.get(one.neutral, one.neutral), paper.letters - 2),
        }
        for at, one in enumerate(standings)
    ]
    step = 50 if high - low <= 400 else 100
    ticks = [(tick, y(tick)) for tick in range(-(-int(low) // step) * step, int(high) + 1, step)]
    return {
        "width": paper.width,
        "height": max(bottom + 14, round(max(labels)) + 14),
        "left": left,
        "right": right,
        "lines": lines,
        "ticks": ticks,
    }


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
