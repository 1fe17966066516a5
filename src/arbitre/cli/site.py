"""`arbitre site`: a site from the command line, through its interface for programs."""

import json
from typing import Any

import click

from arbitre.cli.options import json_option
from arbitre.cli.site_classes import classes
from arbitre.cli.site_compete import compete
from arbitre.cli.site_games import arcade, elect
from arbitre.cli.site_lists import added, league
from arbitre.cli.site_options import engine_options, site_options, word
from arbitre.cli.site_sources import sources
from arbitre.cli.speech import phrase, tell
from arbitre.client import Client
from arbitre.reasons import Reason
from arbitre.records.event import plain


def _show(found: dict[str, Any], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False))
    else:
        players = " – ".join(plain(name) for name in found["players"])
        click.echo(
            f"{found['name']}  {found['game']:<12}  {word(found['state']):<8}  {players}  {plain(found['title'])}".rstrip()
        )


@click.group()
def site() -> None:
    """Use a site from the command line: matches, engines, sources, classes, elections, the arcade, the league, and more.

    The site is --site URL, or $ARBITRE_SITE; what changes something wants a token in $ARBITRE_TOKEN or --token-file.
    """


for group in (added, arcade, classes, compete, elect, league, sources):
    site.add_command(group)


@site.command()
@site_options
def me(client: Client) -> None:
    """Say whom the token speaks for."""
    found = client.me()
    click.echo(f"{plain(found['name'])}, {word(found['role'])}: {' '.join(found['scopes'])}")


@site.command()
@json_option
@site_options
def key(client: Client, as_json: bool) -> None:
    """Print the fingerprint of the key with which the site signs records: `arbitre verify --key` wants it."""
    found = client.key()
    click.echo(json.dumps(found) if as_json else found["fingerprint"])


@site.command()
@click.option("--state", type=click.Choice(["waiting", "playing", "decided", "over"]), help="Only those in this state.")
@click.option("--game", default="", help="Only those of this game.")
@click.option("--mine", is_flag=True, help="Only one's own.")
@click.option("--last", type=click.IntRange(1, 10_000), default=20, show_default=True, help="So many, the newest.")
@json_option
@site_options
def matches(client: Client, state: str | None, game: str, mine: bool, last: int, as_json: bool) -> None:
    """List matches, the newest first."""
    for _, found in zip(range(last), client.matches(state=state, game=game, mine=mine), strict=False):
        _show(found, as_json)


@site.command()
@click.argument("game")
@click.argument("first")
@click.argument("second")
@click.option("--clock", default="none", show_default=True, help="A time limit: 10s/move, 3m+2s, none.")
@click.option("--limit", type=click.IntRange(4, 54), default=54, show_default=True, help="Seconds for a move of an engine.")
@click.option("--title", default="", help="Keep it under this title.")
@json_option
@site_options
def call(client: Client, game: str, first: str, second: str, clock: str, limit: int, title: str, as_json: bool) -> None:
    """Call a match of GAME: FIRST and SECOND are me, friend, house, house:LEVEL or engine:NUMBER."""
    found = client.call(game, first, second, clock=clock, limit=limit, title=title)
    _show(found, as_json)
    if not as_json:
        click.echo(found["url"])


@site.command()
@click.argument("name")
@json_option
@site_options
def follow(client: Client, name: str, as_json: bool) -> None:
    """Follow the match NAME until it is over."""
    for scene in client.follow(name):
        if as_json:
            click.echo(json.dumps(scene, ensure_ascii=False))
            continue
        for line in scene["lines"]:
            if line["kind"] == "said":
                who = phrase("first") if line["seat"] == 0 else phrase("second")
                click.echo(f"{line['turn']:4}  {who}: {plain(line['text'])}")
            else:
                click.echo(f"┃ {line['label'].upper()} {plain(line['text'])}")


