"""Elections on the site: a room that a group joins by a code, a quick choice, and the proof of what came out.

The site relays and keeps time (`arbitre.elections.rooms`); choosing, committing, checking and settling happen in the browsers
(`static/rochambeau.js`). A finished election has a page of its own, under a name that nobody guesses, with its transcript.
"""

import asyncio
import base64
import json
import secrets
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from litestar import Request, Response, Router, get, post
from litestar.response import Redirect, Stream

from arbitre.elections.lots import order_of
from arbitre.elections.proof import Finding, Standing, verify_source
from arbitre.elections.rooms import LONGEST_PACKET, MOST_MEMBERS, MOST_WATCHERS, Room, proper_name
from arbitre.elections.transcript import Entry, Header, open_source
from arbitre.errors import ElectionError, RecordError
from arbitre.transport.limits import household
from arbitre.values import value
from arbitre.web.given import Form, FromPath, OurHouse, ThisVisit
from arbitre.web.house import House
from arbitre.web.security import Pace
from arbitre.web.visit import Visit

MOST_SHOWN = 1_000
"""Parties of a record that are listed; larger ones are told in a line, and downloaded."""
MOST_NAMES = 200
"""Names of a quick choice."""
LONGEST_RECORD = 1 << 20
"""Octets of a transcript that is shown in full and worked out again in the browser."""
DRAWS_PER_HOUR = 120
"""Quick choices that one connection may keep here."""


def refuse(request: Request[Any, Any, Any], error: ElectionError) -> Response[Any]:
    """Answer what the rooms refuse: JSON for scripts, a page for people."""
    visit: Visit = request.scope["arbitre"]  # type: ignore[typeddict-item]
    why = visit.words.of(error)
    if "text/html" not in request.headers.get("accept", ""):
        return Response({"error": why}, status_code=400)
    house: House = request.app.state.house
    return house.page(visit, "error.html", status=400, code=400, why=why, wait=0)


quick_pace = Pace(DRAWS_PER_HOUR / 60, hand=30)


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
    room = house.elections.open(data.get("title", ""), visit.guest, household(visit.address))
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
    text = data.get("packet", "")
    try:
        packet = base64.b64decode(text[: 2 * LONGEST_PACKET], validate=True)
    except ValueError:  # also what is not ASCII
        raise ElectionError("a packet is sent in base64") from None
    house.elections.room(code).receive(visit.guest, packet)
    return {}


@get("/elections/rooms/{code:str}/events")
async def events(request: Request[Any, Any, Any], house: OurHouse, code: FromPath[str]) -> Stream:
    """Tell what happens in a room, from the beginning or from where the browser was."""
    room = house.elections.room(code)
    if room.watchers >= MOST_WATCHERS:
        raise ElectionError("too many are watching this room")
    last = request.headers.get("last-event-id", "")
    after = int(last) + 1 if last.isascii() and last.isdigit() and len(last) < 10 else 0
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return Stream(_told(room, after), media_type="text/event-stream", headers=headers)


async def _told(room: Room, after: int) -> AsyncGenerator[str, None]:
    """Yield the events of a room as the browser reads them, until it is over or the house closes."""
    yield ": \n\n"
    async with aclosing(room.watch(after)) as source:
        async for at, event in source:
            yield ": \n\n" if event is None else f"id: {at}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n"
    if room.over:  # a house that closes ends the stream, not the election
        yield "event: end\ndata: {}\n\n"


# ── the quick choice ───────────────────────────────────────────────────────────────────────────────────────────────


@post("/elections/quick")
async def quick(house: OurHouse, visit: ThisVisit, data: Form) -> Response[Any]:
    """Draw an order of names on this machine, and show it with its transcript."""
    text = data.get("names", "")[:20_000]
    try:
        names = proper_names(text.splitlines())
        spend(household(visit.address))
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
    kept = await asyncio.to_thread(house.transcripts.draw_here, f"quick-{secrets.token_hex(8)}", names)
    return Redirect(f"/elections/records/{kept.name}", status_code=303)


def proper_names(lines: Iterable[str]) -> list[str]:
    """Return the names on lines of a text; `ElectionError` where they cannot be put into an order."""
    names = [proper_name(line) for line in lines if line.strip()]
    if not 2 <= len(names) <= MOST_NAMES:
        raise ElectionError("a choice needs 2 to %(most_names)s names, one on each line", most_names=MOST_NAMES)
    if len(set(names)) < len(names):
        raise ElectionError("each name once")
    return names


def spend(who: str) -> None:
    """Count a quick choice of a connection; `ElectionError` where there were too many."""
    if quick_pace.spend(who):
        raise ElectionError("these were many choices in a short time; wait a minute")


# ── records ────────────────────────────────────────────────────────────────────────────────────────────────────────


@value
class Shown:
    """A finished election as its page shows it."""

    header: Header
    finding: Finding
    order: tuple[str, ...]
    """Where lots were drawn; else empty."""
    entries: tuple[Entry, ...]

    @property
    def fault(self) -> dict[str, str]:
        """Return why somebody was left out, by name."""
        return {one.player: one.fault.value for one in self.finding.verdict.excluded} if self.finding.verdict else {}

    @property
    def group(self) -> str:
        """Return the fingerprint of those who signed."""
        return self.finding.group


@lru_cache(maxsize=128)
def look_at(path: Path) -> tuple[Shown | None, str]:
    """Verify a kept transcript, which never changes; return what it shows, nothing if it is too long, and the line about it."""
    with open_source(path) as source:
        finding = verify_source(source, steps="plain", jobs=1)
        if path.stat().st_size > LONGEST_RECORD:
            return None, finding.line
        order = order_of(source) if (source.header.more or {}).get("lots") and finding.standing is not Standing.BROKEN else ()
        said = [one for chunk in source.chunks() for _, one in chunk.said()]
        entries = tuple(one for one in said if isinstance(one, Entry))[:MOST_SHOWN]
        return Shown(source.header, finding, order, entries), finding.line


@get("/elections/records/{name:str}")
async def record(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Response[str]:
    """Show what an election came to, and the proof."""
    shown, line = await asyncio.to_thread(look_at, house.transcripts.path(name))
    return house.page(visit, "election_record.html", name=name, shown=shown, line=line)


@get("/elections/records/{name:str}/transcript")
async def transcript(house: OurHouse, name: FromPath[str]) -> Response[bytes]:
    """Hand the transcript out as it was kept."""
    path = house.transcripts.path(name)
    try:
        octets = await asyncio.to_thread(path.read_bytes)
    except OSError as error:
        raise RecordError("the transcript cannot be read: %(strerror)s", strerror=error.strerror) from error
    headers = {"Content-Disposition": f'attachment; filename="election-{name[:12]}.jsonl"'}
    return Response(octets, media_type="application/jsonl; charset=utf-8", headers=headers)


ROOMS = (open_room, find_room, room_page, join_room, leave_room, start_room, speak, events)

ROUTES = (
    Router(
        "/", route_handlers=[elections, *ROOMS, quick, record, transcript], exception_handlers={ElectionError: refuse}
    ),
)  # fmt: skip
