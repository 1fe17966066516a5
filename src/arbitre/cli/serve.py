"""`arbitre serve`: opens the site and its other doors, says where they are, and closes them in order."""

import asyncio
import errno
import gc
import logging
import signal
import socket
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arbitre.cli.loading import loading
from arbitre.cli.options import FOLDER
from arbitre.cli.speech import tell
from arbitre.errors import ArbitreError, LeagueError, SettingsError, StoreError
from arbitre.games.kernels import compiling
from arbitre.reasons import Reason
from arbitre.records.backend import prepare
from arbitre.records.place import VARIABLE, Place
from arbitre.site.settings import Settings, asked_for, make_settings, option_name
from arbitre.transport.sockets import listen

if TYPE_CHECKING:
    from arbitre.web.house import WebApp

log = logging.getLogger(__name__)

AGAIN_SECONDS = 1.0
"""How soon a site whose database is away tries to open again."""
CLOSING_SECONDS = 3
"""How long requests that are being answered may take when the site closes."""
CLOSED = (
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\n"
    b"content-type: text/plain\r\ncontent-length: 78\r\n\r\n"
    b"the site is not open: its database is away or takes no writes now. Ask again.\n"
)
"""What everybody hears while the database is away."""


def _setting_options(function: Any) -> Any:
    """Give a command an option for each setting, with the words of the setting itself."""
    for one in reversed(fields(Settings)):
        name, line = option_name(one), one.metadata["line"]
        if one.default not in ("", ()):
            line += f"  [default: {_usual(one.name, one.default)}]"
        declared: dict[str, Any] = {"default": None, "help": line}
        if isinstance(one.default, bool):
            names = (f"--{name}/--no-{name}", one.name)
        else:
            names = (f"--{name}", one.name)
            if isinstance(one.default, int):
                declared["type"] = click.IntRange(one.metadata["least"], one.metadata["most"])
            elif isinstance(one.default, tuple):
                declared |= {"multiple": True, "metavar": "WITNESS" if one.name == "log_witness" else "CIDR"}
            elif one.name == "database":
                declared |= {"envvar": VARIABLE, "metavar": "URL"}
            elif isinstance(one.default, Path):
                declared |= {"type": click.Path(file_okay=False, path_type=Path), "envvar": "ARBITRE_DATA"}
        function = click.option(*names, **declared)(function)
    return function


def _usual(name: str, default: Any) -> str:
    """Return what a setting is where nobody says it."""
    if name == "data":
        return f"$ARBITRE_DATA or ./{FOLDER}"
    if isinstance(default, bool):
        return name.replace("_", "-") if default else f"no-{name.replace('_', '-')}"
    return ", ".join(default) if isinstance(default, tuple) else str(default)


@click.command()
@click.option(
    "--config", type=click.Path(dir_okay=False, path_type=Path), help="A TOML file with settings, named as the options."
)
@_setting_options
def serve(config: Path | None, **given: Any) -> None:
    """Open the site: play and watch games, register engines, hold competitions, in a browser.

    Options beat the file of --config. Stop it with Ctrl-C: games that are going on continue when it is opened again.
    """
    options = {name: one for name, one in given.items() if one not in (None, ())}
    settings = make_settings(config, options)
    try:
        sockets = listen(settings.host, settings.port)
    except LeagueError as error:
        problem = SettingsError(error.reason)
        problem.hint = _hint(error.__cause__)
        raise problem from None
    settings = replace(settings, port=int(sockets[0].getsockname()[1]))
    try:
        _run(settings, sockets, asked_for(config, options))
    finally:
        for one in sockets:
            one.close()


def _hint(cause: BaseException | None) -> Reason:
    """Say what to do where we cannot listen: a port that is taken is another matter than a host that is not ours."""
    number = cause.errno if isinstance(cause, OSError) and not isinstance(cause, socket.gaierror) else None
    if number == errno.EADDRINUSE:
        return Reason("--port 0 takes a free one; perhaps another site is open already")
    if number == errno.EACCES:
        return Reason("ports below 1024 are for the administrator: choose a higher --port")
    return Reason("--host is an address of this machine, such as 127.0.0.1; :: is every one, IPv4 too")


