"""`arbitre engine`: the house engines behind addresses, and a tester for anybody's (spec: tournoyons, sections 2, 3 and 7)."""

import asyncio
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from ipaddress import ip_address
from random import Random
from threading import Thread

import click

from arbitre.bot import mind
from arbitre.cli.language import language
from arbitre.cli.options import GameName, callback_option, json_option, make_game, open_switchboard, read_options
from arbitre.cli.speech import MisuseError, advise, phrase, said, tell
from arbitre.errors import ForbiddenAddressError, ProtocolError, shorten
from arbitre.games.catalogue import listing
from arbitre.games.game import AnyGame, Awaits, playout
from arbitre.games.levels import levels, missing, prepare
from arbitre.games.notation import notation_of
from arbitre.games.wires import is_wired, wired
from arbitre.players import Setting, is_called, is_outside, read_contestant
from arbitre.players.speaker import SPEAKERS, converse, make_speaker
from arbitre.reasons import N_, Reason
from arbitre.records.event import plain
from arbitre.tournoyons.hosting import Hosting
from arbitre.tournoyons.player import Switchboard
from arbitre.tournoyons.server import EngineServer, Mind
from arbitre.tournoyons.tester import EngineTrial, Exercise, examined, exercises, tried_at_the_table
from arbitre.tournoyons.wire import MOST_SECONDS, Style
from arbitre.transport.guard import LOOPBACK, among, check_form, read_networks, read_url
from arbitre.transport.sandbox import Sandbox

PRESETS = (0.0, 0.25, 0.5, 0.8)
"""How far the games have gone whose positions the tester shows."""

WAYS = ("body", "back")
"""The two ways to be answered."""
WORDS = {
    "body": N_("%(good)s of %(count)s answers in the body are good moves of %(game)s"),
    "back": N_("%(good)s of %(count)s calls back are good moves of %(game)s"),
}


@click.group()
def engine() -> None:
    """Offer the house engines at addresses, and test engines at addresses."""


# ── list and serve ─────────────────────────────────────────────────────────────────────────────────────────────────


def _offered() -> Iterator[tuple[str, int]]:
    for name in sorted(one.name for one in wired()):
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
        click.echo(f"/{name}/{level}\tSet={listing(name).set}\thouse:{name}/{level}")
    for one in wired():
        if more := missing(one.name):
            advise("%(name)s: %(more)s", name=one.name, more=more)


def _house(path: str, wanted: str) -> Callable[[], Mind]:
    """Return the maker of the house engine under a path; `ProtocolError` where there is none."""
    name, _, level = path.strip("/").partition("/")
    if not is_wired(name):
        raise ProtocolError("no engine is at %(path)r; there are /GAME/LEVEL, such as /reversi/1", path=shorten(path, 40))
    if wanted and wanted != listing(name).set:
        raise ProtocolError(
            "the engine at %(path)r plays %(set)s, not Set=%(wanted)r",
            path=path,
            set=listing(name).set,
            wanted=shorten(wanted, 40),
        )
    makers = levels(name)
    if not (level.isascii() and level.isdigit() and len(level) < 3 and 1 <= int(level) <= len(makers)):
        raise ProtocolError(
            "%(name)s is played at levels 1 to %(makers)s, not %(level)r", name=name, makers=len(makers), level=shorten(level, 20)
        )
    make = makers[int(level) - 1]
    return lambda: mind(make(Random()))


@engine.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8002, show_default=True, help="The port; 0 takes a free one.")
@click.option(
    "--allow-from", multiple=True, metavar="CIDR", help="Who may ask, such as 192.0.2.7 or 10.0.0.0/8; once for each range."
)
@click.option("--player", metavar="PLAYER", help="Serve this player in place of the house: gomocup:COMMAND, py:FILE and so on.")
@click.option("--game", type=GameName(), help="What the player plays.")
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the game.")
@click.option("--programs", type=click.IntRange(1, 64), default=1, show_default=True, help="Questions thought about at a time.")
@click.option("--sandbox", is_flag=True, help="Run the player under bubblewrap.")
def serve(
    host: str,
    port: int,
    allow_from: tuple[str, ...],
    player: str | None,
    game: str | None,
    options: tuple[str, ...],
    programs: int,
    sandbox: bool,
) -> None:
    """Serve every house engine under its own path, /GAME/LEVEL, until interrupted; or a player of yours, under any path."""
    if player is not None:
        if game is None:
            raise MisuseError("say with --game what the player plays")
        asyncio.run(_served_player(player, make_game(game, options), programs, sandbox, (host, port, allow_from)))
        return
    if game is not None or options:
        raise MisuseError("--game and --option go with --player: the house serves every game it knows")
    makers = [make for one in wired() for make in levels(one.name)]
    Thread(
        target=prepare, args=[makers], daemon=True
    ).start()  # compiling takes long; who asks a strong player before waits for it
    asyncio.run(_served(EngineServer(_house, host, port, allowed=read_networks(allow_from)), host, allow_from))


