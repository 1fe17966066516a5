"""The workshop: an editor, a board, and a sandbox that reaches nothing (spec: workshop, section 2).

What people write runs in their own browser: in a Worker of a frame that has no origin, under a policy that lets it reach nothing.
The frame's page has nothing but one script, by its hash; the page around it fetches what the frame needs, since a frame without
an origin keeps nothing. A try is played by requests of the page, each of which answers one question and waits for the next.
"""

import asyncio
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from json import dumps
from typing import Any, TypeAlias

from litestar import MediaType, Request, Response, get, post
from litestar.exceptions import NotFoundException

from arbitre.errors import MoveError
from arbitre.games.catalogue import listing
from arbitre.games.levels import lines
from arbitre.games.wires import is_wired, wired
from arbitre.site import sources, workshop
from arbitre.site.accounts import Account
from arbitre.site.classes import ClassId
from arbitre.site.forms import LONGEST_NAME
from arbitre.site.frames import STRICT
from arbitre.site.kept_sources import ENDINGS, LANGUAGES
from arbitre.site.matches import find
from arbitre.site.sources import Source, Version
from arbitre.web.brython import OFFERED, WARM, Packed, library, python
from arbitre.web.dependencies import Form, FromPath, OurHouse, ThisPerson, ThisVisit, Whole, number_in
from arbitre.web.house import WebApp
from arbitre.web.pages.front import FOREVER, FRESH
from arbitre.web.render import STATIC, asset
from arbitre.web.scenes import teller_of
from arbitre.web.telling import labels_of
from arbitre.web.visit import Visit
from arbitre.web.workshop import FAULTS, KEYS, OWN, SAYINGS, template

Kept: TypeAlias = dict[str, object]
"""A program as its page gets it: its name, its number, 0 where it is not kept yet, and its text, None for the template."""

MOST_LEVELS = 20
MOST_EDITIONS = 30
"""Versions of a program that its page lists."""
MOVE_MS = 2_000
"""Milliseconds that a program may take for a move."""
FRAME = """<!doctype html>
<meta charset="utf-8">
<title>sandbox</title>
<script>%s</script>
"""


# ── the sandbox ────────────────────────────────────────────────────────────────────────────────────────────────────


