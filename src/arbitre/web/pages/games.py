"""A game: watched live by any number of people, played by those who sit there, stepped through when it is over, and proven.

Whoever looks gets the scenes of one eye (`referee.scenes`): a player those of the own seat, anybody else a spectator's, and
everybody everything when the secrets are open. The stream of scenes is a stream of server-sent events numbered for that eye, so a
browser that reconnects goes on where it was.

An interface sends a move to `/return/…`, an address with a secret of its own for each question: no cookie is needed, anybody may
frame it, and it does nothing but answer that one question (spec: tournoyons, sections 5 and 9).
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from json import dumps
from typing import Any
from urllib.parse import urlencode

from litestar import MediaType, Request, Response, get, post
from litestar.exceptions import NotFoundException
from litestar.response import Redirect, Stream

from arbitre.errors import ArenaError, MoveError, StoreError
from arbitre.games.analysis import is_judged
from arbitre.games.catalogue import listing, options_of
from arbitre.games.game import Eye, Seat
from arbitre.games.labels import label_of
from arbitre.games.levels import lines
from arbitre.games.miniature import miniature_of
from arbitre.games.telling import telling_of
from arbitre.records.record import Record
from arbitre.referee.story import forms_of, tell
from arbitre.referee.turning import Turning, turning
from arbitre.site import matches, practice, proofs, seating
from arbitre.site.arena.matches import ArenaMatch
from arbitre.site.arena.plan import HouseSeat, RefereeSeat
from arbitre.site.frames import STRICT, origin_of, sandbox_of
from arbitre.site.games import judge_at
from arbitre.web.dependencies import Form, FromPath, FromQuery, OurHouse, ThisVisit, Whole, last_event, number_in
from arbitre.web.house import WebApp
from arbitre.web.limits import limit_in
from arbitre.web.lists import listing_of, names_of
from arbitre.web.options import form_of, told
from arbitre.web.pages.front import back
from arbitre.web.scenes import ProofLine, teller_of, told_to_page
from arbitre.web.telling import Teller, ending_in, finding_in, labels_of, screen_for, turning_in
from arbitre.web.visit import Visit

EYES: dict[str, Eye] = {"spectator": "spectator", "referee": "referee", "0": Seat(0), "1": Seat(1)}

RETURN_HEADERS = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}


# ── the page ───────────────────────────────────────────────────────────────────────────────────────────────────────


@get("/games/{name:str}")
async def game(house: OurHouse, visit: ThisVisit, name: FromPath[str], interface: Whole = 0) -> Response[str]:
    """Show a game."""
    sitting = matches.find(house, visit.caller, name)
    seats = visit.caller.seats(sitting.plan)
    if sitting.state == "waiting":
        return await _waiting(house, visit, sitting)
    shown = await _interface(house, visit, sitting, interface)
    names = await names_of(house, sitting.plan, visit.words)
    over = sitting.state == "over"
    kept = matches.record(house, sitting) if over else None
    finding = None if kept is None else await asyncio.to_thread(proofs.finding, house, kept)
    teller = Teller(screen_for(sitting.plan.game, frozenset()), names, visit.words, game=sitting.plan.game)
    story, turned = ("", None) if kept is None else await asyncio.to_thread(_told_again, kept, teller)
    label, above = label_of(sitting.plan.game), practice.above(house, visit.caller, sitting)
    choices = await asyncio.to_thread(lambda: house.community.interfaces.all(game=label, by=visit.person))
    return house.page(
        visit,
        "game.html",
        sitting=sitting,
        plan=sitting.plan,
        listing=listing_of(sitting.plan.game),
        rules=told(sitting.plan.game, visit.words),
        facts=_facts(visit, sitting, names),
        names=names,
        judge=await asyncio.to_thread(judge_at, house, sitting.plan),
        seats=sorted(seats),
        eye=matches.own_eye(visit.caller, sitting),
        over=over,
        judged=over and is_judged(sitting.plan.game.name),
        finding=finding,
        proof=None if finding is None else finding_in(visit.words, finding, names),
        head="" if kept is None or kept.seal is None else kept.seal.head,
        story=story,
        ending=None
        if finding is None or finding.verdict is None
        else ending_in(visit.words, finding.verdict, names, sorted(seats)),
        shown=shown,
        labels=labels_of(sitting.plan.game.name, visit.words),
        turned=None if turned is None else (turned.moment, *turning_in(visit.words, turned)),
        above=above,
        better="" if above is None else visit.words(lines(sitting.plan.game.name)[above.level - 1]),
        practises=practice.against(visit.caller, sitting) is not None,
        unit=visit.words.of(telling_of(sitting.plan.game).unit),
        choices=choices,
        forms=forms_of(sitting.plan.game.name),
        filmed=over and miniature_of(sitting.plan.game) is not None,
        owner=matches.owns(visit.caller, sitting),
        traces=await asyncio.to_thread(matches.traces, house, visit.caller, sitting),
        photographable=over or not sitting.plan.game.hides,
    )


def _told_again(record: Record, teller: Teller) -> tuple[str, Turning | None]:
    """Return the story of a game that is over, and where it turned."""
    told = tell(record)
    return "\n".join(teller.tale(told)), turning(told)


def _facts(visit: Visit, sitting: ArenaMatch, names: Sequence[str]) -> list[tuple[str, str]]:
    """Return what one would like to know of a game before it is over: who plays how well, how long, and what for."""
    plan, words = sitting.plan, visit.words
    told = {}
    for name, sitter in zip(names, plan.sitters, strict=True):
        if isinstance(sitter, HouseSeat) and sitter.level <= len(lines(plan.game.name)):
            told[name] = words(lines(plan.game.name)[sitter.level - 1])
    alone = len(told) == 1 and bool(visit.caller.seats(plan))
    found = [
        (words("Opponent"), words("%(name)s: %(line)s", name=name, line=line[:1].lower() + line[1:])) if alone else (name, line)
        for name, line in told.items()
    ]
    found.append((words("Time"), limit_in(words, plan.clock)))
    goal = telling_of(plan.game).goal()
    return found if goal is None else [*found, (words("Goal"), words.of(goal))]


async def _waiting(house: WebApp, visit: Visit, sitting: ArenaMatch) -> Response[str]:
    """Show that a chair is free: with the link to whoever offers it."""
    names = await names_of(house, sitting.plan, visit.words)
    title, rules = listing_of(sitting.plan.game), told(sitting.plan.game, visit.words)
    offered = await asyncio.to_thread(house.community.invitations.to, sitting.name)
    return house.page(visit, "waiting.html", sitting=sitting, names=names, listing=title, rules=rules, offered=offered, link="")


async def _interface(house: WebApp, visit: Visit, sitting: ArenaMatch, number: int) -> dict[str, Any]:
    """Return the interface to show a game with: the chosen one, or our own, or the model; the page may then frame it."""
    referee = sitting.plan.sitters[-1]
    if isinstance(referee, RefereeSeat) and referee.framed:
        visit.frames.append(origin_of(referee.url))  # he answers from a frame
    url, own_origin = await asyncio.to_thread(matches.interface, house, visit.caller, sitting, number)
    if not url:
        return {"number": 0, "url": f"/interfaces/{listing(sitting.plan.game.name).page}", "sandbox": STRICT}
    if url == "about:blank":
        return {"number": 0, "url": url, "sandbox": STRICT}
    visit.frames.append(origin_of(url))
    return {"number": number, "url": url, "sandbox": sandbox_of(url, own_origin, house.settings.origin)}


@get("/games/{name:str}/state")
async def state(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Response[Any]:
    """Tell whether a game waits for somebody, is being played, or is over: for a page that waits."""
    return Response({"state": (matches.find(house, visit.caller, name)).state}, media_type=MediaType.JSON)


# ── the stream ─────────────────────────────────────────────────────────────────────────────────────────────────────


@get("/games/{name:str}/events", media_type="text/event-stream")
async def events(
    house: OurHouse,
    visit: ThisVisit,
    request: Request[Any, Any, Any],
    name: FromPath[str],
    eye: FromQuery[str] = "",
    after: Whole = 0,
    mute: FromQuery[bool] = False,
) -> Stream:
    """Stream the scenes of a game, from the one behind `Last-Event-ID`."""
    sitting = matches.find(house, visit.caller, name)
    looks = matches.may_see(visit.caller, sitting, EYES.get(eye))
    after = last_event(request, after)
    below = min(visit.caller.seats(sitting.plan), default=None)
    teller = await teller_of(house, sitting, visit.words, mute=mute, below=below)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return Stream(_stream(house, sitting, looks, after, teller), media_type="text/event-stream", headers=headers)


async def _stream(house: WebApp, sitting: ArenaMatch, eye: Eye, after: int, teller: Teller) -> AsyncIterator[bytes]:
    live = house.arena.seen(sitting.name)
    yield b"retry: 1000\n\n"
    async with aclosing(told_to_page(house, sitting, eye, after, teller)) as told:  # type: ignore[type-var]
        async for one in told:
            if isinstance(one, ProofLine):
                yield f"event: proof\ndata: {one.text}\n\n".encode()
            elif isinstance(one, str):
                yield f"event: slip\ndata: {dumps(one)}\n\n".encode() if one else b": still here\n\n"
            else:
                yield f"id: {one[0]}\ndata: {one[1]}\n\n".encode()
    if live is None or live.over:  # else the house closes, and who watches goes on when it is back
        yield b"event: over\ndata: \n\n"


# ── what people say ────────────────────────────────────────────────────────────────────────────────────────────────


@get("/return/{ticket:str}", media_type=MediaType.TEXT)
async def returned(house: OurHouse, visit: ThisVisit, request: Request[Any, Any, Any], ticket: FromPath[str]) -> Response[str]:
    """Take the move that an interface returns; it sees an empty page, and the page around it sees the board."""
    visit.framers = "*"
    text = request.query_params.get("ReturnValue", "")
    try:
        await house.arena.returned(ticket, str(text))
    except MoveError:
        return Response("", status_code=200, headers=RETURN_HEADERS)  # the stream says why
    except ArenaError:
        return Response("", status_code=410, headers=RETURN_HEADERS)
    except StoreError:
        return Response("", status_code=503, headers=RETURN_HEADERS | {"Retry-After": "1"})  # the page around it says why
    return Response("", status_code=200, headers=RETURN_HEADERS)


@post("/games/{name:str}/move")
async def move(house: OurHouse, visit: ThisVisit, name: FromPath[str], data: Form) -> Response[Any]:
    """Take a move that was typed."""
    await matches.move(house, visit.caller, name, data.get("move", "")[:200])
    return Response({"accepted": True}, media_type=MediaType.JSON)


def _back(name: str) -> Redirect:
    return Redirect(f"/games/{name}", status_code=303)


@post("/games/{name:str}/resign")
async def resign(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Redirect:
    """Give up."""
    await matches.resign(house, visit.caller, name)
    return _back(name)


@post("/games/{name:str}/hint")
async def hint(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Response[Any]:
    """Tell what the house would play in practice."""
    return Response({"move": visit.words.of(await practice.hint(house, visit.caller, name))}, media_type=MediaType.JSON)


@post("/games/{name:str}/take-back")
async def take_back(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Redirect:
    """Begin a practice anew from before one's last move."""
    return _back((await seating.take_back(house, visit.caller, name)).name)