@site.command()
@click.argument("name")
@json_option
@site_options
def turn(client: Client, name: str, as_json: bool) -> None:
    """Show what one is asked in the match NAME."""
    found = client.turn(name)
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False))
    elif not found["asked"]:
        tell("not asked")
    else:
        click.echo(plain(found["position"]))
        moves = Reason("too many to list") if found["legal"] is None else " ".join(map(plain, found["legal"]))
        tell("moves: %(moves)s", moves=moves)


@site.command()
@click.argument("name")
@click.argument("text")
@click.option("--ticket", default="", help="Answer this question and no other.")
@site_options
def move(client: Client, name: str, text: str, ticket: str) -> None:
    """Say the move TEXT in the match NAME."""
    client.move(name, text, ticket)
    tell("said")


@site.command()
@click.argument("name")
@site_options
def resign(client: Client, name: str) -> None:
    """Give up the match NAME."""
    _show(client.resign(name), as_json=False)


@site.command()
@click.argument("name")
@click.option("--form", default="record", show_default=True, help="record, story, json, or one of the game, pdn or pgn.")
@site_options
def record(client: Client, name: str, form: str) -> None:
    """Print the record of the match NAME, or another form of it."""
    click.echo(client.record(name, form), nl=False)


@site.command()
@click.option("--game", default="", help="Only those for this game.")
@json_option
@site_options
def engines(client: Client, game: str, as_json: bool) -> None:
    """List the registered engines."""
    for found in client.engines(game=game):
        if as_json:
            click.echo(json.dumps(found, ensure_ascii=False))
        else:
            mine = f"  {phrase('mine')}" if found["mine"] else ""
            click.echo(f"{found['id']:5}  {found['game']:<12}  {plain(found['name'])}  {word(found['state'])}{mine}")


@site.command()
@click.argument("game")
@click.argument("name")
@click.argument("url")
@click.option("--direct", is_flag=True, help="It answers in the body of the call.")
@click.option("--full", is_flag=True, help="It gets the board of the start written out.")
@click.option("--notify", is_flag=True, help="It is told how the game ended.")
@click.option("--private", is_flag=True, help="Others may not play against it.")
@click.option("--anyway", is_flag=True, help="Keep it although it does not answer well when it is tried.")
@site_options
def register(
    client: Client, game: str, name: str, url: str, direct: bool, full: bool, notify: bool, private: bool, anyway: bool
) -> None:
    """Register the engine NAME for GAME, at the address URL, which is tried first; one at `dial:` dials in."""
    style = {"direct": direct, "full": full, "notify": notify, "anyway": anyway}
    found = client.add_engine(game, name, url, public=not private, **style)
    tell("engine %(number)s, known to opponents as %(name)s", number=found["id"], name=found["opponent"])
    if found["fault"]:
        click.echo(f"┃ {word('broken').upper()} {plain(found['fault'])}")


@site.command()
@click.argument("number", type=click.IntRange(1))
@click.option("--end", is_flag=True, help="End it instead, and hang up on whoever plays with it.")
@site_options
def token(client: Client, number: int, end: bool) -> None:
    """Print a new token of one's own engine NUMBER, which dials in: `arbitre bot join` wants it. The one before it ends."""
    if end:
        client.end_engine_token(number)
        tell("the token has ended")
    else:
        click.echo(client.engine_token(number))


@site.command()
@click.option("--level", type=click.IntRange(1, 20), default=1, show_default=True, help="How well the house plays.")
@json_option
@engine_options
def practice(client: Client, level: int, as_json: bool) -> None:
    """Begin a game against the house for an engine whose program is listening; the token is the engine's own."""
    found = client.practise(level)
    click.echo(json.dumps(found) if as_json else found["url"])


@site.command(name="dial.py")
@engine_options
def dial_program(client: Client) -> None:
    """Print dial.py, one file of plain Python that plays for an engine at once; the token is the engine's own, and is in it."""
    click.echo(client.dial_program(), nl=False)
