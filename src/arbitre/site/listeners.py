"""The other doors of the site: the draughts registrar, the arcade, the hub of elections, the house's draughts defender.

They are services of their own that share the site's store, each on its port. A door that cannot be opened (its usual port is
busy, the league's roster cannot be read) is logged, told at the start and on the operator's page, and skipped: the site opens all
the same. So is one that closes by itself later. A port that was busy is tried again: of a node that dies or sleeps another takes
the doors over, and on the same machine it may have to wait for them. But a port that somebody asked for is opened when the site
is, or the site says why not and stays closed.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from enum import StrEnum
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

from arbitre.arcade.server import Arcade
from arbitre.elections.hub import HubPlan
from arbitre.elections.live import HubServer, write_hub_transcript
from arbitre.elections.terms import Terms
from arbitre.elections.transcripts import Transcripts
from arbitre.elections.transport import Address
from arbitre.errors import ArbitreError, HouseError, LeagueError, SettingsError, StoreError
from arbitre.league.house import HouseRobots
from arbitre.league.ledger import Ledger, Roster, open_roster
from arbitre.league.registrar import Registrar, today
from arbitre.reasons import N_, Reason, reason_of
from arbitre.records.store import Store
from arbitre.site.settings import Settings
from arbitre.transport.guard import read_networks
from arbitre.transport.sockets import Endpoint, listen, where
from arbitre.values import value

GATHER_SECONDS = 20.0
"""An election at the site's hub begins so long after the first party has come."""
USUAL_STATES = 3
AGAIN_SECONDS = 1.0
"""How soon a door is tried again whose port was busy, or whose ledger another held."""

log = logging.getLogger(__name__)


class Door(StrEnum):
    """What listens beside the site."""

    REGISTRAR = N_("draughts registrar")
    ARCADE = N_("arcade")
    HUB = N_("hub of elections")
    DEFENDER = N_("draughts defender")


LEAGUE = (Door.REGISTRAR, Door.DEFENDER)
"""The doors of the draughts league: of several nodes one has them."""
ROOMS = (Door.ARCADE, Door.HUB)
"""Those that lead to rooms where people meet: one node has all of these."""


@value
class Listening:
    """A door, open or not."""

    name: Door
    where: str
    """The address, empty when the door is not open."""
    why: Reason | None = None
    """Why it is not open."""


Opening = Callable[[Settings, Store, AsyncExitStack], Awaitable[str]]
Closed = Callable[[Door, BaseException], None]
"""Is told which door has closed by itself, and why."""


@asynccontextmanager
async def open_listeners(
    settings: Settings,
    store: Store,
    arcade: Arcade,
    robots: HouseRobots,
    asked: frozenset[str] = frozenset(),
    doors: Collection[Door] = tuple(Door),
) -> AsyncIterator[list[Listening]]:
    """Open those of these doors that are wanted; yield what has become of each, and of what becomes later.

    `SettingsError` where a port that was asked for, by the name of its field, cannot be had.
    """
    found: list[Listening] = []

    def closed(door: Door, error: BaseException) -> None:
        why = reason_of(error) or Reason("quoted", text=str(error))
        found[:] = [Listening(door, "", why) if one.name is door else one for one in found]
        log.error("the %s has stopped: %s", door, error)

    async def open_one(door: Door, opening: Opening) -> None:
        """Open a door, or leave nothing of it behind."""
        async with AsyncExitStack() as own:
            opened = Listening(door, await opening(settings, store, own))
            stack.push_async_callback(own.pop_all().aclose)
        found[:] = [*(one for one in found if one.name is not door), opened]

    async def later(door: Door, opening: Opening) -> None:
        """Open a door as soon as that can be done."""
        while True:
            await asyncio.sleep(AGAIN_SECONDS)
            with suppress(ArbitreError):
                await open_one(door, opening)
                log.warning("the %s is open now", door)
                return

    wanted: tuple[tuple[Door, str, int, Opening], ...] = (
        (Door.REGISTRAR, "registrar_port", settings.registrar_port, partial(_registrar, closed, robots)),
        (Door.ARCADE, "arcade_port", settings.arcade_port, partial(_arcade, arcade)),
        (Door.HUB, "hub_port", settings.hub_port, _hub),
        (Door.DEFENDER, "defender_port", settings.defender_port, partial(_defender, closed, robots)),
    )
    async with AsyncExitStack() as stack:
        for door, setting, port, opening in wanted:
            if port and door in doors:
                try:
                    await open_one(door, opening)
                except ArbitreError as error:
                    if setting in asked and isinstance(error.__cause__, OSError):
                        raise _unavailable(setting, error) from error
                    found.append(Listening(door, "", error.reason))
                    log.error("the %s is not open: %s", door, error)  # noqa: TRY400 - the message says it all
                    if isinstance(error.__cause__, OSError) or isinstance(error, StoreError):
                        _keep(stack, asyncio.create_task(later(door, opening)))
        yield found


