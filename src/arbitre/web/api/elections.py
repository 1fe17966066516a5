"""Elections for programs: open a room, join it, speak its packets, follow it line by line, take the proof (spec: rochambeau, 3).

A program takes part as a browser does: it makes its key, commits, checks and settles for itself, and the room relays
(`arbitre.client.elections` is such a party). Within a room a token is what a browser is: one token, one party.
"""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Annotated, Any, Literal

from litestar import Response, get, post
from litestar.params import JSONBody, PathParameter
from litestar.response import Stream
from msgspec import Meta, Struct

from arbitre.elections.hub import Stage
from arbitre.elections.quick import MOST_NAMES
from arbitre.elections.rooms import LONGEST_PACKET, Room
from arbitre.reasons import plain
from arbitre.referee.verify import Proof
from arbitre.site import lots
from arbitre.site.tokens import Bearer, Scope
from arbitre.web.api.common import After, open_to_all, reader, repeatable, streamed, token_of
from arbitre.web.dependencies import OurHouse, ThisVisit
from arbitre.web.house import WebApp
from arbitre.web.visit import Visit
from arbitre.words import Words

Code = Annotated[str, PathParameter(max_length=64, description="the code of a room, however it is typed")]
Name = Annotated[str, PathParameter(max_length=100, description="the name of a finished election")]


class NewRoom(Struct, forbid_unknown_fields=True):
    """A room to open."""

    title: Annotated[str, Meta(min_length=1, max_length=80)]
    """What is to be chosen."""


class RoomForm(Struct):
    """A room, from the lobby to the proof."""

    code: str
    title: str
    url: str
    """What people open in their browsers."""
    hub: str
    """The public key that signs what the room closes, in hexadecimal."""
    stage: str
    """`lobby`, then the hub's: `gather`, `commit`, `reveal`, `verdict`, `settled`; `over`: proof kept; `closed`: no result."""
    people: list[str]
    organises: bool
    """Whether this token opened the room, and may start it."""
    name: str | None
    """Under which name this token has joined."""
    record: str | None
    """The name of the finished election, where the proof is."""


class JoinRoom(Struct, forbid_unknown_fields=True):
    """Who joins: a name, and an Ed25519 public key that the program made for this election."""

    name: Annotated[str, Meta(min_length=1, max_length=40)]
    key: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class Packet(Struct, forbid_unknown_fields=True):
    """What a party says, as the protocol of elections writes it, in base64."""

    packet: Annotated[str, Meta(min_length=1, max_length=2 * LONGEST_PACKET)]


class Names(Struct, forbid_unknown_fields=True):
    """Names to be put into an order by lot."""

    names: Annotated[list[Annotated[str, Meta(min_length=1, max_length=40)]], Meta(min_length=2, max_length=MOST_NAMES)]


class RoomEvent(Struct):
    """Something that happened in a room; what does not belong to its type is not there."""

    n: int
    """Its number: what to send as `after` where the stream was cut."""
    type: Literal["people", "begun", "packet", "over", "closed"]
    people: list[str] | None = None
    """`people`: who is in the lobby; `begun`: the roster."""
    limits: list[float] | None = None
    """`begun`: seconds to gather, to commit, to reveal."""
    to: str | None = None
    """`packet`: whom the hub says it to; null: to all."""
    packet: str | None = None
    """`packet`: what the hub says, in base64."""
    record: str | None = None
    """`over`: the name under which the proof is kept."""
    winner: str | None = None
    decided: bool | None = None
    """`over`: whether enough parties signed the same verdict; where not, the winner is null."""
    why: dict[str, Any] | None = None
    """`closed`: why there is no result, a code with fields."""
    line: str | None = None
    """`closed`: the same in words."""


class ElectionForm(Struct):
    """A finished election, and what its transcript proves."""

    name: str
    url: str
    standing: str
    """`intact`, `incomplete`, `broken` …: what the site finds, as `arbitre verify` does; judge it yourself."""
    line: str
    """What was found, in words."""
    winner: str | None
    """Null where nobody won, and where the transcript does not settle it."""
    order: list[str]
    """Where lots were drawn; else empty."""
    excluded: dict[str, str]
    """Who was left out, and why."""
    group: str
    """The fingerprint of those who signed."""


def _browser(token: Bearer) -> str:
    """Return what stands for the browser: the token."""
    return f"token:{token.token.id}"


def _stage(room: Room) -> str:
    if room.over:
        return "over" if room.record else "closed"
    if room.hub is None:
        return "lobby"
    return "settled" if room.hub.stage is Stage.OVER else room.hub.stage.name.lower()


def _form(house: WebApp, room: Room, token: Bearer | None) -> RoomForm:
    mine = "" if token is None else _browser(token)
    member = room.members.get(mine)
    return RoomForm(
        room.code,
        room.title,
        f"{house.settings.public}/elections/rooms/{room.code}",
        house.key.public.hex(),
        _stage(room),
        [one.name for one in room.members.values()],
        bool(mine) and mine == room.organiser,
        None if member is None else member.name,
        room.record or None,
    )


# ── rooms ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@post("/api/elections/rooms", status_code=201, **repeatable(Scope.PLAY))
async def open_room(house: OurHouse, visit: ThisVisit, data: JSONBody[NewRoom]) -> RoomForm:
    """Open a room; whoever has its code may join."""
    token = token_of(visit)
    return _form(house, house.elections.open(data.title, _browser(token), visit.caller.household), token)


