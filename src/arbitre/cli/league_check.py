"""For those who bring their own sockets to the draughts league: `arbitre draughts test` and `judge`."""

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random
from typing import TypeAlias

import click

from arbitre.cli.options import json_option
from arbitre.cli.speech import MisuseError, numbered, phrase, said, tell
from arbitre.errors import LeagueError
from arbitre.league.court import MOST_FILE, described, octets_of, refused, summary
from arbitre.league.duel import PORT as DUEL_PORT
from arbitre.league.duel import Role
from arbitre.league.report import PORT as REPORT_PORT
from arbitre.league.report import Report, read_report, shown
from arbitre.league.robot_tester import Desk, Examination, Finding, Grade, look_at_report
from arbitre.league.robots import reached
from arbitre.league.table import RESULTS
from arbitre.reasons import N_, Reason
from arbitre.transport.sockets import Endpoint, listen, read_endpoint, where

Streams: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Comes: TypeAlias = Callable[[], Awaitable[Streams]]
"""Gives the next connection with the robot."""


# ── reports ────────────────────────────────────────────────────────────────────────────────────────────────────────


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE…")
@json_option
def judge(files: tuple[Path, ...], as_json: bool) -> None:
    """Judge reports again, offline: files of 256 octets, as a robot sent them, or as hexadecimal digits.

    With both reports of a game it says whether they confirm each other. Exit status 1 if anything is refused.
    """
    found = [_judged(path) for path in files]
    agree = _agree([one for _, one, _ in found]) if len(found) == 2 else None
    good = all(isinstance(one, Report) for _, one, _ in found) and agree is not False
    if as_json:
        told = [
            {"file": str(path), "why": "" if why is None else str(why)} | (described(one) if isinstance(one, Report) else {})
            for path, one, why in found
        ]
        click.echo(json.dumps({"reports": told, "confirmed": agree}, ensure_ascii=False))
    else:
        for line in _lines(found, agree):
            click.echo(line)
    if not good:
        raise click.exceptions.Exit(1)


def _judged(path: Path) -> tuple[Path, object, Reason | None]:
    """Return what a file says, and why it is refused."""
    with path.open("rb") as file:
        data = file.read(MOST_FILE)
    try:
        data = octets_of(data)
    except LeagueError as error:
        raise LeagueError("%(path)s is %(error)s", path=path, error=error) from None
    why = refused(data)
    return path, read_report(data) if why is None else None, why


def _agree(found: list[object]) -> bool:
    """Tell whether two reports are the two versions of one game."""
    sound = [one for one in found if isinstance(one, Report)]
    seats = {one.seat for one in sound}
    return len(sound) == len(seats) == 2 and len({one.game.fingerprint for one in sound}) == 1


def _lines(found: list[tuple[Path, object, Reason | None]], agree: bool | None) -> Iterator[str]:
    for path, one, why in found:
        if isinstance(one, Report):
            yield phrase("%(path)s: %(report)s", path=path, report=summary(one))
        else:
            yield phrase("%(path)s: refused, %(why)s", path=path, why=why)
    if agree is not None:
        yield phrase("they are the two versions of one game") if agree else phrase("they do not confirm each other")


# ── robots ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@click.command()
@click.argument("server", required=False, metavar="[HOST[:PORT]]")
@click.option("--listen", "port", type=click.IntRange(1, 65_535), metavar="PORT", help="Test an attacker: wait for it here.")
@click.option(
    "--report-port",
    type=click.IntRange(0, 65_535),
    help=f"Where its report is heard; 0: none is expected.  [default: {REPORT_PORT}, if it is free]",
)
@click.option("--wait", type=click.FloatRange(0, 600), default=10.0, show_default=True, help="Seconds to wait for its report.")
@click.option("--time", "limit", type=click.FloatRange(0.5, 600), default=30.0, show_default=True, help="Seconds for each move.")
@click.option("--seed", type=int, help="Say the same moves as another time, where the robot does.")
def test(server: str | None, port: int | None, report_port: int | None, wait: float, limit: float, seed: int | None) -> None:
    """Test a robot that brings its own sockets: a defender at HOST:PORT, or with --listen an attacker that comes here.

    Plays a whole game with it, then begins one in which it hears a wrong move; plays the registrar for it; and says what is
    wrong with its words, moves, ends and reports. Let it report to this machine, port 5777. Exit status 1 if there are faults.
    """
    if (server is None) == (port is None):
        raise MisuseError("say where the defender is, HOST[:PORT], or --listen PORT for an attacker")
    role = Role.ATTACKER if server else Role.DEFENDER
    target = read_endpoint(server, DUEL_PORT) if server else None
    luck = Random(secrets.randbits(32) if seed is None else seed)
    findings = asyncio.run(_tested(role, target, port or 0, report_port, wait, limit, luck))
    faults = sum(one.grade is Grade.FAULT for one in findings)
    other = (
        Reason("now its attacker: arbitre draughts test --listen %(port)s, and let it challenge this machine", port=DUEL_PORT)
        if role is Role.ATTACKER
        else Reason("now its defender: arbitre draughts test HOST:PORT")
    )
    if faults:
        click.echo(numbered("1 fault; %(other)s", "%(count)s faults; %(other)s", faults, other=other))
    else:
        tell("no faults; %(other)s", other=other)
    if faults:
        raise click.exceptions.Exit(1)


