"""Matches that anybody calls: who sits down, begins, sees, steers, joins and takes away what (spec: tournoyons, 7 and 9).

Whoever called a match steers it; whoever sits there plays; what others see opens when it is over. One that waits for a player is
there for those alone who called it or sit at it.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import islice
from typing import Literal

from arbitre.errors import ArenaError, ForbiddenError, OpenSetError, UnfinishedError, UnknownError
from arbitre.games.added.rules import Added
from arbitre.games.catalogue import game as find_game
from arbitre.games.game import AnyGame, Eye, Seat
from arbitre.games.labels import label_of, title_of
from arbitre.games.levels import levels
from arbitre.games.notation import notation_of
from arbitre.games.player import MOST_LISTED, Position
from arbitre.games.screens import SCREENS
from arbitre.records.record import Record
from arbitre.referee.clock import Clock
from arbitre.referee.scenes import Scene
from arbitre.referee.story import FORMS, export
from arbitre.site.added import AddedGame
from arbitre.site.added_trial import model, referee, renewed
from arbitre.site.arena.arena import NAME_LENGTH
from arbitre.site.arena.live import Live
from arbitre.site.arena.matches import Sitting, unknown
from arbitre.site.arena.plan import Engine, House, Person, Plan, Referee, Sitter, State
from arbitre.site.arena.showcase import is_shown
from arbitre.site.arena.traces import added_at, engine_at
from arbitre.site.caller import Caller
from arbitre.site.engines import Engine as RegisteredEngine
from arbitre.site.forms import check_url
from arbitre.site.games import check_playable
from arbitre.site.invitations import Invitation, Offered
from arbitre.site.photos import Photo
from arbitre.site.site import Site
from arbitre.tournoyons.wire import MOST_SECONDS
from arbitre.values import value

WATCH_PACE = 1.0
"""Seconds between two moves where somebody watches players who are not people."""
MOST_TURNS = 10_000
"""Turns of a game in which nobody sits who could grow tired of it: some games have no end of their own."""
MOST_KNOWN = 20
"""People, and engines, whose names a search means."""
BEAT_SECONDS = 15.0
"""How often a quiet stream says that it is still there."""
SHOWN = ("reversi", "draughts", "pente", "bigtictactoe")
"""Games that two of the house play for a visitor who comes when nothing goes on, one after the other."""
SHOW_PACE = 1.6
"""Seconds between two moves of theirs."""
DIGITS = frozenset("0123456789abcdef")


# ── finding and seeing ─────────────────────────────────────────────────────────────────────────────────────────────


def find(site: Site, caller: Caller, name: str) -> Sitting:
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
) -> tuple[Sitting, ...]:
    """Return matches that anybody may find, or those of an owner, the newest first; words are part of a title or a name."""
    known = await asyncio.to_thread(_known_as, site, words)
    return site.arena.sittings.search(state=state, owner=owner, words=words, known=known, game=game, after=after, most=most)


def _known_as(site: Site, words: str) -> tuple[str, ...]:
    """Return how records call those whose names on pages have these words in them."""
    if not words.strip():
        return ()
    people = site.community.accounts.all(search=words, most=MOST_KNOWN)
    return (*(one.neutral for one in people), *site.community.engines.called(words, MOST_KNOWN))


def owns(caller: Caller, sitting: Sitting) -> bool:
    """Tell whether somebody may steer a match: its owner, whoever called it, or whoever sits there where it has no owner."""
    if caller.number is not None and sitting.owner == caller.number:
        return True
    return caller.is_known_as(sitting.plan.starter) or (sitting.owner is None and bool(caller.seats(sitting.plan)))


def own_eye(caller: Caller, sitting: Sitting) -> Eye:
    """Return through whose eyes somebody looks: those of the own seat, or a spectator's."""
    return min(caller.seats(sitting.plan), default="spectator")


def may_see(caller: Caller, sitting: Sitting, eye: Eye | None) -> Eye:
    """Return the eye that somebody asks to look through (None: the own one), if it may: others open when the game is over."""
    check_begun(sitting)
    own = own_eye(caller, sitting)
    if eye is None or eye in (own, "spectator") or sitting.state == "over":
        return own if eye is None else eye
    raise ForbiddenError("what others see stays closed until the match is over")


def check_begun(sitting: Sitting) -> None:
    """Refuse what cannot be done before a match has begun."""
    if sitting.state == "waiting":
        raise ArenaError("the match has not begun: a chair is free")


def people(plan: Plan) -> frozenset[Seat]:
    """Return the seats of people."""
    return frozenset(Seat(seat) for seat, one in enumerate(plan.sitters) if isinstance(one, Person))


