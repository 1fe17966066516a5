"""The steward: opens, draws, plays and closes the competitions of a site, without anybody's hand (spec: tournoyons, section 7).

What is to be played follows from a tournament's plan and the results in the store, as wherever a tournament is held; a match's
seed and name follow from its fixture. But here every match is played in the arena, so it is watched like any other, goes on where
it was when the house comes back, and is replayed under its own address. What is tried again, and when the competition waits for
its organiser, `arbitre.tournament.fixtures` says.

A contestant plays one game of a competition at a time, so an engine that can do one thing at a time needs no more. Who withdraws
loses the games that are still to come, each with a record that says why. People are waited for where a clock runs: their game
begins when both have said that they are there, and who does not come in the time that was announced loses it, with a record too.
"""

import asyncio
from collections import deque
from contextlib import suppress
from datetime import UTC, datetime
from logging import getLogger
from time import monotonic

from arbitre.errors import ArbitreError, ArenaError, CommunityError, ForbiddenError, StageError
from arbitre.games.game import AnyGame, Seat
from arbitre.games.labels import label_of
from arbitre.reasons import Reason, declare
from arbitre.records.store import Store
from arbitre.referee.verdict import read_verdict
from arbitre.site.accounts import Account, AccountId, Role
from arbitre.site.added_trial import judges
from arbitre.site.arena.arena import Arena, Fixed
from arbitre.site.arena.matches import ArenaMatch
from arbitre.site.arena.plan import LONGEST_TITLE, EmptySeat, EngineSeat, PersonSeat, Sitter
from arbitre.site.arena.plan import MatchPlan as Match
from arbitre.site.challenge_runner import Herald
from arbitre.site.community import Community
from arbitre.site.competitions.competitions import Announcement, Competition, CompetitionId, Stage
from arbitre.site.competitions.draw import Way
from arbitre.site.competitions.drawing import Drawing, tournament_of
from arbitre.site.competitions.entries import Entry, EntryId
from arbitre.site.competitions.running import Bell, Leaps, RunningCompetition
from arbitre.tournament.config import read_kept_plan
from arbitre.tournament.fixtures import Book, Halt, Step, Stop, past
from arbitre.tournament.schedule import Contestant, Fixture, Result
from arbitre.tournoyons.wire import MOST_SECONDS

LOG = getLogger("arbitre.competition")

MOST_TOGETHER = 64
"""Games of all competitions that are played at a time."""

TICK_SECONDS = 1.0
"""How often the steward looks at the clock; whatever happens wakes him earlier."""

REASONS = declare(
    {
        "withdrew": ("withdrew from the competition", "s’est retiré de la compétition"),
        "not-come": ("did not come within %(minutes)s min", "n’est pas venu en %(minutes)s min"),
        "not-come-seconds": ("did not come within %(seconds)s s", "n’est pas venu en %(seconds)s s"),
        "out-of-use": ("the engine is out of use", "le moteur n’est plus en service"),
    }
)

WITHDREW = Reason("withdrew")
STUMBLES = Reason("our house has stumbled, and tries again by itself")
FULL = Reason("our house cannot write any more: its operator makes room and opens the site again; nothing is lost")


def not_come(seconds: int) -> Reason:
    """Say that somebody did not come in time."""
    minutes, rest = divmod(seconds, 60)
    return Reason("not-come-seconds", seconds=seconds) if rest else Reason("not-come", minutes=minutes)


