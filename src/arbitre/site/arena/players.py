"""Who is asked for whom: makes the players of a match from its plan, and takes down what their engines say too late."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from arbitre.crypto.chain import derive
from arbitre.errors import shorten
from arbitre.games.game import Seat
from arbitre.games.levels import levels, prepare
from arbitre.players import Setting, read_contestant
from arbitre.referee.player import Player
from arbitre.site.arena.dial_player import DialPlayer
from arbitre.site.arena.dialing import Dialing, dials
from arbitre.site.arena.live import Live, seat_secret
from arbitre.site.arena.matches import Traces
from arbitre.site.arena.page import CALLED_SECONDS, SeatPage, agreeing_seconds
from arbitre.site.arena.plan import EmptySeat, HouseSeat, MatchPlan, PersonSeat, RefereeSeat, Sitter
from arbitre.site.arena.seats import Gated, Nobody, PersonPlayer
from arbitre.tournoyons.callback import OVER
from arbitre.tournoyons.gateway import Way, is_gateway
from arbitre.tournoyons.player import HttpPlayer, Switchboard
from arbitre.tournoyons.referee import ExternalReferee
from arbitre.tournoyons.trace import Spoken

MOST_TRACED, MOST_LATE = 10_000, 20
"""Seats whose engines' calls are taken down though they come late, and how many such calls of each."""

Ways: TypeAlias = Callable[[int, str], Way]
"""How a registered engine may be called, by its number and address."""


class Usher:
    """Brings everybody of a plan to their chair."""

    def __init__(self, switchboard: Switchboard, traces: Traces, way: Ways, dialing: Dialing) -> None:
        self._switchboard = switchboard
        self._dialing = dialing
        self._traces = traces
        self._way = way
        self._keepers: OrderedDict[str, Callable[[Spoken], None]] = OrderedDict()
        self._late: dict[str, int] = {}
        if switchboard.receiver.late is None:
            switchboard.receiver.late = self._heard_late

    def player(self, live: Live, seat: Seat, sitter: Sitter, *, fresh: bool) -> Player:
        """Return who plays a seat; of a fresh match nothing was exchanged yet."""
        match, plan = live.match, live.sitting.plan
        secret = seat_secret(match.seed, seat)
        if isinstance(sitter, PersonSeat):
            page = SeatPage(live.wake)
            agreeing, greeting = agreeing_seconds(plan.clock), CALLED_SECONDS if plan.event else None
            live.people[seat] = person = PersonPlayer(secret, seat, page, agreeing, signs=sitter.signs, greeting=greeting)
            person.opened = live.opened
            return person
        if isinstance(sitter, EmptySeat):
            return Nobody(sitter.why)
        if isinstance(sitter, HouseSeat):
            contestant = read_contestant(f"house:{match.game.name}/{sitter.level}", Setting(match.game, aside=True))
            return Gated(contestant.player(derive(secret, "luck")), live.gate)
        trace = self._traces.keeper(live.name, seat, fresh=fresh)
        if isinstance(sitter, RefereeSeat):
            live.external = ExternalReferee(
                sitter.url, self._switchboard, secret, framed=sitter.framed, trace=trace, match=live.name
            )
            return live.external
        number, url = sitter.number, sitter.url
        if dials(url):
            return Gated(
                DialPlayer(self._dialing, number, f"{live.name}/{seat + 1}", secret, limit=plan.limit, trace=trace), live.gate
            )
        style = replace(sitter.style, direct=True) if is_gateway(url) else sitter.style
        way = lambda: self._way(number, url)  # noqa: E731 - a name for what is asked at every call
        engine = HttpPlayer(url, self._switchboard, secret, style=style, limit=plan.limit, trace=trace, way=way, match=live.name)
        if engine.handle:
            self._keepers[engine.handle] = trace
            while len(self._keepers) > MOST_TRACED:
                self._late.pop(self._keepers.popitem(last=False)[0], None)
        return Gated(engine, live.gate)

    def leave(self) -> None:
        """Take nothing down any more: the house closes."""
        self._keepers.clear()

    def _heard_late(self, handle: str, query: str) -> None:
        """Take down, for its owner, that an engine called when its game was over."""
        count = self._late.get(handle, 0)
        if count < MOST_LATE and (keep := self._keepers.get(handle)) is not None:
            self._late[handle] = count + 1
            keep(Spoken("refused", shorten(query, 1000), OVER.status, OVER.text))


def prepare_house(plan: MatchPlan) -> None:
    """Do what takes long before players of the house can play: some are compiled first."""
    wanted = {sitter.level for sitter in plan.sitters if isinstance(sitter, HouseSeat)}
    prepare(make for level, make in enumerate(levels(plan.game.name) if wanted else (), start=1) if level in wanted)
