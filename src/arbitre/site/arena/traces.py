"""What an engine's owner may look at: the games it played, and every exchange with it (spec: tournoyons, sections 1 and 2).

Everything here is read from the store; nothing of an ask that is still open is ever there (`transport.http` tells an exchange
when its ask is over).
"""

from typing import NamedTuple

from arbitre.errors import UnknownRecordError
from arbitre.games.game import Seat
from arbitre.reasons import Reason
from arbitre.records.store import Store
from arbitre.referee.verdict import read_verdict
from arbitre.site.arena.arena import Arena
from arbitre.site.arena.matches import ArenaMatch, Traces
from arbitre.site.arena.plan import MODEL, EngineSeat, RefereeSeat
from arbitre.tournament.faults import Fault, whose_fault
from arbitre.tournament.schedule import result_of
from arbitre.tournoyons.trace import OURS, came_of

PAGE = 200
"""Exchanges on one page."""


class Exchange(NamedTuple):
    """One exchange with an engine."""

    sequence: int
    at: str
    what: str
    """`called`, `heard`, `refused`, `failed`."""
    text: str
    """The address as we called it, or the query that came."""
    status: int
    body: str

    @property
    def ours(self) -> bool:
        """Whether we called; then it can be repeated by hand."""
        return self.what in OURS

    @property
    def shown(self) -> Reason | str | None:
        """What came of it: the reason where a call has no status, else what went over the wire."""
        return came_of(self.what, self.status, self.body)


def engine_at(sitting: ArenaMatch, seat: int) -> EngineSeat | RefereeSeat:
    """Return the engine, or the external referee, on a seat of a match; `UnknownRecordError` where none sits."""
    sitter = sitting.plan.sitters[seat] if 0 <= seat < len(sitting.plan.sitters) else None
    if not isinstance(sitter, EngineSeat | RefereeSeat):
        raise UnknownRecordError("no engine sits on this seat")
    return sitter


def added_at(sitting: ArenaMatch, seat: int) -> RefereeSeat | None:
    """Return the referee of an added game where he, or the model engine of the same game, sits: both are its owner's."""
    sitter, last = engine_at(sitting, seat), sitting.plan.sitters[-1]
    if isinstance(last, RefereeSeat) and (
        sitter is last or (isinstance(sitter, EngineSeat) and sitter.name == f"{MODEL}{last.name}")
    ):
        return last
    return None


def seats_of(sitting: ArenaMatch, number: int) -> tuple[Seat, ...]:
    """Return where an engine sits in a match."""
    return tuple(Seat(at) for at, one in enumerate(sitting.plan.sitters) if isinstance(one, EngineSeat) and one.number == number)


def games_of(arena: Arena, number: int, most: int = 20) -> tuple[ArenaMatch, ...]:
    """Return the last matches of an engine, the newest first."""
    return arena.sittings.of_engine(number, most)


def exchanges(arena: Arena, name: str, seat: Seat, after: int = 0) -> tuple[Exchange, ...]:
    """Return a page of what was exchanged with the engine on a seat, behind a sequence number."""
    return tuple(one for row in arena.traces.of(name, seat) if (one := Exchange(*row)).sequence > after)[:PAGE]


def exchange(arena: Arena, name: str, seat: Seat, sequence: int) -> Exchange:
    """Return one exchange; `UnknownRecordError`."""
    found = next((one for row in arena.traces.of(name, seat) if (one := Exchange(*row)).sequence == sequence), None)
    if found is None:
        raise UnknownRecordError("no exchange has this number")
    return found


def last_fault(store: Store, sitting: ArenaMatch, number: int) -> Exchange | None:
    """Return the last exchange with an engine in a match that came to nothing."""
    for seat in seats_of(sitting, number):
        if (found := Traces(store).fault(sitting.name, seat)) is not None:
            return Exchange(0, *found)
    return None


def verdict_on(store: Store, sitting: ArenaMatch) -> dict[int, Reason | None]:
    """Return what a match that is over says of its engines, by their numbers: what one did wrong to lose it; None, it works."""
    text = store.match(sitting.name).verdict
    if text is None:
        return {}
    result = result_of(0, read_verdict(text))
    said = Reason("%(termination)s: %(reason)s", termination=result.termination, reason=result.reason)
    found: dict[int, Reason | None] = {}
    for seat, one in enumerate(sitting.plan.sitters):
        if isinstance(one, EngineSeat) and (works := result.works(seat)) is not None:
            found[one.number] = found.get(one.number) if works else said
    return found


def verdict_on_referee(store: Store, sitting: ArenaMatch) -> tuple[int, Reason | None] | None:
    """Return the number of the added game of a match that is over, and what its referee did wrong, if anything.

    One who answers from a frame in a player's browser is not judged: it may be the browser that was closed.
    """
    text = store.match(sitting.name).verdict
    referee = sitting.plan.sitters[-1]
    if text is None or not isinstance(referee, RefereeSeat) or referee.framed:
        return None
    verdict = read_verdict(text)
    return referee.number, verdict.reason if whose_fault(verdict) is Fault.REFEREE else None