def policy(script: str) -> str:
    """Return the policy of the frame in which pupils' programs run: nothing but this very script, and Workers made of text."""
    mark = b64encode(sha256(script.encode()).digest()).decode()
    return (
        f"sandbox allow-scripts; default-src 'none'; script-src 'sha256-{mark}' blob: 'unsafe-eval'; worker-src blob:; "
        "connect-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    )


@get("/workshop/frame", media_type=MediaType.HTML)
async def frame(visit: ThisVisit) -> Response[str]:
    """Hand out the frame without an origin."""
    visit.framers = "'self'"
    file = STATIC.get("workshop_frame.js")
    if file is None:
        raise NotFoundException
    script = file.body.decode()
    headers = {"Content-Security-Policy": policy(script), "Cache-Control": FRESH}
    return Response(FRAME % script, media_type=MediaType.HTML, headers=headers)


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
    mine = () if visit.person is None else await sources.mine(house, visit.person)
    return house.page(visit, "workshop_games.html", games=wired(), mine=mine)


@get("/workshop/{game:str}")
async def workshop_page(house: OurHouse, visit: ThisVisit, game: FromPath[str]) -> Response[str]:
    """Show the workshop of a game: with the program that was made last for it, or with a template."""
    if not is_wired(game):
        raise NotFoundException
    if visit.person is None:
        return _page(house, visit, game)
    known = [one for one in await sources.mine(house, visit.person) if one.game == game]
    if not known:
        return _page(house, visit, game, kept=await _kept_for(house, visit.person, game))
    return await _opened(house, visit, *await sources.read(house, visit.person, known[-1].number))


@get("/workshop/source/{number:int}")
async def source_page(
    house: OurHouse, visit: ThisVisit, person: ThisPerson, number: FromPath[int], version: Whole = 0
) -> Response[str]:
    """Show a program of one's own, or of one's pupils, to read."""
    return await _opened(house, visit, *await sources.read(house, person, number, version or None))


@get("/workshop/shared/{code:str}")
async def shared_page(house: OurHouse, visit: ThisVisit, code: FromPath[str]) -> Response[str]:
    """Show a program that somebody shares: anybody reads it, and tries it in a sandbox of his own."""
    source, found = await sources.shared(house, code[:40])
    said = visit.words("Somebody shares this program. You may change and try it; nothing of it is saved.")
    return _page(house, visit, source.game, source.language, {source.language: _kept(source, found)}, reading=said)


@get("/workshop/class/{number:int}")
async def class_page(house: OurHouse, visit: ThisVisit, person: ThisPerson, number: FromPath[int]) -> Response[str]:
    """Show the programs of everybody in a class to its teacher."""
    klass = await asyncio.to_thread(house.community.classes.taught, person, ClassId(number))
    found = await sources.of_class(house, person, number)
    return house.page(visit, "workshop_class.html", klass=klass, found=found)


async def _opened(house: WebApp, visit: Visit, source: Source, found: Version) -> Response[str]:
    """Show a kept program: its owner goes on with it, his teacher reads it."""
    person = visit.person
    if person is None or source.owner != person.id:
        said = visit.words("A program of your class, to read and to try; nothing of it is saved.")
        return _page(house, visit, source.game, source.language, {source.language: _kept(source, found)}, reading=said)
    kept = await _kept_for(house, person, source.game) | {source.language: _kept(source, found)}
    mine, editions = await sources.mine(house, person), await sources.editions(house, person, source.number)
    given = {"mine": mine, "editions": editions[:MOST_EDITIONS], "number": source.number, "version": found.number}
    return _page(house, visit, source.game, source.language, kept, **given)


def _kept(source: Source, found: Version) -> Kept:
    return {"name": source.name, "number": source.number, "text": found.text}


async def _kept_for(house: WebApp, person: Account, game: str) -> dict[str, Kept]:
    """Return somebody's last program for a game in each language; where there is none, what it may be called."""
    found: dict[str, Kept] = {}
    for language in LANGUAGES:
        tail = f"-{game}"[: LONGEST_NAME // 2] + ("-js" if language == "javascript" else "")
        found[language] = {"name": person.name[: LONGEST_NAME - len(tail)] + tail, "number": 0, "text": None}
    for one in await sources.mine(house, person):
        if one.game == game:
            found[one.language] = _kept(*await sources.read(house, person, one.number))
    return found


def _page(
    house: WebApp, visit: Visit, game: str, first: str = "", kept: Mapping[str, Kept] | None = None, **context: Any
) -> Response[str]:
    """Show the workshop of a game, with a template or with somebody's programs, of which one is shown first."""
    shown = listing(game)
    told = {
        "place": _place() | {"title": visit.words("Where your program runs")},
        "templates": {one: template(shown, one, visit.words) for one in LANGUAGES},
        "faults": [[kind, found, visit.words(said)] for kind, found, said in FAULTS],
        "say": {key: visit.words(said) for key, said in SAYINGS.items()},
        "words": labels_of(game, visit.words),
        "modules": ", ".join(OFFERED),
        "base": f"/interfaces/{shown.page}",
        "sandbox": STRICT,
        "ending": ENDINGS,
        "person": visit.person is not None,
        "keeps": not context.get("reading"),
        "first": first,
        "kept": kept or {},
    }
    given: dict[str, Any] = {"mine": (), "editions": (), "number": 0, "version": 0, "reading": ""}
    return house.page(
        visit,
        "workshop.html",
        games=wired(),
        listing=shown,
        game=game,
        told=dumps(told, ensure_ascii=False),
        levels=[(number, visit.words(line)) for number, line in enumerate(lines(game)[:MOST_LEVELS], 1)],
        keys=[(what, sign, visit.words(said)) for what, sign, said in KEYS],
        **given | context,
    )


# ── keeping and sharing ────────────────────────────────────────────────────────────────────────────────────────────


@post("/workshop/{game:str}/save", status_code=200)
async def save(house: OurHouse, person: ThisPerson, game: FromPath[str], data: Form) -> Response[str]:
    """Keep a program with an account; what has not changed makes no new version."""
    found = await sources.save(house, person, game, data.get("name", ""), data.get("language", ""), data.get("text", ""))
    return _json(dumps({"number": found.source, "version": found.number}))


@post("/workshop/source/{number:int}/share", status_code=200)
async def share(house: OurHouse, person: ThisPerson, number: FromPath[int]) -> Response[str]:
    """Make the link by which others read and try a program."""
    code = await sources.share(house, person, number)
    return _json(dumps({"url": f"{house.settings.public}/workshop/shared/{code}"}))


@post("/workshop/source/{number:int}/unshare", status_code=200)
async def unshare(house: OurHouse, person: ThisPerson, number: FromPath[int]) -> Response[str]:
    """End that link."""
    await sources.unshare(house, person, number)
    return _json("{}")


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
    teller = await teller_of(house, sitting, visit.words)
    teller.names = tuple(visit.words(OWN) if seat == step.seat else name for seat, name in enumerate(teller.names))
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
async def lend(house: OurHouse, person: ThisPerson, game: FromPath[str], data: Form) -> Response[str]:
    """Make the tab an engine that dials in: hand it the token of the engine that a program plays as."""
    engine, token = await workshop.lend(house, person, game, number_in(data.get("source", "")))
    return _json(dumps({"engine": engine.id, "name": engine.name, "token": token}, ensure_ascii=False))
