"""The house: what all pages share while the site is open, and how it is opened and closed.

Handlers get it as `house`. It is opened by the lifespan of the site: the store first, what rests on it next, the listeners
last; and closed in the reverse order.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from hashlib import sha256
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from arbitre.arcade.desk import Desk
from arbitre.arcade.server import Arcade
from arbitre.crypto.keys import Key, keep
from arbitre.elections.rooms import Elections
from arbitre.elections.transcripts import Transcripts
from arbitre.errors import CommunityError, HasteError, SettingsError
from arbitre.league.house import HouseRobots
from arbitre.league.ledger import Roster
from arbitre.league.table import League
from arbitre.records.store import Store
from arbitre.site.accounts import AT_ONCE, AccountId
from arbitre.site.arena.arena import Arena
from arbitre.site.arena.matches import Sitting
from arbitre.site.arena.reach import Ways
from arbitre.site.arena.showcase import Showcase
from arbitre.site.arena.traces import verdict_on, verdict_on_referee
from arbitre.site.community import Community
from arbitre.site.competitions.runner import Steward
from arbitre.site.database import Settings as CommunityRules
from arbitre.site.ratings import Ranking
from arbitre.tournoyons.callback import Receiver
from arbitre.tournoyons.player import Switchboard
from arbitre.transport.guard import LOOPBACK, Guard, read_networks
from arbitre.web.door import Door
from arbitre.web.listeners import Listening, league_roster, open_listeners
from arbitre.web.metrics import Tally
from arbitre.web.render import Site, renderer
from arbitre.web.returned import Returned
from arbitre.web.scoreboard import Scoreboard
from arbitre.web.settings import Settings
from arbitre.web.visit import SESSION_COOKIE, Visit

T = TypeVar("T")

log = logging.getLogger(__name__)

MOST_WAITING = 100
"""People who may wait for their password to be looked at."""


class House:
    """An open site."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        switchboard: Switchboard,
        doors: frozenset[str],
        rules: CommunityRules | None = None,
    ) -> None:
        self.settings = settings
        self.store = store
        self.switchboard = switchboard
        """Calls engines at addresses, through the guard; its receiver is mounted below `/answer/`."""
        self.page = renderer(Site(settings.name, settings.public, store.key().fingerprint, doors), lambda: store.failed)
        """Makes a page: `house.page(visit, "name.html", …)`."""
        self.community = Community(settings.data, rules)
        self.door = Door(self.community.limits)
        """Where passwords are tried."""
        self.ways = Ways(self.community)
        """How engines may be called: in their classes' ranges, through their schools' gateways."""
        self.arena = Arena(store, switchboard, ended=self._note, way=self.ways.to_engine)
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
        self.tally = Tally()
        """How busy the site is; the gate counts."""
        self.league = League(store, _roster(settings))
        """The table and the confirmed games of the draughts league."""
        self.robots = HouseRobots(store, ZoneInfo(settings.timezone), switchboard.guard or Guard(), bind=settings.league_address)
        """The house's own robots in that league."""
        self.transcripts = Transcripts(settings.data)
        """Proofs of finished elections and of lots that were drawn."""
        self.elections = Elections(self.transcripts, store.key)
        self.arcade = Arcade(store=store)
        """The arcade: one lobby for its door of TCP and for the pages."""
        self.desk = Desk(self.arcade)
        """Where browsers play at the arcade."""
        self.listeners: Sequence[Listening] = ()
        self.listening: Counter[AccountId] = Counter()
        """How many streams the programs of each account follow."""
        self.exposed = False
        """Whether a proxy that is not trusted passes requests on: whoever comes from this machine may be anybody."""
        self.closing = asyncio.Event()
        """Set when the site is about to close: streams of events end then."""

        self._hashing = ThreadPoolExecutor(AT_ONCE, "arbitre-passwords")
        self._waiting = 0

    def close_streams(self) -> None:
        """Let whoever watches go: the site is about to close."""
        self.closing.set()
        self.arena.wake()
        self.elections.dismiss()

    def close_loopback(self) -> None:
        """Call no engines on this machine any more: somebody else than this machine reaches the site after all."""
        self.exposed = True
        if not self.settings.loopback:
            return
        open_to_all = read_networks(self.settings.allow_private)
        self.switchboard.withdraw(one for one in LOOPBACK if one not in open_to_all)
        log.warning(
            "a request came through a proxy (X-Forwarded-For), and none is trusted: strangers may reach this site, so engines on"
            " this machine are called no more; set public-url and trusted-proxy, and list 127.0.0.0/8 in allow-private if"
            " everybody may have engines here called"
        )

    def close(self) -> None:
        """Close what the house opened itself."""
        self._hashing.shutdown()
        self.community.close()

    def _note(self, sitting: Sitting) -> None:
        """Take down for the owners of engines whether they did what they should in a match that is over."""
        if (found := verdict_on_referee(self.store, sitting)) is not None:
            with suppress(CommunityError):
                number, wrong = found
                self.community.added.tried(number, wrong)
        if self.steward.holds(sitting):
            return  # the steward tells them, and again when the house comes back
        for number, fault in verdict_on(self.store, sitting).items():
            with suppress(CommunityError):  # an engine may have been erased meanwhile
                self.community.engines.tried(number, fault)

    async def recognise(self, visit: Visit, bearer: str | None) -> None:
        """Find out who comes with a session or, where programs come, with a token."""
        if bearer is not None:
            visit.offered = True
            visit.bearer = await asyncio.to_thread(self.community.tokens.find, bearer)
            visit.person = None if visit.bearer is None else visit.bearer.account
        elif visit.session:
            found = await asyncio.to_thread(self.community.sessions.find, visit.session)
            if found is None:
                visit.session = ""
                visit.drop(SESSION_COOKIE)
            else:
                visit.person, visit.stay = found.account, found.session.id

    async def hashed(self, work: Callable[..., T], *given: Any) -> T:
        """Do something that computes the hash of a password: two at a time, beside everything else."""
        if self._waiting >= MOST_WAITING:
            raise HasteError("very many people are logging in: wait a moment", 5)
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._hashing, work, *given)
        finally:
            self._waiting -= 1

    @property
    def key(self) -> Key:
        """The key that signs records here."""
        return self.store.key()


