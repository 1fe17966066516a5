"""The arcade for programs: a visit that speaks the arcade's own lines, the levels, the hall of fame, the proofs (spec: arcade).

A program is a party of the protocol like any other: it makes its own commitments and checks the house's, so these doors carry
lines and decide nothing (`arbitre.client.arcade` plays so). It opens a visit, says lines by POST, and hears by one stream of
lines, each with its number; whoever is cut off goes on where he was. A visit that nobody listens to for a quarter of a minute is
over.
"""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

from litestar import MediaType, Response, delete, get, post
from litestar.exceptions import HTTPException
from litestar.params import JSONBody, PathParameter
from litestar.response import Stream
from msgspec import Meta, Struct

from arbitre.arcade.desk import Caller
from arbitre.arcade.referee import SECONDS
from arbitre.arcade.story import reread, story
from arbitre.arcade.terms import LEVELS
from arbitre.referee.verify import one_line
from arbitre.site import proofs, visits
from arbitre.site.listeners import Door
from arbitre.site.tokens import Scope
from arbitre.web.api.common import After, open_to_all, reader, repeatable, streamed, token_of, with_token
from arbitre.web.dependencies import OurHouse, ThisVisit
from arbitre.web.house import WebApp
from arbitre.web.visit import Visit

Token = Annotated[str, PathParameter(max_length=64, description="the name of a visit")]
Match = Annotated[str, PathParameter(pattern="^[0-9a-f]{12}$", description="the name of a match at the arcade")]
Line = Annotated[str, Meta(max_length=8_192)]


class LevelForm(Struct):
    """A level of the machine."""

    name: str
    encoding: str
    checks: str
    """What it checks of the other's keys and openings: `none`, `course` or `full`."""
    goal: int
    rounds: int


class ArcadeForm(Struct):
    """The arcade: its levels, how long it waits for a command, and where programs reach it by TCP, where they do."""

    levels: list[LevelForm]
    seconds: float
    address: str | None


class FameForm(Struct):
    """A victory over the machine."""

    level: str
    name: str
    scores: list[int]
    date: str
    match: str


class NewVisit(Struct, forbid_unknown_fields=True):
    """The first lines of a visit, the wishes: `# name`, `# level`, `# table`, `# language`, `# begin`."""

    lines: Annotated[list[Line], Meta(max_length=16)] = []


class Spoken(Struct, forbid_unknown_fields=True):
    """Lines of a visitor; a number that was taken before is the same request, sent again."""

    lines: Annotated[list[Line], Meta(min_length=1, max_length=64)]
    number: Annotated[int, Meta(ge=0, le=10**9)] = 0


class VisitForm(Struct):
    """A visit."""

    visit: str
    over: bool


class ToldForm(Struct):
    """A line that the arcade says to a visitor."""

    n: int
    """Its number: what to send as `after` where the stream was cut."""
    line: str


class BoutForm(Struct):
    """A match at the arcade that is over, and what its record is worth."""

    match: str
    level: str
    players: list[str]
    standing: str
    line: str
    head: str
    story: list[str]


@get("/api/arcade", **open_to_all())
async def get_arcade(house: OurHouse) -> ArcadeForm:
    """Return the levels of the machine, and the door for programs."""
    levels = [LevelForm(one.level, one.encoding.value, one.checks.value, one.goal, one.rounds) for one in LEVELS.values()]
    return ArcadeForm(levels, SECONDS, house.listens_at(Door.ARCADE) or None)


@get("/api/arcade/fame", **open_to_all())
async def list_fame(house: OurHouse) -> list[FameForm]:
    """Return the best victories over the machine: the hardest level first, then the widest margin."""
    return [FameForm(one.level, one.name, list(one.scores), one.date, one.match) for one in await house.desk.fame()]


# ── a visit ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _caller(house: WebApp, visit: Visit, name: str) -> Caller:
    return house.desk.find(name, f"token:{token_of(visit).token.id}")


def _text(lines: list[str]) -> str:
    for one in lines:
        if not (one.isascii() and one.isprintable()):
            raise HTTPException("a line is printable ASCII, without its end", status_code=400)
    return "\n".join(lines)


@post("/api/arcade/visits", status_code=201, **repeatable(Scope.PLAY))
async def open_visit(house: OurHouse, visit: ThisVisit, data: JSONBody[NewVisit]) -> VisitForm:
    """Open a visit with its first lines; without any, the machine begins after a second."""
    text = _text(data.lines)
    caller = house.desk.open(f"token:{token_of(visit).token.id}", visit.caller.household)
    if text:
        caller.hand_in(text)
    return VisitForm(caller.token, caller.over)


@post("/api/arcade/visits/{name:str}", status_code=200, **repeatable(Scope.PLAY))
async def say_lines(house: OurHouse, visit: ThisVisit, name: Token, data: JSONBody[Spoken]) -> VisitForm:
    """Say lines."""
    caller = _caller(house, visit, name)
    caller.hand_in(_text(data.lines), data.number)
    return VisitForm(caller.token, caller.over)


@delete("/api/arcade/visits/{name:str}", status_code=200, **with_token(Scope.PLAY))
async def end_visit(house: OurHouse, visit: ThisVisit, name: Token) -> VisitForm:
    """Hang up: a match that is not over is forfeited."""
    caller = _caller(house, visit, name)
    caller.hang_up()
    return VisitForm(caller.token, caller.over)


@get("/api/arcade/visits/{name:str}/lines", media_type="application/x-ndjson", **with_token(Scope.PLAY, line=ToldForm))
async def follow_visit(house: OurHouse, visit: ThisVisit, name: Token, after: After = 0) -> Stream:
    """Hear what a visitor is told: `{"n": 1, "line": "…"}` a line, an empty one now and then, until somebody hangs up."""
    return streamed(house, visit, _told(house, _caller(house, visit, name), after))


async def _told(house: WebApp, caller: Caller, after: int) -> AsyncGenerator[bytes, None]:
    yield b"\n"
    async with aclosing(visits.listen(house, caller, after)) as told:  # type: ignore[type-var]
        async for one in told:
            yield b"\n" if one is None else (json.dumps({"n": one.number, "line": one.line}) + "\n").encode()


# ── the proof ──────────────────────────────────────────────────────────────────────────────────────────────────────


@get("/api/arcade/records/{name:str}", **open_to_all(409))
async def get_bout(house: OurHouse, visit: ThisVisit, name: Match) -> BoutForm:
    """Return a match that is over, told in words, and what its record is worth."""
    reader(visit)

    def look() -> BoutForm:
        kept, head = proofs.bout(house, name)
        found, reading = proofs.finding(house, kept), reread(kept)
        level, line = reading.call.terms.level, one_line(visit.words.of(found.reason))
        told = story(reading, "fr" if visit.words.language == "fr" else "en")
        return BoutForm(name, level, list(reading.names), found.standing.value, line, head, list(told))

    return await asyncio.to_thread(look)


@get("/api/arcade/records/{name:str}/record", media_type=MediaType.TEXT, **open_to_all(409))
async def get_bout_record(house: OurHouse, visit: ThisVisit, name: Match) -> Response[str]:
    """Hand the record of a match out."""
    reader(visit)
    kept, _ = await asyncio.to_thread(proofs.bout, house, name)
    return Response(kept.text(), media_type="text/plain")
