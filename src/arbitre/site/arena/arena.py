"""The arena: every match that goes on in this house, between people, engines by URL and players of the house.

Nothing is only in memory. A match is its record and its plan (`site.arena.plan`); when the house comes back after a crash, or a
stop, it reads both, tells the players what they said before, and goes on: the same question is asked under the same MoveId, a
page that was open still answers it, and nobody is charged for the time between.

Whoever watches sees a scene when it is durable, and not before.
"""

import asyncio
import os
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from hmac import compare_digest
from logging import getLogger
from time import monotonic

from arbitre.crypto.chain import SEED_BYTES, commitment, derive
from arbitre.crypto.keys import Key
from arbitre.errors import ArbitreError, ArenaError, LateError, MoveError, QuotaError, StoreError, shorten
from arbitre.games.game import Eye, Seat
from arbitre.games.wires import engine_wire
from arbitre.reasons import Reason, declare
from arbitre.records.event import NOBODY, Kind
from arbitre.records.log.sequencer import Sequencer
from arbitre.records.record import Record
from arbitre.records.store import Store
from arbitre.referee.match import Match, MatchStage
from arbitre.referee.player import EmptyChair
from arbitre.referee.runner import MatchRunner, Step, greeted
from arbitre.referee.scenes import Scene, scenes
from arbitre.referee.story import Moment, Told, tell
from arbitre.referee.terms import AFTER, RECORDS, LogTerms, Opening, read_opening
from arbitre.referee.verify import steps
from arbitre.site.arena.dialing import Dialing, dials
from arbitre.site.arena.live import ArenaJournal, Live
from arbitre.site.arena.matches import ArenaMatch, ArenaMatches, Traces, read_sitting
from arbitre.site.arena.mirrors import Mirrors
from arbitre.site.arena.plan import LONGEST_TITLE, EngineSeat, HouseSeat, MatchPlan, PersonSeat, Sitter, State
from arbitre.site.arena.players import Usher, Ways, prepare_house
from arbitre.site.arena.seats import NOT_ASKED
from arbitre.tournoyons.gateway import PUBLIC
from arbitre.tournoyons.player import Switchboard, check_clock
from arbitre.tournoyons.wire import LONGEST_VALUE
from arbitre.values import value

LOG = getLogger("arbitre.arena")

NAME_LENGTH = 16
"""A match of the arena is named by so many hexadecimal digits."""

MOST_LIVE = 2_000
"""Matches that are played at a time; whoever wants another waits."""

MOST_EACH = 40
"""Matches that one person may have called that are not over."""

ONE_CHAIR = Reason("one-chair")

MOST_WAITING = 10_000
"""Matches whose chairs are not all taken; of more, the one that waits longest is taken back."""

QUIET_SECONDS = 3_600.0
"""When the house is full, a match without a clock that nobody has touched for so long makes room."""

MOST_TOLD = 24
"""Matches that are over whose scenes are kept, eye by eye."""

SAFE_SECONDS = 5.0
"""How long whoever sent a move is kept waiting for the disk."""

REASONS = declare(
    {
        "site-away": (
            "nothing can be kept now, so nothing was accepted: every open question stays open, and is asked again",
            (
                "rien ne peut être gardé en ce moment, donc rien n’a été accepté : "
                "chaque question reste ouverte, et sera posée de nouveau"
            ),
        ),
        "untouched": (
            "nobody has touched it for a long time, and others wait to play",
            "personne n’y a touché depuis longtemps, et d’autres attendent pour jouer",
        ),
        "one-chair": (
            "a person takes one chair: the other is for a friend, an engine or the house",
            "une personne prend un siège : l’autre est pour un ami, un moteur ou la maison",
        ),
        "left-by-guests": ("its guests left it a day ago", "ses invités l’ont quittée depuis un jour"),
        "stopped-by-starter": ("whoever started it stopped it", "celui qui l’avait lancée l’a arrêtée"),
        "competition-cancelled": ("the competition was cancelled", "la compétition a été annulée"),
    }
)

AWAY = Reason("site-away")
"""What is said to whoever answers while the store has failed, or the house closes."""

LAY_SECONDS = 10.0
"""How long a house that comes back waits for its tables to be laid before it lets visitors in."""


@value
class Fixed:
    """What a competition says of a match: its secret seed, and which game of which tournament it is."""

    seed: bytes
    tournament: str
    fixture: int

    @property
    def name(self) -> str:
        """The name of the match: a function of its seed, as wherever a tournament is held."""
        return derive(self.seed, "match").hex()[:NAME_LENGTH]


