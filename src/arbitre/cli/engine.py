"""`arbitre engine`: the house engines behind addresses, and a tester for anybody's (spec: tournoyons, sections 2, 3 and 7)."""

import asyncio
from collections.abc import Callable, Iterator
from random import Random
from threading import Thread

import click

from arbitre.bot import mind
from arbitre.cli.options import GameName, json_option, make_game
from arbitre.engines import levels, missing, prepare
from arbitre.errors import ForbiddenAddressError, ProtocolError, shorten
from arbitre.notation.notation import notation_of
from arbitre.players import read_contestant
from arbitre.protocol.tournoyons import MOST_SECONDS, Style
from arbitre.protocol.trays import TRAYS
from arbitre.records.event import plain
from arbitre.rules.catalogue import listing
from arbitre.rules.game import AnyGame, Awaits, playout
from arbitre.services.tester import Exercise, Trial, exercises, tried, tried_at_the_table
from arbitre.transport.engine import EngineServer, Mind
from arbitre.transport.guard import check_form, read_networks, read_url
from arbitre.transport.http import Switchboard

PRESETS = (0.0, 0.25, 0.5, 0.8)
"""How far the games have gone whose positions the tester shows."""


@click.group()
def engine() -> None:
    """Offer the house engines at addresses, and test engines at addresses."""


# ── list and serve ─────────────────────────────────────────────────────────────────────────────────────────────────


def _offered() -> Iterator[tuple[str, int]]:
    for name in sorted(TRAYS):
        yield from ((name, level) for level in range(1, len(levels(name)) + 1))


@engine.command("list")
@json_option
def list_engines(as_json: bool) -> None:
    """List the house engines by their paths, GAME/LEVEL."""
    if as_json:
        import json  # noqa: PLC0415 - only programs ask for it

        click.echo(json.dumps([{"game": name, "level": level, "path": f"/{name}/{level}"} for name, level in _offered()]))
        return
    for name, level in _offered():
        click.echo(f"/{name}/{level}\tSet={TRAYS[name].name}\thouse:{name}/{level}")
    for name in sorted(TRAYS):
        if more := missing(name):
            click.echo(f"arbitre: hint: {name}: {more}", err=True)


def _house(path: str, wanted: str) -> Callable[[], Mind]:
    """Return the maker of the house engine under a path; `ProtocolError` where there is none."""
    name, _, level = path.strip("/").partition("/")
    if name not in TRAYS:
        raise ProtocolError(f"no engine is at {shorten(path, 40)!r}; there are /GAME/LEVEL, such as /reversi/1")
    if wanted and wanted != TRAYS[name].name:
        raise ProtocolError(f"the engine at {path!r} plays {TRAYS[name].name}, not Set={shorten(wanted, 40)!r}")
    makers = levels(name)
    if not (level.isascii() and level.isdigit() and len(level) < 3 and 1 <= int(level) <= len(makers)):
        raise ProtocolError(f"{name} is played at levels 1 to {len(makers)}, not {shorten(level, 20)!r}")
    make = makers[int(level) - 1]
    return lambda: mind(make(Random()))


@engine.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8002, show_default=True, help="The port; 0 takes a free one.")
@click.option(
    "--allow-from", multiple=True, metavar="CIDR", help="Who may ask, such as 192.0.2.7 or 10.0.0.0/8; once for each range."
)
def serve(host: str, port: int, allow_from: tuple[str, ...]) -> None:
    """Serve every house engine under its own path, /GAME/LEVEL, until interrupted."""
    server = EngineServer(_house, host, port, allowed=read_networks(allow_from))
    makers = [make for name in TRAYS for make in levels(name)]
    Thread(
        target=prepare, args=[makers], daemon=True
    ).start()  # compiling takes long; who asks a strong player before waits for it

    async def course() -> None:
        async with server:
            shown = f"[{host}]" if ":" in host else host
            click.echo(f"the house plays at http://{shown}:{server.port}/GAME/LEVEL; arbitre engine list names them")
            if not allow_from and host not in ("127.0.0.1", "::1", "localhost"):
                click.echo("arbitre: hint: anybody who reaches this port may ask; --allow-from says who may", err=True)
            await asyncio.Event().wait()

    asyncio.run(course())