async def follow(site: Site, name: str, eye: Eye, after: int) -> AsyncIterator[Scene | None]:
    """Return the scenes of a game as they come, and None whenever anything happened or some time passed, until it is over."""
    live = site.arena.look(name)
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


# ── beginning ──────────────────────────────────────────────────────────────────────────────────────────────────────


@value
class Chosen:
    """Who is to sit down: a player of the house at a level, a registered engine by its number, me, whoever gets the link.

    In an added game also its model engine, or an engine at an address; the house does not play it.
    """

    kind: Literal["me", "friend", "house", "engine", "model", "address"]
    number: int | None = None
    url: str = ""


@value
class Wish:
    """A match that somebody wants to be played."""

    game: AnyGame
    seats: tuple[Chosen, ...]
    start: str = ""
    clock: Clock = Clock()
    limit: int = MOST_SECONDS
    stepped: bool = False
    hidden: bool = False
    title: str = ""
    watched: bool = False
    """Whether players who are not people take their time, since somebody looks on."""
    added: AddedGame | None = None
    """The game of `game`, where somebody added it."""


async def begin(site: Site, caller: Caller, wish: Wish, name: str = "") -> Sitting:
    """Call a match, under a name of its own or a given one; it begins when no chair is free."""
    plan = await _plan(site, caller, wish)
    count_beginning(site, caller)
    hidden = wish.hidden or bool(plan.free) or (wish.added is not None and not wish.added.public)
    return await site.arena.open(plan, owner=caller.number, title=wish.title, hidden=hidden, name=name)


def count_beginning(site: Site, caller: Caller) -> None:
    """Count a game that somebody begins; `HasteError` where there were too many."""
    site.count("begin", caller.counted)


async def _plan(site: Site, caller: Caller, wish: Wish) -> Plan:
    if wish.added is None:
        if wish.game.name not in SCREENS:
            raise ArenaError(f"{wish.game.name} has no interface, so nobody can play it here")
        check_playable(wish.game)
    elif wish.added.retired is not None:
        raise UnknownError(f"{wish.added.name} is retired")
    players = [await _sitter(site, caller, wish.game, one, wish.added) for one in wish.seats]
    judge = () if wish.added is None else (referee(wish.added),)
    alone = not any(isinstance(one, Person) for one in players)
    pace = WATCH_PACE if wish.watched and alone and not wish.clock.runs and not wish.stepped else 0.0
    turns = MOST_TURNS if alone else None
    return Plan(
        wish.game,
        (*players, *judge),
        wish.start,
        wish.clock,
        wish.limit,
        pace,
        wish.stepped,
        turns=turns,
        starter=caller.who,
    )


async def _sitter(site: Site, caller: Caller, game: AnyGame, chosen: Chosen, added: AddedGame | None) -> Sitter:
    match chosen.kind:
        case "me":
            return caller.person
        case "friend":
            return Person()
        case "engine":
            return await _engine(site, caller, game, chosen.number or 0)
        case "house" if added is None:
            return _house(game, chosen.number)
        case "model" if added is not None:
            return model(added)
        case "address" if added is not None:
            if caller.account is None:
                raise ArenaError("only members let an engine play by its address")
            return Engine(0, f"engine of {caller.account.neutral}", check_url(chosen.url))
    raise ArenaError(f"nobody sits down as {chosen.kind!r}")


def _house(game: AnyGame, level: int | None) -> House:
    count = len(levels(game.name))
    level = (count + 1) // 2 if level is None else level
    if not 1 <= level <= count:
        raise ArenaError(f"the house plays {game.name} at levels 1 to {count}, not {level}")
    return House(level)


async def _engine(site: Site, caller: Caller, game: AnyGame, number: int) -> Engine:
    found = await asyncio.to_thread(site.community.engines.get, number, caller.account)
    if found.game != label_of(game):
        raise ArenaError(f"{found.name} plays {title_of(found.game)}, not {title_of(label_of(game))}")
    return Engine(found.id, found.neutral, found.url, found.style, found.opponent)


def engines_for(site: Site, caller: Caller, label: str) -> tuple[RegisteredEngine, ...]:
    """Return the engines of a game that somebody may choose, the own ones first."""
    found = site.community.engines.all(game=label)
    mine = () if caller.account is None else site.community.engines.of(caller.account)
    own = tuple(one for one in mine if one.game == label)
    return (*own, *(one for one in found if one not in own))