def _unavailable(setting: str, error: ArbitreError) -> SettingsError:
    option = setting.replace("_", "-")
    problem = SettingsError("%(option)s: %(error)s", option=option, error=error)
    problem.hint = Reason("--%(option)s takes another port, or 0 for none", option=option)
    return problem


def _host(settings: Settings) -> str:
    return settings.listen or settings.host


def _keep(stack: AsyncExitStack, work: "asyncio.Task[None]") -> None:
    async def end() -> None:
        work.cancel()
        with suppress(asyncio.CancelledError, ArbitreError):
            await work

    stack.push_async_callback(end)


def _watch(door: Door, work: "asyncio.Task[None]", closed: Closed) -> None:
    """Tell when a door closes by itself."""

    def look(done: "asyncio.Task[None]") -> None:
        if not done.cancelled() and (error := done.exception()) is not None:
            closed(door, error)

    work.add_done_callback(look)


async def _registrar(closed: Closed, robots: HouseRobots, settings: Settings, store: Store, stack: AsyncExitStack) -> str:
    zone = ZoneInfo(settings.timezone)
    roster = league_roster(settings)
    sockets = listen(_host(settings), settings.registrar_port)
    for one in sockets:
        stack.callback(one.close)
    stack.enter_context(store.holding("registrar"))
    proxies = read_networks(settings.registrar_proxy)
    registrar = Registrar(Ledger(store, roster), lambda: today(zone), proxies=proxies)
    serving = asyncio.create_task(registrar.serve(sockets))
    _watch(Door.REGISTRAR, serving, closed)
    _keep(stack, serving)
    robots.registrar, robots.endpoint = registrar, Endpoint(*sockets[0].getsockname()[:2])
    return where(sockets)


async def _defender(closed: Closed, robots: HouseRobots, settings: Settings, store: Store, stack: AsyncExitStack) -> str:  # noqa: ARG001
    sockets = listen(_host(settings), settings.defender_port)
    for one in sockets:
        stack.callback(one.close)
    serving = asyncio.create_task(robots.defender(settings.defender_level).serve(sockets))
    _watch(Door.DEFENDER, serving, closed)
    _keep(stack, serving)
    return where(sockets)


def league_roster(settings: Settings) -> Roster:
    """Return the roster that the settings name; `SettingsError` where it cannot be read."""
    if not settings.league_roster:
        return Roster()
    try:
        return open_roster(Path(settings.league_roster))
    except LeagueError as error:
        raise SettingsError("league-roster: %(error)s", error=error) from None


async def _arcade(arcade: Arcade, settings: Settings, store: Store, stack: AsyncExitStack) -> str:  # noqa: ARG001 - as its like
    host, port = await arcade.start(_host(settings), settings.arcade_port)
    return str(Address(host, port))


async def _hub(settings: Settings, store: Store, stack: AsyncExitStack) -> str:
    plan = HubPlan(Terms(USUAL_STATES, game="site"), None, GATHER_SECONDS, 10.0, 10.0, 1.0)
    server = HubServer(plan, store.key(), Address(_host(settings), settings.hub_port))
    await server.open()
    stack.push_async_callback(server.close)
    _keep(stack, asyncio.create_task(_elections(server, store)))
    return ", ".join(str(one) for one in server.ports)


async def _elections(server: HubServer, store: Store) -> None:
    """Hold one election after the other, and keep their transcripts."""
    folder, kept = store.folder / "elections", Transcripts(store.folder, store)
    while True:
        done = await server.hold()
        if done.header is None:
            continue
        path = folder / f"{done.header.terms.game.replace('/', '_')}.jsonl"
        try:
            folder.mkdir(exist_ok=True)
            write_hub_transcript(path, done)
            await asyncio.to_thread(kept.share, path.stem, path.read_bytes())
        except (OSError, HouseError):
            log.exception("the transcript of an election cannot be kept")
