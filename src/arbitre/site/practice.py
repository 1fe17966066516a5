"""Practice against the house, where nothing counts: a hint, what a move can be taken back to, and who comes next.

It is offered to one person who sits alone against a player of the house, in no competition. A hint is better than that player: in
a game without secrets the move that an analysis would call best, in others that of the house's best player. Nothing is ever taken
out of a record: a new match begins from the earlier position.
"""

import asyncio
from random import Random

from arbitre.errors import ArenaError, ForbiddenError
from arbitre.games.analysis import Effort, OpenAnalyst, analyst_class, is_judged
from arbitre.games.levels import levels, prepare
from arbitre.games.notation import notation_of
from arbitre.games.player import Position, Resign
from arbitre.games.telling import telling_of
from arbitre.reasons import Reason
from arbitre.records.event import Kind
from arbitre.referee.verdict import read_verdict
from arbitre.site.arena.matches import ArenaMatch
from arbitre.site.arena.plan import HouseSeat
from arbitre.site.caller import Caller
from arbitre.site.matches import asked, find, seat_of
from arbitre.site.site import Site


def against(caller: Caller, sitting: ArenaMatch) -> HouseSeat | None:
    """Return the player of the house whom somebody practises against in a match; None where it is no practice."""
    plan = sitting.plan
    seats = caller.seats(plan)
    if plan.event or plan.game.neutral or len(plan.sitters) != 2 or len(seats) != 1:
        return None
    other = plan.sitters[1 - min(seats)]
    return other if isinstance(other, HouseSeat) else None


def above(site: Site, caller: Caller, sitting: ArenaMatch) -> HouseSeat | None:
    """Return the next better player of the house for who has just beaten one; None for anybody else, and at the top."""
    beaten = against(caller, sitting)
    text = None if beaten is None or sitting.state != "over" else site.store.match(sitting.name).verdict
    scores = None if text is None else read_verdict(text).scores
    if beaten is None or not scores:
        return None
    (own,) = caller.seats(sitting.plan)
    better = beaten.level + 1
    return HouseSeat(better) if scores[own] > scores[1 - own] and better <= len(levels(sitting.plan.game.name)) else None


async def hint(site: Site, caller: Caller, name: str) -> Reason | str:
    """Return the move that the house would make in somebody's place: what people call it, or its text where that says it."""
    house = against(caller, find(site, caller, name))
    if house is None:
        raise ForbiddenError("a hint is given in practice against the house alone")
    question = asked(site, caller, name)
    if question is None:
        raise ArenaError("it is not your turn")
    position = question[2]
    try:
        move = await asyncio.to_thread(_best, position)
    except Resign:
        raise ArenaError("the house would give up here") from None
    return telling_of(position.game).called(move, position.seat, position.view) or move


def _best(position: Position) -> str:
    """Return the best move that the house knows."""
    name = position.game.name
    kind = analyst_class(name) if is_judged(name) else None
    if kind is not None and issubclass(kind, OpenAnalyst):
        move = kind(position.game, Effort(kind.usual)).weighed(position.view, kind.usual).move
        return position.notation.write(move)
    makers = levels(name)
    prepare(makers[-1:])
    return makers[-1](Random()).move(position)


def earlier(site: Site, caller: Caller, sitting: ArenaMatch) -> str:
    """Return the position before somebody's last move, in a practice whose positions are open."""
    if against(caller, sitting) is None or sitting.plan.game.hides:
        raise ForbiddenError("a move is taken back in practice against the house alone, in a game without secrets")
    seat = seat_of(caller, sitting)
    told = site.arena.told(sitting.name)
    own = [
        at
        for at, moment in enumerate(told.moments)
        if moment.event.kind is Kind.SAID
        and moment.event.seat == seat
        and not any(one.kind is Kind.REFUSED for one in moment.outputs)
    ]
    if not own:
        raise ArenaError("there is no move of yours to take back")
    before = told.moments[own[-1] - 1].affairs if own[-1] else told.start
    return notation_of(sitting.plan.game).write_state(before.truth)
