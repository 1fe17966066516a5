"""Matches that anybody called: who finds, sees, plays, steers them and takes what away (spec: tournoyons, 7 and 9).

Whoever called a match steers it; whoever sits there plays; what others see opens when it is over. One that waits for a player is
there for those alone who called it or sit at it.
"""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import suppress
from itertools import islice
from time import monotonic
from typing import Any

from arbitre.errors import ArenaError, ForbiddenError, OpenSetError, RecordError, UnfinishedError, UnknownError
from arbitre.games.game import Eye, Seat
from arbitre.games.labels import label_of, title_of
from arbitre.games.notation import notation_of
from arbitre.games.player import MOST_LISTED, Position
from arbitre.reasons import Reason
from arbitre.records.record import Record
from arbitre.referee.scenes import Scene
from arbitre.referee.story import check_form, export
from arbitre.referee.terms import Opening
from arbitre.site.arena.arena import NAME_LENGTH
from arbitre.site.arena.live import Live
from arbitre.site.arena.matches import ArenaMatch, unknown
from arbitre.site.arena.plan import EngineSeat, MatchPlan, PersonSeat, RefereeSeat, State
from arbitre.site.arena.traces import added_at, engine_at
from arbitre.site.caller import Caller
from arbitre.site.photos import Photo
from arbitre.site.site import Site

MOST_KNOWN = 20
"""People, and engines, whose names a search means."""
BEAT_SECONDS = 15.0
"""How often a quiet stream says that it is still there."""
DIGITS = frozenset("0123456789abcdef")


# ── finding and seeing ─────────────────────────────────────────────────────────────────────────────────────────────


def find(site: Site, caller: Caller, name: str) -> ArenaMatch:
    """Return a match; `UnknownRecordError` where there is none, or one that waits and is no affair of the caller's."""
    if len(name) != NAME_LENGTH or not DIGITS.issuperset(name):
        raise unknown(name)
    sitting = site.arena.sitting(name)
    if sitting.state == "waiting" and not owns(caller, sitting) and not caller.seats(sitting.plan):
        raise unknown(name)
    return sitting


async def search(
    site: Site,
    *,
    state: State | None = None,
    owner: int | None = None,
    words: str = "",
    game: str = "",
    after: int = 0,
    most: int,
) -> tuple[ArenaMatch, ...]:
    """Return matches that anybody may find, or those of an owner, the newest first; words are part of a title or a name."""
    known = await asyncio.to_thread(_known_as, site, words)
    return site.arena.sittings.search(state=state, owner=owner, words=words, known=known, game=game, after=after, most=most)


def _known_as(site: Site, words: str) -> tuple[str, ...]:
    """Return how records call those whose names on pages have these words in them."""
    if not words.strip():
        return ()
    people = site.community.accounts.all(search=words, most=MOST_KNOWN)
    return (*(one.neutral for one in people), *site.community.engines.called(words, MOST_KNOWN))


def going(site: Site, caller: Caller) -> tuple[tuple[ArenaMatch, ...], tuple[ArenaMatch, ...]]:
    """Return the matches being played at which somebody sits, and those that he may watch, the newest first."""
    playing = site.arena.playing()
    own = tuple(one.sitting for one in playing if caller.seats(one.sitting.plan))
    if site.membership is not None and caller.names:  # other nodes play too
        own = tuple(one for one in site.arena.sittings.seated(caller.names) if caller.seats(one.plan))
    return own, tuple(one.sitting for one in playing if one.going and (not one.sitting.hidden or one.sitting in own))


async def watchable(site: Site) -> list[Live]:
    """Return the matches that go on and that anybody may watch, here and at other nodes, the newest first."""
    found = [one for one in site.arena.playing() if one.going and not one.sitting.hidden]
    names = () if site.membership is None else site.membership.elsewhere
    mirrors = [await site.arena.mirrors.open(name) for name in names if site.arena.look(name) is None]
    found += [one for one in mirrors if one is not None]
    return sorted(found, key=lambda one: -one.sitting.number)


