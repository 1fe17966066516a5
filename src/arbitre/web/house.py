"""The site with its pages: what handlers get as `house`.

It is opened by the lifespan of the application: the store first, what rests on it next, the listeners last; and closed in the
reverse order.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext, suppress
from hashlib import sha256
from typing import TYPE_CHECKING

from arbitre.crypto.keys import keep
from arbitre.errors import FencedError
from arbitre.records.store import Store
from arbitre.site.accounts import AccountId
from arbitre.site.competitions.honours import Honoured
from arbitre.site.database import Allowances as CommunityRules
from arbitre.site.engines import TOKEN_PREFIX
from arbitre.site.settings import Settings
from arbitre.site.site import SITE_KEY, Site
from arbitre.tournoyons.callback import Receiver
from arbitre.tournoyons.player import Switchboard
from arbitre.transport.guard import LOOPBACK, Guard, read_networks
from arbitre.web.metrics import Tally
from arbitre.web.render import Masthead, renderer
from arbitre.web.throttle import Door
from arbitre.web.visit import SESSION_COOKIE, Visit

if TYPE_CHECKING:
    from arbitre.web.feed import Feeds
    from arbitre.web.smalls import Album

log = logging.getLogger(__name__)


class WebApp(Site):
    """An open site that is reached by HTTP."""

    album: "Album"
    """The last pictures of matches; the lifespan puts it there, and the feeds, which rest on this class."""
    feeds: "Feeds"
    """What pages with many small boards follow."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        switchboard: Switchboard,
        doors: frozenset[str],
        rules: CommunityRules | None = None,
    ) -> None:
        super().__init__(settings, store, switchboard, rules)
        self.page = renderer(Masthead(settings.name, settings.public, self.key.fingerprint, doors), lambda: store.trouble)
        """Makes a page: `house.page(visit, "name.html", …)`."""
        self.door = Door(self.community.limits)
        """Where passwords are tried."""
        self.tally = Tally()
        """How busy the site is; the gate counts."""
        self.honoured = Honoured(self)
        """What is said on podiums."""
        self.listening: Counter[AccountId] = Counter()
        """How many streams the programs of each account follow."""
        self.exposed = False
        """Whether a proxy that is not trusted passes requests on: whoever comes from this machine may be anybody."""

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

    async def recognise(self, visit: Visit, bearer: str | None) -> None:
        """Find out who comes with a session or, where programs come, with a token."""
        if bearer is not None:
            visit.offered = True
            if bearer.startswith(TOKEN_PREFIX):
                visit.engine, visit.secret = await asyncio.to_thread(self.community.engines.bearing, bearer), bearer
                return
            visit.bearer = await asyncio.to_thread(self.community.tokens.find, bearer)
            visit.person = None if visit.bearer is None else visit.bearer.account
        elif visit.session:
            found = await asyncio.to_thread(self.community.sessions.find, visit.session)
            if found is None:
                visit.session = ""
                visit.drop(SESSION_COOKIE)
            else:
                visit.person, visit.stay = found.account, found.session.id


def secret_of(settings: Settings) -> bytes:
    """Return the secret of a site: it signs cookies and forms, and stays the same when the site is opened again."""
    settings.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    return sha256(keep(settings.data / SITE_KEY).sign(b"arbitre/site/1")).digest()


@asynccontextmanager
async def open_house(
    settings: Settings,
    receiver: Receiver,
    doors: frozenset[str],
    rules: CommunityRules | None = None,
    asked: frozenset[str] = frozenset(),
) -> AsyncIterator[WebApp]:
    """Open the store, and everything that the site needs."""
    store = Store(settings.place)
    try:
        with nullcontext() if store.place.database else store.holding("site"):  # nodes share a database, processes no file
            async with Switchboard(receiver, guard=Guard(settings.callable)) as switchboard:
                house = WebApp(settings, store, switchboard, doors, rules)
                async with house.opened(asked):
                    yield house
    finally:
        with suppress(FencedError):  # a node that has gone keeps nothing more
            store.close()
