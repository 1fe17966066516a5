"""A competition while it is played: its plan, its results, what is live and what is to come, and a bell for whoever watches.

People are called to a game when neither of them is busy, with another game or with an earlier call, and have so long to say that
they are there as the announcement allows. A house that comes back calls again: nobody loses because it was away.
"""

import asyncio
from collections import Counter, deque
from time import monotonic, time

from arbitre import hall as tournament
from arbitre.hall import MOST_ATTEMPTS
from arbitre.reasons import Reason
from arbitre.referee.verdict import Termination
from arbitre.site.accounts import AccountId
from arbitre.site.competitions.competitions import Competition
from arbitre.site.competitions.entries import Entry
from arbitre.tournament.config import Plan
from arbitre.tournament.progress import Progress, progress
from arbitre.tournament.schedule import Fixture, Result

LEAST_LEAP = 5
LONGEST_REST = 60.0
"""How long a match that our house fails in waits at most before it is tried again."""


class Bell:
    """Wakes whoever watches a competition."""

    def __init__(self) -> None:
        self.count = 0
        self._event = asyncio.Event()

    def ring(self) -> None:
        """Say that something has changed."""
        self.count += 1
        event, self._event = self._event, asyncio.Event()
        event.set()

    async def wait(self) -> None:
        """Return when it rings."""
        await self._event.wait()


class Leaps:
    """Notices that the clock of the machine was set, or that the machine slept: time that passed for nobody."""

    def __init__(self) -> None:
        self._last = time(), monotonic()

    def since(self) -> int:
        """Return by how many seconds the clock went further than time did since this was asked before; 0 for a few of them."""
        before, self._last = self._last, (time(), monotonic())
        leapt = round(self._last[0] - before[0] - (self._last[1] - before[1]))
        return leapt if abs(leapt) >= LEAST_LEAP else 0


class Held:
    """A competition that is being played."""

    def __init__(self, competition: Competition, plan: Plan) -> None:
        self.competition = competition
        self.plan = plan
        self.entries: dict[str, Entry] = {}
        self.results: dict[int, Result] = {}
        self.attempts: Counter[int] = Counter()
        """How often each fixture was abandoned: by the house, or by the referee of an added game."""
        self.whys: dict[int, Reason | None] = {}
        """Why it was, the last time."""
        self._rest: dict[int, float] = {}
        self.allowed = MOST_ATTEMPTS
        self.strikes: Counter[str] = Counter()
        """How often a match stopped without a verdict since the house came back."""
        self._pauses: dict[str, float] = {}
        """When such a match is to go on again."""
        self.names: dict[int, str] = {}
        """The match of each fixture that was begun."""
        self.live: dict[int, Fixture] = {}
        self.queue: deque[Fixture] = deque()
        self.ended: list[str] = []
        self.ready: dict[int, set[AccountId]] = {}
        """Who of the people of a fixture has said that he is there."""
        self.called: dict[int, int] = {}
        """Since when the people of a fixture are waited for."""
        self.reached: Progress | None = None
        self.halted: Reason | None = None
        """Why it does not go on by itself."""
        self.trouble: Reason | None = None
        """What our house failed at just now; it tries again by itself."""

    @property
    def tournament(self) -> str:
        """The name of the tournament."""
        return self.plan.name

    async def refill(self) -> bool:
        """Find out what is to be played next; tell whether all is played."""
        if self.plan.sprt is not None or not (self.queue or self.live):
            self.reached = await asyncio.to_thread(progress, self.plan.schedule, dict(self.results), self.plan.sprt)
            self.queue = deque(one for one in self.reached.due if one.number not in self.live)
            return self.reached.over and not self.live
        return False

    def busy(self) -> set[int]:
        """Return the contestants who are playing."""
        return {one for fixture in self.live.values() for one in fixture.seats}

    def entry(self, contestant: int) -> Entry:
        """Return the entry of a contestant."""
        return self.entries[self.plan.entrants[contestant].name]

    def abandoned(self, result: Result) -> None:
        """Take down that a game came to nothing; a referee who failed gets some time to come to himself."""
        number = result.number
        self.attempts[number] += 1
        self.whys[number] = result.reason
        if result.termination is Termination.REFEREE_FAILED:
            self._rest[number] = monotonic() + tournament.REST_SECONDS * self.attempts[number]

    def strike(self, name: str) -> bool:
        """Tell whether a match that stopped is to go on now: at once, then after a while that grows to a minute."""
        if monotonic() < self._pauses.get(name, 0.0):
            return False
        self.strikes[name] += 1
        self._pauses[name] = monotonic() + min(tournament.REST_SECONDS ** self.strikes[name], LONGEST_REST)
        return True

    def forgive(self) -> None:
        """Let everything that stopped go on at once."""
        self.strikes.clear()
        self._pauses.clear()

    def rests(self, fixture: Fixture) -> bool:
        """Tell whether it is too early to play a game again."""
        return monotonic() < self._rest.get(fixture.number, 0.0)

    def waits_for(self, fixture: Fixture) -> tuple[AccountId, ...]:
        """Return the people whom a fixture waits for before it begins; nobody waits where no clock runs."""
        if self.competition.announcement.kind != "people" or not self.plan.clock.runs:
            return ()
        here = self.ready.get(fixture.number, set())
        people = [self.entry(one) for one in fixture.seats]
        if any(one.withdrawn is not None for one in people):
            return ()
        return tuple(one.owner for one in people if one.owner not in here)

    def call(self, now: int) -> bool:
        """Call whoever is free to the games that wait for him, each to one at a time; tell whether anybody was called."""
        taken, before = self.busy(), self.called
        self.called = {}
        for fixture in self.queue:
            if not taken & set(fixture.seats) and self.waits_for(fixture):
                self.called[fixture.number] = before.get(fixture.number, now)
                taken |= set(fixture.seats)
        return self.called.keys() - before.keys() != set()

    def leap(self, seconds: int) -> None:
        """Let the time for which people are waited be what was announced, though the clock was set meanwhile."""
        self.called = {number: since + seconds for number, since in self.called.items()}

    def until(self, fixture: Fixture) -> int:
        """Return when those who have not come lose a game; 0: nobody does, or nobody was called."""
        patience, since = self.competition.announcement.patience, self.called.get(fixture.number)
        return 0 if since is None or not patience else since + patience

    def overdue(self, fixture: Fixture, now: int) -> tuple[AccountId, ...]:
        """Return who was waited for long enough."""
        return self.waits_for(fixture) if 0 < self.until(fixture) <= now else ()
