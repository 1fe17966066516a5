"""A competition while it is played: its plan, its results, what is live and what is to come, and a bell for whoever watches.

People are called to a game when neither of them is busy, with another game or with an earlier call, and have so long to say that
they are there as the announcement allows. A house that comes back calls again: nobody loses because it was away.
"""

import asyncio
from collections import deque
from dataclasses import replace
from time import monotonic, time

from arbitre.referee.verdict import Verdict
from arbitre.site.accounts import AccountId
from arbitre.site.competitions.competitions import Competition
from arbitre.site.competitions.entries import Entry
from arbitre.tournament.config import TournamentPlan
from arbitre.tournament.fixtures import COMPETITION, MOST_ATTEMPTS, Book, Ended, Halt, Past, Step, Tries, judge
from arbitre.tournament.progress import Progress, progress
from arbitre.tournament.schedule import Fixture, Result, result_of

LEAST_LEAP = 5


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


class RunningCompetition:
    """A competition that is being played."""

    def __init__(self, competition: Competition, plan: TournamentPlan) -> None:
        self.competition = competition
        self.plan = plan
        self.entries: dict[str, Entry] = {}
        self.results: dict[int, Result] = {}
        self.tries: dict[int, Tries] = {}
        self.stopped: set[int] = set()
        """Those that are live but not being played, until their match goes on."""
        self.names: dict[int, str] = {}
        """The match of each fixture that was begun."""
        self.live: dict[int, Fixture] = {}
        self.queue: deque[Fixture] = deque()
        self.ended: list[str] = []
        self.ready: dict[int, set[AccountId]] = {}
        """Who of the people of a fixture has said that he is there."""
        self.signing: set[tuple[int, AccountId]] = set()
        """Who of them said so at a browser whose page brings a key; forgotten with the house, as such a page may be."""
        self.called: dict[int, int] = {}
        """Since when the people of a fixture are waited for."""
        self.reached: Progress | None = None
        self.halted: Halt | None = None
        """Why it does not go on before its organiser lets it."""
        self.stumbles = False
        """Whether our house failed at it just now; it tries again by itself."""

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

    def judged(self, number: int, ended: Ended) -> Step:
        """Take down how a try at a game ended, and return what is to be done."""
        self.tries[number], step = judge(COMPETITION, self.tries.get(number, Tries(number)), ended, monotonic())
        if isinstance(step, Book) and isinstance(ended, Verdict):
            self.results[number] = result_of(number, ended)
        elif isinstance(step, Halt):
            self.halted = step
            self.called.clear()  # nobody loses because the house failed
        return step

    def recall(self, past: Past) -> None:
        """Take down what the store knows of a game."""
        self.names[past.number], self.tries[past.number] = past.name, past.tries
        if past.verdict is not None:
            self.judged(past.number, past.verdict)

    def attempt(self, number: int) -> int:
        """Return the number of the next match of a game, from 1."""
        return self.tries[number].failures + 1 if number in self.tries else 1

    def rested(self, number: int) -> bool:
        """Tell whether a game may be tried now."""
        return number not in self.tries or monotonic() >= self.tries[number].until

    def stumbling(self) -> bool:
        """Tell whether a match stops again and again."""
        return any(self.tries[number].stops > MOST_ATTEMPTS for number in self.stopped)

    def forgive(self) -> None:
        """Let everything that waits or stopped go on at once."""
        self.halted = None
        self.tries = {one.game: replace(one, stops=min(one.stops, 1), until=0.0) for one in self.tries.values()}

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
