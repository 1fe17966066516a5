"""`arbitre draughts`: what draughts needs and no other game has: counting moves, and the league."""

import asyncio
import json
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import click
from rich.console import Console
from rich.progress import track

from arbitre.cli.options import data_option, json_option
from arbitre.errors import LeagueError, shorten
from arbitre.notation.draughts import DraughtsNotation, write_fen
from arbitre.protocol.report import PORT as REPORT_PORT
from arbitre.protocol.report import Address, Answer, Word, shown
from arbitre.records.league import Ledger, Roster, confirmed_games, pending_games, read_roster
from arbitre.records.store import Store
from arbitre.rules.draughts import Board, Draughts, Move
from arbitre.rules.draughts_perft import Way, divide, leaves
from arbitre.services.league import pdn, table, table_text
from arbitre.services.registrar import Registrar, today
from arbitre.transport.sockets import listen, where

GAME = Draughts()


@click.group()
def draughts() -> None:
    """International draughts: counting moves, and the league of robots."""


@draughts.command()
@click.option("--fen", default=write_fen(GAME.start()), metavar="FEN", help="The position, such as W:W31-50:B1-20 (the start).")
@click.option("--depth", required=True, type=click.IntRange(0, 99), metavar="N", help="How many plies to look ahead.")
@click.option(
    "--count",
    "way",
    default="D",
    show_default=True,
    type=click.Choice(["D", "O", "P"], case_sensitive=False),
    help="What makes two captures differ: pieces taken (D), the order of taking them (O), all landing squares (P).",
)
@click.option("--divide", "by_move", is_flag=True, help="Print the leaves below each move, too.")
def perft(fen: str, depth: int, way: Way, by_move: bool) -> None:
    """Count the positions that can be reached in N plies; the last line is the number alone.

    A win ends a line of play, the limit of a hundred plies does not.
    """
    board = DraughtsNotation(GAME).read_state(fen)
    if depth == 0:
        click.echo(leaves(board, 0, way))
        return
    total = 0
    for move, found in _watched(board, depth, way):
        if by_move:
            click.echo(f"{move} {found}")
        total += found
    click.echo(total)


def _watched(board: Board, depth: int, way: Way) -> Iterator[tuple[Move, int]]:
    """Count move by move, with a progress bar where a person is watching."""
    moves = divide(board, depth, way)
    if not sys.stderr.isatty():
        return moves
    return iter(track(moves, "counting", len(board.moves), console=Console(stderr=True), transient=True))


# ── the league ─────────────────────────────────────────────────────────────────────────────────────────────────────


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
            self.fail(f"no time zone is called {shorten(str(value))!r}: try Europe/Paris", param, ctx)


zone_option = click.option(
    "--timezone", "zone", type=Zone(), default="Europe/Paris", show_default=True, help="Where the league's days begin and end."
)


@draughts.command()
@click.option("--host", default="::", show_default=True, help="The address to listen on; :: is every one, IPv4 too.")
@click.option("--port", type=click.IntRange(1, 65_535), default=REPORT_PORT, show_default=True)
@click.option("--roster", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Groups by address or prefix.")
@zone_option
@data_option
def registrar(host: str, port: int, roster: Path | None, zone: ZoneInfo, data: Path) -> None:
    """Hear reports of finished games, and say of each whether it counts.

    Every game that becomes known is told on standard output. Stop it whenever you like: what was accepted is safe.
    """
    groups = read_roster(roster.read_text(encoding="utf-8")) if roster else Roster()
    sockets = listen(host, port)
    store = Store(data)

    def told(reporter: Address, answer: Answer) -> None:
        if answer.word in (Word.PENDING, Word.CONFIRMED):
            click.echo(f"{datetime.now(zone):%Y-%m-%d %H:%M:%S}  {shown(reporter)}  {answer.text}")

    async def serve() -> None:
        await Registrar(Ledger(store, groups), lambda: today(zone), told).serve(sockets)

    try:
        with store.holding("registrar"):
            click.echo(f"the registrar listens on {where(sockets)}")
            asyncio.run(serve())
    finally:
        store.close()


@draughts.command()
@click.option("--pdn", "file", type=click.Path(dir_okay=False, path_type=Path), help="Write the confirmed games to this file.")
@data_option
@json_option
def league(file: Path | None, data: Path, as_json: bool) -> None:
    """Show the table of the league, from its confirmed games."""
    if not (data / "arbitre.sqlite").is_file():
        raise LeagueError(f"there is no league in {data}: arbitre draughts registrar makes one")
    store = Store(data)
    try:
        games = list(confirmed_games(store))
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
    for line in table_text(lines):
        click.echo(line)
    click.echo(f"{len(games)} games confirmed, {waiting} reports wait for the other side")