Door = tuple[str, int, tuple[str, ...]]
"""The address and the port to listen on, and who may ask."""


async def _served_player(text: str, game: AnyGame, programs: int, sandbox: bool, door: Door) -> None:
    """Serve a player that is no engine of the house."""
    if not is_outside(text) or is_called(text):
        raise MisuseError("%(text)r is no program of this machine, such as py:FILE or gomocup:COMMAND", text=shorten(text))
    contestant = read_contestant(text, Setting(game, sandbox=Sandbox() if sandbox else None))
    host, port, allow_from = door
    async with Hosting(contestant, game, programs) as hosting:
        server = EngineServer(hosting.find, host, port, allowed=read_networks(allow_from))
        await _served(server, host, allow_from, plain(contestant.name))


async def _served(server: EngineServer, host: str, allow_from: tuple[str, ...], who: str | None = None) -> None:
    """Answer until somebody stops it; `who` plays, the house where nobody is named."""
    async with server:
        shown = f"[{host}]" if ":" in host else host
        there = f"http://{shown}:{server.port}"
        if who is None:
            tell("the house plays at %(there)s/GAME/LEVEL; arbitre engine list names them", there=there)
        else:
            tell("%(who)s plays at %(there)s/", who=who, there=there)
        if not allow_from and host not in ("127.0.0.1", "::1", "localhost"):
            advise("anybody who reaches this port may ask; --allow-from says who may")
        await asyncio.Event().wait()


# ── other programs' languages ───────────────────────────────────────────────────────────────────────────────────────


@engine.command()
@click.argument("language", type=click.Choice(sorted(SPEAKERS)))
@click.argument("player", metavar="GAME[/LEVEL]")
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the game.")
@click.option("--seed", type=int, help="Make the engine's luck the same in each game.")
def speak(language: str, player: str, options: tuple[str, ...], seed: int | None) -> None:
    """Speak the LANGUAGE of other programs on standard input and output, as the house engine GAME/LEVEL.

    So the house can be loaded into the programs that speak it: name this command there as the engine.
    """
    name, _, level = player.partition("/")
    if level and not (level.isascii() and level.isdigit() and len(level) < 3):
        raise MisuseError("the level of %(text)r is a small whole number", text=shorten(player))
    given = read_options(options)
    converse(make_speaker(language, listing(name).name, given, int(level) if level else None, seed), sys.stdin)


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
            title = phrase("the start") if at == 0 else phrase("after %(count)s moves and draws", count=at)
            yield from exercises(game, state, title, "" if part + near == 0 else None)


@engine.command()
@click.argument("url", metavar="URL|PLAYER")
@click.option("--game", type=GameName(), required=True, help="What the engine plays.")
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the game.")
@click.option("--position", "positions", multiple=True, metavar="POSITION", help="Show this position instead of the preset ones.")
@click.option("--full", is_flag=True, help="Write the board of the start out, instead of Init.")
@click.option("--timeout", "limit", type=click.IntRange(1, MOST_SECONDS), default=10, show_default=True, help="Seconds to wait.")
@click.option(
    "--answers",
    type=click.Choice(["both", *WAYS]),
    default="both",
    show_default=True,
    help="The ways of answering that are tried.",
)
@callback_option
def test(
    url: str, game: str, options: tuple[str, ...], positions: tuple[str, ...], full: bool, limit: int, answers: str, callback: str
) -> None:
    """Show an engine some positions, and judge what it answers.

    The engine at a URL is asked in both ways: with Game=TEST and an empty Referee, so that it answers in the body, and as a match
    asks, so that it calls back, during the call or after it. A way that fails at the first position, where the other does not, is
    not tried further. A program on a pipe (py:FILE, cmd:COMMAND, hub:COMMAND …) is started for each position. Exit status 1
    unless all answers are good in one way. Where nobody takes the first call, no other is made.
    """
    table = make_game(game, options)
    shown = list(_shown(table, positions))
    if is_outside(url) and not is_called(url):
        good = asyncio.run(_at_the_table(url, table, shown, limit))
        title = listing(game).called(language())
        tell("%(good)s of %(count)s answers are good moves of %(game)s", good=good, count=len(shown), game=title)
    else:
        _check_address(url)
        ways = WAYS if answers == "both" else (answers,)
        tally = asyncio.run(_by_address(open_switchboard(callback), url, table, shown, Style(full=full), limit, ways))
        for way, trials in ((way, trials) for way, trials in tally.items() if trials):
            good, title = sum(one.good for one in trials), listing(game).called(language())
            click.echo(phrase(WORDS[way], good=good, count=len(trials), game=title))
        tell("verdict: %(verdict)s", verdict=verdict(tally, len(shown)))
        if "back" in ways and not any(one.heard for one in tally["back"]) and not callback and not _near(url):
            advise("an engine on another machine calls back where --callback says")
        good = max(sum(one.good for one in trials) for trials in tally.values())
    if good < len(shown):
        raise click.exceptions.Exit(1)


