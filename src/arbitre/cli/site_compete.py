"""`arbitre site compete`: competitions of a site from the terminal, from the announcement to the proof."""

import io
import zipfile
from pathlib import Path, PurePosixPath

import click

from arbitre.cli.options import json_option
from arbitre.cli.site_options import show, site_options, word
from arbitre.cli.speech import phrase, spoken, tell
from arbitre.client import Client
from arbitre.errors import SiteError, refusal, shorten
from arbitre.records.event import plain
from arbitre.referee.verdict import SPOKEN

FORMATS = ("fitting", "swiss", "round-robin", "double-round-robin", "gauntlet", "knockout")
CONFLICT = 409
MOST_OCTETS = 1 << 30
"""Of an archive when it is unpacked."""


@click.group()
def compete() -> None:
    """Competitions of a site: announce one, enter an engine, follow it, see how it stands, take the records."""


@compete.command(name="list")
@click.option("--stage", type=click.Choice(["announced", "open", "running", "over", "cancelled"]), help="Only in this stage.")
@click.option("--game", default="", help="Only of this game.")
@click.option("--last", type=click.IntRange(1, 10_000), default=20, show_default=True, help="So many, the newest.")
@json_option
@site_options
def competitions(client: Client, stage: str | None, game: str, last: int, as_json: bool) -> None:
    """List competitions, the newest first."""
    for _, one in zip(range(last), client.competitions(stage=stage, game=game), strict=False):
        show(one, as_json, f"{one['id']:5}  {word(one['stage']):<10}  {one['game']:<12}  {plain(one['title'])}")


@compete.command()
@click.argument("number", type=click.IntRange(1))
@click.argument("engine", type=click.IntRange(1), required=False)
@click.option("--code", default="", help="The code of its link, where it is not listed.")
@site_options
def enter(client: Client, number: int, engine: int | None, code: str) -> None:
    """Enter the competition NUMBER with one's ENGINE, or oneself where people play."""
    found = client.enter(number, engine, code)
    name, neutral = plain(found["name"]), found["neutral"]
    tell("entry %(number)s: %(name)s, in records %(neutral)s", number=found["id"], name=name, neutral=neutral)


@compete.command()
@click.argument("number", type=click.IntRange(1))
@click.option("--code", default="", help="The code of its link, where it is not listed.")
@json_option
@site_options
def standings(client: Client, number: int, code: str, as_json: bool) -> None:
    """Show how the competition NUMBER stands, and who failed how."""
    found = client.progress(number, code)
    if as_json:
        show(found, True, "")
        return
    click.echo(word(found["stage"]))
    for one in found["standings"]:
        points = phrase("%(points)s of %(games)s", points=f"{one['points']:>6}", games=one["games"])
        click.echo(f"{one['rank']:>3}  {plain(one['name']):<32} {points}")
    if found["stage"] == "over":
        _honoured(client, number, code)
    for one in found["faults"]:
        why = phrase("game %(number)s: %(why)s", number=one["number"], why=plain(one["reason"]))
        kind = plain(one["kind"])
        click.echo(f"┃ {spoken(SPOKEN.get(kind, kind)).upper()} {why}")
    if found["trouble"]:
        click.echo(f"┃ {phrase('waits').upper()} {plain(found['trouble'])}")


def _honoured(client: Client, number: int, code: str) -> None:
    """Say what the podium says, where the site has verified the records already."""
    try:
        found = client.honours(number, code)
    except SiteError as error:
        if error.status != CONFLICT:
            raise
        return
    for one in found["awards"]:
        click.echo(f"  ★  {plain(one['name']):<32} {plain(one['words'])}")
    tell("%(count)s of %(total)s records verified", count=found["verified"], total=found["records"])


