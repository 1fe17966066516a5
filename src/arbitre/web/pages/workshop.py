"""The workshop: an editor, a board, and a sandbox that reaches nothing (spec: workshop, section 2).

What people write runs in their own browser: in a Worker of a frame that has no origin, under a policy that lets it reach nothing.
The frame's page has nothing but a script; the page around it fetches what the frame needs, since a frame without an origin keeps
nothing. A try is played by requests of the page, each of which answers one question and waits for the next.
"""

from json import dumps
from typing import Any

from litestar import MediaType, Request, Response, get, post
from litestar.exceptions import NotFoundException, PermissionDeniedException

from arbitre.errors import MoveError
from arbitre.games.catalogue import listing
from arbitre.games.levels import lines
from arbitre.games.wires import is_wired, wired
from arbitre.site import workshop
from arbitre.site.frames import STRICT
from arbitre.site.matches import find
from arbitre.web.brython import OFFERED, WARM, Packed, library, python
from arbitre.web.dependencies import Form, FromPath, OurHouse, ThisVisit, number_in
from arbitre.web.house import WebApp
from arbitre.web.pages.front import FOREVER, FRESH
from arbitre.web.render import asset
from arbitre.web.scenes import teller_of
from arbitre.web.telling import labels_of
from arbitre.web.visit import Visit
from arbitre.web.workshop import FAULTS, SAYINGS, template

MOST_LEVELS = 20
MOVE_MS = 2_000
"""Milliseconds that a program may take for a move."""
FRAME = """<!doctype html>
<meta charset="utf-8">
<title>sandbox</title>
<script src="%s"></script>
"""


# ── the sandbox ────────────────────────────────────────────────────────────────────────────────────────────────────


def policy(origin: str) -> str:
    """Return the policy of the frame in which pupils' programs run: nothing but its own script, and Workers made of text."""
    return (
        f"sandbox allow-scripts; default-src 'none'; script-src {origin}/static/workshop_frame.js blob: 'unsafe-eval'; "
        f"worker-src blob:; connect-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors {origin}"
    )


@get("/workshop/frame", media_type=MediaType.HTML)
async def frame(house: OurHouse, visit: ThisVisit) -> Response[str]:
    """Hand out the frame without an origin."""
    visit.framers = house.settings.origin
    headers = {"Content-Security-Policy": policy(house.settings.origin), "Cache-Control": FRESH}
    return Response(FRAME % asset("workshop_frame.js"), media_type=MediaType.HTML, headers=headers)


@get("/workshop/python.js")
async def python_file(request: Request[Any, Any, Any]) -> Response[bytes]:
    """Hand out Python for browsers."""
    return _handed(python(), request)


@get("/workshop/library.js")
async def library_file(request: Request[Any, Any, Any]) -> Response[bytes]:
    """Hand out the modules that bots import."""
    return _handed(library(), request)


def _handed(packed: Packed, request: Request[Any, Any, Any]) -> Response[bytes]:
    tag = f'"{packed.file.mark}"'
    headers = {"ETag": tag, "Cache-Control": FOREVER if request.query_params.get("v") == packed.file.mark else FRESH}
    if request.headers.get("if-none-match") == tag:
        return Response(b"", status_code=304, headers=headers)
    small = "gzip" in request.headers.get("accept-encoding", "")
    if small:
        headers["Content-Encoding"] = "gzip"
    headers["Vary"] = "Accept-Encoding"
    return Response(packed.small if small else packed.file.body, media_type=packed.file.kind, headers=headers)


def _place() -> dict[str, object]:
    """Return where a page finds what its sandbox needs."""
    return {
        "frame": "/workshop/frame",
        "worker": asset("workshop_worker.js"),
        "python": f"/workshop/python.js?v={python().file.mark}",
        "library": f"/workshop/library.js?v={library().file.mark}",
        "warm": ", ".join(WARM),
        "patience": MOVE_MS,
    }


# ── pages ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@get("/workshop")
async def games_page(house: OurHouse, visit: ThisVisit) -> Response[str]:
    """Show the games for which a program can be written here."""
    return house.page(visit, "workshop_games.html", games=wired())


