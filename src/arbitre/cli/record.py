"""`arbitre record`: what the data folder remembers."""

import json
from pathlib import Path

import click

from arbitre.arcade import story as arcade_story
from arbitre.arcade.referee import PROTOCOL
from arbitre.cli import codes
from arbitre.cli.language import language
from arbitre.cli.options import GameName, data_option, json_option
from arbitre.cli.speech import MisuseError, numbered, phrase, said, tell
from arbitre.errors import RecordError
from arbitre.records.event import plain
from arbitre.records.place import Place
from arbitre.records.store import Row, Store
from arbitre.referee.story import export, sentence, story
from arbitre.referee.story import tell as retell
from arbitre.referee.verdict import read_verdict
from arbitre.referee.verify import read_opened


@click.group()
def record() -> None:
    """List, show and export the records of the data folder."""


@record.command(name="list")
@click.option("--game", type=GameName(), help="Only records of this game.")
@click.option("--tournament", metavar="NAME", help="Only records of this tournament.")
@click.option("--last", type=click.IntRange(1), help="Only so many, the newest.")
@data_option
@json_option
def list_(game: str | None, tournament: str | None, last: int | None, data: Place, as_json: bool) -> None:
    """List the matches, the oldest first."""
    store = _open(data)
    rows = list(store.matches(tournament, game))
    for row in rows[-last:] if last else rows:
        called = store.events(row.name)[:1]  # a match whose players are still sitting down has no events
        names = [chair.name for event in called for chair in read_opened(event.text).chairs]
        if as_json:
            verdict = None if row.verdict is None else json.loads(row.verdict)
            fields = {"name": row.name, "game": row.game, "tournament": row.tournament, "date": row.created}
            click.echo(json.dumps({**fields, "players": names, "verdict": verdict}, ensure_ascii=False))
        else:
            end = phrase("in progress") if row.verdict is None else plain(said(sentence(read_verdict(row.verdict), names)))
            end += f" ({phrase('decided; sealed when the event is over')})" if row.decided else ""
            click.echo(f"{row.name}  {row.created}  {row.game:<12}  {' – '.join(names)}  {end}")
    if not rows and not as_json:
        tell("no match is recorded in %(data)s yet: arbitre play tictactoe", data=data, err=True)


@record.command()
@click.argument("name")
@click.option("--boards", is_flag=True, help="Draw the position after every move.")
@data_option
def show(name: str, boards: bool, data: Place) -> None:
    """Tell the match NAME (the start of its name will do) as a story."""
    store = _open(data)
    row = store.match(name)
    record = store.record(row.name)
    if row.game == PROTOCOL:
        lines = arcade_story.story(arcade_story.reread(record, row.seed), language())
    else:
        lines = story(retell(record, row.seed), boards, said)
    for line in lines:
        click.echo(line)


@record.command(name="export")
@click.argument("names", nargs=-1, metavar="[NAME…]")
@click.option(
    "--as",
    "form",
    default="record",
    show_default=True,
    help="The form to write: record, story, json, or one of the game, pdn or pgn.",
)
@click.option("--tournament", metavar="NAME", help="All records of this tournament.")
@click.option("--all", "everything", is_flag=True, help="All records that are complete.")
@click.option(
    "--folder", type=click.Path(file_okay=False, path_type=Path), help="Write each to a file of its own in this folder."
)
@data_option
def export_(
    names: tuple[str, ...], form: str, tournament: str | None, everything: bool, folder: Path | None, data: Place
) -> None:
    """Write records in a form that leaves the house: as they are, as a story, as JSON, PDN or PGN.

    Without --folder they go to standard output: `arbitre record export NAME > game.record`.
    """
    store = _open(data)
    rows = _chosen(store, names, tournament, everything)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    for row in rows:
        text = export(store.record(row.name), form)
        if folder is None:
            click.echo(text.encode(), nl=False)  # as octets: a record must not depend on the terminal's alphabet
        else:
            (folder / f"{row.name}.{form}").write_text(text, encoding="utf-8", newline="")
    if folder is not None:
        click.echo(numbered("1 written to %(folder)s", "%(count)s written to %(folder)s", len(rows), folder=folder))


def _chosen(store: Store, names: tuple[str, ...], tournament: str | None, everything: bool) -> list[Row]:
    if names:
        rows = [store.match(name) for name in names]
    elif everything or tournament is not None:
        rows = [row for row in store.matches(tournament) if row.seal is not None]
    else:
        raise MisuseError("say which: a NAME, --tournament NAME or --all")
    for row in rows:
        if row.decided:
            raise RecordError(
                "match %(name)s is decided; its record is sealed, and leaves the house, when the event is over", name=row.name
            )
        if row.seal is None:
            raise RecordError("match %(name)s is not over; its record leaves the house when it is", name=row.name)
    return rows


def _open(data: Place) -> Store:
    if not data.made:
        raise RecordError("there are no records in %(data)s: arbitre play tictactoe makes the first", data=data)
    codes.load()
    return Store(data)
