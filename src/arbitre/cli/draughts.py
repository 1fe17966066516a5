"""`arbitre draughts`: what draughts needs and no other game has: counting moves, and the league."""

import sys
from collections.abc import Iterator

import click
from rich.console import Console
from rich.progress import track

from arbitre.cli.league import attack, defend, league, registrar, report
from arbitre.cli.league_check import judge, test
from arbitre.cli.speech import phrase
from arbitre.games.draughts.notation import DraughtsNotation, write_fen
from arbitre.games.draughts.perft import Way, divide, leaves
from arbitre.games.draughts.rules import Board, Draughts, Move

GAME = Draughts()


@click.group()
def draughts() -> None:
    """International draughts: counting moves, and the league of robots."""


for command in (attack, defend, judge, league, registrar, report, test):
    draughts.add_command(command)


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
    return iter(track(moves, phrase("counting"), len(board.moves), console=Console(stderr=True), transient=True))