async def watched(site: Site, sitting: ArenaMatch) -> Live | None:
    """Return a match as it is played, here or at another node; None where it is not being played."""
    live = site.arena.seen(sitting.name)
    if live is None and site.membership is not None and sitting.state == "playing":
        live = await site.arena.mirrors.open(sitting.name)
    return live


def opening(site: Site, sitting: ArenaMatch) -> Opening | None:
    """Return the opening of a match that is being played, here or at another node."""
    live = site.arena.seen(sitting.name)
    if live is not None or site.membership is None or sitting.state != "playing":
        return None if live is None else live.match.opening
    return site.arena.opening(sitting.name)


def owns(caller: Caller, sitting: ArenaMatch) -> bool:
    """Tell whether somebody may steer a match: its owner, whoever called it, or whoever sits there where it has no owner."""
    if caller.number is not None and sitting.owner == caller.number:
        return True
    return caller.is_known_as(sitting.plan.starter) or (sitting.owner is None and bool(caller.seats(sitting.plan)))


def own_eye(caller: Caller, sitting: ArenaMatch) -> Eye:
    """Return through whose eyes somebody looks: those of the own seat, or a spectator's."""
    return min(caller.seats(sitting.plan), default="spectator")


def may_see(caller: Caller, sitting: ArenaMatch, eye: Eye | None) -> Eye:
    """Return the eye that somebody asks to look through (None: the own one), if it may: others open when the game is over."""
    check_begun(sitting)
    own = own_eye(caller, sitting)
    if eye is None or eye in (own, "spectator") or sitting.state == "over":
        return own if eye is None else eye
    raise ForbiddenError("what others see stays closed until the match is over")


def check_begun(sitting: ArenaMatch) -> None:
    """Refuse what cannot be done before a match has begun."""
    if sitting.state == "waiting":
        raise ArenaError("the match has not begun: a chair is free")


def people(plan: MatchPlan) -> frozenset[Seat]:
    """Return the seats of people."""
    return frozenset(Seat(seat) for seat, one in enumerate(plan.sitters) if isinstance(one, PersonSeat))


def interface(site: Site, caller: Caller, sitting: ArenaMatch, number: int) -> tuple[str, bool]:
    """Return the page that shows a match, and whether it keeps its origin: a chosen interface, or an added game's model.

    It is empty where our own interface shows it; `about:blank` where the model is gone with its owner.
    """
    game = sitting.plan.game
    if number:
        found = site.community.interfaces.get(number, caller.account)
        if found.game != label_of(game):
            raise UnknownError("interface %(number)s is for %(game)s", number=number, game=title_of(found.game))
        return found.url, found.own_origin
    judge = sitting.plan.sitters[-1]
    if not isinstance(judge, RefereeSeat):
        return "", False
    with suppress(UnknownError):
        return site.community.added.find(judge.number).interface or "about:blank", False
    return "about:blank", False


async def follow(site: Site, name: str, eye: Eye, after: int) -> AsyncIterator[Scene | None]:
    """Return the scenes of a game as they come, and None whenever anything happened or some time passed, until it is over."""
    live = site.arena.seen(name)
    if live is None:
        async for scene in site.arena.watch(name, eye, after):
            yield scene
        return
    live.watchers += 1
    try:
        while not site.closing.is_set():
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


def return_address(site: Site, live: Live, eye: Eye, scene: Scene) -> str:
    """Return where an interface sends the move that a person is asked for in a scene; empty where none is."""
    if not isinstance(eye, int) or scene.asks is None or eye not in people(live.sitting.plan):
        return ""
    return f"{site.settings.public}/return/{site.arena.return_path(live.name, live.ticket(eye, scene.asks))}"


# ── playing and steering ───────────────────────────────────────────────────────────────────────────────────────────


def seat_of(caller: Caller, sitting: ArenaMatch) -> Seat:
    """Return where somebody plays."""
    seats = caller.seats(sitting.plan)
    if not seats:
        raise ForbiddenError("you do not sit at this table")
    return min(seats)