async def _tested(
    role: Role, target: Endpoint | None, port: int, report_port: int | None, wait: float, limit: float, luck: Random
) -> list[Finding]:
    """Play both games and take the report; say each finding when it is made."""
    async with AsyncExitStack() as stack:
        desk = await _desk(stack, report_port)
        comes = _calling(target) if target is not None else await _waiting(stack, port)
        game = Examination(role, limit, luck)
        await game.play(*await comes())
        moves = len(game.duel.moves)
        tell("a game with %(peer)s: %(moves)s moves, %(end)s", peer=shown(game.peer), moves=moves, end=_end(game))
        found = game.findings
        if game.finished and desk is not None:
            found += await _reported(desk, game, wait)
        _say(found)
        if game.duel.moves:
            found += await _provoked(comes, Examination(role, limit, luck), wait if target is None else limit)
    return found


def _end(game: Examination) -> Reason:
    outcome = game.duel.outcome
    if outcome is None:
        return Reason("not finished")
    return Reason("%(result)s at its end", result=RESULTS[outcome.scores[0], outcome.scores[1]])


async def _provoked(comes: Comes, game: Examination, wait: float) -> list[Finding]:
    try:
        async with asyncio.timeout(wait):
            streams = await comes()
    except (TimeoutError, LeagueError):
        tell("a second game, with a wrong move of ours: it did not come for one")
        return []
    await game.provoke(*streams)
    tell("a second game, with a wrong move of ours")
    _say(game.findings)
    return game.findings


async def _reported(desk: Desk, game: Examination, wait: float) -> list[Finding]:
    """Wait for the robot's report of a game, and look at it."""
    try:
        sent = await asyncio.wait_for(desk.sent.get(), wait)
    except TimeoutError:
        late = N_("report: none came within %(wait)s seconds; it goes to port %(port)s of the registrar when a game is over")
        return [Finding(Grade.FAULT, Reason(late, wait=f"{wait:g}", port=REPORT_PORT))]
    return look_at_report(sent, game)


def _say(findings: list[Finding]) -> None:
    for one in findings:
        grade = click.style(said(one.grade), fg="red" if one.grade is Grade.FAULT else "yellow")
        tell("  %(grade)s: %(why)s", grade=grade, why=one.why)
    if not findings:
        click.echo(f"  {click.style(phrase('good'), fg='green')}")


async def _desk(stack: AsyncExitStack, port: int | None) -> Desk | None:
    """Open a registrar for the robot, if one is wanted; where nobody asked for a port, the usual one may be taken."""
    if port == 0:
        return None
    desk = Desk()
    try:
        sockets = listen("::", port or REPORT_PORT)
    except LeagueError as error:
        if port is not None:
            raise
        tell("no report is heard: %(error)s", error=error)
        return None
    for sock in sockets:
        stack.callback((await asyncio.start_server(desk.serve, sock=sock)).close)
        tell("its report is heard on %(where)s", where=where([sock]))
    return desk


def _calling(target: Endpoint) -> Comes:
    """Return what connects to a defender."""
    return lambda: reached(asyncio.open_connection(target.host, target.port, limit=1 << 12))


async def _waiting(stack: AsyncExitStack, port: int) -> Comes:
    """Listen, and return what gives the next attacker who connects."""
    come: asyncio.Queue[Streams] = asyncio.Queue()
    for sock in listen("::", port):
        server = await asyncio.start_server(lambda *streams: come.put_nowait(streams), sock=sock, limit=1 << 12)
        stack.callback(server.close)
        tell("waiting for an attacker on %(where)s", where=where([sock]))
    return come.get
