"""Holds a tournament: plays what is due, keeps every result, and goes on where it was interrupted.

What is to be played is a function of the plan and the results in the store, and a match's seed, name and luck are functions of
the plan's seed and the number of its fixture. So after a crash nothing needs to be remembered: results that were sealed count, a
match that was not is forgotten and played again from its beginning, and with players who do the same in the same position every
record comes out the same to the last octet. Where a player has a key or promised a nonce it is not forgotten but abandoned:
nobody may be shown two openings of one match.

Where the plan says `records = "after"` games are decided one by one, and their records handed over, signed and sealed when the
tournament is over: programs that meet again learn nothing of each other's secrets from them.

A match that our own house had to abandon, or the referee of an added game, is no result: it is kept, and played again as
`arbitre.tournament.fixtures` says.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from typing import Any

from arbitre.crypto.chain import commitment, derive
from arbitre.crypto.keys import Key
from arbitre.errors import HouseError, TournamentError
from arbitre.players import Contestant, is_outside
from arbitre.reasons import Reason, declare
from arbitre.records.event import NOBODY, Event, Kind, write_reason
from arbitre.records.record import Chain
from arbitre.records.store import Row, Store, StoreJournal
from arbitre.referee.match import Match, MatchStage
from arbitre.referee.player import EmptyChair, Player
from arbitre.referee.runner import MOST_SILENCES, MatchJournal, MatchRunner, greeted
from arbitre.referee.terms import AFTER, RECORDS, Chair, Opening, read_opening, seconds_of
from arbitre.referee.verdict import Verdict
from arbitre.referee.verify import steps
from arbitre.tournament.config import TournamentPlan
from arbitre.tournament.fixtures import TOURNAMENT, Again, Book, Halt, Tries, judge, past
from arbitre.tournament.progress import Progress, progress
from arbitre.tournament.schedule import Contestant as Entered
from arbitre.tournament.schedule import Fixture, Result, result_of
from arbitre.tournament.usage import Usage, usage_of

TOGETHER = 64
"""Matches between players of this process need nobody's time, so many are played side by side and share a commit."""

MOST_READ = 5_000
"""Games whose records are looked at for a report."""

declare({"referee-away": ("the referee was interrupted", "l’arbitre fut interrompu")})

Told = Callable[[Result], None]
"""Is told of every result when it is durable."""


def lock_of(name: str) -> str:
    """Return what is held by the one process that sees to a tournament."""
    return f"tournament-{derive(name.encode(), 'lock').hex()[:16]}"


def results_of(store: Store, name: str) -> dict[int, Result]:
    """Return the results that a tournament has so far, by the number of the fixture."""
    known = past(store.matches(tournament=name))
    return {number: one.result for number, one in known.items() if one.result is not None}


def usage_in(store: Store, plan: TournamentPlan) -> dict[Entered, Usage]:
    """Return what the games took of each contestant: where somebody comes from outside, and of so many games at most."""
    if not any(is_outside(one.player) for one in plan.entrants):
        return {}
    known = past(store.matches(tournament=plan.name))
    results = {number: one.result for number, one in known.items() if one.result is not None}
    found: dict[Entered, Usage] = {}
    for entry in progress(plan.schedule, results, plan.sprt).entries[:MOST_READ]:
        took = usage_of(store.events(known[entry.fixture.number].name), 2)
        for seat, contestant in enumerate(entry.fixture.seats):
            found[contestant] = found.get(contestant, Usage()) + took[seat]
    return found