async def again(site: Site, caller: Caller, name: str) -> Sitting:
    """Begin a game like a former one, with the seats changed."""
    former = find(site, caller, name)
    before = former.plan
    if before.event or any(isinstance(one, Person) and one.who != caller.who for one in before.sitters):
        raise ArenaError("a game with another person begins with an invitation")
    # an engine is looked for again: it may have moved, or be nobody else's business any more
    sitters = [
        await _engine(site, caller, before.game, one.number) if isinstance(one, Engine) and one.number else one
        for one in before.turned
    ]
    judge = before.sitters[-1]
    if isinstance(judge, Referee):
        sitters = renewed(await asyncio.to_thread(site.community.added.get, judge.number, caller.account), sitters)
    count_beginning(site, caller)
    plan = replace(before, sitters=tuple(sitters), starter=caller.who)
    return await site.arena.open(plan, owner=caller.number, hidden=former.hidden)


async def show_case(site: Site) -> Sitting | None:
    """Let players of the house play, as many games as the operator wants a visitor to find; return one that goes on."""
    while sum(is_shown(one.sitting) for one in site.arena.playing()) < site.settings.house_games and not site.arena.full:
        name = SHOWN[site.arena.count % len(SHOWN)]
        middle = (len(levels(name)) + 1) // 2
        await site.arena.open(Plan(find_game(name), (House(middle), House(max(1, middle - 1))), pace=SHOW_PACE))
    return next((one.sitting for one in site.arena.playing() if is_shown(one.sitting)), None)


# ── invitations ────────────────────────────────────────────────────────────────────────────────────────────────────


async def invite(site: Site, caller: Caller, name: str) -> Offered:
    """Offer the free chair of a game by a link; a link that was given before is good no more."""
    sitting = _own(site, caller, name)
    if not sitting.plan.free:
        raise ArenaError("no chair is free")
    return await asyncio.to_thread(site.community.invitations.offer, name, sitting.plan.free[0], caller.account)


def _own(site: Site, caller: Caller, name: str) -> Sitting:
    """Return a match that somebody sits at or is the owner of: he offers its free chairs, and takes it back."""
    sitting = find(site, caller, name)
    if not caller.seats(sitting.plan) and (caller.number is None or sitting.owner != caller.number):
        raise unknown(name)
    return sitting


async def invited(site: Site, code: str) -> tuple[Invitation, Sitting]:
    """Return what somebody is invited to; to look changes nothing."""
    invitation = await asyncio.to_thread(site.community.invitations.look, code)
    return invitation, site.arena.sitting(invitation.match)


async def join(site: Site, caller: Caller, code: str) -> Sitting:
    """Take the chair that a link offers."""
    invitation, sitting = await invited(site, code)
    if caller.seats(sitting.plan):
        raise ArenaError("you sit at this table already; the link is for the other player")
    site.arena.check_room()  # before the link is used up
    await asyncio.to_thread(site.community.invitations.accept, code, caller.account)
    return await site.arena.sit(sitting.name, Seat(invitation.seat), caller.person)


async def cancel(site: Site, caller: Caller, name: str) -> None:
    """Take back a game that has not begun."""
    await site.arena.cancel(_own(site, caller, name).name)


# ── playing and steering ───────────────────────────────────────────────────────────────────────────────────────────


def seat_of(caller: Caller, sitting: Sitting) -> Seat:
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


def listed(position: Position) -> list[str] | None:
    """Return the moves that may be said, None where they are too many to list."""
    try:
        found = list(islice(position.game.legal(position.view), MOST_LISTED + 1))
    except OpenSetError:
        return None
    return [position.notation.write(move) for move in found] if len(found) <= MOST_LISTED else None


async def move(site: Site, caller: Caller, name: str, text: str, ticket: str = "") -> tuple[Live, Seat]:
    """Say a move; without a ticket it answers the question that is open now. Return where the ruling can be read."""
    seat = seat_of(caller, find(site, caller, name))
    live = site.arena.live(name)
    person = live.people.get(seat)
    if person is None:
        raise ArenaError("no person sits on this chair")
    await site.arena.answer(name, seat, ticket or person.ticket, text)
    return live, seat


async def resign(site: Site, caller: Caller, name: str) -> Sitting:
    """Give up; a match that is over stays as it is."""
    sitting = find(site, caller, name)
    seat = seat_of(caller, sitting)
    if sitting.state == "playing":
        site.arena.resign(name, seat)
        await site.arena.decided(name)
    return site.arena.sitting(name)


def step(site: Site, caller: Caller, name: str, *, run: bool = False) -> Sitting:
    """Let one move of a match that waits for steps through, or all from now on."""
    sitting = _steered(site, caller, name)
    gate = site.arena.live(name).gate
    gate.run() if run else gate.step()
    return sitting


