"""`arbitre site elect` and `arbitre site arcade`: what a person at a terminal plays there with secrets of its own."""

import sys
from pathlib import Path
from typing import Any

import click

from arbitre.cli.language import language
from arbitre.cli.options import json_option
from arbitre.cli.site_options import show, site_options
from arbitre.cli.speech import phrase, said, tell
from arbitre.client import Client
from arbitre.errors import SiteError, refusal
from arbitre.reasons import N_, Reason
from arbitre.records.event import plain


@click.group()
def elect() -> None:
    """Choose one of a group that trusts nobody: open a room, join one, draw lots, take the proof.

    This program commits, checks and settles for itself; the site relays. `arbitre verify FILE` checks a proof offline.
    """


@elect.command(name="open")
@click.argument("title")
@click.argument("name")
@click.option("--people", type=click.IntRange(2, 64), required=True, help="Begin as soon as so many are in the room.")
@click.option("--proof", type=click.Path(dir_okay=False, path_type=Path), help="Write the transcript to this file.")
@site_options
def open_(client: Client, title: str, name: str, people: int, proof: Path | None) -> None:
    """Open a room to choose TITLE, take part as NAME, and begin when --people are there."""
    room = client.open_room(title)
    tell("the room is %(code)s: %(url)s", code=room["code"], url=room["url"], err=True)
    _part(client, room["code"], name, proof, people)


@elect.command()
@click.argument("code")
@click.argument("name")
@click.option("--proof", type=click.Path(dir_okay=False, path_type=Path), help="Write the transcript to this file.")
@site_options
def join(client: Client, code: str, name: str, proof: Path | None) -> None:
    """Join the room of CODE as NAME, and take part."""
    _part(client, code, name, proof, 0)


def _part(client: Client, code: str, name: str, proof: Path | None, start: int) -> None:
    from arbitre.client.elections import take_part  # noqa: PLC0415 - its arithmetic takes long to import

    def hear(event: dict[str, Any]) -> None:
        if event["type"] in ("people", "begun"):
            people = ", ".join(map(plain, event["people"])) or Reason("nobody")
            template = N_("here: %(people)s") if event["type"] == "people" else N_("begun with: %(people)s")
            click.echo(phrase(template, people=people), err=True)

    held = take_part(client, code, name, start=start, tell=hear)
    for one in held.verdict.excluded:
        click.echo(f"┃ {phrase('left out').upper()} {plain(one.player)}: {said(one.fault)}")
    chosen = phrase("%(name)s is chosen", name=plain(held.winner)) if held.winner else phrase("nobody is chosen")
    click.echo(f"┃ {phrase('verdict').upper()} {chosen}")
    tell("proof: %(record)s", record=held.record)
    if proof is not None:
        _write(proof, client.transcript(held.record))


def _write(path: Path, octets: bytes) -> None:
    try:
        path.write_bytes(octets)
    except OSError as error:
        raise SiteError(
            "the transcript cannot be written to %(path)s: %(strerror)s", path=path, strerror=refusal(error)
        ) from None


@elect.command()
@click.argument("names", nargs=-1, required=True)
@json_option
@site_options
def draw(client: Client, names: tuple[str, ...], as_json: bool) -> None:
    """Draw an order of NAMES on the site's machine, with a proof of the arithmetic."""
    found = client.draw_lots(list(names))
    show(found, as_json, "\n".join([*map(plain, found["order"]), phrase("proof: %(record)s", record=found["name"])]))


@elect.command(name="show")
@click.argument("record")
@click.option("--proof", type=click.Path(dir_okay=False, path_type=Path), help="Write the transcript to this file.")
@json_option
@site_options
def show_(client: Client, record: str, proof: Path | None, as_json: bool) -> None:
    """Show what the finished election RECORD came to, as the site finds it."""
    found = client.election(record)
    show(found, as_json, plain(found["line"]))
    if proof is not None:
        _write(proof, client.transcript(record))


@click.group()
def arcade() -> None:
    """The arcade of a site: play the machine or somebody else, see who beat it, take records."""


@arcade.command()
@click.option("--level", default="", help="The machine's level: Facile, Normal, Difficile, Nightmare.")
@click.option("--table", metavar="CODE", default="", help="Meet whoever says the same code; `new` makes one up.")
@click.option("--name", default="", help="Your name there.")
@click.option("--bot", default="", metavar="LEVEL", help="Let a hand of the house play for you.")
@site_options
def play(client: Client, level: str, table: str, name: str, bot: str) -> int:
    """Play one match; this program makes the commitments and checks the other's. Exit status: 0 won, 1 not."""
    from arbitre.arcade.bout import ROLES  # noqa: PLC0415
    from arbitre.arcade.server import read_level  # noqa: PLC0415
    from arbitre.arcade.visitor import Visitor  # noqa: PLC0415
    from arbitre.cli.arcade import HouseBot, Keyboard  # noqa: PLC0415 - the arithmetic takes long to import
    from arbitre.client.arcade import play as play_there  # noqa: PLC0415

    called = name or "joueur"
    how = "arbitre site arcade play --table"
    player = HouseBot(called, how, language(), read_level(bot)) if bot else Keyboard(called, how, language())
    visits: list[Visitor] = []
    finish = play_there(client, player, table=table, level=read_level(level) if level else "", keep=visits.append)
    ledger = visits[0].ledger
    assert ledger is not None  # noqa: S101 - there is one when a match is over
    click.echo(f"┃ {phrase('verdict').upper()} {said(finish.reason)}, {finish.scores[0]}–{finish.scores[1]}")
    tell("record: %(name)s", name=ledger.call.match)
    return 0 if finish.winner is not None and ROLES[finish.winner] == ledger.call.keeper else 1


@arcade.command()
@json_option
@site_options
def fame(client: Client, as_json: bool) -> None:
    """List the best victories over the machine."""
    for one in client.fame():
        score = "–".join(map(str, one["scores"]))
        show(one, as_json, f"{one['match']}  {one['level']:<10}  {score:>7}  {one['date']}  {plain(one['name'])}")


@arcade.command()
@click.argument("match")
@click.option("--story", is_flag=True, help="Tell the match in words instead.")
@site_options
def record(client: Client, match: str, story: bool) -> None:
    """Print the record of a MATCH at the arcade: `arbitre verify` and `arbitre arcade judge` read it."""
    if not story:
        sys.stdout.write(client.bout_record(match))
        return
    found = client.bout(match)
    for line in found["story"]:
        click.echo(plain(line))
    click.echo(plain(found["line"]))