async def together(courses: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Do several things side by side; where one fails, or we are called off, none goes on."""
    tasks = [asyncio.ensure_future(one) for one in courses]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Hall:
    """Where one tournament is held."""

    def __init__(
        self,
        store: Store,
        name: str,
        plan: TournamentPlan,
        contestants: Sequence[Contestant],
        date: str,
        *,
        referee: Contestant | None = None,
    ) -> None:
        if plan.game.neutral and referee is None:
            raise TournamentError(
                "key 'referee': %(name)s is judged by its own referee, whose address is missing", name=plan.game.name
            )
        self.store = store
        self.name = name
        self.plan = plan
        self.contestants = contestants
        self.neutral = () if referee is None else (referee,)
        """The external referee of an added game."""
        self.date = date
        self.key: Key = store.key()
        self.results = results_of(store, name)
        self.tries: dict[int, Tries] = {}
        self.silences: Counter[str] = Counter()
        """Which keys were silent, instead of signing a record, how often."""

    async def hold(self, told: Told) -> Progress:
        """Play everything that is to be played, and return how it ended."""
        with self.store.holding(lock_of(self.name)):
            await self._clear()
            while True:
                reached = progress(self.plan.schedule, self.results, self.plan.sprt)
                if reached.over:
                    await self.seal()
                    return reached
                await self._play(reached, told)

    async def call_off(self) -> None:
        """Play no more, and seal what is decided."""
        with self.store.holding(lock_of(self.name)):
            await self._clear()
            await self.seal()

    async def _clear(self) -> None:
        """Forget matches that were interrupted, close those to which somebody may have agreed, and count the abandoned."""
        for number, one in past(self.store.matches(tournament=self.name)).items():
            kept = one.verdict is None and self._closed(one.name)
            self.tries[number] = Tries(number, len(one.abandoned) + kept)
            if one.verdict is None and not kept:
                self.store.forget(one.name)
        await self.store.durable()
        self.results = results_of(self.store, self.name)

    def _closed(self, name: str) -> bool:
        """Seal an interrupted match that a seat may have agreed to; False where nobody was shown its opening.

        Played again under the same name it would have two openings, both signed by us, and a seed whose nonces are known.
        """
        events = self.store.events(name)
        opening = read_opening(events[0].text) if events else None
        if opening is None or not opening.agreeing:
            return False
        match = Match(opening, self.store.match(name).seed)
        course = tuple(steps(match, events))
        affairs, chain = course[-1][2], Chain(match.seed)
        journal = StoreJournal(self.store, name, len(course))
        chain.add(events)
        if affairs.stage is not MatchStage.CLOSED:
            away = Event(Kind.ABANDONED, events[-1].at, NOBODY, 0, write_reason(Reason("referee-away")))
            affairs, outputs = match.hear(affairs, away)
            journal.write((away, *outputs), lines := [event.line() for event in (away, *outputs)])
            chain.extend(lines)
        if affairs.verdict is not None and opening.after:
            journal.decide(affairs.verdict.text())
        elif affairs.verdict is not None:
            journal.seal(chain.seal(self.store.key_of(opening.referee), opening.keys), affairs.verdict.text())
        return True

    async def seal(self) -> None:
        """Seal what is decided, where records are kept until the tournament is over; who has a key checks and signs them now."""
        rest = iter([row for row in self.store.matches(tournament=self.name) if row.decided])

        async def work(rows: Iterator[Row]) -> None:
            for row in rows:
                await self._sealed(row)

        await together(work(rest) for _ in range(self.plan.concurrency))

    async def _sealed(self, row: Row) -> None:
        """Seal one match: the programs with a key are started again for it, and find it in their journals."""
        events = self.store.events(row.name)
        match = Match(read_opening(events[0].text), row.seed)
        course = tuple(steps(match, events))
        by_name = {one.name: one for one in self.contestants}

        def player(seat: int, chair: Chair) -> Player:
            if not chair.key or self.silences[chair.key] >= MOST_SILENCES:
                return EmptyChair()
            return by_name[chair.name].player(derive(row.seed, f"luck/{seat}"))

        players = [player(seat, chair) for seat, chair in enumerate(match.opening.chairs)]
        journal = StoreJournal(self.store, row.name, len(course))
        key = self.store.key_of(match.opening.referee)
        await MatchRunner(match, players, journal, key, self.silences).seal(course)

    async def _play(self, reached: Progress, told: Told) -> None:
        """Play what is due, several at a time, until all is played or a sequential test has decided."""
        rest = iter(reached.due)
        test = reached.trial
        decided = asyncio.Event()

        async def work(fixtures: Iterator[Fixture]) -> None:
            nonlocal test
            for fixture in fixtures:
                self.results[fixture.number] = result = await self._fixture(fixture)
                told(result)
                if test is not None:
                    test = test.advance(self.results)
                    if test.decided:
                        decided.set()
                if decided.is_set():
                    return

        await together(work(rest) for _ in range(TOGETHER if self.inside else self.plan.concurrency))

    @property
    def inside(self) -> bool:
        """Whether everybody who plays and judges lives in this process."""
        return not any(one.outside for one in (*self.contestants, *self.neutral))

    async def _fixture(self, fixture: Fixture) -> Result:
        """Play one game to a result."""
        number, tries = fixture.number, self.tries.get(fixture.number, Tries(fixture.number))
        while True:
            verdict = await self._match(fixture, tries.failures + 1)
            tries, step = judge(TOURNAMENT, tries, verdict)
            match step:
                case Book() if verdict is not None:
                    return result_of(number, verdict)
                case Again(delay):
                    await asyncio.sleep(delay)
                case _:
                    raise HouseError(step.reason if isinstance(step, Halt) else str(step))

    async def _match(self, fixture: Fixture, attempt: int) -> Verdict | None:
        plan = self.plan
        seed = plan.schedule.secret(fixture.number, attempt)
        name = derive(seed, "match").hex()[:16]
        seated = [*(self.contestants[index] for index in fixture.seats), *self.neutral]
        chairs = tuple(Chair(one.name, one.text) for one in seated)
        notes = {"date": self.date, "event": plan.name, "game": str(fixture.number), "round": str(fixture.round)}
        if plan.after:
            notes[RECORDS] = AFTER
        opening = Opening(
            name,
            plan.game,
            chairs,
            commitment(seed),
            plan.terms,
            plan.starts[fixture.start],
            notes=notes,
            referee=self.key.public.hex(),
            opened=seconds_of(self.date),  # the tournament's, not the match's: played again after a crash it reads the same
        )
        players = [one.player(derive(seed, f"luck/{seat}")) for seat, one in enumerate(seated)]
        opening = await greeted(opening, players)
        journal = self._journal(opening, seed, fixture)
        table = MatchRunner(Match(opening, seed), players, journal, self.key, self.silences)
        return (await table.play()).verdict

    def _journal(self, opening: Opening, seed: bytes, fixture: Fixture) -> MatchJournal:
        """Return where a match that begins is taken down."""
        name = opening.match
        self.store.add_match(name, self.plan.game.name, seed, self.date, tournament=self.name, fixture=fixture.number)
        return StoreJournal(self.store, name)