def _run(settings: Settings, sockets: list[socket.socket], asked: frozenset[str]) -> None:
    with loading():
        import uvicorn  # noqa: PLC0415 - the web takes long to import, and a busy port should be told at once

        from arbitre.web.app import make_site, with_doors  # noqa: PLC0415
        from arbitre.web.logs import open_log  # noqa: PLC0415
        from arbitre.web.wire import options  # noqa: PLC0415

        with_doors()
    gc.freeze()
    open_log(settings.log, settings.log_requests)
    stopped = asyncio.Event()

    async def opened() -> None:
        site = make_site(settings, asked=asked)
        async with site.lifespan():  # ours, not the server's: what cannot be opened is then told as an error like any other
            house: WebApp = site.state.house
            config = uvicorn.Config(
                site,
                lifespan="off",
                log_config=None,
                **options(settings.proxies),
                timeout_graceful_shutdown=CLOSING_SECONDS,
            )
            server = _Server(config)

            def end() -> None:
                house.close_streams()
                server.handle_exit(signal.SIGINT, None)

            async def leave() -> None:
                if await house.drain():
                    await asyncio.sleep(settings.drain)
                end()

            leaving: list[asyncio.Task[None]] = []

            def stop() -> None:
                stopped.set()
                if leaving or house.membership is None:  # who says so twice does not wait
                    end()
                else:
                    leaving.append(asyncio.ensure_future(leave()))

            on_signals(stop, signal.SIGINT, signal.SIGTERM)
            _announce(house)  # whoever reads how to stop it can
            with compiling(), _watched(house, end, stop):  # the first who plays a strong level shall not wait for it
                await server.serve([one.dup() for one in sockets])  # it closes what it was given
            if house.membership is None or not house.membership.lost.is_set():
                stopped.set()

    class _Server(uvicorn.Server):
        """A server that leaves signals to us: it would raise them again when everything is closed in order."""

        async def serve(self, sockets: list[socket.socket] | None = None) -> None:
            await self._serve(sockets)

    try:
        quickest()(_course(opened, stopped, lambda failed: wait_for_database(settings.place, sockets, stopped, pause=failed)))
    except BaseExceptionGroup as group:  # the house is opened within a group of tasks; what stopped it is one of ours
        ours, others = group.split(ArbitreError)
        if ours is None or others is not None:
            raise
        raise _first(ours) from None


async def _course(
    opened: Callable[[], Awaitable[None]], stopped: asyncio.Event, database: Callable[[bool], Awaitable[None]]
) -> None:
    """Serve; a node that has lost what it held is opened anew, as another incarnation, behind the same sockets."""
    await opened()
    failed = False
    while not stopped.is_set():
        await database(failed)
        if stopped.is_set():
            break
        try:
            await opened()
        except* StoreError as errors:  # it went away again, or takes no writes
            log.warning("the site is not open: %s", _first(errors))
            failed = True
        else:
            failed = False
    tell("closed")


async def wait_for_database(place: Place, sockets: list[socket.socket], stopped: asyncio.Event, *, pause: bool = False) -> None:
    """Wait until the database is there or we are to stop; whoever comes meanwhile is told to come again, and waits for nobody.

    `pause`: it was there a moment ago, and the site could not be opened.
    """

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, TimeoutError, EOFError, asyncio.LimitOverrunError):
            async with asyncio.timeout(CLOSING_SECONDS):
                await reader.readuntil(b"\r\n\r\n")
                writer.write(CLOSED)
                await writer.drain()
        writer.close()

    doors = [await asyncio.start_server(answer, sock=one.dup()) for one in sockets]
    try:
        if pause:
            await _pause(stopped)
        while not stopped.is_set():
            try:
                await asyncio.to_thread(prepare, place)
            except StoreError as error:
                log.warning("the site is not open: %s", error)
                await _pause(stopped)
            else:
                return
    finally:
        for one in doors:
            one.close()


async def _pause(stopped: asyncio.Event) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(stopped.wait(), AGAIN_SECONDS)


@contextmanager
def _watched(house: "WebApp", end: Callable[[], None], stop: Callable[[], None]) -> Iterator[None]:
    """Call something when the site has lost what it held to another node, and something else when the operator dismisses it."""

    async def watch(event: asyncio.Event, then: Callable[[], None]) -> None:
        await event.wait()
        then()

    node = house.membership
    events = [] if node is None else [(node.lost, end), (node.dismissed, stop)]
    watching = [asyncio.ensure_future(watch(event, then)) for event, then in events]
    try:
        yield
    finally:
        for one in watching:
            one.cancel()


def quickest() -> Callable[[Coroutine[Any, Any, None]], None]:
    """Return what runs the site: the quick loop, where the system has it."""
    try:
        import uvloop  # noqa: PLC0415
    except ImportError:
        return asyncio.run
    return uvloop.run


def on_signals(stop: Callable[[], None], *names: signal.Signals) -> None:
    """Call something when one of these signals comes, on the loop that runs."""
    loop = asyncio.get_running_loop()
    for name in names:
        try:
            loop.add_signal_handler(name, stop)
        except NotImplementedError:  # not on every system
            signal.signal(name, lambda *_: loop.call_soon_threadsafe(stop))


def _first(group: BaseExceptionGroup[ArbitreError]) -> ArbitreError:
    error = group.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else error


def _announce(house: "WebApp") -> None:
    from arbitre.site.accounts import Role  # noqa: PLC0415 - loads the database

    settings = house.settings
    tell("%(name)s is open at %(where)s", name=settings.name, where=settings.public)
    for one in house.listeners:
        if one.where:
            tell("the %(name)s listens at %(where)s", name=one.name, where=one.where)
        else:
            tell("the %(name)s is not open: %(why)s", name=one.name, why=one.why)
    tell("records in %(data)s, signed with key %(key)s", data=settings.place, key=house.key.fingerprint)
    if not house.community.accounts.all(role=Role.OPERATOR, most=1):
        tell("there is no operator yet: `arbitre operator add NAME` makes the first")
    if settings.host in ("0.0.0.0", "::") and not settings.public_url:  # noqa: S104 - a comparison
        tell("engines on other machines call back at %(where)s; --public-url says it if that is wrong", where=settings.public)
    tell("stop it with Ctrl-C")