def asked(site: Site, caller: Caller, name: str) -> tuple[Seat, str, Position] | None:
    """Return what somebody is asked now: on which seat, with which ticket, in which position; None: nothing."""
    sitting = find(site, caller, name)
    for seat in sorted(caller.seats(sitting.plan)) if sitting.state == "playing" else ():
        person = site.arena.live(name).people.get(seat)
        if person is not None and person.position is not None:
            return seat, person.ticket, person.position
    return None


async def asked_soon(site: Site, caller: Caller, name: str, seconds: float) -> tuple[Seat, str, Position] | None:
    """Return what somebody is asked, who waits for so many seconds until he is, or until the match is over."""
    until = monotonic() + seconds
    while not site.closing.is_set():
        live = site.arena.look(name)
        wakes = 0 if live is None else live.wakes
        found, left = asked(site, caller, name), until - monotonic()
        if found is not None or left <= 0 or live is None or live.over:
            return found
        if wakes == live.wakes:
            await _first(live.changed(left), site.closing.wait())  # a question that opens wakes those who watch
    return None


async def _first(*waits: Coroutine[Any, Any, object]) -> None:
    """Return when the first of them is done; the others are called off."""
    tasks = [asyncio.ensure_future(one) for one in waits]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in tasks:
            one.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def listed(position: Position) -> list[str] | None:
    """Return the moves that may be said, None where they are too many to list."""
    try:
        found = list(islice(position.game.legal(position.view), MOST_LISTED + 1))
    except OpenSetError:
        return None
    return [position.notation.write(move) for move in found] if len(found) <= MOST_LISTED else None


async def move(site: Site, caller: Caller, name: str, text: str, ticket: str = "", note: str = "") -> tuple[Live, Seat]:
    """Say a move, and perhaps a note on it that stays sealed until the end. Return where the ruling can be read.

    Without a ticket it answers the question that is open now.
    """
    seat = seat_of(caller, find(site, caller, name))
    live = site.arena.live(name)
    person = live.people.get(seat)
    if person is None:
        raise ArenaError("no person sits on this chair")
    await site.arena.answer(name, seat, ticket or person.ticket, text, note)
    return live, seat


async def resign(site: Site, caller: Caller, name: str) -> ArenaMatch:
    """Give up; a match that is over stays as it is."""
    sitting = find(site, caller, name)
    seat = seat_of(caller, sitting)
    if sitting.state == "playing":
        site.arena.resign(name, seat)
        await site.arena.decided(name)
    return site.arena.sitting(name)


async def draw(site: Site, caller: Caller, name: str) -> ArenaMatch:
    """Offer a draw, or take the one that is offered; a match that is over stays as it is."""
    sitting = find(site, caller, name)
    seat = seat_of(caller, sitting)
    if sitting.state == "playing":
        settles = offered(site, name, seat)
        await site.arena.offer(name, seat)
        if settles:
            await site.arena.decided(name)
    return site.arena.sitting(name)


def offered(site: Site, name: str, seat: Seat) -> bool:
    """Tell whether somebody else at the table offers a draw."""
    table = site.arena.live(name).table
    return table is not None and bool(table.affairs.offers - {seat})


def step(site: Site, caller: Caller, name: str, *, run: bool = False) -> ArenaMatch:
    """Let one move of a match that waits for steps through, or all from now on."""
    sitting = _steered(site, caller, name)
    gate = site.arena.live(name).gate
    gate.run() if run else gate.step()
    return sitting


async def stop(site: Site, caller: Caller, name: str) -> ArenaMatch:
    """End a game between players who are not people; it is nobody's result."""
    sitting = _steered(site, caller, name)
    if people(sitting.plan) or sitting.plan.event:
        raise ArenaError("a match between people, or of a competition, is not stopped: whoever has enough gives up")
    if sitting.state == "playing":
        site.arena.stop(name, Reason("stopped-by-starter"))
        await site.arena.decided(name)
    return site.arena.sitting(name)


def _steered(site: Site, caller: Caller, name: str) -> ArenaMatch:
    sitting = find(site, caller, name)
    if not owns(caller, sitting) and not caller.operates:
        raise ForbiddenError("only whoever called this match may do that")
    return sitting


