"""The league of draughts robots in the terminal: `arbitre draughts registrar`, `league`, `defend`, `attack` and `report`."""

import asyncio
import json
import re
import shlex
import shutil
import signal
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import click

from arbitre.cli import complain
from arbitre.cli.options import data_option, json_option
from arbitre.cli.speech import MisuseError, numbered, phrase, said, tell
from arbitre.cli.telling import Told, telling
from arbitre.errors import GameTextError, LeagueError, shorten
from arbitre.games.draughts.pdn import read_games
from arbitre.games.draughts.rules import Move
from arbitre.games.game import FIRST, SECOND
from arbitre.league.duel import GAME
from arbitre.league.duel import PORT as DUEL_PORT
from arbitre.league.ledger import Ledger, Roster, confirmed_games, open_roster, pending_games
from arbitre.league.outbox import Outbox, send_report
from arbitre.league.registrar import Registrar, today
from arbitre.league.report import PORT as REPORT_PORT
from arbitre.league.report import Address, Answer, Impossible, Word, mapped, read_report, shown, write_report
from arbitre.league.robots import Attacker, Defender, Robot
from arbitre.league.table import pdn, table, table_text
from arbitre.players import Setting, read_contestant
from arbitre.records.event import plain
from arbitre.records.place import Place
from arbitre.records.record import read_record
from arbitre.records.store import Store
from arbitre.referee.clock import Clock, read_clock
from arbitre.referee.story import export
from arbitre.transport.sockets import Endpoint, listen, read_endpoint, where

UNREPORTED = 3
"""The exit status of a round whose games are played, but not all reported."""
UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


def _run(work: Coroutine[Any, Any, object]) -> None:
    """Work until it is done or a signal says to stop: then peers are told, and everything is closed in order."""

    async def watched() -> None:
        task = asyncio.current_task()
        if task is not None:
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        await work

    with suppress(asyncio.CancelledError):
        asyncio.run(watched())


def _now(zone: ZoneInfo) -> str:
    return f"{datetime.now(zone):%Y-%m-%d %H:%M:%S}"


class Zone(click.ParamType[ZoneInfo]):
    """A time zone by its name."""

    name = "zone"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> ZoneInfo:
        """Refuse a zone that this system does not know."""
        if isinstance(value, ZoneInfo):
            return value
        try:
            return ZoneInfo(str(value))
        except (ZoneInfoNotFoundError, ValueError, OSError):
            self.fail(phrase("no time zone is called %(zone)r: try Europe/Paris", zone=shorten(str(value))), param, ctx)


zone_option = click.option(
    "--timezone", "zone", type=Zone(), default="Europe/Paris", show_default=True, help="Where the league's days begin and end."
)


