"""The door of a lesson: a code, a name and a game, and a program that plays at once (spec: workshop, sections 1 and 2).

No e-mail, no password. Whoever comes in so goes to the workshop, and this browser knows the pupil from then on; or is handed
`dial.py` with the token of the new engine in it.
"""

from typing import Any

from litestar import Request, Response, get, post
from litestar.response import Redirect

from arbitre.errors import CommunityError, StoreError
from arbitre.site import dial, lesson
from arbitre.web.dependencies import Form, FromQuery, OurHouse, ThisVisit
from arbitre.web.house import WebApp
from arbitre.web.pages.account import let_in
from arbitre.web.pages.programs import program_file
from arbitre.web.pages.testers import games, status_of, told
from arbitre.web.visit import Visit


def _door(house: WebApp, visit: Visit, given: dict[str, str], problem: str = "", status: int = 200) -> Response[str]:
    return house.page(visit, "lesson.html", status=status, given=given, problem=problem, games=games(visit.language))


@get("/lesson")
async def lesson_page(house: OurHouse, visit: ThisVisit, code: FromQuery[str] = "", game: FromQuery[str] = "") -> Response[str]:
    """Show the form by which somebody comes to a lesson."""
    return _door(house, visit, {"code": code[:40], "game": game[:60]})


@post("/lesson", status_code=200)
async def join_lesson(house: OurHouse, visit: ThisVisit, request: Request[Any, Any, Any], data: Form) -> Response[Any]:
    """Let somebody in: to the workshop, or with the program that plays for him."""
    given = {key: text[:120] for key, text in data.items()}
    try:
        found = await lesson.join(house, visit.caller, *(given.get(key, "") for key in ("code", "name", "game")))
    except StoreError:  # no fault of what was typed
        raise
    except CommunityError as error:
        return _door(house, visit, given, told(visit, error), status_of(error))
    if given.get("how") == "workshop":
        await let_in(house, visit, request, found.account)
        return Redirect(f"/workshop/{found.engine.game}", status_code=303)
    return program_file(dial.handout(house, found.engine, found.token))