class Steward:
    """Sees to all competitions of one site, and has a herald see to its challenges."""

    def __init__(self, store: Store, community: Community, arena: Arena, *, together: int = MOST_TOGETHER) -> None:
        self.store = store
        self.community = community
        self.arena = arena
        self.together = together
        self.drawing = Drawing(community, store.referee_keys())
        self._held: dict[CompetitionId, RunningCompetition] = {}
        self._bells: dict[int, Bell] = {}
        self._troubles: dict[int, Reason] = {}
        self._woken = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._hands = asyncio.Lock()
        self._looked = 0.0
        self._leaps = Leaps()
        self._sealing: asyncio.Task[None] | None = None
        """Seals the records of competitions that kept them until they were over."""
        self.herald = Herald(store, community, arena)
        arena.on_end(self._ended)

    # ── coming and going ───────────────────────────────────────────────────────────────────────────────────────────

    async def start(self) -> None:
        """Begin to see to things; the arena must have started."""
        await self.herald.start()
        self._task = asyncio.ensure_future(self._course())

    async def close(self) -> None:
        """Stop; everything goes on when the steward starts again."""
        for task in (self._task, self._sealing):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    def wake(self) -> None:
        """Look at everything again, at once."""
        self._looked = 0.0
        self._woken.set()

    def bell(self, number: int) -> Bell:
        """Return what rings when a competition has changed."""
        return self._bells.setdefault(number, Bell())

    def held(self, number: CompetitionId) -> RunningCompetition | None:
        """Return a competition that is being played."""
        return self._held.get(number)

    def all(self) -> tuple[RunningCompetition, ...]:
        """Return every competition that is being played."""
        return tuple(self._held.values())

    def holds(self, sitting: ArenaMatch) -> bool:
        """Tell whether a match belongs to a competition that is being played."""
        return any(one.tournament == sitting.plan.event for one in self._held.values())

    def trouble(self, number: CompetitionId) -> Reason | None:
        """Return why a competition does not go on by itself; None: it does."""
        held = self._held.get(number)
        if held is None:
            return self._troubles.get(number)
        if self.store.failed:
            return FULL
        halted = None if held.halted is None else held.halted.reason
        return halted or (STUMBLES if held.stumbles or held.stumbling() else self._troubles.get(number))

    async def _course(self) -> None:
        while True:
            self._woken.clear()
            if self.store.failed:  # no game can go on before somebody opens the store again
                LOG.critical("no game goes on: %s", self.store.failed)
                return
            try:
                async with self._hands:
                    await self._look()
            except ArbitreError as error:
                LOG.error("competitions wait: %s", error)  # noqa: TRY400 - it says enough
            except Exception:
                LOG.exception("competitions wait")
            with suppress(TimeoutError):
                async with asyncio.timeout(TICK_SECONDS):
                    await self._woken.wait()

    async def _look(self) -> None:
        """See to everything that is due."""
        if leapt := self._leaps.since():
            LOG.warning("the clock of this machine leapt by %+d seconds", leapt)
            for held in self._held.values():
                held.leap(leapt)
        if monotonic() - self._looked >= TICK_SECONDS:
            self._looked = monotonic()
            due = await asyncio.to_thread(self.community.competitions.due)
            for competition in due:
                await self._due(competition)
            for number in self._held.keys() - {one.id for one in due}:
                self._drop(self._held.pop(number))
            self._count()
            self._unseal({tournament_of(one.id) for one in due if one.stage is Stage.RUNNING})
            await self.herald.look()
        for held in tuple(self._held.values()):
            await self._alone(held)

    async def _alone(self, held: RunningCompetition) -> None:
        """Let one competition go on; where our house fails in it, it says so, and no other waits for it."""
        try:
            await self._play(held)
            held.stumbles = False
        except Exception:
            if not held.stumbles:
                held.stumbles = True
                if not self.store.failed:
                    LOG.exception("competition %s waits", held.competition.id)
            self.bell(held.competition.id).ring()

    async def _due(self, competition: Competition) -> None:
        try:
            if competition.stage is Stage.ANNOUNCED:
                await asyncio.to_thread(self.community.competitions.open, None, competition.id)
                self.bell(competition.id).ring()
            elif competition.stage is Stage.OPEN:
                await self._close_entries(None, competition)
            else:
                await self._hold(competition)
            self._troubles.pop(competition.id, None)
        except ArbitreError as error:
            self._trouble(competition.id, error.reason)

    def _count(self) -> None:
        """Notice matches that stopped without our hearing of it."""
        playing = {one.name for one in self.arena.playing()}
        for held in self._held.values():
            names = (held.names[number] for number in held.live)
            held.ended += [name for name in names if name not in playing and name not in held.ended]

    def _drop(self, held: RunningCompetition) -> None:
        """Let go of a competition that was cancelled; what is being played has no result."""
        for number in held.live:
            with suppress(ArenaError):
                self.arena.stop(held.names[number], Reason("competition-cancelled"))
        self.bell(held.competition.id).ring()

    def _unseal(self, running: set[str]) -> None:
        """Have the records sealed that competitions kept back which are over, or were called off, beside everything else."""
        if self._sealing is not None and not self._sealing.done():
            return
        due = [one.name for one in self.arena.kept_back() if one.plan.event not in running]
        if due:
            self._sealing = asyncio.ensure_future(self._sealed(due))

    async def _sealed(self, names: list[str]) -> None:
        for name in names:
            try:
                await self.arena.seal(name)
            except ArbitreError as error:
                LOG.error("the record of %s cannot be sealed yet: %s", name, error)  # noqa: TRY400 - it says enough

    def _trouble(self, number: CompetitionId, why: Reason) -> None:
        if self._troubles.get(number) != why:
            self._troubles[number] = why
            LOG.warning("competition %s waits: %s", number, why)
            self.bell(number).ring()

    # ── what people want ───────────────────────────────────────────────────────────────────────────────────────────

    def announce(self, by: Account, said: Announcement, way: Way = "seed") -> Competition:
        """Announce a competition, with the commitment of its seed; may be called from any thread."""
        return self.drawing.announce(by, said, way)

    async def begin(self, by: Account, number: CompetitionId) -> None:
        """Close entries and begin before the hour: the organiser may."""
        async with self._hands:
            found = await asyncio.to_thread(self.community.competitions.find, number)
            await self._close_entries(by, found)
        self.wake()

    async def withdraw(self, by: Account, number: EntryId) -> Entry:
        """Take an entry out; what it is playing is lost at once."""
        entry = await asyncio.to_thread(self.community.entries.withdraw, by, number)
        async with self._hands:
            held = self._held.get(entry.competition)
            if held is not None:
                self._leave(held, entry)
            else:
                await self.drawing.drop(entry)
        self.bell(entry.competition).ring()
        self.wake()
        return entry

    def _leave(self, held: RunningCompetition, entry: Entry) -> None:
        """Let an entry that is withdrawn lose what it is playing."""
        held.entries[entry.neutral] = entry
        for fixture in held.live.values():
            for seat, one in enumerate(fixture.seats):
                if held.plan.entrants[one].name == entry.neutral:
                    with suppress(ArenaError):
                        self.arena.withdraw(held.names[fixture.number], Seat(seat), WITHDREW)

    async def commit(self, entry: Entry, payload: str) -> None:
        """Take the Commit that a contestant brings for the draw, while entries are taken."""
        async with self._hands:
            await self.drawing.commit(entry, payload)
        self.bell(entry.competition).ring()

    async def reveal(self, entry: Entry, payload: str) -> None:
        """Take the Reveal of a contestant, when entries are closed and the draw is not made."""
        async with self._hands:
            await self.drawing.reveal(entry, payload)
        self.bell(entry.competition).ring()
        self.wake()

    async def here(self, person: Account, number: CompetitionId, fixture: int, *, signs: bool = False) -> None:
        """Say that somebody is there for his game, at a browser whose page of the game will bring a key, or elsewhere."""
        async with self._hands:
            held = self._held.get(number)
            due = next((one for one in (held.queue if held else ()) if one.number == fixture), None)
            if held is None or due is None:
                raise StageError("this game is not waiting for anybody")
            if person.id not in {held.entry(one).owner for one in due.seats}:
                raise ForbiddenError("this game is not yours")
            await asyncio.to_thread(self.community.arrivals.come, number, fixture, person.id)
            held.ready.setdefault(fixture, set()).add(person.id)
            (held.signing.add if signs else held.signing.discard)((fixture, person.id))
        self.bell(number).ring()
        self._woken.set()

    async def again(self, by: Account, number: CompetitionId) -> None:
        """Try again where a competition waits because our house failed: its organiser may."""
        async with self._hands:
            held = self._held.get(number)
            if held is None or not self.trouble(number):
                raise StageError("this competition is not waiting")
            if by.id != held.competition.organiser and not by.may(Role.OPERATOR):
                raise ForbiddenError("only its organiser lets a competition go on")
            held.forgive()
        self.bell(number).ring()
        self.wake()

    # ── beginning ──────────────────────────────────────────────────────────────────────────────────────────────────

    async def _close_entries(self, by: Account | None, competition: Competition) -> None:
        """Take no more entries: from now on it runs, and is drawn as soon as it can be."""
        await self.drawing.close(by, competition)
        self._looked = 0.0
        self.bell(competition.id).ring()

    async def _hold(self, competition: Competition) -> None:
        """Hold a competition that runs: draw it if it is not drawn, and find out how far it has come."""
        if competition.id in self._held:
            held = self._held[competition.id]
            for entry in await self._entries(competition):
                before = held.entries.get(entry.neutral, entry)
                if entry.withdrawn is not None and before.withdrawn is None:
                    self._leave(held, entry)  # whoever erased his account, say
                held.entries[entry.neutral] = entry
            return
        name = tournament_of(competition.id)
        if name not in self.store.tournaments():
            plan = await self.drawing.plan(competition)
            if plan is None:
                return
            date = datetime.now(UTC).strftime("%Y-%m-%d")
            self.store.add_tournament(name, plan.text(), plan.seed.encode(), date)
            await self.store.durable()
        held = RunningCompetition(competition, read_kept_plan(self.store.tournament(name)[0]))
        held.entries = {one.neutral: one for one in await self._entries(competition)}
        self._held[competition.id] = held  # before it recalls anything, so that it hears of matches that end meanwhile
        try:
            await self._recall(held)
        except BaseException:
            del self._held[competition.id]
            raise
        self.bell(competition.id).ring()

    async def _entries(self, competition: Competition) -> tuple[Entry, ...]:
        return await asyncio.to_thread(lambda: self.community.entries.of(competition.id, withdrawn=True))

    async def _recall(self, held: RunningCompetition) -> None:
        """Find out how far a tournament has come: results that are sealed count, matches that are live go on."""
        known = past(self.store.matches(tournament=held.tournament))
        held.ready = await asyncio.to_thread(self.community.arrivals.of, held.competition.id)
        for one in known.values():
            held.recall(one)
        begun = [one.number for one in known.values() if one.verdict is None]
        if begun:
            await held.refill()
            due = {one.number: one for one in held.queue}
            held.live = {number: due[number] for number in begun if number in due}
            held.queue = deque(one for one in held.queue if one.number not in held.live)
        await self._report_again(held)

    async def _report_again(self, held: RunningCompetition) -> None:
        """Tell the owners what the house may not have come to tell before it went away: the last that befell each engine."""
        last: dict[int, tuple[Fixture, Result]] = {}
        for fixture in held.plan.schedule.fixtures(held.results):
            result = held.results.get(fixture.number)
            if result is not None:
                last |= {one: (fixture, result) for seat, one in enumerate(fixture.seats) if result.works(seat) is not None}
        for one, (fixture, result) in last.items():
            await self._tell_owner(held, fixture, result, one)

    # ── playing ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _ended(self, sitting: ArenaMatch) -> None:
        """Hear of a match of the arena that stopped."""
        for held in self._held.values():
            if held.tournament == sitting.plan.event:
                held.ended.append(sitting.name)
                self._woken.set()

    async def _play(self, held: RunningCompetition) -> None:
        ended, held.ended = held.ended, []
        heard = [name for name in ended if await self._hear(held, name)]
        over = await held.refill()
        if over:
            await asyncio.to_thread(self.community.competitions.finish, held.competition.id)
            self._held.pop(held.competition.id, None)
        idle = over or held.halted is not None
        begun = 0 if idle else await self._begin(held)
        called = not idle and held.call(self.community.database.now())
        if heard or begun or over or called:
            self.bell(held.competition.id).ring()

    async def _hear(self, held: RunningCompetition, name: str) -> bool:
        """Take down what a match that stopped has come to; tell whether that is anything new."""
        row = self.store.match(name)
        fixture = held.live.get(row.fixture or 0)
        if fixture is None or self.arena.look(name) is not None:
            return False
        number = fixture.number
        if row.verdict is None:
            return self._resume(held, number, name)
        del held.live[number]
        held.stopped.discard(number)
        if held.ready.pop(number, None):
            await asyncio.to_thread(self.community.arrivals.forget, held.competition.id, number)
        step = held.judged(number, read_verdict(row.verdict))
        if isinstance(step, Book):
            for one in fixture.seats:
                await self._tell_owner(held, fixture, held.results[number], one)
        else:
            held.queue.appendleft(fixture)
            self._heed(held, step)
        return True

    def _resume(self, held: RunningCompetition, number: int, name: str) -> bool:
        """Go on with a match that stopped by an error of ours, when it may; tell whether it was tried."""
        if number not in held.stopped:
            held.stopped.add(number)
            self._heed(held, held.judged(number, None))
        if held.halted is not None or not held.rested(number):
            return False
        held.stopped.discard(number)
        try:
            self.arena.resume(name)
        except ArbitreError as error:
            self._refused(held, number, error)
        return True

    def _refused(self, held: RunningCompetition, number: int, error: ArbitreError) -> None:
        """Do what follows where a game cannot begin, or not go on."""
        step = held.judged(number, error)
        if isinstance(step, Stop):  # that is told for all competitions together
            raise error
        LOG.info("game %s of %s waits: %s", number, held.tournament, error)
        self._heed(held, step)

    def _heed(self, held: RunningCompetition, step: Step) -> None:
        """Say that a competition waits, where it does."""
        if isinstance(step, Halt):
            LOG.error("competition %s waits for its organiser: %s", held.competition.id, held.halted)
            self.bell(held.competition.id).ring()

    async def _tell_owner(self, held: RunningCompetition, fixture: Fixture, result: Result, one: int) -> None:
        """Tell the owner of an engine how it fared."""
        entry, works = held.entry(one), result.works(fixture.seats.index(Contestant(one)))
        if entry.engine is None or entry.withdrawn is not None or works is None:
            return
        with suppress(CommunityError):
            if not works:
                said = Reason(
                    "%(kind)s in game %(name)s: %(reason)s",
                    kind=result.termination,
                    name=held.names[fixture.number],
                    reason=result.reason or "",
                )
                await asyncio.to_thread(self.community.engines.broke, entry.engine, said)
            else:
                await asyncio.to_thread(self.community.engines.works, entry.engine)

    async def _begin(self, held: RunningCompetition) -> int:
        """Begin what there is room for; return how many games."""
        begun, now = 0, self.community.database.now()
        busy = held.busy()
        for fixture in tuple(held.queue):
            room = min(held.plan.concurrency - len(held.live), self.together - sum(len(one.live) for one in self._held.values()))
            if room <= 0:
                break
            waits = held.waits_for(fixture) and not held.overdue(fixture, now)
            if busy & set(fixture.seats) or waits or not held.rested(fixture.number):
                continue
            try:
                await self._call(held, fixture, held.overdue(fixture, now))
            except ArbitreError as error:
                self._refused(held, fixture.number, error)
                break
            held.queue.remove(fixture)
            held.live[fixture.number] = fixture
            busy |= set(fixture.seats)
            begun += 1
        return begun

    async def _call(self, held: RunningCompetition, fixture: Fixture, late: tuple[AccountId, ...]) -> None:
        plan, said = held.plan, held.competition.announcement
        seats = [held.entry(one) for one in fixture.seats]
        players: list[Sitter] = [
            EmptySeat(one.neutral, "human", not_come(said.patience))
            if one.owner in late
            else await self._sitter(plan.game, one, signs=(fixture.number, one.owner) in held.signing)
            for one in seats
        ]
        sitters = (*players, *await judges(self.community, plan.game))
        match = Match(
            plan.game, sitters, plan.starts[fixture.start], plan.clock, MOST_SECONDS,
            event=held.tournament, round=fixture.round, refusals=plan.refusals, turns=plan.turns, agree=plan.agree,
            after=plan.after,
        )  # fmt: skip
        call = Fixed(plan.schedule.secret(fixture.number, held.attempt(fixture.number)), held.tournament, fixture.number)
        held.names[fixture.number] = call.name
        title = f"{said.title}, {fixture.number}"[:LONGEST_TITLE]
        await self.arena.open(match, title=title, hidden=not said.listed, call=call)

    async def _sitter(self, game: AnyGame, entry: Entry, *, signs: bool) -> Sitter:
        """Return who sits down for an entry."""
        if entry.engine is None:
            if entry.withdrawn is not None:
                return EmptySeat(entry.neutral, "human", WITHDREW)
            return PersonSeat(f"account:{entry.owner}", entry.neutral, signs)
        found = await asyncio.to_thread(self.community.engines.find, entry.engine)
        if entry.withdrawn is not None or found.retired is not None or found.game != label_of(game):
            why = WITHDREW if entry.withdrawn is not None else Reason("out-of-use")
            return EmptySeat(entry.neutral, f"engine:{found.opponent}", why)
        return EngineSeat(found.id, found.neutral, found.url, found.style, found.opponent)
