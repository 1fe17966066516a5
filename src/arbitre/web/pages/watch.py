"""Watch: one's own games, those that go on, and those that were recorded."""

from litestar import Response, get
from litestar.response import Redirect

from arbitre.games.catalogue import listings
from arbitre.site import matches, seating
from arbitre.site.arena.matches import ArenaMatch
from arbitre.web.dependencies import FromQuery, OurHouse, ThisVisit, Whole
from arbitre.web.lists import cards

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
    own, going = matches.going(house, visit.caller)
    words = words[:60]
    past = await matches.search(house, state="over", words=words, game=wanted, after=after, most=PAGE + 1)
    return house.page(
        visit,
        "watch.html",
        mine=await cards(house, tuple(dict.fromkeys((*own, *mine)))[:PAGE], visit.words),
        going=await cards(house, going[:PAGE], visit.words),
        past=await cards(house, past[:PAGE], visit.words),
        further=past[PAGE - 1].number if len(past) > PAGE else 0,
        words=words,
        game=wanted,
        games=listings(),
    )


@get("/watch/house")
async def watch_house(house: OurHouse) -> Redirect:
    """Lead to two of the house playing: those who do, or two more."""
    shown = await seating.show_case(house)
    return Redirect("/watch" if shown is None else f"/games/{shown.name}", status_code=303)


ROUTES = (watch, watch_house)