@post("/games/{name:str}/step")
async def step(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Response[Any]:
    """Let one move through."""
    matches.step(house, visit.caller, name)
    return Response({"stepped": True}, media_type=MediaType.JSON)


@post("/games/{name:str}/run")
async def run(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Response[Any]:
    """Let all moves through."""
    matches.step(house, visit.caller, name, run=True)
    return Response({"running": True}, media_type=MediaType.JSON)


@post("/games/{name:str}/stop")
async def stop(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Redirect:
    """End a game between players who are not people."""
    await matches.stop(house, visit.caller, name)
    return _back(name)


@post("/games/{name:str}/title")
async def entitle(house: OurHouse, visit: ThisVisit, name: FromPath[str], data: Form) -> Redirect:
    """Keep a game under a title."""
    await matches.entitle(house, visit.caller, name, data.get("title", ""))
    return _back(name)


@post("/games/{name:str}/photo")
async def photograph(house: OurHouse, visit: ThisVisit, name: FromPath[str], data: Form) -> Redirect:
    """Photograph a position: a new game may start from it."""
    sitting = matches.find(house, visit.caller, name)
    count, title = number_in(data.get("moment", "")), data.get("title", "").strip()
    moment = None if count < 0 else count
    game = sitting.plan.game
    if visit.person is not None and title and not game.neutral:
        await matches.photograph(house, visit.caller, sitting, title, moment)
        return back(data, f"/games/{name}")
    state = matches.position(house, sitting, moment)
    if game.neutral:
        return Redirect(f"/added/{game.called}?" + urlencode({"start": state}), status_code=303)
    return Redirect("/play?" + urlencode({"game": game.name, "start": state, **form_of(options_of(game))}), status_code=303)


# ── the proof ──────────────────────────────────────────────────────────────────────────────────────────────────────


@get("/games/{name:str}/record")
async def record(house: OurHouse, visit: ThisVisit, name: FromPath[str], form: FromQuery[str] = "record") -> Response[str]:
    """Hand out the record of a game that is over, or another form of it."""
    sitting = matches.find(house, visit.caller, name)
    if form not in forms_of(sitting.plan.game.name):
        raise NotFoundException
    text = await matches.exported(house, sitting, form)
    ending = {"record": "arbitre", "story": "txt"}.get(form, form)
    headers = {"Content-Disposition": f'attachment; filename="{name}.{ending}"'}
    return Response(text, media_type="text/plain", headers=headers)