@click.command()
@click.option("--host", default="::", show_default=True, help="The address to listen on; :: is every one, IPv4 too.")
@click.option("--port", type=click.IntRange(1, 65_535), default=REPORT_PORT, show_default=True)
@click.option("--roster", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Groups by address or prefix.")
@zone_option
@data_option
def registrar(host: str, port: int, roster: Path | None, zone: ZoneInfo, data: Place) -> None:
    """Hear reports of finished games, and say of each whether it counts.

    Every game that becomes known is told on standard output. Stop it whenever you like: what was accepted is safe.
    """
    groups = open_roster(roster) if roster else Roster()
    sockets = listen(host, port)
    store = Store(data)

    async def serve(say: Told) -> None:
        def told(reporter: Address, answer: Answer) -> None:
            if answer.word in (Word.PENDING, Word.CONFIRMED):
                say(f"{_now(zone)}  {shown(reporter)}  {answer.text}")

        await Registrar(Ledger(store, groups), lambda: today(zone), told).serve(sockets)

    try:
        with store.holding("registrar"), telling() as say:
            tell("the registrar listens on %(where)s", where=where(sockets))
            _run(serve(say))
    finally:
        store.close()


@click.command()
@click.option("--roster", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Groups by address or prefix.")
@click.option("--pdn", "file", type=click.Path(dir_okay=False, path_type=Path), help="Write the confirmed games to this file.")
@data_option
@json_option
def league(roster: Path | None, file: Path | None, data: Place, as_json: bool) -> None:
    """Show the table of the league, from its confirmed games."""
    if not data.made:
        raise LeagueError("there is no league in %(data)s: arbitre draughts registrar makes one", data=data)
    store = Store(data)
    try:
        games = list(confirmed_games(store, roster=open_roster(roster) if roster else Roster()))
        waiting = pending_games(store)
    finally:
        store.close()
    if file is not None:
        file.write_text(pdn(games), encoding="utf-8")
    lines = table(games)
    if as_json:
        fields = {"games": len(games), "pending": waiting, "table": [line.fields() for line in lines]}
        click.echo(json.dumps(fields, ensure_ascii=False))
        return
    for line in table_text(lines, said):
        click.echo(line)
    tell("%(games)s games confirmed, %(waiting)s reports wait for the other side", games=len(games), waiting=waiting)


# ── robots ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class Interval(click.ParamType[float]):
    """A time between two rounds: 1d, 6h, 30m, 45s."""

    name = "interval"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return seconds."""
        if isinstance(value, float):
            return value
        read = re.fullmatch(r"([0-9]{1,6})([smhd])", str(value).strip().lower())
        if read is None or int(read[1]) == 0:
            wrong = phrase("no time between rounds is written %(time)r: try 1d, 6h, 30m or 45s", time=shorten(str(value)))
            self.fail(wrong, param, ctx)
        return float(int(read[1]) * UNITS[read[2]])


def robot_options(command: Any) -> Any:
    """Add what both robots need."""
    for option in (
        data_option,
        zone_option,
        click.option("--time", "clock", default="60s/move", show_default=True, help="How long either side may think."),
        click.option("--bind", default="", metavar="ADDR", help="The address to report from; to attack from, too."),
        click.option("--registrar", metavar="HOST[:PORT]", help="Who is told of finished games."),
        click.option("--player", metavar="PLAYER", help="Who plays: house:draughts/LEVEL, random, py:FILE, cmd:COMMAND."),
        click.option("--level", type=int, metavar="N", help="The level of the house's engine [default: its middle one]."),
    ):
        command = option(command)
    return command


@contextmanager
def _robot(
    data: Place, level: int | None, player: str | None, registrar: str | None, bind: str, clock: str, zone: ZoneInfo
) -> Iterator[Robot]:
    """Make the robot that the options describe, on an open data folder."""
    limit: Clock = read_clock(clock)
    if not limit.runs:
        raise MisuseError("a duel needs a time limit, such as --time 60s/move")
    if player is not None and level is not None:
        raise MisuseError("say --player or --level, not both")
    if bind:
        _numeric(bind)
    _startable(player or "")
    contestant = read_contestant(player or ("house" if level is None else f"house:draughts/{level}"), Setting(GAME, aside=True))
    told = read_endpoint(registrar, REPORT_PORT) if registrar else None
    store = Store(data)
    try:
        with telling() as say:
            outbox = Outbox(store, zone, lambda news: say(f"{_now(zone)}  {plain(said(news))}"))
            yield Robot(store, contestant, limit, outbox, told, bind)
    finally:
        store.close()


def _startable(player: str) -> None:
    """Refuse a program that is not there before anybody is challenged in its name."""
    kind, _, line = player.partition(":")
    try:
        words = shlex.split(line)
    except ValueError:
        return  # what is wrong with the line is said where it is read
    if kind == "cmd" and words and shutil.which(words[0]) is None:
        raise LeagueError("there is no program %(words)r that could be started", words=shorten(words[0]))


def _numeric(text: str) -> Address:
    try:
        return mapped(text)
    except ValueError:
        raise LeagueError("%(text)r is no IPv4 or IPv6 address", text=shorten(text)) from None


@click.command()
@click.option("--host", default="::", show_default=True, help="The address to listen on; :: is every one, IPv4 too.")
@click.option("--port", type=click.IntRange(1, 65_535), default=DUEL_PORT, show_default=True)
@robot_options
def defend(host: str, port: int, **given: Any) -> None:
    """Answer every challenge, many at once, as white; report the games that were played to their end."""
    with _robot(**given) as robot:
        sockets = listen(host, port)
        tell("%(name)s defends on %(where)s", name=robot.contestant.name, where=where(sockets))
        _run(Defender(robot).serve(sockets))


@click.command()
@click.argument("servers", nargs=-1, required=True, metavar="HOST[:PORT]…")
@click.option("--port", type=click.IntRange(1, 65_535), default=DUEL_PORT, show_default=True, help="Where no port is named.")
@click.option("--every", type=Interval(), default="1d", show_default=True, help="The time between two rounds of challenges.")
@click.option(
    "--once",
    is_flag=True,
    help="Challenge everybody once, then stop: with 1 if nobody was reached, 3 if a report could not be delivered.",
)
@robot_options
def attack(servers: tuple[str, ...], port: int, every: float, once: bool, **given: Any) -> None:
    """Challenge servers as black, each at most once a day, and report the games that were played to their end.

    A report that the registrar sends back until tomorrow, or that does not reach it, is kept, and sent again by the next run.
    """
    targets = [read_endpoint(text, port) for text in servers]
    with _robot(**given) as robot:
        attacker = Attacker(robot, targets)
        _run(attacker.challenge_all() if once else attacker.rounds(every))
    if once and len(attacker.away) == len(targets):
        raise LeagueError("nobody was reached")
    if once and (waiting := len(robot.outbox.undelivered)):
        problem = numbered(
            "1 report waits: the registrar could not be told",
            "%(count)s reports wait: the registrar could not be told",
            waiting,
        )
        complain(problem, phrase("the next run sends what waits before it challenges anybody"))
        raise click.exceptions.Exit(UNREPORTED)


@click.command()
@click.argument("game", metavar="FILE.pdn|RECORD")
@click.option("--white", "seat", flag_value="white", help="We were white, the defender.")
@click.option("--black", "seat", flag_value="black", help="We were black, the attacker.")
@click.option("--opponent", required=True, metavar="ADDR", help="The opponent's address.")
@click.option("--registrar", required=True, metavar="HOST[:PORT]")
@click.option("--bind", default="", metavar="ADDR", help="The address to report from.")
@data_option
def report(game: str, seat: str | None, opponent: str, registrar: str, bind: str, data: Place) -> None:
    """Report a finished game: a PDN file, a record, or the name of a match in the data folder.

    Prints what the registrar answers; the exit status is 0 when it accepts, 1 otherwise.
    """
    if seat is None:
        raise MisuseError("say which side was ours: --white or --black")
    octets = write_report(FIRST if seat == "white" else SECOND, _numeric(opponent), _moves(game, data))
    found = read_report(octets)
    if isinstance(found, Impossible):
        raise LeagueError(
            "%(game)s cannot be reported: move %(number)s is not one of a league game played to its end",
            game=game,
            number=found.number,
        )
    if bind:
        _numeric(bind)
    endpoint: Endpoint = read_endpoint(registrar, REPORT_PORT)
    answer = asyncio.run(send_report(endpoint, bind, octets))
    click.echo(answer.text)
    if not answer.text.startswith("ACC"):
        raise click.exceptions.Exit(1)


def _moves(game: str, data: Place) -> tuple[Move, ...]:
    """Return the moves of the one game that a text names."""
    path = Path(game)
    if path.is_file():
        octets = path.read_bytes()
        text = export(read_record(octets), "pdn") if octets.startswith(b"{") else octets.decode("utf-8", "replace")
    elif data.made:
        store = Store(data)
        try:
            text = export(store.record(game), "pdn")
        finally:
            store.close()
    else:
        raise LeagueError("%(game)r is neither a file nor a match in %(data)s", game=game, data=data)
    try:
        games = list(read_games(text))
    except GameTextError as error:
        raise LeagueError("%(game)s: %(error)s", game=game, error=error) from None
    if len(games) != 1:
        raise LeagueError("%(game)s holds %(games)s games; a report is of one", game=game, games=len(games))
    return games[0].moves