async def entitle(site: Site, caller: Caller, name: str, title: str) -> ArenaMatch:
    """Keep a game under a title: for its owner, or whoever sits there where it has none."""
    sitting = find(site, caller, name)
    if caller.account is None:
        raise ForbiddenError("log in to keep games under a title")
    if sitting.owner != caller.number and not (sitting.owner is None and caller.seats(sitting.plan)):
        raise ForbiddenError("only whoever called this match may do that")
    await site.arena.entitle(name, title.strip(), caller.number)
    return site.arena.sitting(name)


# ── what one takes away ────────────────────────────────────────────────────────────────────────────────────────────


def position(site: Site, sitting: ArenaMatch, moment: int | None) -> str:
    """Return the position of a game after so many moments, or as it stands, if everybody may know it."""
    check_begun(sitting)
    if sitting.plan.game.hides and sitting.state != "over":
        raise ArenaError("a position with secrets is photographed when the game is over")
    told = site.arena.told(sitting.name)
    moments = told.moments[:moment]
    truth = moments[-1].affairs.truth if moments else told.start.truth
    return notation_of(sitting.plan.game).write_state(truth)


async def photograph(site: Site, caller: Caller, sitting: ArenaMatch, title: str, moment: int | None) -> Photo:
    """Keep a position of a game under a title; those of an added game are not kept."""
    if caller.account is None:
        raise ForbiddenError("log in to keep games under a title")
    if sitting.plan.game.neutral:
        raise ArenaError("a position of an added game is not kept: send it as the start of a new match")
    state = position(site, sitting, moment)
    return await asyncio.to_thread(site.community.photos.take, caller.account, title.strip(), sitting.plan.game, state)


def record(site: Site, sitting: ArenaMatch) -> Record:
    """Return the record of a game that is over."""
    if sitting.state == "decided":
        raise UnfinishedError("the match is decided; its record is sealed, and opens, when the event is over")
    if sitting.state != "over":
        raise UnfinishedError("the record opens when the match is over")
    return site.arena.record(sitting.name)


async def exported(site: Site, sitting: ArenaMatch, form: str) -> str:
    """Return the record of a game that is over in one of the forms that its game has."""
    found = record(site, sitting)
    try:
        check_form(form, sitting.plan.game.name)
    except RecordError as error:
        raise ArenaError(error.reason) from None
    return await asyncio.to_thread(export, found, form)


# ── traces ─────────────────────────────────────────────────────────────────────────────────────────────────────────


async def trace(site: Site, caller: Caller, name: str, seat: int) -> tuple[ArenaMatch, EngineSeat | RefereeSeat]:
    """Return the match and the engine whose trace somebody may see; who may not learns nothing about it."""
    sitting = find(site, caller, name)
    engine = engine_at(sitting, seat)
    if seat not in await asyncio.to_thread(traces, site, caller, sitting):
        raise ForbiddenError("only the owner of an engine sees what was exchanged with it")
    if sitting.plan.game.hides and sitting.state != "over" and caller.seats(sitting.plan):
        raise ForbiddenError("you sit at this table, and the game has secrets: the trace opens when it is over")
    return sitting, engine


def traces(site: Site, caller: Caller, sitting: ArenaMatch) -> list[int]:
    """Return the seats whose engine, or whose added game's referee, is somebody's own: its exchanges are there to be read."""
    seated = [seat for seat, one in enumerate(sitting.plan.sitters) if isinstance(one, EngineSeat | RefereeSeat)]
    if caller.account is None or not seated or caller.operates:
        return seated if caller.operates else []
    engines = {one.id for one in site.community.engines.of(caller.account, retired=True)}
    added = {one.id for one in site.community.added.of(caller.account, retired=True)}

    def mine(seat: int) -> bool:
        judge = added_at(sitting, seat)
        return engine_at(sitting, seat).number in engines if judge is None else judge.number in added

    return [seat for seat in seated if mine(seat)]