async def stop(site: Site, caller: Caller, name: str) -> Sitting:
    """End a game between players who are not people; it is nobody's result."""
    sitting = _steered(site, caller, name)
    if people(sitting.plan) or sitting.plan.event:
        raise ArenaError("a match between people, or of a competition, is not stopped: whoever has enough gives up")
    if sitting.state == "playing":
        site.arena.stop(name, "whoever started it stopped it")
        await site.arena.decided(name)
    return site.arena.sitting(name)


def _steered(site: Site, caller: Caller, name: str) -> Sitting:
    sitting = find(site, caller, name)
    if not owns(caller, sitting) and not caller.operates:
        raise ForbiddenError("only whoever called this match may do that")
    return sitting


async def entitle(site: Site, caller: Caller, name: str, title: str) -> Sitting:
    """Keep a game under a title: for its owner, or whoever sits there where it has none."""
    sitting = find(site, caller, name)
    if caller.account is None:
        raise ForbiddenError("log in to keep games under a title")
    if sitting.owner != caller.number and not (sitting.owner is None and caller.seats(sitting.plan)):
        raise ForbiddenError("only whoever called this match may do that")
    await site.arena.entitle(name, title.strip(), caller.number)
    return site.arena.sitting(name)


# ── what one takes away ────────────────────────────────────────────────────────────────────────────────────────────


def position(site: Site, sitting: Sitting, moment: int | None) -> str:
    """Return the position of a game after so many moments, or as it stands, if everybody may know it."""
    check_begun(sitting)
    if sitting.plan.game.hides and sitting.state != "over":
        raise ArenaError("a position with secrets is photographed when the game is over")
    told = site.arena.told(sitting.name)
    moments = told.moments[:moment]
    truth = moments[-1].affairs.truth if moments else told.start.truth
    return notation_of(sitting.plan.game).write_state(truth)


async def photograph(site: Site, caller: Caller, sitting: Sitting, title: str, moment: int | None) -> Photo:
    """Keep a position of a game under a title; those of an added game are not kept."""
    if caller.account is None:
        raise ForbiddenError("log in to keep games under a title")
    if isinstance(sitting.plan.game, Added):
        raise ArenaError("a position of an added game is not kept: send it as the start of a new match")
    state = position(site, sitting, moment)
    return await asyncio.to_thread(site.community.photos.take, caller.account, title.strip(), sitting.plan.game, state)


def record(site: Site, sitting: Sitting) -> Record:
    """Return the record of a game that is over."""
    if sitting.state != "over":
        raise UnfinishedError("the record opens when the match is over")
    return site.arena.record(sitting.name)


async def exported(site: Site, sitting: Sitting, form: str) -> str:
    """Return the record of a game that is over in one of the forms that its game has."""
    found = record(site, sitting)
    if form not in forms_of(sitting.plan.game):
        raise ArenaError(f"{form} is for {FORMS[form][0]}, and this is {sitting.plan.game.name}")
    return await asyncio.to_thread(export, found, form)


def forms_of(game: AnyGame) -> list[str]:
    """Return the forms that records of a game have."""
    return [form for form, (only, _) in FORMS.items() if only in ("", game.name)]


# ── traces ─────────────────────────────────────────────────────────────────────────────────────────────────────────


async def trace(site: Site, caller: Caller, name: str, seat: int) -> tuple[Sitting, Engine | Referee]:
    """Return the match and the engine whose trace somebody may see; who may not learns nothing about it."""
    sitting = find(site, caller, name)
    engine = engine_at(sitting, seat)
    if seat not in await asyncio.to_thread(traces, site, caller, sitting):
        raise ForbiddenError("only the owner of an engine sees what was exchanged with it")
    if sitting.plan.game.hides and sitting.state != "over" and caller.seats(sitting.plan):
        raise ForbiddenError("you sit at this table, and the game has secrets: the trace opens when it is over")
    return sitting, engine


def traces(site: Site, caller: Caller, sitting: Sitting) -> list[int]:
    """Return the seats whose engine, or whose added game's referee, is somebody's own: its exchanges are there to be read."""
    seated = [seat for seat, one in enumerate(sitting.plan.sitters) if isinstance(one, Engine | Referee)]
    if caller.account is None or not seated or caller.operates:
        return seated if caller.operates else []
    engines = {one.id for one in site.community.engines.of(caller.account, retired=True)}
    added = {one.id for one in site.community.added.of(caller.account, retired=True)}

    def mine(seat: int) -> bool:
        judge = added_at(sitting, seat)
        return engine_at(sitting, seat).number in engines if judge is None else judge.number in added

    return [seat for seat in seated if mine(seat)]
