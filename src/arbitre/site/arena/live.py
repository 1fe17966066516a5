"""A match of the arena while it is played: what of it may be seen, by whom, and who waits for more of it."""

import asyncio
from collections.abc import Callable, Sequence
from time import monotonic

from arbitre.crypto.chain import derive
from arbitre.errors import ArenaError, HouseError
from arbitre.games.game import Eye, Seat
from arbitre.records.event import Event, Kind
from arbitre.records.log.entries import opening_of, sealing_of
from arbitre.records.log.sequencer import Sequencer
from arbitre.records.record import Seal
from arbitre.records.store import Store, StoreJournal
from arbitre.referee.match import Match, MatchState
from arbitre.referee.runner import MatchRunner
from arbitre.referee.scenes import Scene, Scenery, moment_of
from arbitre.referee.story import Moment, Told
from arbitre.site.arena.matches import ArenaMatch, ArenaMatches
from arbitre.site.arena.plan import PersonSeat
from arbitre.site.arena.seats import Pacer, PersonPlayer, ticket_of
from arbitre.tournoyons.referee import ExternalReferee

GOING_SECONDS = 120.0
"""A match at which nobody looks goes on for so long after its last moment, for whoever wants something to watch."""
LEFT_SECONDS = 1_800.0
"""A match in which nothing was said for so long is not shown as going on, whoever has left a page open."""


class Live:
    """A match that is being played."""

    def __init__(self, sitting: ArenaMatch, match: Match) -> None:
        self.sitting = sitting
        self.match = match
        self.gate = Pacer(sitting.plan)
        self.people: dict[Seat, PersonPlayer] = {}
        self.external: ExternalReferee | None = None
        """The referee of an added game."""
        self.start: MatchState | None = None
        self.moments: list[Moment] = []
        self.shown = -1
        """How many moments may be seen; before the opening is durable, none and not even the start."""
        self.back = -1
        """How many are to be seen for a match that was interrupted to go on, with everybody who is asked at the table."""
        self._durable = -1
        """How many are durable: the last of them is seen when whoever it asks may answer."""
        self.notes: dict[tuple[object, ...], str] = {}
        """What the site has made of scenes, for all who see the same."""
        self._seen: dict[Eye, tuple[Scenery, list[Scene]]] = {}
        self.asked_at = monotonic()
        """When the last moment came: a clock on a page counts from here."""
        self.table: MatchRunner | None = None
        self.laid = asyncio.Event()
        """Set when the players sit and what is past has been told to them."""
        self.task: asyncio.Task[None] | None = None
        self.over = False
        self.wakes = 0
        """How often there was something new."""
        self.watchers = 0
        """How many pages and programs follow it, its players' own among them."""
        self._watching: set[asyncio.Future[None]] = set()

    @property
    def going(self) -> bool:
        """Whether anybody is at it: somebody follows it, or something was said a short while ago; else it was left."""
        return self.silent < (LEFT_SECONDS if self.watchers else GOING_SECONDS)

    @property
    def silent(self) -> float:
        """How many seconds ago the last moment was, or the house came back."""
        return monotonic() - self.asked_at

    @property
    def name(self) -> str:
        """The name of the match."""
        return self.sitting.name

    @property
    def decided(self) -> bool:
        """Whether the verdict is durable, and may be seen."""
        return self.shown > 0 and self.moments[self.shown - 1].affairs.verdict is not None

    def told(self) -> Told:
        """Return the match as far as it may be seen."""
        if self.start is None:
            raise ArenaError("the match %(name)s is about to begin", name=self.name)
        return Told(self.match, self.start, tuple(self.moments[: self.shown]))

    def scenes(self, eye: Eye) -> list[Scene]:
        """Return what an eye may see so far: made once, whoever many look through it."""
        if self.start is None or self.shown < 0:
            return []
        made = self._seen.get(eye)
        scenery, seen = made or self._seen.setdefault(eye, (Scenery(self.match, eye, opens=not self.match.opening.after), []))
        if not scenery.number:
            seen.append(scenery.start(self.start))
        for moment in self.moments[scenery.heard : self.shown]:
            if (scene := scenery.add(moment)) is not None:
                seen.append(scene)
        return seen

    def show(self, count: int) -> None:
        """Let everybody see the first so many moments, which are durable: a question to a person when it can be answered."""
        self._durable = max(count, self._durable)
        self.shown = max(self.shown, self._durable - (not self._answerable(self._durable)))
        self.wake()

    def opened(self) -> None:
        """Hear that a person may answer from now on."""
        self.show(self._durable)

    def _answerable(self, count: int) -> bool:
        """Tell whether everybody whom the last of so many moments asks may answer; programs are asked elsewhere."""
        if self.over or self.start is None or count < len(self.moments):
            return True
        asked = (self.moments[count - 1].affairs if count else self.start).questions
        people = [seat for seat in asked if isinstance(self.sitting.plan.sitters[seat], PersonSeat)]
        return all(seat in self.people and self.people[seat].position is not None for seat in people)

    def ticket(self, seat: Seat, count: int) -> str:
        """Return what answers the question before which a person had spoken so many times: the same after every break."""
        return ticket_of(seat_secret(self.match.seed, seat), seat, count)

    def wake(self) -> None:
        """Wake whoever watches."""
        self.wakes += 1
        watching, self._watching = self._watching, set()
        for one in watching:
            if not one.done():
                one.set_result(None)

    @staticmethod
    def _ring(woken: "asyncio.Future[None]") -> None:
        if not woken.done():
            woken.set_result(None)

    async def changed(self, seconds: float | None = None) -> None:
        """Return when there is something new to see, or when so many seconds have passed.

        A thousand may watch one match: each costs a future for each scene, and neither a task nor a lock.
        """
        loop = asyncio.get_running_loop()
        woken: asyncio.Future[None] = loop.create_future()
        self._watching.add(woken)
        bell = None if seconds is None else loop.call_later(seconds, self._ring, woken)
        try:
            await woken
        finally:
            self._watching.discard(woken)
            if bell is not None:
                bell.cancel()


class ArenaJournal(StoreJournal):
    """The journal of a match that is watched."""

    def __init__(
        self, live: Live, store: Store, herald: Callable[[Live], None], sequence: int = 0, log: Sequencer | None = None
    ) -> None:
        super().__init__(store, live.name, sequence)
        self._live = live
        self._herald = herald
        self._log = None if live.match.opening.log is None else log
        """Where the opening and the seal are entered, where the opening says so."""

    def write(self, events: Sequence[Event], lines: Sequence[str]) -> None:
        """Take down one transition, and show it when it is durable."""
        super().write(events, lines)
        live, table = self._live, self._live.table
        if table is None:
            raise HouseError("a transition before the table was laid")
        if events[0].kind is Kind.OPENED:
            live.start = table.affairs
            if self._log is not None:
                self._log.add(opening_of(live.match.seed, lines[0]))
        else:
            live.moments.append(moment_of(events, table.affairs))
        live.asked_at = monotonic()
        live.laid.set()
        self._herald(live)

    def decide(self, verdict: str) -> None:
        """Take down the verdict; the record is sealed when the event is over."""
        super().decide(verdict)
        ArenaMatches(self.store).decide(self.name)

    def seal(self, seal: Seal, verdict: str) -> None:
        """Take down the end."""
        super().seal(seal, verdict)
        if self._log is not None:
            self._log.add(sealing_of(self._live.match.seed, seal))
        ArenaMatches(self.store).over(self.name)


def seat_secret(seed: bytes, seat: Seat) -> bytes:
    """Return what only the house and one seat's player know."""
    return derive(seed, f"seat/{seat}")
