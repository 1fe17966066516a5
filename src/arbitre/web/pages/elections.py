"""Elections on the site: a room that a group joins by a code, a quick choice, and the proof of what came out.

The site relays and keeps time (`arbitre.elections.rooms`); choosing, committing, checking and settling happen in the browsers
(`static/rochambeau.js`). A finished election has a page of its own, under a name that nobody guesses, with its transcript.
"""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any
from urllib.parse import urlsplit

from litestar import Request, Response, Router, get, post
from litestar.response import Redirect, Stream

from arbitre.elections.rooms import LONGEST_PACKET, MOST_MEMBERS, Room
from arbitre.errors import ElectionError
from arbitre.site import lots
from arbitre.web.dependencies import Form, FromPath, OurHouse, ThisVisit, number_in
from arbitre.web.house import WebApp
from arbitre.web.visit import Visit
from arbitre.words import Words


def refuse(request: Request[Any, Any, Any], error: ElectionError) -> Response[Any]:
    """Answer what the rooms refuse: JSON for scripts, a page for people."""
    visit: Visit = request.scope["arbitre"]  # type: ignore[typeddict-item]
    why = visit.words.of(error)
    if "text/html" not in request.headers.get("accept", ""):
        return Response({"error": why}, status_code=400)
    house: WebApp = request.app.state.house
    return house.page(visit, "error.html", status=400, code=400, why=why, wait=0)


@get("/elections")
async def elections(house: OurHouse, visit: ThisVisit) -> Response[str]:
    """Say what elections are, and open the doors to them."""
    opened = any(one.where for one in house.listeners if one.name == "hub of elections")
    host = urlsplit(house.settings.public).hostname or house.settings.host
    hub = f"{f'[{host}]' if ':' in host else host}:{house.settings.hub_port}" if opened else ""
    return house.page(visit, "elections.html", hub=hub, most=MOST_MEMBERS, problem="", names="", code="")


# ── rooms ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@post("/elections/rooms")
async def open_room(house: OurHouse, visit: ThisVisit, data: Form) -> Redirect:
    """Open a room."""
    room = house.elections.open(data.get("title", ""), visit.guest, visit.caller.household)
    return Redirect(f"/elections/rooms/{room.code}", status_code=303)


@post("/elections/join")
async def find_room(house: OurHouse, data: Form) -> Redirect:
    """Lead to the room of a code."""
    return Redirect(f"/elections/rooms/{house.elections.room(data.get('code', '')).code}", status_code=303)


@get("/elections/rooms/{code:str}")
async def room_page(house: OurHouse, visit: ThisVisit, code: FromPath[str]) -> Response[str]:
    """Show a room: join it, wait in it, see the choice happen."""
    room = house.elections.room(code)
    member = room.members.get(visit.guest)
    return house.page(
        visit,
        "election_room.html",
        room=room,
        hub=house.key.public.hex(),
        name="" if member is None else member.name,
        known="" if visit.person is None else visit.person.name,
        organises=bool(visit.guest) and visit.guest == room.organiser,
        link=f"{house.settings.public}/elections/rooms/{room.code}",
    )


@post("/elections/rooms/{code:str}/join")
async def join_room(house: OurHouse, visit: ThisVisit, code: FromPath[str], data: Form) -> dict[str, Any]:
    """Let a browser in, with a name and its public key."""
    member = house.elections.room(code).join(visit.guest, data.get("name", ""), data.get("key", ""))
    return {"name": member.name}


@post("/elections/rooms/{code:str}/leave")
async def leave_room(house: OurHouse, visit: ThisVisit, code: FromPath[str]) -> dict[str, Any]:
    """Let somebody go."""
    house.elections.room(code).leave(visit.guest)
    return {}


@post("/elections/rooms/{code:str}/start")
async def start_room(house: OurHouse, visit: ThisVisit, code: FromPath[str]) -> dict[str, Any]:
    """Let the election begin."""
    house.elections.start(house.elections.room(code), visit.guest)
    return {}


@post("/elections/rooms/{code:str}/packet")
async def speak(house: OurHouse, visit: ThisVisit, code: FromPath[str], data: Form) -> dict[str, Any]:
    """Pass on what a browser says."""
    house.elections.room(code).hear(visit.guest, data.get("packet", "")[: 2 * LONGEST_PACKET])
    return {}


@get("/elections/rooms/{code:str}/events")
async def events(request: Request[Any, Any, Any], house: OurHouse, visit: ThisVisit, code: FromPath[str]) -> Stream:
    """Tell what happens in a room, from the beginning or from where the browser was."""
    room = house.elections.room(code)
    room.check_watchers()
    after = number_in(request.headers.get("last-event-id", "")) + 1
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return Stream(_told(room, visit.words, after), media_type="text/event-stream", headers=headers)


async def _told(room: Room, words: Words, after: int) -> AsyncGenerator[str, None]:
    """Yield the events of a room as the browser reads them, until it is over or the house closes."""
    yield ": \n\n"
    async with aclosing(room.watch(after)) as source:
        async for at, event in source:
            yield ": \n\n" if event is None else f"id: {at}\ndata: {json.dumps(event, ensure_ascii=False, default=words.of)}\n\n"
    if room.over:  # a house that closes ends the stream, not the election
        yield "event: end\ndata: {}\n\n"


# ── the quick choice ───────────────────────────────────────────────────────────────────────────────────────────────


@post("/elections/quick")
async def quick(house: OurHouse, visit: ThisVisit, data: Form) -> Response[Any]:
    """Draw an order of names on this machine, and show it with its transcript."""
    text = data.get("names", "")[:20_000]
    try:
        kept = await lots.draw(house, visit.caller, text.splitlines())
    except ElectionError as error:
        return house.page(
            visit,
            "elections.html",
            status=400,
            hub="",
            most=MOST_MEMBERS,
            problem=visit.words.of(error),
            names=text,
            code="",
        )
    return Redirect(f"/elections/records/{kept}", status_code=303)


# ── records ────────────────────────────────────────────────────────────────────────────────────────────────────────


@get("/elections/records/{name:str}")
async def record(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Response[str]:
    """Show what an election came to, and the proof."""
    shown, finding = await lots.proof(house, name)
    return house.page(visit, "election_record.html", name=name, shown=shown, finding=finding, line=visit.words.of(finding.why))


@get("/elections/records/{name:str}/transcript")
async def transcript(house: OurHouse, name: FromPath[str]) -> Response[bytes]:
    """Hand the transcript out as it was kept."""
    octets = await lots.transcript(house, name)
    headers = {"Content-Disposition": f'attachment; filename="election-{name[:12]}.jsonl"'}
    return Response(octets, media_type="application/jsonl; charset=utf-8", headers=headers)


ROOMS = (open_room, find_room, room_page, join_room, leave_room, start_room, speak, events)

ROUTES = (
    Router(
        "/", route_handlers=[elections, *ROOMS, quick, record, transcript], exception_handlers={ElectionError: refuse}
    ),
)  # fmt: skip
