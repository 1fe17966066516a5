"""`arbitre site sources`: the texts of bots that one keeps on a site, from the terminal."""

from pathlib import Path

import click

from arbitre.cli.options import json_option
from arbitre.cli.site_options import show, site_options
from arbitre.cli.speech import phrase, tell
from arbitre.client import Client
from arbitre.errors import SiteError
from arbitre.records.event import plain

LANGUAGES = {".py": "python", ".js": "javascript"}


@click.group()
def sources() -> None:
    """Sources that are kept on a site: save, read, lend to runners, share by link."""


@sources.command(name="list")
@click.option("--class", "klass", type=click.IntRange(1), help="Those of everybody in this class, which one teaches.")
@json_option
@site_options
def list_(client: Client, klass: int | None, as_json: bool) -> None:
    """List one's own sources, or those of a class that one teaches."""
    for one in client.sources(klass):
        whose = f"  {plain(one['pupil'])}" if klass else ""
        lent = phrase("lent to: %(lent)s", lent=one["lent"])
        show(one, as_json, f"{one['id']:5}  {one['game']:<12}  {one['name']:<30}  {one['language']:<10}  {lent}{whose}")


@sources.command()
@click.argument("game")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--name", default="", help="What it is called there; else as the file.")
@site_options
def save(client: Client, game: str, file: Path, name: str) -> None:
    """Keep FILE, a bot for GAME in Python or JavaScript, on the site: a new version where it changed."""
    language = LANGUAGES.get(file.suffix)
    if language is None:
        raise SiteError("a source is a file.py or a file.js, not %(file)s", file=file.name)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SiteError("the source in %(file)s cannot be read: %(error)s", file=file.name, error=error) from None
    found = client.save_source(game, name or file.stem, language, text)
    tell("source %(number)s, version %(version)s", number=found["source"], version=found["version"])


@sources.command(name="show")
@click.argument("number", type=click.IntRange(1))
@click.option("--version", type=click.IntRange(1), help="Another version than the newest.")
@site_options
def show_(client: Client, number: int, version: int | None) -> None:
    """Print the text of the source NUMBER, one's own or a pupil's."""
    click.echo(client.source_text(number, version), nl=False)


@sources.command()
@click.argument("number", type=click.IntRange(1))
@json_option
@site_options
def versions(client: Client, number: int, as_json: bool) -> None:
    """List the versions of the source NUMBER, the newest first."""
    for one in client.source_versions(number):
        show(one, as_json, f"{one['version']:5}  {one['at']}  {one['size']:>6}")


@sources.command()
@click.argument("number", type=click.IntRange(1))
@click.argument("to", type=click.Choice(["no", "class", "all"]))
@site_options
def lend(client: Client, number: int, to: str) -> None:
    """Let runners play one's own source NUMBER: those of one's classes, of every teacher, or nobody's."""
    found = client.lend_source(number, to)
    if found["engine"] is None:
        tell("lent to: %(lent)s", lent=found["lent"])
    else:
        tell("lent to: %(lent)s; it plays as engine %(engine)s", lent=found["lent"], engine=found["engine"])


@sources.command()
@click.argument("number", type=click.IntRange(1))
@click.option("--end", is_flag=True, help="End the link instead.")
@site_options
def share(client: Client, number: int, end: bool) -> None:
    """Print the link by which anybody reads one's own source NUMBER."""
    if end:
        client.unshare_source(number)
        tell("the link has ended")
    else:
        click.echo(client.share_source(number)["url"])


@sources.command()
@click.argument("number", type=click.IntRange(1))
@site_options
def remove(client: Client, number: int) -> None:
    """Throw one's own source NUMBER away, with all its versions."""
    client.remove_source(number)
    tell("the source %(number)s is gone", number=number)
