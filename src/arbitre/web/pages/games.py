"""A game: watched live by any number of people, played by those who sit there, stepped through when it is over, and proven.

Whoever looks gets the scenes of one eye (`referee.scenes`): a player those of the own seat, anybody else a spectator's, and
everybody everything when the secrets are open. The stream of scenes is a stream of server-sent events numbered for that eye, so a
browser that reconnects goes on where it was.

An interface sends a move to `/return/…`, an address with a secret of its own for each question: no cookie is needed, anybody may
frame it, and it does nothing but answer that one question (spec: tournoyons, sections 5 and 9).
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from functools import lru_cache
from json import dumps
from time import monotonic
from typing import Any
from urllib.parse import urlencode

from litestar import MediaType, Request, Response, get, post
from litestar.exceptions import NotFoundException, PermissionDeniedException
from litestar.response import Redirect, Stream

from arbitre.errors import ArenaError, MoveError, StoreError, UnknownError
from arbitre.games.added.rules import Added
from arbitre.games.catalogue import options_of
from arbitre.games.game import Eye, Seat
from arbitre.games.labels import label_of, title_of
from arbitre.games.notation import notation_of
from arbitre.reasons import Reason
from arbitre.referee.scenes import Scene
from arbitre.referee.story import FORMS, export, tell
from arbitre.referee.verify import Finding, verify
from arbitre.site.accounts import Role
from arbitre.site.added_trial import frame_of
from arbitre.site.arena.live import Live
from arbitre.site.arena.matches import Sitting, unknown
from arbitre.site.arena.plan import Engine, Person, Plan, Referee
from arbitre.site.arena.traces import added_at
from arbitre.web.boards import STRICT, origin_of, sandbox_of
from arbitre.web.given import Form, FromPath, FromQuery, OurHouse, ThisVisit, Whole
from arbitre.web.house import House
from arbitre.web.lists import listing_of, names_of
from arbitre.web.options import form_of, told
from arbitre.web.pages.front import back
from arbitre.web.played import judge_at
from arbitre.web.telling import Teller, eye_of, finding_in, labels_of, screen_for
from arbitre.web.visit import Visit

BEAT_SECONDS = 15.0
"""How often a quiet stream says that it is still there."""

RETURN_HEADERS = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}


def who(visit: Visit) -> str:
    """Return how the arena knows a visitor: the account, or the guest of this browser."""
    return f"account:{visit.person.id}" if visit.person is not None else f"guest:{visit.guest}" if visit.guest else ""


def seats_of(visit: Visit, plan: Plan) -> frozenset[Seat]:
    """Return where a visitor sits; who has logged in still sits where the guest of this browser sat down."""
    found = plan.seats_of(who(visit)) if who(visit) else frozenset()
    return found or (plan.seats_of(f"guest:{visit.guest}") if visit.guest else frozenset())


async def find(house: House, visit: Visit, name: str) -> Sitting:
    """Return a match of this site; 404 where there is none, or one that waits for a player and is no affair of this visitor's."""
    if not (len(name) == 16 and all(one in "0123456789abcdef" for one in name)):
        raise NotFoundException
    sitting = house.arena.sitting(name)
    if sitting.state == "waiting" and not _owns(visit, sitting) and not seats_of(visit, sitting.plan):
        raise unknown(name)
    return sitting


def may_see(visit: Visit, sitting: Sitting, eye: str) -> Eye:
    """Return the eye that a visitor asks to look through, if it may: other eyes open when the game is over."""
    own = eye_of(seats_of(visit, sitting.plan))
    if not eye:
        return own
    wanted: Eye = eye if eye in ("spectator", "referee") else Seat(int(eye)) if eye in ("0", "1") else own  # type: ignore[assignment]
    if wanted in (own, "spectator") or sitting.state == "over":
        return wanted
    raise PermissionDeniedException(visit.words("What others see stays closed until the game is over."))


# ── the page ───────────────────────────────────────────────────────────────────────────────────────────────────────


