"""The arcade on the site: the machine in the browser, people who meet under a code, proofs (spec: arcade, sections 4 and 5).

The browser is a party of the protocol like any other: it makes its own commitments and checks the house's, so these pages carry
lines and decide nothing. A visit is opened by a POST, speaks by POSTs, and hears by one stream of server-sent events, each line
with its number; a browser that reconnects goes on where it was.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from litestar import MediaType, Request, Response, get, post
from litestar.exceptions import NotFoundException
from litestar.response import Redirect, Stream

from arbitre.arcade.desk import Caller
from arbitre.arcade.referee import SECONDS
from arbitre.arcade.server import CODE, read_level
from arbitre.arcade.story import reread, story
from arbitre.arcade.terms import DUEL, LEVELS, Terms
from arbitre.arcade.voice import Language
from arbitre.errors import ArbitreError
from arbitre.records.record import Record
from arbitre.referee.verify import Finding
from arbitre.site import proofs, visits
from arbitre.site.listeners import Door
from arbitre.web.dependencies import Form, FromPath, OurHouse, ThisVisit, Whole, last_event, number_in
from arbitre.web.house import WebApp
from arbitre.web.telling import finding_in
from arbitre.web.visit import Visit
from arbitre.words import Words

STREAM_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


@get("/arcade")
async def attract(house: OurHouse, visit: ThisVisit) -> Response[str]:
    """Show the machine that waits for somebody: levels, who has beaten it, the door for programs."""
    address = house.listens_at(Door.ARCADE)
    fame = await house.desk.fame()
    return house.page(visit, "arcade.html", levels=LEVELS.values(), tales=tales(visit.words), fame=fame, address=address)


@get("/arcade/play/{level:str}")
async def play(house: OurHouse, visit: ThisVisit, level: FromPath[str]) -> Response[str]:
    """Show the machine at one level."""
    try:
        terms = LEVELS[read_level(level)]
    except ArbitreError:
        raise NotFoundException from None
    return _machine(house, visit, terms, "")


@get("/arcade/table/{code:str}")
async def table(house: OurHouse, visit: ThisVisit, code: FromPath[str]) -> Response[str]:
    """Show a table where two people meet; `new` makes a code up."""
    if CODE.fullmatch(code) is None:
        raise NotFoundException
    return _machine(house, visit, DUEL, code)


@post("/arcade/table")
async def meet(data: Form) -> Redirect:
    """Lead to the table with a code that was typed."""
    code = data.get("code", "").strip()
    return Redirect(f"/arcade/table/{code}" if CODE.fullmatch(code) else "/arcade#meet", status_code=303)


def _machine(house: WebApp, visit: Visit, terms: Terms, code: str) -> Response[str]:
    return house.page(
        visit,
        "arcade_machine.html",
        terms=terms,
        tales=tales(visit.words),
        code=code,
        seconds=SECONDS,
        spoken=words(visit.words),
        letters="pfc" if visit.language == "fr" else "rps",
    )


# ── the lines ──────────────────────────────────────────────────────────────────────────────────────────────────────


@post("/arcade/visits")
async def enter(house: OurHouse, visit: ThisVisit, data: Form) -> Response[Any]:
    """Open a visit with its first lines: the wishes."""
    caller = house.desk.open(visit.guest, visit.caller.household)
    caller.hand_in(data.get("lines", ""))
    return Response({"visit": caller.token}, media_type=MediaType.JSON)


@post("/arcade/visits/{token:str}")
async def say(house: OurHouse, visit: ThisVisit, token: FromPath[str], data: Form) -> Response[Any]:
    """Take lines of a browser."""
    house.desk.find(token, visit.guest).hand_in(data.get("lines", ""), number_in(data.get("number", ""), 0))
    return Response({"heard": True}, media_type=MediaType.JSON)


@post("/arcade/visits/{token:str}/leave")
async def leave(house: OurHouse, visit: ThisVisit, token: FromPath[str]) -> Response[Any]:
    """Hang up."""
    house.desk.find(token, visit.guest).hang_up()
    return Response({"left": True}, media_type=MediaType.JSON)


@get("/arcade/visits/{token:str}/lines", media_type="text/event-stream")
async def lines(
    house: OurHouse, visit: ThisVisit, request: Request[Any, Any, Any], token: FromPath[str], after: Whole = 0
) -> Stream:
    """Stream what a browser is told, from the line behind `Last-Event-ID`, or behind number `after`."""
    caller = house.desk.find(token, visit.guest)
    return Stream(_told(house, caller, last_event(request, after)), media_type="text/event-stream", headers=STREAM_HEADERS)


async def _told(house: WebApp, caller: Caller, after: int) -> AsyncIterator[bytes]:
    yield b"retry: 1000\n\n"
    async with aclosing(visits.listen(house, caller, after)) as told:  # type: ignore[type-var]
        async for one in told:
            yield b": still here\n\n" if one is None else f"id: {one.number}\ndata: {one.line}\n\n".encode()
    yield b"event: over\ndata: \n\n"


# ── the proof ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _proof(house: WebApp, name: str) -> tuple[Record, str, Finding]:
    record, head = proofs.bout(house, name)
    return record, head, proofs.finding(house, record)


@get("/arcade/records/{name:str}")
async def proof(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Response[str]:
    """Show a match that is over, and what proves it."""
    record, head, finding = await asyncio.to_thread(_proof, house, name)
    reading = await asyncio.to_thread(reread, record)
    language: Language = "fr" if visit.language == "fr" else "en"
    told = list(story(reading, language))[2:]
    proven = finding_in(visit.words, finding, reading.names)
    context = {
        "reading": reading,
        "finding": finding,
        "proof": proven,
        "head": head,
        "told": told,
        "tales": tales(visit.words),
    }
    return house.page(visit, "arcade_record.html", name=name, **context)


@get("/arcade/records/{name:str}/finding", media_type=MediaType.JSON)
async def finding(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> dict[str, str]:
    """Tell the page of a match that is just over what its record is worth."""
    _, head, found = await asyncio.to_thread(_proof, house, name)
    names = [] if found.opening is None else [chair.name for chair in found.opening.chairs]
    standing, line = finding_in(visit.words, found, names)
    return {"standing": found.standing.value, "word": standing, "line": line, "head": head}


@get("/arcade/records/{name:str}/record")
async def download(house: OurHouse, name: FromPath[str]) -> Response[str]:
    """Hand the record out."""
    record, _ = await asyncio.to_thread(proofs.bout, house, name)
    headers = {"Content-Disposition": f'attachment; filename="{name}.arbitre"'}
    return Response(record.text(), media_type="text/plain", headers=headers)


# ── what is said about levels, and by the machine ────────────────────────────────────────────────────────────────────


def tales(_: Words) -> dict[str, dict[str, str]]:
    """Return what is told about each level, by its name on the wire: its name on pages, how the machine plays, what it checks."""
    return {
        "Facile": {"name": _("Easy"), "player": _("A beginner's habits"), "checks": _("Checks nothing: GROUP takes anything")},
        "Normal": {
            "name": _("Normal"),
            "player": _("Counts patterns"),
            "checks": _("Checks what the course checks: a long modulus and g^q = 1"),
        },
        "Difficile": {
            "name": _("Hard"),
            "player": _("Many predictors, weighed"),
            "checks": _("Checks everything: GROUP takes any sound group"),
        },
        "Nightmare": {
            "name": _("Nightmare"),
            "player": _("The same, with a guard"),
            "checks": _("Checks everything: GROUP is disabled"),
        },
    }


def words(_: Words) -> dict[str, str]:
    """Return what the script of the machine says, in the visitor's language; braces are filled in there."""
    return {
        "PIERRE": _("rock"),
        "FEUILLE": _("paper"),
        "CISEAUX": _("scissors"),
        "connecting": _("The line was cut; trying again"),
        "waiting": _("Waiting for the other player"),
        "keys": _("Exchanging keys"),
        "start": _("You commit first: choose"),
        "answer": _("{name} has committed: choose"),
        "patience": _("Waiting for {name}"),
        "checking": _("The opening is true. OK in a moment, or call the referee"),
        "false": _("The opening is false: what {name} shows is not what was committed"),
        "over": _("The match is over"),
        "won": _("You win"),
        "lost": _("{name} wins"),
        "drawn": _("Nobody wins"),
        "round": _("round {round}"),
        "beats": _("{best} beats {worst}: point for {name}"),
        "even": _("{sign} on both sides: a draw"),
        "taken": _("the round goes to {name}"),
        "founded": _("{accused} cheated: the commitment does not open to {sign}; 3 points off"),
        "unfounded": _("{accuser} accuses wrongly: the commitment does open to {sign}; 3 points off"),
        "goal": _("{winner} reaches {score}"),
        "length": _("the last round is played; points decide"),
        "disgrace": _("{loser} has fallen too low and forfeits"),
        "faults": _("{loser} has no credit left and forfeits"),
        "silence": _("{loser} said nothing in time and forfeits"),
        "gone": _("{loser} is gone and forfeits"),
        "nobody": _("The match ends without a result: {why}"),
        "refused": _("refused"),
        "referee": _("referee"),
        "check": _("check"),
        "house": _("house"),
        "terms": _("The house announces other rules than this page asked for; the visit was ended"),
        "broken": _("The other end broke the rules: {why}"),
        "score": _("The house counts otherwise than we do: {theirs} instead of {ours}"),
        "same": _("The record holds exactly the lines that this page has said and heard"),
        "differs": _("The record differs from what this page has said and heard, at line {line}"),
        "cut": _("The line to the arcade is cut for good"),
        "unkept": _("The match ended before both keys were there: there is no record"),
        "testing": _("Testing the other player's group"),
        "leave": _("Leave? The match is forfeited."),
    }
