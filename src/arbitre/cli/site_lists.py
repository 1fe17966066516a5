"""`arbitre site league` and `added`: tables of a site in the terminal, and taking part."""

import sys
from typing import Any

import click

from arbitre.cli.options import json_option
from arbitre.cli.site_options import show, site_options, word
from arbitre.cli.speech import numbered, phrase, said, tell
from arbitre.client import Client
from arbitre.league.table import heads_text, row_text
from arbitre.reasons import Reason
from arbitre.records.event import plain

# ── the league ─────────────────────────────────────────────────────────────────────────────────────────────────────


@click.group()
def league() -> None:
    """The draughts league of a site: its table, its games, their PDN."""


@league.command()
@json_option
@site_options
def table(client: Client, as_json: bool) -> None:
    """Show the table."""
    found = client.league()
    head, widths = heads_text(said)
    if not as_json:
        click.echo(head)
    for place, one in enumerate(found["table"], start=1):
        counts = (str(one[name]) for name in ("games", "won", "drawn", "lost"))
        numbers = (f"{one['points']:g}", *counts, f"{one['rating']:.0f}")
        show(one, as_json, row_text(place, plain(one["name"]), numbers, widths))
    if not as_json:
        tell("%(games)s games confirmed, %(pending)s reported by one side", games=found["games"], pending=found["pending"])


@league.command()
@click.option("--player", default="", help="Only those of this group, or address.")
@click.option("--last", type=click.IntRange(1, 100_000), default=20, show_default=True, help="So many, the newest.")
@json_option
@site_options
def games(client: Client, player: str, last: int, as_json: bool) -> None:
    """List the confirmed games, the newest first."""
    for _, one in zip(range(last), client.league_games(player), strict=False):
        show(one, as_json, f"{one['number']:5}  {one['date']}  {one['result']}  {plain(one['white'])} – {plain(one['black'])}")


@league.command()
@click.argument("number", type=click.IntRange(1), required=False)
@site_options
def pdn(client: Client, number: int | None) -> None:
    """Print one game as PDN, or all of them."""
    sys.stdout.write(client.league_pdn(number))


# ── added games ────────────────────────────────────────────────────────────────────────────────────────────────────


@click.group()
def added() -> None:
    """Games that people added to a site: list and read them, try and add one's own, play."""


@added.command(name="list")
@click.option("--mine", is_flag=True, help="One's own alone, retired ones too.")
@json_option
@site_options
def list_(client: Client, mine: bool, as_json: bool) -> None:
    """List the added games."""
    for one in client.added(mine=mine):
        boards = numbered("1 board", "%(count)s boards", one["boards"])
        how = Reason("both at once") if one["simultaneous"] else Reason("by turns")
        kind = phrase("%(boards)s, %(how)s, by %(owner)s", boards=boards, how=how, owner=plain(one["owner"]))
        state = word("retired" if one["retired"] else one["state"])
        show(one, as_json, f"{one['id']:5}  {one['name']:<24}  {state:<7}  {kind}")


@added.command(name="show")
@click.argument("name")
@json_option
@site_options
def show_(client: Client, name: str, as_json: bool) -> None:
    """Show the sheet of the game NAME: what it is, and the syntax of its trays and moves."""
    found = client.added_game(name)
    fault = f"\n┃ {word('broken').upper()} {plain(found['fault'])}" if found["fault"] else ""
    line = phrase(
        "%(name)s, number %(number)s, %(state)s, added by %(owner)s, who runs its referee",
        name=found["name"],
        number=found["id"],
        state=word(found["state"]),
        owner=plain(found["owner"]),
    )
    show(found, as_json, f"{line}\n{plain(found['about'])}{fault}")


def _game_options(function: Any) -> Any:
    for option in reversed(
        (
            click.argument("name"),
            click.option("--referee", "url", required=True, metavar="URL", help="The external referee."),
            click.option("--engine", required=True, metavar="URL", help="The model engine."),
            click.option("--interface", required=True, metavar="URL", help="The model interface."),
            click.option("--about", default="", help="The sheet: what it is, how trays and moves are written."),
            click.option("--boards", type=click.IntRange(1, 2), default=1, show_default=True, help="Boards."),
            click.option("--board", default="", help="The tray of the start; empty: the referee says it."),
            click.option("--simultaneous", is_flag=True, help="Both move at once."),
        )
    ):
        function = option(function)
    return function


@added.command()
@_game_options
@json_option
@site_options
def check(client: Client, as_json: bool, **game: Any) -> int:
    """Let the programs of a game play together, as when it is added, and show what they said. Exit status: 0 well, 1 not."""
    found = client.check_added(**game | {"about": game["about"] or "a trial"})
    if as_json:
        show(found, True, "")
    else:
        for one in found["steps"]:
            click.echo(
                f"{one['who']:<10} {one['what']:<8} {one['status'] or '':>4} {plain(one['text'])}  {plain(one['body'])[:100]}"
            )
        click.echo(f"┃ {plain(found['fault'])}" if found["fault"] else phrase("the programs play together"))
    return 0 if found["good"] else 1


@added.command()
@_game_options
@click.option("--private", is_flag=True, help="Others do not see it.")
@site_options
def add(client: Client, private: bool, **game: Any) -> None:
    """Add a game whose programs play together."""
    found = client.add_game(**game, public=not private)
    tell("added game %(number)s: %(name)s", number=found["id"], name=found["name"])


@added.command()
@click.argument("name")
@click.argument("first")
@click.argument("second")
@json_option
@site_options
def play(client: Client, name: str, first: str, second: str, as_json: bool) -> None:
    """Call a match of the added game NAME: FIRST and SECOND are me, friend, model or the address of an engine."""
    found = client.call_added(client.added_game(name)["id"], first, second)
    show(found, as_json, f"{found['name']}  {word(found['state'])}  {found['url']}")
