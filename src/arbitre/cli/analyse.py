"""`arbitre analyse`: judge finished games ply by ply, and leave a signed document of it beside each record."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from arbitre.analysis.analysis import MOST_NODES, Analysis, Grade, called, course_of, decimal, line_called, loss
from arbitre.analysis.analysis import analyse as judge
from arbitre.analysis.document import ENDING, Document, sign
from arbitre.cli import codes
from arbitre.cli.language import language
from arbitre.cli.options import data_option, json_option
from arbitre.cli.speech import MisuseError, advise, phrase, said, tell
from arbitre.crypto.keys import Key, keep
from arbitre.errors import RecordError
from arbitre.games.analysis import WHOLE, analyst_class
from arbitre.reasons import Reason
from arbitre.records.event import plain
from arbitre.records.keyring import key_file, key_numbers
from arbitre.records.place import Place
from arbitre.records.record import LARGEST_RECORD, read_record
from arbitre.records.store import Store
from arbitre.referee.courts import GAMES, court_of
from arbitre.referee.files import read_whole
from arbitre.referee.story import Told
from arbitre.referee.story import tell as retell
from arbitre.referee.verify import Proof, verify

Progress = Callable[[int, int], None]


@click.command()
@click.argument("records", nargs=-1, required=True, metavar="RECORD…")
@click.option(
    "--nodes", type=click.IntRange(1, MOST_NODES), help="Positions to look at for each ply [default: what suits the game]."
)
@click.option("--seed", type=click.IntRange(0, 2**53 - 1), default=0, show_default=True, help="Where its luck comes from.")
@click.option("--html", is_flag=True, help="Write a page, too, that needs nothing else: a board that plays the game through.")
@click.option(
    "--folder", type=click.Path(file_okay=False, path_type=Path), help="Write to this folder [default: beside the record]."
)
@data_option
@json_option
def analyse(
    records: tuple[str, ...], nodes: int | None, seed: int, html: bool, folder: Path | None, data: Place, as_json: bool
) -> None:
    """Judge finished games ply by ply: what was best, what was lost, the moments that decided it.

    A RECORD is a file, or the name of a match in the data folder. The analysis is written beside it, signed with the key of the
    data folder, as NAME.analysis; `arbitre verify` computes plies of it again. The same record, engine, nodes and seed give the
    same analysis on every machine.
    """
    codes.load()
    key = _key(data)
    for name in records:
        path, octets = _record(name, data)
        record = read_record(octets)
        if court_of(record.events[0].text if record.events else "") is not GAMES:
            raise RecordError("%(path)s is no record of a game that can be analysed", path=plain(str(path)))
        found = verify(octets)
        if found.standing in (Proof.BROKEN, Proof.FOREIGN):
            raise RecordError("%(path)s is not in order: %(why)s", path=plain(str(path)), why=found.why)
        told = retell(record)
        kind = analyst_class(told.match.game.name)
        if kind.missing is not None:
            advise("the plain engine judges: %(missing)s", missing=kind.missing)
        with _bar(plain(path.name), len(course_of(told))) as progress:
            analysis = judge(record, nodes, seed, progress)
        certificates = kind(told.match.game, analysis.effort).certify(course_of(told), analysis.judgements)
        document = sign(analysis, octets, certificates, key)
        place = _written(document, told, path if folder is None else folder / path.name, html)
        if as_json:
            click.echo(json.dumps(_described(document, told, place), ensure_ascii=False))
        else:
            _tell(analysis, told, place)


def _key(data: Place) -> Key:
    """Return the key that signs: the newest of the data folder, made on first use."""
    return keep(key_file(data.folder, max(key_numbers(data.folder), default=1)))


def _record(name: str, data: Place) -> tuple[Path, bytes]:
    """Return where a record is, or would be, and its octets."""
    path = Path(name)
    if path.is_file():
        with path.open("rb") as file:
            return path, read_whole(file, LARGEST_RECORD)
    if path.exists() or path.suffix or not data.made:
        raise MisuseError("%(name)s is no file", name=plain(name))
    store = Store(data)
    try:
        row = store.match(name)
        if row.seal is None:
            raise RecordError("match %(name)s is not over; its record leaves the house when it is", name=row.name)
        octets = store.record(row.name).text().encode()
    finally:
        store.close()
    return Path(f"{row.name}.record"), octets


def _written(document: Document, told: Told, path: Path, html: bool) -> Path:
    """Write the document, and the page where one is wanted; return where the document is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    place = path.with_suffix(ENDING)
    place.write_text(document.text(), encoding="utf-8", newline="")
    if html:
        from arbitre.web.analysed import alone  # noqa: PLC0415 - the web takes long to import

        path.with_suffix(".html").write_text(alone(document, told, language()), encoding="utf-8")
    return place


@contextmanager
def _bar(label: str, total: int) -> Iterator[Progress | None]:
    """Show a bar on a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    with click.progressbar(length=total, label=phrase("analysing %(name)s", name=label), file=sys.stderr) as bar:
        yield lambda done, _: bar.update(done - bar.pos)


def _described(document: Document, told: Told, place: Path) -> dict[str, object]:
    analysis = document.analysis
    players = [
        {"name": name, "accuracy": None if one.accuracy is None else one.accuracy / 10, "judged": one.judged}
        | {grade.value: count for grade, count in one.grades}
        for name, one in zip(told.names, analysis.performances(len(told.names)), strict=True)
    ]
    fields = {"file": str(place), "players": players, "moments": [at + 1 for at in analysis.moments], "curve": analysis.curve}
    return {**fields, "whole": WHOLE, "document": json.loads(document.text())}


def _tell(analysis: Analysis, told: Told, place: Path) -> None:
    """Say what people would ask first."""
    kind = analyst_class(analysis.game)
    click.echo(f"{analysis.game} · {plain(' – '.join(told.names))}")
    for name, one in zip(told.names, analysis.performances(len(told.names)), strict=True):
        if one.accuracy is not None:
            counts = dict(one.grades)
            tell(
                "%(name)s: %(words)s; accuracy %(accuracy)s, inaccuracies %(few)s, mistakes %(some)s, blunders %(many)s",
                name=plain(name),
                words=one.words,
                accuracy=decimal(one.accuracy, 10, language()),
                few=counts[Grade.INACCURACY],
                some=counts[Grade.MISTAKE],
                many=counts[Grade.BLUNDER],
            )
    course = course_of(told) if analysis.moments else ()
    for at in analysis.moments:
        judgement, game = analysis.judgements[at], told.match.game
        told_of = Reason(
            "move %(number)s, %(name)s: %(said)s, %(lost)s; better: %(line)s",
            number=at + 1,
            name=plain(told.names[analysis.seats[at]]),
            said=called(game, course[at], analysis.moves[at]),
            lost=loss(judgement, kind.unit, language()),
            line=line_called(game, course[at], judgement.line) if judgement.line else "–",
        )
        click.echo(f"  {said(told_of)}")
    nodes = analysis.effort.nodes
    tell("%(engine)s, %(nodes)s nodes a ply, written to %(place)s", engine=analysis.engine.name, nodes=nodes, place=place)
