"""The wall of a competition, for a projector: its round, the standings that move, the podium at the end.

There is nothing to press on it, and it needs nobody: it follows two streams, takes each up again when the site was away, and
fetches its words anew when something has changed, whatever the stage. Whose program failed is never said here, only on the page.
"""

import asyncio
from typing import Any

from litestar import Request, Response, get
from litestar.response import Stream

from arbitre.site.competitions import contests
from arbitre.site.competitions.coming import coming
from arbitre.site.competitions.competitions import Competition, Stage, trial_plan
from arbitre.web.dependencies import FromPath, FromQuery, OurHouse, ThisVisit, Whole, last_event
from arbitre.web.house import WebApp
from arbitre.web.scoreboard import awards_in, coming_in
from arbitre.web.show import feed_of
from arbitre.web.smalls import BLANK
from arbitre.web.visit import Visit


@get("/compete/{number:int}/wall")
async def wall(house: OurHouse, visit: ThisVisit, number: FromPath[int], code: FromQuery[str] = "") -> Response[str]:
    """Show the wall."""
    found = await contests.find(house, visit.person, number, code)
    version, boards = await feed_of(house, found, visit.words).boards()
    shown = await _told(house, visit, found, code)
    return house.page(visit, "wall.html", boards=boards, version=version, blank=BLANK, **shown)


@get("/compete/{number:int}/wall/board")
async def wall_board(house: OurHouse, visit: ThisVisit, number: FromPath[int], code: FromQuery[str] = "") -> Response[str]:
    """Show everything but the boards, for a wall that is open."""
    found = await contests.find(house, visit.person, number, code)
    return house.page(visit, "wall_board.html", **await _told(house, visit, found, code))


async def _told(house: WebApp, visit: Visit, found: Competition, code: str) -> dict[str, Any]:
    entries = await asyncio.to_thread(house.community.entries.of, found.id)
    proof = await asyncio.to_thread(contests.draw_proof, house, found)
    board = await house.scoreboard.show(found)
    return {
        "competition": found,
        "said": found.announcement,
        "plan": await asyncio.to_thread(trial_plan, found.announcement.plan),
        "board": board,
        "honours": await house.honoured.show(found, board),
        "awards_in": awards_in,
        "coming": coming_in(visit.words, coming(house, found, board)),
        "entries": entries,
        "link": _address(house, visit, found, code),
        "seed": "" if proof is None or proof.seed is None else proof.seed.hex(),
        "query": f"?code={code}" if code else "",
    }


def _address(house: WebApp, visit: Visit, found: Competition, code: str) -> str:
    """Return where one enters, while entries are taken; the link is for who has it already, or decides."""
    if found.stage not in (Stage.ANNOUNCED, Stage.OPEN):
        return ""
    said = found.announcement
    if said.listed and said.access == "all":
        return f"{house.settings.public}/compete/{found.id}"
    return f"{house.settings.public}/compete/join/{found.code}" if code or contests.steers(visit.person, found) else ""


@get("/compete/{number:int}/boards", media_type="text/event-stream")
async def round_boards(
    house: OurHouse,
    visit: ThisVisit,
    request: Request[Any, Any, Any],
    number: FromPath[int],
    code: FromQuery[str] = "",
    after: Whole = 0,
) -> Stream:
    """Stream the small boards of the round."""
    found = await contests.find(house, visit.person, number, code)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    told = feed_of(house, found, visit.words).follow(last_event(request, after))
    return Stream(told, media_type="text/event-stream", headers=headers)
