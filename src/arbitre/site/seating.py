"""Matches to be called: who sits down, what may be played, how often, and the links by which others join (spec: tournoyons, 7).

A match begins when no chair is free; what somebody wants is a `Wish`, whichever face he says it to.
"""

import asyncio
from dataclasses import replace
from secrets import randbelow
from typing import Literal

from arbitre.errors import ArenaError, UnknownError
from arbitre.games.catalogue import game as find_game
from arbitre.games.catalogue import listings
from arbitre.games.game import AnyGame, Seat
from arbitre.games.labels import label_of, title_of
from arbitre.games.levels import levels
from arbitre.games.wires import is_wired
from arbitre.reasons import Reason
from arbitre.records.nodes import NodeRole
from arbitre.referee.clock import Clock
from arbitre.site import dial
from arbitre.site.added import AddedGame
from arbitre.site.added_trial import model, referee, renewed
from arbitre.site.arena.matches import ArenaMatch, unknown
from arbitre.site.arena.plan import GUEST, UNREGISTERED, EngineSeat, HouseSeat, MatchPlan, PersonSeat, RefereeSeat, Sitter
from arbitre.site.arena.showcase import is_shown
from arbitre.site.caller import Caller
from arbitre.site.engines import Engine as RegisteredEngine
from arbitre.site.forms import check_url
from arbitre.site.games import check_playable
from arbitre.site.invitations import Invitation, Offered
from arbitre.site.matches import find, resign
from arbitre.site.practice import above, earlier
from arbitre.site.site import Site
from arbitre.tournoyons.wire import MOST_SECONDS
from arbitre.values import value

WATCH_PACE = 1.0
"""Seconds between two moves where somebody watches players who are not people."""
MOST_TURNS = 10_000
"""Turns of a game in which nobody sits who could grow tired of it: some games have no end of their own."""
DAY_SECONDS = 86_400.0
SHOW_PACE = 1.6
"""Seconds between two moves of theirs."""


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
    drawn: bool = False
    """Whether lots decide who sits where."""
    tried: bool = False
    """Whether a program is tried from the workshop: counted apart, and in nobody's list."""


async def begin(site: Site, caller: Caller, wish: Wish, name: str = "") -> ArenaMatch:
    """Call a match, under a name of its own or a given one; it begins when no chair is free."""
    if wish.drawn and randbelow(2):
        wish = replace(wish, seats=wish.seats[::-1])
    plan = await _plan(site, caller, wish)
    site.count("try" if wish.tried else "begin", caller.counted)
    hidden = wish.hidden or wish.tried or bool(plan.free) or (wish.added is not None and not wish.added.public)
    owner = None if wish.tried else caller.number
    return await site.arena.open(plan, owner=owner, title=wish.title, hidden=hidden, name=name)


def _count_beginning(site: Site, caller: Caller) -> None:
    """Count a game that somebody begins; `HasteError` where there were too many."""
    site.count("begin", caller.counted)


async def _plan(site: Site, caller: Caller, wish: Wish) -> MatchPlan:
    if wish.added is None:
        if not is_wired(wish.game.name):
            raise ArenaError("%(name)s has no interface, so nobody can play it here", name=wish.game.name)
        check_playable(wish.game)
    elif wish.added.retired is not None:
        raise UnknownError("%(name)s is retired", name=wish.added.name)
    players = [await _sitter(site, caller, wish.game, one, wish.added) for one in wish.seats]
    judge = () if wish.added is None else (referee(wish.added),)
    alone = not any(isinstance(one, PersonSeat) for one in players)
    pace = WATCH_PACE if wish.watched and alone and not wish.clock.runs and not wish.stepped else 0.0
    turns = MOST_TURNS if alone else None
    return MatchPlan(
        wish.game, (*players, *judge), wish.start, wish.clock, wish.limit, pace, wish.stepped, turns=turns, starter=caller.who
    )


async def _sitter(site: Site, caller: Caller, game: AnyGame, chosen: Chosen, added: AddedGame | None) -> Sitter:
    match chosen.kind:
        case "me":
            return caller.person
        case "friend":
            return PersonSeat()
        case "engine":
            return await _engine(site, caller, game, chosen.number or 0)
        case "house" if added is None:
            return _house(game, chosen.number)
        case "model" if added is not None:
            return model(added)
        case "address" if added is not None:
            if caller.account is None:
                raise ArenaError("only members let an engine play by its address")
            return EngineSeat(0, f"{UNREGISTERED}{caller.account.neutral}", check_url(chosen.url))
    raise ArenaError("nobody sits down as %(kind)r", kind=chosen.kind)


def _house(game: AnyGame, level: int | None) -> HouseSeat:
    count = len(levels(game.name))
    level = (count + 1) // 2 if level is None else level
    if not 1 <= level <= count:
        raise ArenaError(
            "the house plays %(name)s at levels 1 to %(count)s, not %(level)s", name=game.name, count=count, level=level
        )
    return HouseSeat(level)


async def _engine(site: Site, caller: Caller, game: AnyGame, number: int) -> EngineSeat:
    found = await asyncio.to_thread(site.community.engines.get, number, caller.account)
    if found.game != label_of(game):
        raise ArenaError(
            "%(name)s plays %(game)s, not %(game2)s", name=found.name, game=title_of(found.game), game2=title_of(label_of(game))
        )
    if dial.present(site, found) is False:
        raise ArenaError("%(name)s dials in, and is not there now", name=found.name)
    return EngineSeat(found.id, found.neutral, found.url, found.style, found.opponent)