@get("/games/{name:str}")
async def game(house: OurHouse, visit: ThisVisit, name: FromPath[str], interface: Whole = 0) -> Response[str]:
    """Show a game."""
    sitting = await find(house, visit, name)
    seats = seats_of(visit, sitting.plan)
    if sitting.state == "waiting":
        return await _waiting(house, visit, sitting)
    shown = await _interface(house, visit, sitting, interface)
    names = await names_of(house, sitting.plan, visit.words)
    over = sitting.state == "over"
    finding = await asyncio.to_thread(_finding, house, name) if over else None
    teller = Teller(screen_for(sitting.plan.game, frozenset()), names, visit.words)
    story = "" if not over else await asyncio.to_thread(lambda: "\n".join(teller.tale(tell(house.arena.record(name)))))
    label = label_of(sitting.plan.game)
    choices = await asyncio.to_thread(lambda: house.community.interfaces.all(game=label, by=visit.person))
    return house.page(
        visit,
        "game.html",
        sitting=sitting,
        plan=sitting.plan,
        listing=listing_of(sitting.plan.game),
        rules=told(sitting.plan.game, visit.words),
        names=names,
        judge=await asyncio.to_thread(judge_at, house, sitting.plan),
        seats=sorted(seats),
        eye=eye_of(seats),
        over=over,
        finding=finding,
        proof=None if finding is None else finding_in(visit.words, finding, names),
        head="" if finding is None else house.arena.record(name).seal.head,  # type: ignore[union-attr] # it was sealed
        story=story,
        shown=shown,
        labels=labels_of(sitting.plan.game.name, visit.words),
        choices=choices,
        forms=[form for form, (only, _) in FORMS.items() if only in ("", sitting.plan.game.name)],
        owner=_owns(visit, sitting),
        traces=await _traces(house, visit, sitting),
        photographable=over or not sitting.plan.game.hides,
    )


async def _waiting(house: House, visit: Visit, sitting: Sitting) -> Response[str]:
    """Show that a chair is free: with the link to whoever offers it."""
    names = await names_of(house, sitting.plan, visit.words)
    title, rules = listing_of(sitting.plan.game), told(sitting.plan.game, visit.words)
    offered = await asyncio.to_thread(house.community.invitations.to, sitting.name)
    return house.page(visit, "waiting.html", sitting=sitting, names=names, listing=title, rules=rules, offered=offered, link="")


async def _interface(house: House, visit: Visit, sitting: Sitting, number: int) -> dict[str, Any]:
    """Return the interface to show a game with: the chosen one, or our own, or the model; the page may then frame it."""
    game, referee = sitting.plan.game, sitting.plan.sitters[-1]
    if isinstance(referee, Referee) and referee.framed:
        visit.frames.append(origin_of(referee.url))  # he answers from a frame
    if number:
        found = await asyncio.to_thread(house.community.interfaces.get, number, visit.person)
        if found.game != label_of(game):
            raise UnknownError("interface %(number)s is for %(game)s", number=number, game=title_of(found.game))
        visit.frames.append(origin_of(found.url))
        return {"number": number, "url": found.url, "sandbox": sandbox_of(found.url, found.own_origin, house.settings.origin)}
    if isinstance(game, Added):
        return await _model(house, visit, sitting.plan)
    return {"number": 0, "url": f"/interfaces/{game.name}.html", "sandbox": STRICT}


async def _model(house: House, visit: Visit, plan: Plan) -> dict[str, Any]:
    """Return the model interface of an added game, and let the page frame it."""
    referee = plan.sitters[-1]
    try:
        found = await asyncio.to_thread(house.community.added.find, referee.number if isinstance(referee, Referee) else 0)
    except UnknownError:
        return {"number": 0, "url": "about:blank", "sandbox": STRICT}
    if not found.interface:  # its owner was erased
        return {"number": 0, "url": "about:blank", "sandbox": STRICT}
    visit.frames.append(origin_of(found.interface))
    return {"number": 0, "url": found.interface, "sandbox": STRICT}


