"""The other doors of the site: the draughts registrar, the arcade, the hub of elections, each on a port of its own.

They are services of their own that share the site's store. A port that is busy is reported and skipped: the site opens all the
same.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

from arbitre.errors import ArbitreError, HouseError, SettingsError, shorten
from arbitre.protocol.rochambeau.hub import Plan
from arbitre.protocol.rochambeau.terms import Terms
from arbitre.records.league import Ledger, Roster, read_roster
from arbitre.records.store import Store
from arbitre.rules.game import value
from arbitre.services.arcade import Arcade
from arbitre.services.registrar import Registrar, today
from arbitre.services.rochambeau import HubServer, write_hub_transcript
from arbitre.transport.rochambeau import Address
from arbitre.transport.sockets import listen, where
from arbitre.web.settings import Settings

GATHER_SECONDS = 20.0
"""An election at the site's hub begins so long after the first party has come."""
USUAL_STATES = 3

log = logging.getLogger(__name__)


@value
class Listening:
    """A door, open or not."""

    name: str
    where: str
    """The address, empty when the door is not open."""
    why: str = ""
    """Why it is not open."""


Opening = Callable[[Settings, Store, AsyncExitStack], Awaitable[str]]


@asynccontextmanager
async def open_listeners(settings: Settings, store: Store, arcade: Arcade) -> AsyncIterator[tuple[Listening, ...]]:
    """Open the doors that are wanted; yield what has become of each."""
    wanted: tuple[tuple[str, int, Opening], ...] = (
        ("draughts registrar", settings.registrar_port, _registrar),
        ("arcade", settings.arcade_port, partial(_arcade, arcade)),
        ("hub of elections", settings.hub_port, _hub),
    )
    async with AsyncExitStack() as stack:
        found = []
        for name, port, opening in wanted:
            if port:
                try:
                    found.append(Listening(name, await opening(settings, store, stack)))
                except ArbitreError as error:
                    found.append(Listening(name, "", str(error)))
        yield tuple(found)


def _host(settings: Settings) -> str:
    return settings.listen or settings.host


def _keep(stack: AsyncExitStack, work: "asyncio.Task[None]") -> None:
    async def end() -> None:
        work.cancel()
        with suppress(asyncio.CancelledError, ArbitreError):
            await work

    stack.push_async_callback(end)


async def _registrar(settings: Settings, store: Store, stack: AsyncExitStack) -> str:
    zone = ZoneInfo(settings.timezone)
    roster = _roster(settings.league_roster)
    sockets = listen(_host(settings), settings.registrar_port)
    for one in sockets:
        stack.callback(one.close)
    stack.enter_context(store.holding("registrar"))
    registrar = Registrar(Ledger(store, roster), lambda: today(zone))
    _keep(stack, asyncio.create_task(registrar.serve(sockets)))
    return where(sockets)


def _roster(path: str) -> Roster:
    if not path:
        return Roster()
    try:
        return read_roster(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"league-roster: cannot read {shorten(path)!r}: {error}") from None


async def _arcade(arcade: Arcade, settings: Settings, store: Store, stack: AsyncExitStack) -> str:  # noqa: ARG001 - as its like
    host, port = await arcade.start(_host(settings), settings.arcade_port)
    return str(Address(host, port))


async def _hub(settings: Settings, store: Store, stack: AsyncExitStack) -> str:
    plan = Plan(Terms(USUAL_STATES, game="site"), None, GATHER_SECONDS, 10.0, 10.0, 1.0)
    server = HubServer(plan, store.key(), Address(_host(settings), settings.hub_port))
    await server.open()
    stack.push_async_callback(server.close)
    _keep(stack, asyncio.create_task(_elections(server, store)))
    return ", ".join(str(one) for one in server.ports)


async def _elections(server: HubServer, store: Store) -> None:
    """Hold one election after the other, and keep their transcripts."""
    folder = store.folder / "elections"
    while True:
        done = await server.hold()
        if done.header is None:
            continue
        try:
            folder.mkdir(exist_ok=True)
            write_hub_transcript(folder / f"{done.header.terms.game.replace('/', '_')}.jsonl", done)
        except (OSError, HouseError):
            log.exception("the transcript of an election cannot be kept")
