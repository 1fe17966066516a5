"""The workshop: programs that people write in their browser, tried against the house (spec: workshop, section 2).

A try is a practice like any other: whoever tries sits at the table, the program answers in his place from his own tab, and the
referee judges it. Nothing counts. So a guest tries as well as anybody, and the site never runs what people write.
"""

import asyncio
from dataclasses import replace
from random import Random

from arbitre.errors import ForbiddenError, StageError, UnfitError
from arbitre.games.catalogue import game as find_game
from arbitre.games.game import Seat
from arbitre.games.levels import levels
from arbitre.referee.scenes import Scene
from arbitre.site import dial, matches, seating, sources
from arbitre.site.accounts import Account
from arbitre.site.arena.matches import ArenaMatch
from arbitre.site.arena.plan import HouseSeat
from arbitre.site.caller import Caller
from arbitre.site.engines import Engine
from arbitre.site.site import Site
from arbitre.values import value

LONGEST_WAIT = 20.0
"""Seconds that a page waits for its next question in one request."""
LEFT_SECONDS = 30.0
"""A try in which nothing was said for so long is given up with the next: its tab was closed."""


@value
class Question:
    """What a program is asked in a try: the ticket that answers it, and the position as plain values."""

    ticket: str
    p: dict[str, object]


@value
class Step:
    """A try as it stands: what happened since, what is asked now."""

    name: str
    seat: Seat
    scenes: tuple[Scene, ...]
    question: Question | None
    over: bool


async def begin(site: Site, caller: Caller, game: str, level: int) -> ArenaMatch:
    """Begin a try against the house; lots decide who begins. It is in no list, and no page brings a key for it."""
    for live in site.arena.playing():
        if live.silent > LEFT_SECONDS and live.sitting.hidden and _is_try(caller, live.sitting):
            site.arena.resign(live.name, matches.seat_of(caller, live.sitting))
    seats = (seating.Chosen("me"), seating.Chosen("house", min(max(level, 1), len(levels(game)))))
    wish = seating.Wish(find_game(game), seats, drawn=True, tried=True)
    return await seating.begin(site, replace(caller, signs=False), wish)


async def answer(site: Site, caller: Caller, name: str, ticket: str, move: str) -> None:
    """Say what the program answers to a question; `MoveError` where it is no move, and the question stays open."""
    _check_try(caller, matches.find(site, caller, name))
    await matches.move(site, caller, name, move, ticket)


async def stop(site: Site, caller: Caller, name: str) -> None:
    """Give a try up: the program failed, or nobody wants to see the rest."""
    _check_try(caller, matches.find(site, caller, name))
    await matches.resign(site, caller, name)


async def step(site: Site, caller: Caller, name: str, after: int) -> Step:
    """Return what happened in a try behind a scene, when the program is asked again or the game is over."""
    seat = _check_try(caller, matches.find(site, caller, name))
    asked = await matches.asked_soon(site, caller, name, LONGEST_WAIT)
    live = site.arena.look(name)
    over = live is None or live.over
    scenes = live.scenes(seat)[after:] if live is not None else [one async for one in site.arena.watch(name, seat, after)]
    question = None if asked is None else Question(asked[1], asked[2].plain(Random()))
    return Step(name, seat, tuple(scenes), question, over)


def _check_try(caller: Caller, sitting: ArenaMatch) -> Seat:
    """Refuse what is no practice against the house: there nobody's program answers for him."""
    seat = matches.seat_of(caller, sitting)
    if not _is_try(caller, sitting):
        raise ForbiddenError("a program is tried against the house alone")
    return seat


def _is_try(caller: Caller, sitting: ArenaMatch) -> bool:
    seats = caller.seats(sitting.plan)
    others = [one for at, one in enumerate(sitting.plan.sitters) if at not in seats]
    return bool(seats) and not sitting.plan.event and all(isinstance(one, HouseSeat) for one in others)


# ── lending ────────────────────────────────────────────────────────────────────────────────────────────────────────


async def lend(site: Site, person: Account, game: str, number: int) -> tuple[Engine, str]:
    """Return the engine that one's own source plays as, from one's own tab, with a new token.

    Who came to a lesson has an engine already: the first source of its game plays as that one.
    """
    source = await asyncio.to_thread(site.community.sources.own, person, number)
    if source.game != game:
        raise UnfitError("game", "the one that the source plays")
    if source.engine is None:
        await asyncio.to_thread(_adopt, site, person, source)
    engine = await sources.engine_of(site, person, number)
    if dial.present(site, engine):
        raise StageError("%(name)s plays already, from another tab or program: close that first", name=engine.name)
    return engine, await dial.mint(site, person, engine.id)


def _adopt(site: Site, person: Account, source: sources.Source) -> None:
    """Let a source play as an engine of its owner's that dials in and that no other source plays as."""
    taken = {one.engine for one in site.community.sources.of(person.id)}
    for one in site.community.engines.of(person):
        if one.dials and one.game == source.game and one.id not in taken and one.retired is None:
            site.community.sources.play_as(person, source.number, one.id)
            return