class Arena:
    """All matches that go on here."""

    def __init__(
        self,
        store: Store,
        switchboard: Switchboard,
        *,
        ended: Callable[[ArenaMatch], None] | None = None,
        way: Ways = lambda _number, _url: PUBLIC,
        log: Sequencer | None = None,
    ) -> None:
        self.store = store
        self.log = log
        """The transparency log that matches are entered into."""
        self.switchboard = switchboard
        self.sittings = ArenaMatches(store)
        """All matches that were ever called."""
        self.traces = Traces(store)
        """What was exchanged with engines."""
        self.dialing = Dialing()
        """Engines that call us."""
        self._usher = Usher(switchboard, self.traces, way, self.dialing)
        switchboard.receiver.away = self._away
        self.key: Key = store.key()
        self._ended = [] if ended is None else [ended]
        self._live: dict[str, Live] = {}
        self._waiting: dict[str, str] = {}
        """Who called each match whose chairs are not all taken, the oldest first."""
        self._stopped: set[str] = set()
        """Matches that an error of ours stopped: they go on when the house comes back, or somebody says so."""
        self.mirrors = Mirrors(store, self.sittings, self.look)
        """Matches of other nodes into which somebody looks here."""
        self._loud: set[Live] = set()
        self._heralding: asyncio.Task[None] | None = None
        self._told: OrderedDict[tuple[str, Eye, State], Sequence[Scene]] = OrderedDict()
        """What was last looked at of matches that are over."""
        self._number = 0
        self._closing = False
        self.on_news: Callable[[Iterable[Live]], None] = lambda _: None
        """Called with matches of which something new is durable."""

    def on_end(self, tell: Callable[[ArenaMatch], None]) -> None:
        """Tell somebody of every match that stops from now on: whether it is over, or stopped by an error of ours."""
        self._ended.append(tell)

    # ── coming and going ───────────────────────────────────────────────────────────────────────────────────────────

    async def start(self) -> int:
        """Go on with every match that is not over; return how many there are."""
        self._number = self.sittings.count()
        self._waiting = {one.name: one.plan.starter for one in map(read_sitting, self.sittings.rows("waiting"))}
        self.adopt()
        going = tuple(self._live.values())
        with suppress(TimeoutError):
            async with asyncio.timeout(LAY_SECONDS):
                await asyncio.gather(*(live.laid.wait() for live in going))
        return len(going)

    def adopt(self) -> None:
        """Go on with every match that is ours to see to and that we do not see to yet."""
        if self._closing:
            return
        for name in self.sittings.played_here():
            if name not in self._live and name not in self._stopped:
                try:
                    self._go(self.sittings.find(name))
                except ArbitreError as error:
                    self._stopped.add(name)
                    LOG.error("the match %s cannot go on: %s", name, error)  # noqa: TRY400 - it says enough

    async def close(self) -> None:
        """Stop all matches where they are; they go on when the arena starts again, here or elsewhere."""
        self._closing = True
        self._usher.leave()
        self.dialing.close()
        tasks = [live.task for live in self._live.values() if live.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._heralding is not None:
            with suppress(asyncio.CancelledError, ArbitreError):
                await self._heralding
        self._live.clear()
        await self.store.durable()

    async def open(
        self,
        plan: MatchPlan,
        *,
        owner: int | None = None,
        title: str = "",
        hidden: bool = False,
        name: str = "",
        call: Fixed | None = None,
    ) -> ArenaMatch:
        """Call a match, under a name of its own or a given one; it begins when no chair is free.

        Those of a competition are called by it, once, and no chair of theirs is free; it can wait for the store.
        """
        if call is None:
            self._check_away()
        self.check_room()
        self._check_quota(plan)
        if any(isinstance(one, EngineSeat) and not dials(one.url) for one in plan.sitters):
            check_clock(plan.clock)
        if len(title) > LONGEST_TITLE:
            raise ArenaError("a title has at most %(longest_title)s characters", longest_title=LONGEST_TITLE)
        self._number = self.sittings.next(self._number)
        name = call.name if call is not None else name or os.urandom(NAME_LENGTH // 2).hex()
        state: State = "waiting" if plan.free else "playing"
        if call is not None:
            if plan.free:
                raise ArenaError("a competition knows who plays")
            if self.sittings.has(name):
                return self.sitting(name)  # it was called before the house came back
        sitting = ArenaMatch(name, self._number, state, plan, owner, title, hidden)
        self.sittings.add(sitting, shown=plan.shown and call is None)
        if state == "playing":
            self._begin(sitting, call)
        else:
            self._wait(sitting)
        await self.store.durable()
        return sitting

    async def sit(self, name: str, seat: Seat, person: PersonSeat) -> ArenaMatch:
        """Let a person take a free chair; the match begins when it was the last."""
        sitting = self.sitting(name)
        if seat not in sitting.plan.free:
            raise ArenaError("this chair is taken")
        self._check_away()
        sitters: tuple[Sitter, ...] = (*sitting.plan.sitters[:seat], person, *sitting.plan.sitters[seat + 1 :])
        self.check_room()
        plan = replace(sitting.plan, sitters=sitters)
        state: State = "waiting" if plan.free else "playing"
        taken = sitting._replace(plan=plan, state=state)
        self.sittings.reseat(taken, seat)
        if state == "playing":
            self._waiting.pop(sitting.name, None)
            self._begin(taken)
        await self.store.durable()
        return taken

    @property
    def full(self) -> bool:
        """Whether as many matches are being played as there may be."""
        return len(self._live) >= MOST_LIVE

    def check_room(self) -> None:
        """Find room for one match more; `ArenaError` where there is none."""
        if not self.full:
            return
        idle = [one for one in self._live.values() if not one.sitting.plan.event and not one.sitting.plan.clock.runs]
        quietest = min(idle, key=lambda one: one.asked_at, default=None)
        if quietest is None or quietest.table is None or monotonic() - quietest.asked_at < QUIET_SECONDS:
            raise ArenaError("%(most_live)s matches are being played; try again when some are over", most_live=MOST_LIVE)
        quietest.asked_at = monotonic()
        quietest.table.interrupt(Kind.ABANDONED, NOBODY, Reason("untouched"))

    def _check_quota(self, plan: MatchPlan) -> None:
        """Let nobody call more matches than one person can look after."""
        starter = plan.starter
        if starter and self._called(starter) >= MOST_EACH:
            raise QuotaError(
                "%(most_each)s matches that you called are not over: finish one, give it up or take it back first",
                most_each=MOST_EACH,
            )
        people = [one.who for one in plan.sitters if isinstance(one, PersonSeat) and one.who]
        if len(set(people)) < len(people) and not plan.event:
            raise ArenaError(ONE_CHAIR)

    def _called(self, starter: str) -> int:
        """Return how many matches that somebody called are not over; where other nodes play too, the database knows of most."""
        there = 0 if self.store.node is None else self.sittings.called(starter)
        going = sum(one.sitting.plan.starter == starter for one in self._live.values())
        return max(there, going + sum(one == starter for one in self._waiting.values()))

    def _wait(self, sitting: ArenaMatch) -> None:
        """Let a match wait for whoever takes its free chairs."""
        self._waiting[sitting.name] = sitting.plan.starter
        while len(self._waiting) > MOST_WAITING:
            oldest = next(iter(self._waiting))
            del self._waiting[oldest]
            self.sittings.take_back(oldest)

    # ── what is said ───────────────────────────────────────────────────────────────────────────────────────────────

    async def answer(self, name: str, seat: Seat, ticket: str, text: str, note: str = "") -> None:
        """Take a person's move, and a note on it; return when it is durable: who is told that it was taken will find it again.

        `LateError` where it is not asked for any more, `MoveError`, `StoreError` where it cannot be kept.
        """
        live = self.live(name)
        person = live.people.get(seat)
        if person is None:
            raise ArenaError("no person sits on this chair")
        self._check_away()
        try:
            person.answer(ticket, text, note)
        except MoveError:
            live.wake()  # whoever sits there sees why
            raise
        if not await self._soon(person.safe()):
            raise LateError(NOT_ASKED)  # somebody ended the match in the same moment

    async def dialled(self, engine: int, number: str, line: str, note: str = "") -> None:
        """Take what an engine that calls us answers to a question, and return when it is durable; as `answer` and `Dialing`."""
        try:
            question = self.dialing.answer(engine, number, line, note)
        except LateError:
            if (why := self._away()) is not None:
                raise StoreError(why) from None
            raise
        if question.kept is not None and not await self._soon(asyncio.shield(question.kept)):
            raise LateError(NOT_ASKED)  # the match ended in the same moment

    async def _soon(self, kept: Awaitable[bool]) -> bool:
        """Tell whether something has become durable; `StoreError` where that is not known in time, or not possible."""
        try:
            async with asyncio.timeout(SAFE_SECONDS):
                found = await kept
        except TimeoutError:
            raise StoreError(
                "the store in %(folder)s is slow: not durable within %(safe_seconds)s seconds",
                folder=self.store.folder,
                safe_seconds=f"{SAFE_SECONDS:g}",
            ) from None
        if not found and (why := self._away()) is not None:
            raise StoreError(why)
        return found

    def _away(self) -> Reason | None:
        """Say why nothing can be accepted any more though games are not over, and are asked again; None while it can."""
        return AWAY if self.store.failed or self._closing else None

    def _check_away(self) -> None:
        """Take nothing of people that might wait: who is refused has done nothing. A program says its answer once: it waits."""
        if self.store.trouble or self._closing:
            raise StoreError(AWAY)

    async def returned(self, ticket: str, text: str) -> None:
        """Take what an interface returns to the address of one question: a `Value` of the Tournoyons wire, or our own text."""
        name, given = ticket[:NAME_LENGTH], ticket.encode("utf-8", "replace")
        if (live := self._live.get(name)) is not None:
            for seat, person in live.people.items():
                for one in person.tickets:
                    if compare_digest(self.return_path(name, one).encode(), given):
                        await self.answer(name, seat, one, engine_wire(live.match.game).read_value(text[:LONGEST_VALUE]))
                        return
        if (why := self._away()) is not None:
            raise StoreError(why)
        raise LateError(NOT_ASKED)

    def return_path(self, name: str, ticket: str) -> str:
        """Return what stands in the return address of one question: it finds the match, and nobody guesses it."""
        return name + ticket

    def resign(self, name: str, seat: Seat) -> None:
        """Let a person give up, whoever is being asked."""
        live = self.live(name)
        if seat not in live.people or live.table is None:
            raise ArenaError("no person sits on this chair")
        live.table.interrupt(Kind.RESIGNED, seat)

    async def offer(self, name: str, seat: Seat) -> None:
        """Let a person offer a draw, or take the one that is offered."""
        live = self.live(name)
        if seat not in live.people or live.table is None:
            raise ArenaError("no person sits on this chair")
        if not live.match.game.offers:
            raise ArenaError("in this game no draw is agreed on")
        await live.table.offer(seat)

    async def decided(self, name: str) -> None:
        """Return when the end of a match is durable, if it is near: somebody has given up, or stopped it."""
        live = self._live.get(name)
        if live is not None:
            await self._soon(self._ends(live))

    @staticmethod
    async def _ends(live: Live) -> bool:
        while not live.decided and not live.over:
            await live.changed()
        return live.decided

    def withdraw(self, name: str, seat: Seat, why: Reason) -> None:
        """Let a contestant leave the match, whoever is being asked: it is lost."""
        live = self.live(name)
        if live.table is not None:
            live.table.interrupt(Kind.LEFT, seat, why)

    def stop(self, name: str, why: Reason) -> None:
        """Give a match up for the house: it is nobody's result."""
        live = self.live(name)
        if live.table is not None:
            live.table.interrupt(Kind.ABANDONED, NOBODY, why)

    async def cancel(self, name: str) -> None:
        """Take back a match whose chairs are not all taken."""
        if self.sitting(name).state != "waiting":
            raise ArenaError("this match has begun; it can only be given up")
        self._waiting.pop(name, None)
        self.sittings.take_back(name)
        await self.store.durable()

    async def entitle(self, name: str, title: str, owner: int | None) -> None:
        """Keep a match under a title, for somebody."""
        if len(title) > LONGEST_TITLE:
            raise ArenaError("a title has at most %(longest_title)s characters", longest_title=LONGEST_TITLE)
        sitting = self.sitting(name)
        self.sittings.entitle(name, title, owner)
        if (live := self._live.get(name)) is not None:
            live.sitting = sitting._replace(title=title, owner=owner)
        await self.store.durable()

    # ── looking ────────────────────────────────────────────────────────────────────────────────────────────────────

    def live(self, name: str) -> Live:
        """Return a match that is being played; `ArenaError` if it is not, `StoreError` if it would be."""
        found = self._live.get(name)
        if found is None and (why := self._away()) is not None:
            raise StoreError(why)
        if found is None:
            raise ArenaError("the match %(name)r is not being played now", name=shorten(name, 20))
        return found

    @property
    def count(self) -> int:
        """How many matches were ever called here."""
        return self._number

    def look(self, name: str) -> Live | None:
        """Return a match if it is being played."""
        return self._live.get(name)

    def seen(self, name: str) -> Live | None:
        """Return a match that is being played, here, or at another node while somebody looks into it here."""
        return self._live.get(name) or self.mirrors.look(name)

    def returning(self, name: str) -> bool:
        """Tell whether a match that is ours to see to goes on in a moment: its players are not at the table yet."""
        live = self._live.get(name)
        if live is None:
            return name not in self._stopped
        return live.shown < live.back and not live.decided and not live.over

    def wake(self) -> None:
        """Wake whoever watches anything: the house is about to close."""
        for live in self._live.values():
            live.wake()
        self.mirrors.wake()

    def playing(self) -> tuple[Live, ...]:
        """Return every match that is being played, the newest first."""
        return tuple(reversed(self._live.values()))

    def sitting(self, name: str) -> ArenaMatch:
        """Return a match of the arena; `UnknownRecordError`."""
        if (found := self._live.get(name)) is not None:
            return found.sitting
        return self.sittings.find(name)

    def record(self, name: str) -> Record:
        """Return the record of a match that is over."""
        return self.store.record(name)

    def opening(self, name: str) -> Opening | None:
        """Return the opening of a match as its record has it; None before it is there."""
        events = self.store.events(name)
        return read_opening(events[0].text) if events else None

    def told(self, name: str) -> Told:
        """Return a match as far as it may be seen, live or over."""
        live = self._live.get(name)
        return live.told() if live is not None else tell(self.store.record(name))

    async def watch(self, name: str, eye: Eye, after: int = 0) -> AsyncIterator[Scene]:
        """Return the scenes of a match for one eye behind number `after`, as they come; it ends with the match."""
        live = self._live.get(name)
        if live is None:
            for scene in (await self._past(name, eye))[after:]:
                yield scene
            return
        while True:
            while after < len(live.scenes(eye)):  # more may come while one goes out
                after += 1
                yield live.scenes(eye)[after - 1]
            if live.over:
                return
            await live.changed()

    async def _past(self, name: str, eye: Eye) -> Sequence[Scene]:
        """Return the scenes of a match that is over: worked out beside everything else, and kept for the next who looks."""
        state = self.sittings.find(name).state
        found = self._told.pop((name, eye, state), None)
        if found is None:
            record = self.store.record(name)
            found = await asyncio.to_thread(lambda: tuple(scenes(tell(record), eye, opens=state == "over")))
        self._told[name, eye, state] = found
        while len(self._told) > MOST_TOLD:
            self._told.popitem(last=False)
        return found

    # ── a match ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _begin(self, sitting: ArenaMatch, call: Fixed | None = None) -> None:
        """Begin a match whose chairs are all taken."""
        seed = os.urandom(SEED_BYTES) if call is None else call.seed
        created = datetime.now(UTC).strftime("%Y-%m-%d")
        tournament, fixture = (None, None) if call is None else (call.tournament, call.fixture)
        self.store.add_match(sitting.name, sitting.plan.game.name, seed, created, tournament=tournament, fixture=fixture)
        self._run(sitting, Match(self._opening(sitting, seed, created, fixture), seed), ())

    def _opening(self, sitting: ArenaMatch, seed: bytes, created: str, fixture: int | None) -> Opening:
        """Return the opening of a match; the notes of a competition's are those that its tournament would take anywhere."""
        plan, notes = sitting.plan, {"date": created}
        if plan.event:
            notes |= {"event": plan.event}
        if fixture is not None:
            notes |= {"game": str(fixture), "round": str(plan.round)}
        if plan.after:
            notes |= {RECORDS: AFTER}
        return Opening(
            sitting.name,
            plan.game,
            plan.chairs(),
            commitment(seed),
            plan.terms,
            plan.start,
            notes=notes,
            referee=self.key.public.hex(),
            opened=int(datetime.now(UTC).timestamp()),
            log=None if self.log is None else LogTerms(self.log.key.public.hex(), self.log.within),
        )

    def resume(self, name: str) -> None:
        """Go on with a match that stopped by an error of ours, if it is not over."""
        if name not in self._live:
            self._stopped.discard(name)
            self._go(self.sitting(name))

    def _go(self, sitting: ArenaMatch) -> None:
        """Go on with a match that was interrupted."""
        row = self.store.match(sitting.name)
        past = self.store.events(sitting.name)
        if past and past[-1].kind is Kind.REVEALED and row.seal is not None:
            self.sittings.over(sitting.name)
            return
        opening = read_opening(past[0].text) if past else self._opening(sitting, row.seed, row.created, row.fixture)
        match = Match(opening, row.seed)
        self._run(sitting, match, tuple(steps(match, past)) if past else ())

    def _run(self, sitting: ArenaMatch, match: Match, past: Sequence[Step]) -> None:
        live = Live(sitting, match)
        if past:
            live.start, live.moments = past[0][2], [Moment(*one) for one in past[1:]]
            live.show(len(past) - 1)
            live.back = len(past)
        self._live[sitting.name] = live
        live.task = asyncio.ensure_future(self._play(live, past))

    async def _play(self, live: Live, past: Sequence[Step]) -> None:
        match = live.match
        try:
            if any(isinstance(one, HouseSeat) for one in live.sitting.plan.sitters):
                await asyncio.to_thread(prepare_house, live.sitting.plan)
            fresh, sitters = not past, live.sitting.plan.sitters
            players = [self._usher.player(live, Seat(seat), one, fresh=fresh) for seat, one in enumerate(sitters)]
            if fresh:
                match = live.match = Match(await greeted(match.opening, players), match.seed)
            journal = ArenaJournal(live, self.store, self._herald, len(past), self.log)
            live.table = MatchRunner(match, players, journal, self.store.key_of(match.opening.referee))
            live.table.interruptible()
            await live.table.play(past)
        except ArbitreError as error:
            LOG.error("the match %s stopped: %s", live.name, error)  # noqa: TRY400
        except Exception:
            LOG.exception("the match %s stopped", live.name)
        finally:
            await self._settle(live)

    async def _settle(self, live: Live) -> None:
        """Let go of a match that is over."""
        if self._closing:
            return
        shown = len(live.moments)
        try:
            await self.store.durable()
        except ArbitreError:
            shown = live.shown  # what is not durable is seen by nobody: it comes otherwise when the house comes back
        stage = None if live.table is None else getattr(live.table, "affairs", None)
        if stage is not None and stage.stage is MatchStage.CLOSED:
            live.sitting = live.sitting._replace(state="decided" if live.match.opening.after else "over")
        if live.sitting.state == "playing":
            self._stopped.add(live.name)
        self._live.pop(live.name, None)
        live.over = True
        live.laid.set()
        live.show(shown)
        self.on_news((live,))
        for hear in self._ended:
            hear(live.sitting)

    # ── sealing what was decided before ────────────────────────────────────────────────────────────────────────────

    def kept_back(self) -> list[ArenaMatch]:
        """Return the matches that are decided and whose records are kept back, the oldest first."""
        return [read_sitting(row) for row in self.sittings.rows("decided")]

    async def seal(self, name: str) -> None:
        """Seal the record of a match that is decided, since its event is over; programs with a key check and sign it first.

        People have left: nobody knows when a page of theirs is opened again, so their seats are silent.
        """
        sitting = self.sittings.find(name)
        if sitting.state != "decided" or name in self._live or self._away() is not None:
            return
        row, past = self.store.match(name), self.store.events(name)
        match = Match(read_opening(past[0].text), row.seed)
        course = await asyncio.to_thread(lambda: tuple(steps(match, past)))
        live = Live(sitting, match)
        live.start, live.moments = course[0][2], [Moment(*one) for one in course[1:]]
        live.show(len(course) - 1)
        players = [
            EmptyChair()
            if seat not in match.keyed or isinstance(one, PersonSeat)
            else self._usher.player(live, Seat(seat), one, fresh=False)
            for seat, one in enumerate(sitting.plan.sitters)
        ]
        self._live[name] = live
        try:
            journal = ArenaJournal(live, self.store, self._herald, len(course), self.log)
            await MatchRunner(match, players, journal, self.store.key_of(match.opening.referee)).seal(course)
        finally:
            self._live.pop(name, None)
            live.over = True
            live.wake()

    # ── showing ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _herald(self, live: Live) -> None:
        """Show what a match has come to, when it is durable."""
        self._loud.add(live)
        if self._heralding is None or self._heralding.done():
            self._heralding = asyncio.ensure_future(self._proclaim())

    async def _proclaim(self) -> None:
        while self._loud:
            loud = [(live, len(live.moments)) for live in self._loud]
            self._loud.clear()
            try:
                await self.store.durable()
            except StoreError:
                return  # every match says so itself when it stops
            for live, count in loud:
                live.show(count)
            self.on_news(live for live, _ in loud)