# ── the tester ─────────────────────────────────────────────────────────────────────────────────────────────────────


def presets(game: AnyGame, seed: int = 1) -> Iterator[Exercise]:
    """Return positions of a game: the start, then some from a game of random moves, for every seat that is to move there."""
    states = [game.start(), *(step.after for step in playout(game, Random(seed)))]
    asked = [(at, state) for at, state in enumerate(states) if isinstance(game.phase(state), Awaits)]
    seen = set()
    for part in PRESETS:
        for near in (0, 1):
            at, state = asked[min(int(part * len(asked)) + near, len(asked) - 1)]
            if at in seen:
                continue
            seen.add(at)
            title = "the start" if at == 0 else f"after {at} moves and draws"
            yield from exercises(game, state, title, "" if part + near == 0 else None)


@engine.command()
@click.argument("url", metavar="URL|PLAYER")
@click.option("--game", type=GameName(), required=True, help="What the engine plays.")
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the game.")
@click.option("--position", "positions", multiple=True, metavar="POSITION", help="Show this position instead of the preset ones.")
@click.option("--full", is_flag=True, help="Write the board of the start out, instead of Init.")
@click.option("--timeout", "limit", type=click.IntRange(1, MOST_SECONDS), default=10, show_default=True, help="Seconds to wait.")
def test(url: str, game: str, options: tuple[str, ...], positions: tuple[str, ...], full: bool, limit: int) -> None:
    """Show an engine some positions, and judge what it answers.

    The engine at a URL is asked with Game=TEST and an empty Referee, and answers in the body; a bot on a pipe is py:FILE or
    cmd:COMMAND, and is started for each position. Exit status 1 if any answer is late, wrong or illegal. Where nobody takes the
    first call, no other is made.
    """
    on_a_pipe = url.startswith(("py:", "cmd:"))
    try:
        if not on_a_pipe:
            check_form(read_url(url))
    except ValueError:
        raise ForbiddenAddressError(f"{shorten(url)!r} is no address: write http://host:port/path") from None
    table = make_game(game, options)
    notation = notation_of(table)
    shown = list(presets(table))
    if positions:
        states = [notation.read_state(text) for text in positions]
        shown = [one for text, state in zip(positions, states, strict=True) for one in exercises(table, state, text)]

    async def course() -> int:
        good = 0
        bot = read_contestant(url, table) if on_a_pipe else None
        async with Switchboard() as board:
            for number, one in enumerate(shown, start=1):
                if bot is not None:
                    trial = await tried_at_the_table(table, bot.player(b""), one, limit)
                else:
                    trial = await tried(board, table, url, one, Style(full=full, direct=True), limit)
                _tell(one, trial)
                good += trial.good
                if not trial.taken and number < len(shown):
                    gone = "the bot does not play" if bot else "nobody takes calls there"
                    click.echo(f"{gone}: {len(shown) - number} more positions were not shown")
                    break
        return good

    good = asyncio.run(course())
    click.echo(f"{good} of {len(shown)} answers are good moves of {listing(game).title}")
    if good < len(shown):
        raise click.exceptions.Exit(1)


def _tell(exercise: Exercise, trial: Trial) -> None:
    """Print what was sent and got, and what came of it."""
    click.echo(f"{exercise.title}, {('first', 'second')[exercise.seat]} player\n  → {trial.called}")
    if trial.status:
        click.echo(f"  ← {shorten(trial.body.strip(), 200)!r}, status {trial.status}, {trial.milliseconds} ms")
    elif trial.said is not None:
        click.echo(f"  ← move {plain(shorten(trial.said, 200))}, {trial.milliseconds} ms")
    click.echo(f"  {click.style('good', fg='green')}" if trial.good else f"  {click.style('wrong', fg='red')}: {trial.fault}")