CAME = {
    ("during",): N_("during the call"),
    ("after",): N_("after the call"),
    ("after", "during"): N_("during and after the call"),
}
CALLED = {
    "during": N_(", called back during the call, %(spent)s ms"),
    "after": N_(", called back after the call, %(spent)s ms"),
}
"""When an engine calls back, of all its answers and of one."""


def verdict(tally: Mapping[str, Sequence[EngineTrial]], count: int) -> Reason:
    """Return what is to be done with an engine that was tried so in all positions, or fewer where a way was given up."""
    well = [way for way, trials in tally.items() if sum(one.good for one in trials) == count]
    if "back" in well:
        when = Reason(CAME[tuple(sorted({one.came for one in tally["back"] if one.good}))])
        if "body" in well:
            return Reason("it calls back %(when)s, and answers in the body: register it as it is", when=when)
        return Reason("it calls back %(when)s: register it as it is", when=when)
    if well:
        return Reason("it answers in the body: declare it direct (#direct)")
    return Reason("it is not ready to play")


def _shown(table: AnyGame, positions: Sequence[str]) -> Iterator[Exercise]:
    notation = notation_of(table)
    states = [(text, notation.read_state(text)) for text in positions]
    yield from (one for text, state in states for one in exercises(table, state, text)) if positions else presets(table)


def _check_address(url: str) -> None:
    try:
        check_form(read_url(url))
    except ValueError:
        raise ForbiddenAddressError("%(url)r is no address: write http://host:port/path", url=shorten(url)) from None


def _near(url: str) -> bool:
    """Tell whether an address is on this machine, as far as can be seen."""
    host = read_url(url).host or ""
    try:
        return among(ip_address(host), LOOPBACK)
    except ValueError:
        return host == "localhost"


async def _at_the_table(bot: str, table: AnyGame, shown: Sequence[Exercise], limit: int) -> int:
    """Try a bot on a pipe; return how many answers are good."""
    contestant, good = read_contestant(bot, Setting(table)), 0
    for number, one in enumerate(shown, start=1):
        trial = await tried_at_the_table(table, contestant.player(b""), one, limit)
        _tell_position(one)
        _tell(trial)
        good += trial.good
        if not trial.taken and number < len(shown):
            tell("the bot does not play: %(count)s more positions were not shown", count=len(shown) - number)
            break
    return good


async def _by_address(
    switchboard: Switchboard, url: str, table: AnyGame, shown: Sequence[Exercise], style: Style, limit: int, ways: Sequence[str]
) -> dict[str, list[EngineTrial]]:
    """Try the engine at an address; return what came of it, way by way."""
    tally: dict[str, list[EngineTrial]] = {way: [] for way in ways}
    async with switchboard as board:
        for number, one in enumerate(shown, start=1):
            _tell_position(one)
            for way in ways:
                asked = replace(style, direct=way == "body")
                trial = await examined(board, table, url, one, asked, limit, back=way == "back")
                tally[way].append(trial)
                _tell(trial)
                if not trial.taken:
                    if number < len(shown):
                        tell("nobody takes calls there: %(count)s more positions were not shown", count=len(shown) - number)
                    return tally
            if number == 1:
                ways = _going_on(tally)
    return tally


def _going_on(tally: Mapping[str, Sequence[EngineTrial]]) -> Sequence[str]:
    """Return the ways that are tried further: those that went well or, where none did, those that were not waited for in vain."""
    well = [way for way, trials in tally.items() if trials[0].good]
    return well or [way for way, trials in tally.items() if trials[0].kind != "silent"] or list(tally)[:1]


def _tell_position(exercise: Exercise) -> None:
    who = (Reason("first player"), Reason("second player"))[exercise.seat]
    click.echo(f"{exercise.title}, {said(who)}")


def _tell(trial: EngineTrial) -> None:
    """Print what was sent and got, and what came of it."""
    click.echo(f"  → {trial.called}")
    for call in trial.heard:
        click.echo(f"  ← {plain(call)}")
    if trial.status and not trial.heard:
        body = shorten(trial.body.strip(), 200)
        tell("  ← %(body)r, status %(status)s, %(spent)s ms", body=body, status=trial.status, spent=trial.milliseconds)
    elif trial.said is not None and not trial.heard:
        tell("  ← move %(move)s, %(spent)s ms", move=plain(shorten(trial.said, 200)), spent=trial.milliseconds)
    if not trial.good:
        tell("  %(wrong)s: %(fault)s", wrong=click.style(phrase("wrong"), fg="red"), fault=trial.fault)
        return
    spent = phrase(CALLED[trial.came], spent=trial.milliseconds) if trial.came in CALLED else ""
    click.echo(f"  {click.style(phrase('good'), fg='green')}{spent}")