def _roster(settings: Settings) -> Roster:
    """Return who stands behind the league's addresses; one that cannot be read keeps the registrar closed, and names nobody."""
    try:
        return league_roster(settings)
    except SettingsError:
        return Roster()


def secret_of(settings: Settings) -> bytes:
    """Return the secret of a site: it signs cookies and forms, and stays the same when the site is opened again."""
    settings.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    return sha256(keep(settings.data / "site.key").sign(b"arbitre/site/1")).digest()


@asynccontextmanager
async def open_house(
    settings: Settings,
    receiver: Receiver,
    doors: frozenset[str],
    rules: CommunityRules | None = None,
    asked: frozenset[str] = frozenset(),
) -> AsyncIterator[House]:
    """Open everything the site needs; a listener's usual port that is busy is told in `House.listeners`, one asked for is not."""
    async with AsyncExitStack() as stack:
        store = Store(settings.data)
        stack.callback(store.close)
        stack.enter_context(store.holding("site"))
        switchboard = await stack.enter_async_context(Switchboard(receiver, guard=Guard(settings.callable)))
        house = House(settings, store, switchboard, doors, rules)
        stack.callback(house.close)
        house.showcase.open()
        await house.arena.start()
        stack.push_async_callback(house.arena.close)
        await house.steward.start()
        stack.push_async_callback(house.steward.close)
        stack.push_async_callback(house.elections.close)
        house.robots.start()
        stack.push_async_callback(house.robots.close)
        house.arcade.open()
        stack.push_async_callback(house.arcade.close)
        house.listeners = await stack.enter_async_context(open_listeners(settings, store, house.arcade, house.robots, asked))
        stack.callback(house.close_streams)
        yield house