@get("/api/elections/rooms/{code:str}", **open_to_all())
async def get_room(house: OurHouse, visit: ThisVisit, code: Code) -> RoomForm:
    """Return how a room stands."""
    reader(visit)
    return _form(house, house.elections.room(code), visit.bearer)


@post("/api/elections/rooms/{code:str}/join", status_code=200, **repeatable(Scope.PLAY))
async def join_room(house: OurHouse, visit: ThisVisit, code: Code, data: JSONBody[JoinRoom]) -> RoomForm:
    """Join a room under a name; once more in the lobby changes name and key."""
    token = token_of(visit)
    found = house.elections.room(code)
    member = found.members.get(_browser(token))
    if member is None or (member.name, member.public) != (data.name, data.key):
        found.join(_browser(token), data.name, data.key)
    return _form(house, found, token)


@post("/api/elections/rooms/{code:str}/leave", status_code=200, **repeatable(Scope.PLAY))
async def leave_room(house: OurHouse, visit: ThisVisit, code: Code) -> RoomForm:
    """Leave a room before its election has begun."""
    token = token_of(visit)
    found = house.elections.room(code)
    found.leave(_browser(token))
    return _form(house, found, token)


@post("/api/elections/rooms/{code:str}/start", status_code=200, **repeatable(Scope.PLAY))
async def start_room(house: OurHouse, visit: ThisVisit, code: Code) -> RoomForm:
    """Let the election begin, in a room that this token opened; one that has begun goes on."""
    token = token_of(visit)
    found = house.elections.room(code)
    if found.hub is None or found.organiser != _browser(token):
        house.elections.start(found, _browser(token))
    return _form(house, found, token)


@post("/api/elections/rooms/{code:str}/packet", status_code=200, **repeatable(Scope.PLAY))
async def say_packet(house: OurHouse, visit: ThisVisit, code: Code, data: JSONBody[Packet]) -> RoomForm:
    """Say a packet: HELLO, a Commit, an echo, a Reveal, a verdict, each signed by the program itself."""
    token = token_of(visit)
    found = house.elections.room(code)
    found.hear(_browser(token), data.packet)
    return _form(house, found, token)


@get("/api/elections/rooms/{code:str}/events", media_type="application/x-ndjson", **open_to_all(line=RoomEvent))
async def follow_room(house: OurHouse, visit: ThisVisit, code: Code, after: After = 0) -> Stream:
    """Follow a room: one JSON object a line with its number `n`, an empty line now and then, until it is over.

    `people` tells who is in the lobby, `begun` the roster and the limits of time, `packet` what the hub says (`to` null: to all),
    `over` the name of the record and the winner, `closed` why there is none.
    """
    reader(visit)
    found = house.elections.room(code)
    found.check_watchers()
    return streamed(house, visit, _told(found, visit.words, after))


async def _told(room: Room, words: Words, after: int) -> AsyncGenerator[bytes, None]:
    """Yield the events of a room until it is over or the house closes; the first has number 1."""
    async with aclosing(room.watch(after)) as source:
        async for at, event in source:
            told = None if event is None else {"n": at + 1, **_event(event, words)}
            yield b"\n" if told is None else (json.dumps(told, ensure_ascii=False) + "\n").encode()


def _event(event: Mapping[str, Any], words: Words) -> dict[str, Any]:
    """Return an event for programs: why as a code with fields, and in words."""
    why = event.get("why")
    return dict(event) if why is None else {**event, "why": plain(why), "line": words.of(why)}


# ── the proof ──────────────────────────────────────────────────────────────────────────────────────────────────────


async def _proof(house: WebApp, visit: Visit, name: str) -> ElectionForm:
    shown, finding = await lots.proof(house, name)
    url = f"{house.settings.public}/elections/records/{name}"
    verdict = finding.verdict
    settled = finding.standing in {Proof.VERIFIED, Proof.INTACT}
    winner = verdict.winner if settled and verdict is not None else None
    order, fault = ([], {}) if shown is None else (list(shown.order), shown.fault)
    return ElectionForm(name, url, finding.standing.value, visit.words.of(finding.why), winner, order, fault, finding.group)


@post("/api/elections/draws", status_code=201, **repeatable(Scope.PLAY))
async def draw_lots(house: OurHouse, visit: ThisVisit, data: JSONBody[Names]) -> ElectionForm:
    """Draw an order of names on this machine, and keep the proof of the arithmetic."""
    return await _proof(house, visit, await lots.draw(house, visit.caller, data.names))


@get("/api/elections/records/{name:str}", **open_to_all())
async def get_election(house: OurHouse, visit: ThisVisit, name: Name) -> ElectionForm:
    """Return what an election came to, and what its transcript proves."""
    reader(visit)
    return await _proof(house, visit, name)


@get("/api/elections/records/{name:str}/transcript", media_type="application/jsonl", **open_to_all())
async def get_transcript(house: OurHouse, visit: ThisVisit, name: Name) -> Response[bytes]:
    """Hand the transcript out as it was kept: `arbitre verify` needs nothing else."""
    reader(visit)
    return Response(await lots.transcript(house, name), media_type="application/jsonl; charset=utf-8")