@get("/workshop/{game:str}")
async def workshop_page(house: OurHouse, visit: ThisVisit, game: FromPath[str]) -> Response[str]:
    """Show the workshop of a game."""
    return page(house, visit, game)


def page(house: WebApp, visit: Visit, game: str, **context: Any) -> Response[str]:
    """Show the workshop of a game, with a template or with somebody's program."""
    if not is_wired(game):
        raise NotFoundException
    shown = listing(game)
    told = {
        "place": _place() | {"title": visit.words("Where your program runs")},
        "templates": {one: template(shown, one, visit.words) for one in ("python", "javascript")},
        "faults": [[kind, found, visit.words(said)] for kind, found, said in FAULTS],
        "say": {key: visit.words(said) for key, said in SAYINGS.items()},
        "words": labels_of(game, visit.words),
        "modules": ", ".join(OFFERED),
        "base": f"/interfaces/{shown.page}",
        "sandbox": STRICT,
    }
    levels = [(number, visit.words(line)) for number, line in enumerate(lines(game)[:MOST_LEVELS], 1)]
    given = {"games": wired(), "listing": shown, "game": game, "told": dumps(told, ensure_ascii=False), "levels": levels}
    return house.page(visit, "workshop.html", **given | context)


# ── a try ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@post("/workshop/{game:str}/try", status_code=200)
async def begin_try(house: OurHouse, visit: ThisVisit, game: FromPath[str], data: Form) -> Response[str]:
    """Begin a game against the house, and ask the first question."""
    if not is_wired(game):
        raise NotFoundException
    begun = await workshop.begin(house, visit.caller, game, number_in(data.get("level", ""), 1))
    return await _stepped(house, visit, begun.name, 0)


@post("/workshop/play/{name:str}", status_code=200)
async def play_on(house: OurHouse, visit: ThisVisit, name: FromPath[str], data: Form) -> Response[str]:
    """Answer a question, and ask the next; what is no move is said, and nothing happens."""
    if data.get("ticket"):
        try:
            await workshop.answer(house, visit.caller, name, data["ticket"][:64], data.get("move", "")[:8_192])
        except MoveError as error:
            return _json(dumps({"refused": visit.words.of(error.reason)}))
    return await _stepped(house, visit, name, number_in(data.get("after", ""), 0))


@post("/workshop/play/{name:str}/stop", status_code=200)
async def stop_try(house: OurHouse, visit: ThisVisit, name: FromPath[str], data: Form) -> Response[str]:
    """Give a try up."""
    await workshop.stop(house, visit.caller, name)
    return await _stepped(house, visit, name, number_in(data.get("after", ""), 0))


async def _stepped(house: WebApp, visit: Visit, name: str, after: int) -> Response[str]:
    """Return what happened behind a scene, and what is asked now."""
    step = await workshop.step(house, visit.caller, name, after)
    sitting = find(house, visit.caller, name)
    teller = await teller_of(house, sitting, visit.words, below=step.seat)
    scenes = ",".join(teller.tell(one) for one in step.scenes)
    asked = None if step.question is None else {"ticket": step.question.ticket, "p": step.question.p}
    rest = dumps(
        {"name": name, "seat": step.seat, "over": step.over, "question": asked, "names": teller.names}, ensure_ascii=False
    )
    return _json(f'{{"scenes":[{scenes}],{rest[1:]}')


def _json(text: str) -> Response[str]:
    return Response(text, media_type=MediaType.JSON)


# ── lending ────────────────────────────────────────────────────────────────────────────────────────────────────────


@post("/workshop/{game:str}/lend", status_code=200)
async def lend(house: OurHouse, visit: ThisVisit, game: FromPath[str], data: Form) -> Response[str]:
    """Make the tab an engine that dials in: hand it the token of somebody's engine."""
    if not is_wired(game):
        raise NotFoundException
    if visit.person is None:
        raise PermissionDeniedException
    engine, token = await workshop.lend(house, visit.person, game, data.get("name", "")[:60])
    return _json(dumps({"engine": engine.id, "name": engine.name, "token": token}, ensure_ascii=False))