def _finding(house: House, name: str) -> Finding:
    return verified(house.arena.record(name).text().encode(), house.key.fingerprint)


@lru_cache(maxsize=64)
def verified(octets: bytes, fingerprint: str) -> Finding:
    """Return what a record is worth: a function of its octets, so those that are looked at often are worked out once."""
    return verify(octets, given=fingerprint)


def _owns(visit: Visit, sitting: Sitting) -> bool:
    """Tell whether a visitor may steer a match: its owner, whoever called it, or whoever sits there where it has no owner."""
    if visit.person is not None and sitting.owner == visit.person.id:
        return True
    if sitting.plan.starter and sitting.plan.starter in (who(visit), f"guest:{visit.guest}"):
        return True
    return sitting.owner is None and bool(seats_of(visit, sitting.plan))


async def _traces(house: House, visit: Visit, sitting: Sitting) -> list[int]:
    """Return the seats whose engine is the visitor's: its exchanges are there to be read."""
    if visit.person is None:
        return []
    seated = {seat: one for seat, one in enumerate(sitting.plan.sitters) if isinstance(one, Engine | Referee)}
    if not seated or visit.person.may(Role.OPERATOR):
        return list(seated)
    engines = {one.id for one in await asyncio.to_thread(house.community.engines.of, visit.person, retired=True)}
    added = {one.id for one in await asyncio.to_thread(house.community.added.of, visit.person, retired=True)}
    called = {seat: added_at(sitting, seat) or one for seat, one in seated.items()}
    return [seat for seat, one in called.items() if one.number in (added if isinstance(one, Referee) else engines)]