@compete.command()
@click.argument("title")
@click.argument("game")
@click.option("--format", "form", type=click.Choice(FORMATS), default="fitting", show_default=True, help="How it is held.")
@click.option("--rounds", type=click.IntRange(0, 99), default=0, help="Rounds of a Swiss; 0: as many as it takes.")
@click.option("--games", type=click.IntRange(1, 1_000), default=2, show_default=True, help="Games of a pairing.")
@click.option("--clock", default="10s/move", show_default=True, help="A time limit: 10s/move, 3m+2s, none.")
@click.option("--each", type=click.IntRange(1, 100), default=1, show_default=True, help="Engines of one owner.")
@click.option(
    "--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the game; may be given several times."
)
@click.option("--people", is_flag=True, help="People play, not engines.")
@click.option("--unlisted", is_flag=True, help="Only whoever has the link sees it.")
@click.option("--about", default="", help="What else to say.")
@json_option
@site_options
def announce(
    client: Client,
    title: str,
    game: str,
    form: str,
    rounds: int,
    games: int,
    clock: str,
    each: int,
    options: tuple[str, ...],
    people: bool,
    unlisted: bool,
    about: str,
    as_json: bool,
) -> None:
    """Announce the competition TITLE of GAME; entries are taken from now on, and it begins in an hour or with `begin`."""
    kind = "people" if people else "engines"
    terms = {"format": form, "rounds": rounds, "games": games, "clock": clock, "each": each, "about": about, "kind": kind}
    found = client.announce(title, game, options=_options(options), listed=not unlisted, **terms)
    line = phrase(
        "competition %(number)s: %(title)s, %(stage)s  %(url)s",
        number=found["id"],
        title=plain(found["title"]),
        stage=word(found["stage"]),
        url=found["url"],
    )
    link = f"{found['url'].rpartition('/')[0]}/join/{found['code']}"
    show(found, as_json, line + ("\n" + phrase("link: %(link)s", link=link) if unlisted else ""))


def _options(given: tuple[str, ...]) -> dict[str, str]:
    found = dict(one.partition("=")[::2] for one in given)
    for one in given:
        if "=" not in one:
            raise SiteError("an option is KEY=VALUE, not %(one)r", one=shorten(one))
    return found


@compete.command()
@click.argument("number", type=click.IntRange(1))
@click.argument("do", type=click.Choice(["open", "begin", "cancel", "again"]))
@click.option("--why", default="", help="Why it is cancelled.")
@site_options
def steer(client: Client, number: int, do: str, why: str) -> None:
    """Open the entries of one's competition NUMBER, begin its games, cancel it, or let it go on again after a fault."""
    click.echo(word(client.steer(number, do, why)["stage"]))


@compete.command()
@click.argument("number", type=click.IntRange(1))
@click.option("--code", default="", help="The code of its link, where it is not listed.")
@json_option
@site_options
def follow(client: Client, number: int, code: str, as_json: bool) -> None:
    """Follow the competition NUMBER until it is over: every game as it ends."""
    known: set[int] = set()
    for change in client.watch(number, code):
        if as_json:
            show(change, True, "")
            continue
        for one in client.competition_games(number, code):
            if one["scores"] and one["number"] not in known:
                known.add(one["number"])
                players = " – ".join(map(plain, one["players"]))
                click.echo(f"{one['number']:4}  {' : '.join(one['scores'])}  {players}  {one['match']}")
    if not as_json:
        click.echo(word(client.competition(number, code)["stage"]))


@compete.command()
@click.argument("number", type=click.IntRange(1))
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--code", default="", help="The code of its link, where it is not listed.")
@site_options
def records(client: Client, number: int, folder: Path, code: str) -> None:
    """Write all that proves the competition NUMBER, which is over, into FOLDER: `arbitre tournament judge` reads it."""
    octets = client.competition_records(number, code)
    try:
        with zipfile.ZipFile(io.BytesIO(octets)) as file:
            if sum(one.file_size for one in file.infolist()) > MOST_OCTETS:
                raise SiteError("the archive is too large when it is unpacked")
            for name in file.namelist():
                parts = PurePosixPath(name)
                if parts.is_absolute() or ".." in parts.parts:
                    raise SiteError("the archive names a file outside of the folder: %(name)r", name=shorten(name))
            file.extractall(folder)
            count = sum(name.endswith(".record") for name in file.namelist())
    except zipfile.BadZipFile:
        raise SiteError("what the site sent is no archive") from None
    except OSError as error:
        raise SiteError(
            "the records cannot be written to %(folder)s: %(strerror)s", folder=folder, strerror=refusal(error)
        ) from None
    tell("records: %(count)s; judge them with: arbitre tournament judge %(folder)s", count=count, folder=folder)
