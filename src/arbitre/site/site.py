"""An open site, whatever its faces are: its store, its community, its matches and competitions, the five systems' rooms.

What can be done with it is in the modules beside this one, each for one area: `matches`, `trials`, `programs`, `classroom` …
They take the site and the caller, hold every rule, and raise errors of the one tree; pages and API translate.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext, suppress
from functools import partial
from hashlib import sha256
from time import time
from typing import Any, TypeVar
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from arbitre.arcade.desk import Desk
from arbitre.arcade.server import Arcade
from arbitre.crypto.keys import Key, keep
from arbitre.elections.rooms import Elections
from arbitre.elections.transcripts import Transcripts
from arbitre.errors import CommunityError, HasteError, SettingsError, StoreError
from arbitre.league.house import HouseRobots
from arbitre.league.ledger import Roster
from arbitre.league.table import League
from arbitre.reasons import Reason
from arbitre.records.backend import open_hints
from arbitre.records.log.sequencer import Sequencer
from arbitre.records.nodes import NodeRole
from arbitre.records.store import Store
from arbitre.site.accounts import AT_ONCE
from arbitre.site.arena.arena import Arena
from arbitre.site.arena.live import Live
from arbitre.site.arena.matches import ArenaMatch
from arbitre.site.arena.reach import Ways
from arbitre.site.arena.showcase import Showcase
from arbitre.site.arena.traces import verdict_on, verdict_on_referee
from arbitre.site.community import Community
from arbitre.site.competitions.runner import Steward
from arbitre.site.competitions.scoreboard import Scoreboard
from arbitre.site.database import Allowances as CommunityRules
from arbitre.site.judging import Judge
from arbitre.site.kriegspiel import FileUmpire
from arbitre.site.limits import SharedLimits
from arbitre.site.listeners import LEAGUE, ROOMS, Door, Listening, league_roster, open_listeners
from arbitre.site.membership import Membership
from arbitre.site.puzzles import Puzzles
from arbitre.site.ratings import Ranking
from arbitre.site.returned import Returned
from arbitre.site.settings import Settings
from arbitre.site.witnesses import Witnesses, read_witness
from arbitre.tournoyons.player import Switchboard
from arbitre.transport.guard import Guard
from arbitre.transport.limits import Pace
from arbitre.transport.sockets import Endpoint

T = TypeVar("T")

SITE_KEY = "site.key"
"""The file of the key from which the secret of cookies and forms follows."""

MOST_WAITING = 100
"""People who may wait for their password to be looked at."""

DRAWS_PER_HOUR = 120
"""Quick choices that one connection may keep here."""


class Site:
    """An open site, without its pages."""

    def __init__(self, settings: Settings, store: Store, switchboard: Switchboard, rules: CommunityRules | None = None) -> None:
        self.settings = settings
        self.store = store
        self.switchboard, self._calls = switchboard, switchboard.slots.most
        """Calls engines at addresses, through the guard; its receiver is mounted below `/answer/`."""
        self.community = Community(store.place, rules)
        self.membership = _membership(settings, store, self.community) if store.place.database else None
        """This process among the nodes of its database, where that is one which several can share."""
        self.ways = Ways(self.community)
        """How engines may be called: in their classes' ranges, through their schools' gateways."""
        self.log = Sequencer(store, settings.address, settings.log_period) if settings.log_period else None
        """The transparency log of the matches that are played here."""
        self.arena = Arena(store, switchboard, ended=self._note, way=self.ways.to_engine, log=self.log)
        """The games that go on here."""
        self.showcase = Showcase(store, settings.house_records)
        """Which games of the house for visitors are kept."""
        self.arena.on_end(self.showcase.ended)
        self.steward = Steward(store, self.community, self.arena)
        """Sees to competitions and challenges."""
        self.scoreboard = Scoreboard(store, self.steward)
        self.rankings: dict[str, tuple[float, Ranking]] = {}
        """Those that were made, and when."""
        self.returned = Returned()
        """What interfaces return that are being tested."""
        self.league = League(store, _roster(settings))
        """The table and the confirmed games of the draughts league."""
        self.robots = HouseRobots(store, ZoneInfo(settings.timezone), switchboard.guard or Guard(), bind=settings.league_address)
        """The house's own robots in that league."""
        self.transcripts = Transcripts(settings.data, store)
        """Proofs of finished elections and of lots that were drawn."""
        self.elections = Elections(self.transcripts, store.key)
        self.draws = Pace(DRAWS_PER_HOUR / 60, hand=30)
        """How many lots each connection has drawn here."""
        self.arcade = Arcade(store=store)
        """The arcade: one lobby for its door of TCP and for the pages."""
        self.desk = Desk(self.arcade)
        """Where browsers play at the arcade."""
        self.file_umpire = FileUmpire(self.community.file_games, settings.data, settings.public)
        """Judges games of Kriegspiel by file, whose players name this site as their provider."""
        self.judge = Judge(
            self.community.analyses,
            lambda match: self.arena.record(match).text().encode(),
            store.key,
            shared=bool(store.place.database),
        )
        """Judges games that are over, in a process beside this one, unless workers do."""
        self.arena.on_end(self.judge.ended)
        self.puzzles = Puzzles(self.community.daily, self.arena)
        """One a day, made of the games that were played here."""
        self._listening, self._doors = list[list[Listening]](), AsyncExitStack()
        """What has become of the doors beside the site, and what closes them."""
        self.draining = False
        """Whether this node is about to hand everything over: no balancer shall send anybody here."""
        self.closing = asyncio.Event()
        """Set when the site is about to close: streams of events end then."""

        self._hashing, self._waiting = ThreadPoolExecutor(AT_ONCE, "arbitre-passwords"), 0

    @property
    def key(self) -> Key:
        """The key that signs records here."""
        return self.store.key()

    @property
    def listeners(self) -> tuple[Listening, ...]:
        """What has become of the other doors."""
        return tuple(sorted((one for some in self._listening for one in some), key=lambda one: tuple(Door).index(one.name)))

    def reached(self, door: Door) -> tuple[str, Reason | None]:
        """Return where programs reach a listener of the league, and why they do not; one of them is empty."""
        for one in self.listeners:
            if one.name is door:
                host = urlsplit(self.settings.public).hostname or self.settings.host
                port = self.settings.registrar_port if door is Door.REGISTRAR else self.settings.defender_port
                return (str(Endpoint(host, port)), None) if one.where else ("", one.why)
        return "", None

    def listens_at(self, door: Door) -> str:
        """Return where a listener is, empty where it is not open."""
        return next((one.where for one in self.listeners if one.name is door), "")

    def count(self, kind: str, key: str) -> None:
        """Count an attempt (`site.limits`); `HasteError` where there were too many."""
        self.community.limits.take(kind, key, time())

    async def hashed(self, work: Callable[..., T], *given: Any) -> T:
        """Do something that computes the hash of a password: two at a time, beside everything else."""
        if self._waiting >= MOST_WAITING:
            raise HasteError("very many people are logging in: wait a moment", 5)
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._hashing, work, *given)
        finally:
            self._waiting -= 1

    @asynccontextmanager
    async def opened(self, asked: frozenset[str] = frozenset()) -> AsyncIterator[None]:
        """Open the site and close it in the reverse order; a listener's usual port that is busy is told in `listeners`.

        One that was `asked` for, by the name of its setting, must open.
        """
        async with AsyncExitStack() as stack:
            stack.callback(self.community.close)
            stack.callback(self._hashing.shutdown)
            if self.membership is not None:
                stack.push_async_callback(self.membership.close)
                self.community.database.node = await self.membership.join()
                self.arena.dialing.ahead = self.membership.ahead
            self._mirror(stack)
            self.showcase.open()
            if self.log is not None:
                stack.push_async_callback(self.log.close)
                await self._open_log(stack)
            await self.arena.start()
            stack.push_async_callback(self._close_arena)
            if self.membership is not None:
                self.membership.on_inherited = self.arena.adopt
                self.membership.going = self._going
                self.membership.on_others = self._divide
                self.membership.on_role = partial(self._serve, stack, frozenset())
                self.membership.start()
            stack.push_async_callback(self.steward.close)
            stack.push_async_callback(self.elections.close)
            self.puzzles.start()
            stack.push_async_callback(self.puzzles.close)
            self.judge.start()
            stack.push_async_callback(self.judge.close)
            stack.push_async_callback(self.robots.close)
            self.arcade.open()
            stack.push_async_callback(self.arcade.close)
            stack.push_async_callback(self._doors.aclose)
            for role in NodeRole:
                if role in self.roles and role is not NodeRole.LOG:  # which is open by now
                    await self._serve(stack, asked, role)
            stack.callback(self.close_streams)
            yield

    def _mirror(self, stack: AsyncExitStack) -> None:
        """Let nodes tell each other what is new, and read what others play."""
        if self.membership is None:
            return
        mirrors, membership = self.arena.mirrors, self.membership
        hints = open_hints(self.store.place, mirrors.told)
        stack.push_async_callback(hints.close)
        hints.start()
        mirrors.say = hints.say
        stack.push_async_callback(mirrors.close)
        mirrors.start()

        def news(lives: Iterable[Live]) -> None:
            for live in lives if membership.peers else ():
                hints.say(f"new {live.name}")

        self.arena.on_news = news

    def _divide(self, others: int) -> None:
        """Call no host of engines more often than one node alone would: each has its part of the calls."""
        self.switchboard.slots.resize(max(1, self._calls // (others + 1)))

    def _going(self) -> tuple[tuple[int, str], ...]:
        """Return the number and the name of every game that goes on here and that anybody may watch, the newest first."""
        playing = self.arena.playing()
        return tuple((one.sitting.number, one.name) for one in playing if one.going and not one.sitting.hidden)

    async def _close_arena(self) -> None:
        """Stop all matches; a node that left, or has lost them to another, has nothing more to keep."""
        gone = self.membership is not None and (self.membership.left or self.membership.lost.is_set())
        with suppress(StoreError) if gone else nullcontext():
            await self.arena.close()

    @property
    def roles(self) -> frozenset[NodeRole]:
        """What this process sees to for all who share the database: everything, where nobody does."""
        return frozenset(NodeRole) if self.membership is None else self.membership.roles

    async def _serve(self, stack: AsyncExitStack, asked: frozenset[str], role: NodeRole) -> None:
        """Begin to see to something for all nodes."""
        if self.closing.is_set() or self.draining:
            return  # it is handed over with everything else
        if role is NodeRole.LOG:
            await self._open_log(stack)
        elif role is NodeRole.STEWARD:
            await self.steward.start()
        elif role is NodeRole.SHOWCASE:
            self.showcase.open()
        elif role is NodeRole.LEAGUE:
            self.robots.start()
            await self._listen(asked, LEAGUE)
        elif role is NodeRole.ROOMS:
            await self._listen(asked, ROOMS)

    async def _open_log(self, stack: AsyncExitStack) -> None:
        """Hold the log, or follow who does."""
        if self.log is None:
            return
        await self.log.close()
        if NodeRole.LOG not in self.roles:
            await self.log.follow()
            return
        await self.log.open()
        self.log.start()
        if self.settings.log_witness:
            witnesses = Witnesses(self.log, tuple(map(read_witness, self.settings.log_witness)))
            witnesses.start()
            stack.push_async_callback(witnesses.close)

    async def _listen(self, asked: frozenset[str], doors: Collection[Door]) -> None:
        opened = open_listeners(self.settings, self.store, self.arcade, self.robots, asked, doors)
        self._listening.append(await self._doors.enter_async_context(opened))

    async def drain(self) -> bool:
        """Hand everything over to the other nodes, and tell whether there are any: from then on requests are passed on to them.

        What is being committed is finished first, and what was accepted is durable; nothing else is begun. Rooms end, and doors
        beside the site close first: whoever takes over may open the same ports on the same machine.
        """
        self.draining = True
        if self.membership is None or self.membership.lost.is_set() or not await self.membership.others():
            return False
        await self._doors.aclose()
        for one in (self.arcade, self.elections, self.steward, self.robots, self.arena):
            await one.close()
        await self.membership.leave()
        if self.log is not None:
            await self.log.close()
        self.close_streams()
        return True

    def close_streams(self) -> None:
        """Let whoever watches go: the site is about to close."""
        self.closing.set()
        self.arena.wake()
        self.elections.dismiss()

    def _note(self, sitting: ArenaMatch) -> None:
        """Take down for the owners of engines whether they did what they should in a match that is over."""
        if (found := verdict_on_referee(self.store, sitting)) is not None:
            with suppress(CommunityError):
                self.community.added.judged(*found)
        if self.steward.holds(sitting):
            return  # the steward tells them, and again when the house comes back
        for number, fault in verdict_on(self.store, sitting).items():
            with suppress(CommunityError):  # an engine may have been erased meanwhile
                self.community.engines.judged(number, fault)


def _membership(settings: Settings, store: Store, community: Community) -> Membership:
    """Return this process as a node; the keys that sign cookies and records are the same for all, and they count together."""
    keys = (keep(settings.data / SITE_KEY), store.referee_keys()[0])
    mark = sha256(b"arbitre/nodes/1" + b"".join(key.public for key in keys)).hexdigest()
    membership = Membership(store, settings.node_name, settings.node_address, mark)
    community.limits = SharedLimits(community.limits.limits, membership.shared)
    return membership


def _roster(settings: Settings) -> Roster:
    """Return who stands behind the league's addresses; one that cannot be read keeps the registrar closed, and names nobody."""
    try:
        return league_roster(settings)
    except SettingsError:
        return Roster()