@get("/games/{name:str}/state")
async def state(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Response[Any]:
    """Tell whether a game waits for somebody, is being played, or is over: for a page that waits."""
    return Response({"state": (await find(house, visit, name)).state}, media_type=MediaType.JSON)


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
    sitting = await find(house, visit, name)
    if sitting.state == "waiting":
        raise ArenaError("the game has not begun: a chair is free")
    last = request.headers.get("last-event-id", "")
    after = int(last) if last.isascii() and last.isdigit() and len(last) < 10 else max(0, after)
    wanted = may_see(visit, sitting, eye)
    people = frozenset(Seat(seat) for seat, one in enumerate(sitting.plan.sitters) if isinstance(one, Person))
    screen = screen_for(sitting.plan.game, people)
    below = min(seats_of(visit, sitting.plan), default=None)
    teller = Teller(screen, await names_of(house, sitting.plan, visit.words), visit.words, mute=mute, below=below)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return Stream(_stream(house, sitting, wanted, after, teller), media_type="text/event-stream", headers=headers)


async def _stream(house: House, sitting: Sitting, eye: Eye, after: int, teller: Teller) -> AsyncIterator[bytes]:
    live = house.arena.look(sitting.name)
    people = {} if live is None else live.people
    slips = people[eye].slips if isinstance(eye, int) and eye in people else 0
    beat = Beat()
    yield b"retry: 1000\n\n"
    async with aclosing(_beating(house, sitting.name, eye, after)) as scenes:  # type: ignore[type-var]
        async for scene in scenes:
            person = people.get(eye) if isinstance(eye, int) else None
            if person is not None and person.slips != slips:
                slips = person.slips
                if person.slip:
                    yield f"event: slip\ndata: {dumps(teller.words.of(person.slip))}\n\n".encode()
            if scene is None:
                if beat.due():
                    yield b": still here\n\n"
                continue
            beat.said()
            yield f"id: {scene.number}\ndata: {_told(house, live, scene, eye, teller)}\n\n".encode()
    if live is None or live.over:  # else the house closes, and who watches goes on when it is back
        yield b"event: over\ndata: \n\n"


class Beat:
    """Tells when a quiet stream says that it is still there: never because of something that this eye does not see."""

    def __init__(self) -> None:
        self._last = monotonic()

    def said(self) -> None:
        """Take down that something was said."""
        self._last = monotonic()

    def due(self) -> bool:
        """Tell whether nothing was said for a while; if so, something is now."""
        due = monotonic() - self._last >= 0.9 * BEAT_SECONDS
        if due:
            self.said()
        return due


async def _beating(house: House, name: str, eye: Eye, after: int) -> AsyncIterator[Scene | None]:
    """Return the scenes of a game as they come, and None whenever anything happened or some time passed, until it is over."""
    live = house.arena.look(name)
    if live is None:
        async for scene in house.arena.watch(name, eye, after):
            yield scene
        return
    live.watchers += 1
    try:
        while not house.closing.is_set():
            wakes = live.wakes
            while after < len(live.scenes(eye)):
                after += 1
                yield live.scenes(eye)[after - 1]
            if live.over:
                return
            if wakes == live.wakes:  # nothing came while the last scene went out
                await live.changed(BEAT_SECONDS)
            if after >= len(live.scenes(eye)):
                yield None
    finally:
        live.watchers -= 1


async def told_for(house: House, sitting: Sitting, eye: Eye, after: int, teller: Teller) -> AsyncIterator[str]:
    """Return the scenes of a game in words as they come, and nothing now and then, until it is over."""
    live, beat = house.arena.look(sitting.name), Beat()
    async with aclosing(_beating(house, sitting.name, eye, after)) as scenes:  # type: ignore[type-var]
        async for scene in scenes:
            if scene is not None:
                beat.said()
                yield _told(house, live, scene, eye, teller)
            elif beat.due():
                yield ""


def _told(house: House, live: Live | None, scene: Scene, eye: Eye, teller: Teller) -> str:
    """Return a scene in words; what many see is made once."""
    if live is None:
        return teller.tell(scene, moments=True)
    returns = ""
    if isinstance(eye, int) and scene.asks is not None and isinstance(live.sitting.plan.sitters[eye], Person):
        ticket = house.arena.return_path(live.name, live.ticket(eye, scene.asks))
        returns = f"{house.settings.public}/return/{ticket}"
    key = (scene.number, eye, teller.words.language, teller.mute, teller.below)
    if (text := live.notes.get(key)) is None:
        text = live.notes[key] = teller.tell(scene, returns=returns)
    if frame := frame_of(live, eye, scene):
        text = f'{{"frame":{dumps(frame)},{text[1:]}'
    since = int((monotonic() - live.asked_at) * 1000) if scene.left is not None and scene.awaits else 0
    return f'{{"since":{since},{text[1:]}'


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
        return Response("", status_code=503, headers=RETURN_HEADERS)  # the page around it says why
    return Response("", status_code=200, headers=RETURN_HEADERS)


def _seat(visit: Visit, sitting: Sitting) -> Seat:
    seats = seats_of(visit, sitting.plan)
    if not seats:
        raise PermissionDeniedException(visit.words("You do not sit at this table."))
    return min(seats)


@post("/games/{name:str}/move")
async def move(house: OurHouse, visit: ThisVisit, name: FromPath[str], data: Form) -> Response[Any]:
    """Take a move that was typed."""
    sitting = await find(house, visit, name)
    seat = _seat(visit, sitting)
    person = house.arena.live(name).people.get(seat)
    if person is None:
        raise ArenaError("no person sits on this chair")
    await house.arena.answer(name, seat, person.ticket, data.get("move", "")[:200])
    return Response({"accepted": True}, media_type=MediaType.JSON)


@post("/games/{name:str}/resign")
async def resign(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Redirect:
    """Give up."""
    sitting = await find(house, visit, name)
    house.arena.resign(name, _seat(visit, sitting))
    await house.arena.decided(name)
    return Redirect(f"/games/{name}", status_code=303)


def _steered(house: House, visit: Visit, sitting: Sitting) -> Live:
    if not _owns(visit, sitting) and not (visit.person is not None and visit.person.may(Role.OPERATOR)):
        raise PermissionDeniedException(visit.words("Only whoever started this game may do that."))
    return house.arena.live(sitting.name)


@post("/games/{name:str}/step")
async def step(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Response[Any]:
    """Let one move through."""
    _steered(house, visit, await find(house, visit, name)).gate.step()
    return Response({"stepped": True}, media_type=MediaType.JSON)


@post("/games/{name:str}/run")
async def run(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Response[Any]:
    """Let all moves through."""
    _steered(house, visit, await find(house, visit, name)).gate.run()
    return Response({"running": True}, media_type=MediaType.JSON)


@post("/games/{name:str}/stop")
async def stop(house: OurHouse, visit: ThisVisit, name: FromPath[str]) -> Redirect:
    """End a game between players who are not people; it is nobody's result."""
    sitting = await find(house, visit, name)
    _steered(house, visit, sitting)
    if any(isinstance(one, Person) for one in sitting.plan.sitters) or sitting.plan.event:
        raise ArenaError("a game between people, or of a competition, is not stopped: whoever has enough gives up")
    house.arena.stop(name, Reason("stopped-by-starter"))
    await house.arena.decided(name)
    return Redirect(f"/games/{name}", status_code=303)


@post("/games/{name:str}/title")
async def entitle(house: OurHouse, visit: ThisVisit, name: FromPath[str], data: Form) -> Redirect:
    """Keep a game under a title."""
    sitting = await find(house, visit, name)
    if visit.person is None:
        raise PermissionDeniedException(visit.words("Log in to keep games under a title."))
    mine = sitting.owner == visit.person.id or (sitting.owner is None and bool(seats_of(visit, sitting.plan)))
    if not mine:
        raise PermissionDeniedException(visit.words("Only whoever started this game may do that."))
    await house.arena.entitle(name, data.get("title", "").strip(), visit.person.id)
    return Redirect(f"/games/{name}", status_code=303)


@post("/games/{name:str}/photo")
async def photograph(house: OurHouse, visit: ThisVisit, name: FromPath[str], data: Form) -> Redirect:
    """Photograph a position: a new game may start from it."""
    sitting = await find(house, visit, name)
    count = data.get("moment", "")
    state = position_of(house, sitting, int(count) if count.isascii() and count.isdigit() and len(count) < 8 else None)
    if isinstance(sitting.plan.game, Added):
        return Redirect(f"/added/{sitting.plan.game.key}?" + urlencode({"start": state}), status_code=303)
    if visit.person is not None and data.get("title", "").strip():
        await asyncio.to_thread(house.community.photos.take, visit.person, data["title"].strip(), sitting.plan.game, state)
        return back(data, f"/games/{name}")
    game = sitting.plan.game
    return Redirect("/play?" + urlencode({"game": game.name, "start": state, **form_of(options_of(game))}), status_code=303)


def position_of(house: House, sitting: Sitting, moment: int | None) -> str:
    """Return the position of a game after so many moments, or as it stands, if everybody may know it."""
    if sitting.plan.game.hides and sitting.state != "over":
        raise ArenaError("a position with secrets is photographed when the game is over")
    told = house.arena.told(sitting.name)
    moments = told.moments[:moment]
    truth = moments[-1].affairs.truth if moments else told.start.truth
    return notation_of(sitting.plan.game).write_state(truth)


# ── the proof ──────────────────────────────────────────────────────────────────────────────────────────────────────


@get("/games/{name:str}/record")
async def record(house: OurHouse, visit: ThisVisit, name: FromPath[str], form: FromQuery[str] = "record") -> Response[str]:
    """Hand out the record of a game that is over, or another form of it."""
    sitting = await find(house, visit, name)
    if sitting.state != "over":
        raise ArenaError(visit.words("The record opens when the game is over."))
    if form not in FORMS:
        raise NotFoundException
    text = await asyncio.to_thread(export, house.arena.record(name), form)
    ending = {"record": "arbitre", "story": "txt"}.get(form, form)
    headers = {"Content-Disposition": f'attachment; filename="{name}.{ending}"'}
    return Response(text, media_type="text/plain", headers=headers)


ROUTES = (game, state, events, returned, move, resign, step, run, stop, entitle, photograph, record)