def engines_for(site: Site, caller: Caller, label: str) -> tuple[RegisteredEngine, ...]:
    """Return the engines of a game that somebody may choose, the own ones first."""
    found = site.community.engines.all(game=label)
    mine = () if caller.account is None else site.community.engines.of(caller.account)
    own = tuple(one for one in mine if one.game == label)
    return (*own, *(one for one in found if one not in own))


async def again(site: Site, caller: Caller, name: str) -> ArenaMatch:
    """Begin a game like a former one, with the seats changed."""
    former = find(site, caller, name)
    before = former.plan
    if before.event or any(isinstance(one, PersonSeat) and one.who != caller.who for one in before.sitters):
        raise ArenaError("a game with another person begins with an invitation")
    # an engine is looked for again: it may have moved, or be nobody else's business any more
    sitters = [
        await _engine(site, caller, before.game, one.number)
        if isinstance(one, EngineSeat) and one.number
        else replace(one, signs=caller.signs)
        if isinstance(one, PersonSeat)
        else one
        for one in before.turned
    ]
    judge = before.sitters[-1]
    if isinstance(judge, RefereeSeat):
        sitters = renewed(await asyncio.to_thread(site.community.added.get, judge.number, caller.account), sitters)
    _count_beginning(site, caller)
    plan = replace(before, sitters=tuple(sitters), starter=caller.who)
    return await site.arena.open(plan, owner=caller.number, hidden=former.hidden)


async def climb(site: Site, caller: Caller, name: str) -> ArenaMatch:
    """Begin a practice against the next better player of the house, for who has beaten this one; from the usual start."""
    former = find(site, caller, name)
    better = above(site, caller, former)
    if better is None:
        raise ArenaError("the next player of the house is for whoever has beaten the one before")
    _count_beginning(site, caller)
    sitters = tuple(
        better if isinstance(one, HouseSeat) else replace(one, signs=caller.signs) if isinstance(one, PersonSeat) else one
        for one in former.plan.sitters
    )
    plan = replace(former.plan, sitters=sitters, start="", starter=caller.who)
    return await site.arena.open(plan, owner=caller.number, hidden=former.hidden)


async def take_back(site: Site, caller: Caller, name: str) -> ArenaMatch:
    """Begin a practice anew from before the caller's last move; the one that went on is given up, and keeps its record."""
    former = find(site, caller, name)
    start = earlier(site, caller, former)
    _count_beginning(site, caller)
    made = await site.arena.open(replace(former.plan, start=start, starter=caller.who), owner=caller.number, hidden=former.hidden)
    await resign(site, caller, name)
    return made


def end_left(site: Site) -> None:
    """End the games that guests have left: nobody who has an account sits there, and nothing was said for a day."""
    for live in site.arena.playing():
        people = [one for one in live.sitting.plan.sitters if isinstance(one, PersonSeat)]
        guests = bool(people) and all(one.name in ("", GUEST) for one in people)
        if guests and live.silent > DAY_SECONDS and not live.sitting.plan.event:
            site.arena.stop(live.name, Reason("left-by-guests"))


async def show_case(site: Site) -> ArenaMatch | None:
    """Let players of the house play, as many games as the operator wants a visitor to find; return one that goes on.

    Of several nodes one sees to that; the others tell it that somebody is there.
    """
    end_left(site)
    shown = [one.name for one in listings() if one.shown]
    wanted = site.settings.house_games if shown else 0
    if NodeRole.SHOWCASE not in site.roles:
        if wanted:
            site.arena.mirrors.say("show")
        return None
    while sum(is_shown(one.sitting) for one in site.arena.playing()) < wanted and not site.arena.full:
        name = shown[site.arena.count % len(shown)]
        middle = (len(levels(name)) + 1) // 2
        await site.arena.open(MatchPlan(find_game(name), (HouseSeat(middle), HouseSeat(max(1, middle - 1))), pace=SHOW_PACE))
    return next((one.sitting for one in site.arena.playing() if is_shown(one.sitting)), None)


# ── invitations ────────────────────────────────────────────────────────────────────────────────────────────────────


async def invite(site: Site, caller: Caller, name: str) -> Offered:
    """Offer the free chair of a game by a link; a link that was given before is good no more."""
    sitting = _own(site, caller, name)
    if not sitting.plan.free:
        raise ArenaError("no chair is free")
    return await asyncio.to_thread(site.community.invitations.offer, name, sitting.plan.free[0], caller.account)


def _own(site: Site, caller: Caller, name: str) -> ArenaMatch:
    """Return a match that somebody sits at or is the owner of: he offers its free chairs, and takes it back."""
    sitting = find(site, caller, name)
    if not caller.seats(sitting.plan) and (caller.number is None or sitting.owner != caller.number):
        raise unknown(name)
    return sitting


async def invited(site: Site, code: str) -> tuple[Invitation, ArenaMatch]:
    """Return what somebody is invited to; to look changes nothing."""
    invitation = await asyncio.to_thread(site.community.invitations.look, code)
    return invitation, site.arena.sitting(invitation.match)


async def join(site: Site, caller: Caller, code: str) -> ArenaMatch:
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
