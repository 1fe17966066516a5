"""`arbitre site classes`: a class of a site: its code, pupils, accounts to print, competition, results, gateway."""

from pathlib import Path
from typing import Any

import click

from arbitre.cli.options import json_option
from arbitre.cli.site_options import show, site_options
from arbitre.cli.speech import phrase, tell
from arbitre.client import Client
from arbitre.errors import SiteError
from arbitre.records.event import plain

NUMBER = click.argument("number", type=click.IntRange(1))


@click.group()
def classes() -> None:
    """Classes of a site: make, join or leave one, prepare accounts, see who is there, hold a competition, open a gateway."""


@classes.command(name="list")
@json_option
@site_options
def list_(client: Client, as_json: bool) -> None:
    """List the classes that one teaches or belongs to."""
    for one in client.classes():
        _class(one, as_json)


def _class(found: dict[str, Any], as_json: bool) -> None:
    show(found, as_json, f"{found['id']:5}  {found['code'] or '':<12}  {plain(found['name'])}")


@classes.command()
@click.argument("name")
@json_option
@site_options
def make(client: Client, name: str, as_json: bool) -> None:
    """Make a class called NAME, and print its number and its code."""
    _class(client.make_class(name), as_json)


@classes.command()
@click.argument("code")
@json_option
@site_options
def join(client: Client, code: str, as_json: bool) -> None:
    """Join a class by its CODE."""
    _class(client.join_class(code), as_json)


@classes.command()
@NUMBER
@site_options
def leave(client: Client, number: int) -> None:
    """Leave the class NUMBER."""
    client.leave_class(number)
    tell("you are not in the class %(number)s any more", number=number)


@classes.command()
@NUMBER
@click.argument("name")
@json_option
@site_options
def rename(client: Client, number: int, name: str, as_json: bool) -> None:
    """Call one's class NUMBER NAME from now on."""
    _class(client.rename_class(number, name), as_json)


@classes.command()
@NUMBER
@click.argument("name")
@site_options
def end(client: Client, number: int, name: str) -> None:
    """End one's class NUMBER, called NAME; pupils, engines and competitions stay."""
    client.end_class(number, name)
    tell("the class %(number)s has ended", number=number)


@classes.command()
@NUMBER
@json_option
@site_options
def code(client: Client, number: int, as_json: bool) -> None:
    """Make a new code for one's class NUMBER; the old one is worth nothing any more."""
    _class(client.renew_class_code(number), as_json)


@classes.command()
@NUMBER
@click.argument("door", type=click.Choice(["open", "accounts"]))
@json_option
@site_options
def lesson(client: Client, number: int, door: str, as_json: bool) -> None:
    """Say who joins the class NUMBER: whoever has the code and a name, or accounts alone."""
    _class(client.set_lesson(number, accounts_only=door == "accounts"), as_json)


@classes.command()
@NUMBER
@json_option
@site_options
def members(client: Client, number: int, as_json: bool) -> None:
    """List the pupils of one's class NUMBER with their engines; those that are there have a star."""
    for one in client.members(number):
        engines = "  ".join(f"{plain(each['name'])}{' *' if each['present'] else ''}" for each in one["engines"])
        show(one, as_json, f"{one['id']:5}  {plain(one['name']):<20}  {engines}".rstrip())


@classes.command()
@NUMBER
@click.argument("names", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))
@json_option
@site_options
def prepare(client: Client, number: int, names: Path, as_json: bool) -> None:
    """Make an account in one's class NUMBER for each line of the file NAMES, and print its code: the first password."""
    try:
        with click.open_file(str(names), encoding="utf-8") as file:
            wanted = [line.strip() for line in file.read(10_000).splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise SiteError("the names in %(file)s cannot be read: %(error)s", file=names.name, error=error) from None
    for one in client.prepare_accounts(number, wanted):
        _prepared(one, as_json)


def _prepared(one: dict[str, Any], as_json: bool) -> None:
    show(one, as_json, f"{one['id']:5}  {plain(one['name']):<20}  {one['code']}")


@classes.command()
@NUMBER
@click.argument("pupil", type=click.IntRange(1))
@json_option
@site_options
def reset(client: Client, number: int, pupil: int, as_json: bool) -> None:
    """Make a new code for the account PUPIL that was made for one's class NUMBER; its password, sessions and tokens end."""
    _prepared(client.reset_member(number, pupil), as_json)


@classes.command()
@NUMBER
@click.argument("pupil", type=click.IntRange(1))
@site_options
def remove(client: Client, number: int, pupil: int) -> None:
    """Take PUPIL out of one's class NUMBER."""
    client.remove_member(number, pupil)
    tell("%(pupil)s is not in the class any more", pupil=pupil)


@classes.command()
@NUMBER
@click.argument("game")
@click.option("--title", default="", help="What the competition is called.")
@site_options
def compete(client: Client, number: int, game: str, title: str) -> None:
    """Hold a competition of the class NUMBER in GAME: everybody's newest engine is entered."""
    click.echo(client.hold_class_competition(number, game, title)["url"])


@classes.command()
@NUMBER
@json_option
@site_options
def results(client: Client, number: int, as_json: bool) -> None:
    """List how everybody did in the competitions of the class NUMBER, the newest first."""
    for one in client.class_results(number):
        points = phrase("%(points)s of %(games)s", points=one["points"], games=one["games"])
        row = f"{one['competition']:5}  {one['place']:3}  {plain(one['pupil']):<20}  {plain(one['engine']):<20}  {points}"
        show(one, as_json, row)


@classes.command()
@NUMBER
@click.option("--url", help="It is at this address from now on; an empty one: there is none.")
@click.option("--new-key", is_flag=True, help="Make a new key; the old one is worth nothing any more.")
@click.option("--words", help="What members read about the school: machines, how the gateway is reached, whom to ask.")
@json_option
@site_options
def gateway(client: Client, number: int, url: str | None, new_key: bool, words: str | None, as_json: bool) -> None:
    """Show the gateway of the class NUMBER, with its key for the teacher; or change it."""
    if url is not None:
        client.set_gateway(number, url)
    if new_key:
        client.renew_gateway_key(number)
    if words is not None:
        client.set_school_words(number, words)
    found = client.gateway(number)
    lines = (plain(found["url"]), found["key"] or "", *found["ranges"], *map(plain, found["words"].splitlines()))
    show(found, as_json, "\n".join(line for line in lines if line))
