"""Watch: one's own games, those that go on, and those that were recorded."""

from typing import Any

from litestar import Request, Response, get
from litestar.response import Redirect, Stream

from arbitre.games.catalogue import listings
from arbitre.site import matches, seating
from arbitre.site.arena.matches import ArenaMatch
from arbitre.web.dependencies import FromQuery, OurHouse, ThisVisit, Whole, last_event
from arbitre.web.smalls import BLANK, boards_of

PAGE = 30
"""Games on one page of a list."""


@get("/watch")
async def watch(
    house: OurHouse, visit: ThisVisit, words: FromQuery[str] = "", game: FromQuery[str] = "", after: Whole = 0
) -> Response[str]:
    """Show my games, what goes on, and what was recorded."""
    known = {one.name for one in listings()}
    wanted = game if game in known else ""
    mine: tuple[ArenaMatch, ...] = ()
    if visit.person is not None:
        mine = await matches.search(house, owner=visit.person.id, most=PAGE)
    own, _ = matches.going(house, visit.caller)
    version, boards = await house.feeds.now(visit.words).boards()
    words = words[:60]
    past = await matches.search(house, state="over", words=words, game=wanted, after=after, most=PAGE + 1)
    return house.page(
        visit,
        "watch.html",
        version=version,
        going=[one for one in boards if one.state != "replay" and wanted in ("", one.game)],
        mine=await boards_of(house, tuple(dict.fromkeys((*own, *mine)))[:PAGE], visit.words),
        past=await boards_of(house, past[:PAGE], visit.words),
        blank=BLANK,
        further=past[PAGE - 1].number if len(past) > PAGE else 0,
        words=words,
        game=wanted,
        games=listings(),
    )


@get("/watch/boards", media_type="text/event-stream")
async def board_stream(house: OurHouse, visit: ThisVisit, request: Request[Any, Any, Any], after: Whole = 0) -> Stream:
    """Stream what goes on now: all small boards of a page by one line."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return Stream(
        house.feeds.now(visit.words).follow(last_event(request, after)), media_type="text/event-stream", headers=headers
    )


@get("/watch/house")
async def watch_house(house: OurHouse) -> Redirect:
    """Lead to two of the house playing: those who do, or two more."""
    shown = await seating.show_case(house)
    return Redirect("/watch" if shown is None else f"/games/{shown.name}", status_code=303)
