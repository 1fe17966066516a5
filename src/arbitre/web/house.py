"""The house: what all pages share while the site is open, and how it is opened and closed.

Handlers get it as `house`. It is opened by the lifespan of the site: the store first, what rests on it next, the listeners
last; and closed in the reverse order.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from hashlib import sha256
from typing import Any, Protocol

from arbitre.crypto.keys import Key, keep
from arbitre.records.store import Store
from arbitre.services.election import Elections
from arbitre.services.league import League
from arbitre.services.transcripts import Transcripts
from arbitre.transport.callback import Receiver
from arbitre.transport.guard import Guard
from arbitre.transport.http import Switchboard
from arbitre.web.listeners import Listening, open_listeners
from arbitre.web.render import Site, renderer
from arbitre.web.settings import Settings


class Arena(Protocol):
    """Where live games are; the site needs of it what its home page shows."""

    def live(self) -> Sequence[Any]:
        """Return the games that are going on and may be watched, the newest first."""


OpenArena = Callable[["House"], AbstractAsyncContextManager[Arena]]


class House:
    """An open site."""

    def __init__(self, settings: Settings, store: Store, switchboard: Switchboard, doors: frozenset[str]) -> None:
        self.settings = settings
        self.store = store
        self.switchboard = switchboard
        """Calls engines at addresses, through the guard; its receiver is mounted below `/answer/`."""
        self.page = renderer(Site(settings.name, settings.public, store.key().fingerprint, doors))
        """Makes a page: `house.page(visit, "name.html", …)`."""
        self.arena: Arena | None = None
        self.league = League(store)
        """The table and the confirmed games of the draughts league."""
        self.transcripts = Transcripts(settings.data)
        """Proofs of finished elections and of lots that were drawn."""
        self.elections = Elections(self.transcripts, store.key)
        self.listeners: tuple[Listening, ...] = ()
        self.closing = asyncio.Event()
        """Set when the site is about to close: streams of events end then."""

    @property
    def key(self) -> Key:
        """The key that signs records here."""
        return self.store.key()

    def live(self) -> Sequence[Any]:
        """Return the games that are going on."""
        return () if self.arena is None else self.arena.live()


def secret_of(settings: Settings) -> bytes:
    """Return the secret of a site: it signs cookies and forms, and stays the same when the site is opened again."""
    settings.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    return sha256(keep(settings.data / "site.key").sign(b"arbitre/site/1")).digest()


@asynccontextmanager
async def open_house(
    settings: Settings, receiver: Receiver, doors: frozenset[str], arena: OpenArena | None = None
) -> AsyncIterator[House]:
    """Open everything the site needs; what cannot be had (a busy port of a listener) is told in `House.listeners`."""
    async with AsyncExitStack() as stack:
        store = Store(settings.data)
        stack.callback(store.close)
        stack.enter_context(store.holding("site"))
        switchboard = await stack.enter_async_context(Switchboard(receiver, guard=Guard(settings.callable)))
        house = House(settings, store, switchboard, doors)
        stack.push_async_callback(house.elections.close)
        if arena is not None:
            house.arena = await stack.enter_async_context(arena(house))
        house.listeners = await stack.enter_async_context(open_listeners(settings, store))
        stack.callback(house.closing.set)
        yield house
