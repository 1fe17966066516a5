"""`arbitre log`: look at the transparency log of a site as a doubter does; prove, audit, mirror, witness it.

A PLACE is the address of a site or of its log, or a folder with a copy (`arbitre log mirror`). Every command refuses a log
that does not extend what this user saw of it before. Exit status: 0 in order, 7 something is not in the log, 8 the log
contradicts itself or what was seen of it, 9 what it hands out is not in form; 1 it cannot be reached.
"""

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import click

from arbitre.cli.log_witness import door
from arbitre.cli.logged import (
    LogCheck,
    key_option,
    open_log,
    read_key,
    read_name,
    read_record_file,
    read_witnesses,
    source_of,
    witness_option,
)
from arbitre.cli.options import json_option
from arbitre.cli.speech import MisuseError, phrase, said
from arbitre.crypto.keys import fingerprint, keep
from arbitre.errors import ArbitreError, LogForkError, LogMissingError
from arbitre.reasons import Reason
from arbitre.records.event import plain
from arbitre.records.heads import state_folder
from arbitre.records.log.audit import Audit, KnownRecord, known_record, named
from arbitre.records.log.audit import audit as judge
from arbitre.records.log.checkpoint import LONGEST_PROOF_FILE, Checkpoint, LogProof, read_proof
from arbitre.records.log.entries import EntryKind
from arbitre.records.log.memory import SeenLogs
from arbitre.records.log.mirror import mirror as copy_log
from arbitre.records.log.note import NAME, PLAIN, Verifier
from arbitre.records.log.reader import FolderSource, LogReader
from arbitre.records.log.successors import LONGEST_KEYS, Successor, read_successors
from arbitre.records.log.witness import Witness

MUCH = 4_096
"""Entries from which on a bar is shown."""

MOST_SHOWN = 50
"""Lines of one kind that people are shown; programs get all."""


@click.group()
def log() -> None:
    """The transparency log of a site: openings and seals of its games, in a tree that only grows.

    A PLACE is the address of a site or of its log, or a folder with a copy of it. Exit status: 0 in order, 7 something is not in
    the log, 8 the log contradicts itself or what was seen of it before, 9 what it hands out is not in form, 1 it cannot be
    reached.
    """


@log.command()
@click.argument("place", metavar="PLACE")
@click.option("--forget", is_flag=True, help="Forget what was seen of this log before, and begin with what it shows now.")
@key_option
@witness_option
@json_option
def checkpoint(place: str, forget: bool, key: str | None, witnesses: tuple[str, ...], as_json: bool) -> None:
    """Show the newest checkpoint of the log at PLACE, and remember it.

    It must extend the last one that was seen; if not, both are kept as evidence.
    """
    if forget:
        _forget(place, key)
    with _told():
        reader = open_log(place, key, witnesses)
    made = reader.checkpoint
    if as_json:
        click.echo(json.dumps(_described(reader, made)))
        return
    click.echo(plain_note(made))
    click.echo(said(Reason("%(size)s entries, signed with key %(key)s", size=made.size, key=reader.key.hex())), err=True)


def _forget(place: str, key: str | None) -> None:
    memory = SeenLogs(state_folder())
    public = read_key(key) if key is not None else memory.key_at(source_of(place).where)
    if public is not None:
        memory.forget(public)


def plain_note(made: Checkpoint) -> str:
    """Return a checkpoint so that a terminal can show it."""
    return "\n".join(plain(line) for line in made.note.whole().rstrip("\n").split("\n"))


def _described(reader: LogReader, made: Checkpoint) -> dict[str, object]:
    verifier = Verifier(made.origin, PLAIN, reader.key)
    return {
        "origin": made.origin,
        "size": made.size,
        "root": made.root.hex(),
        "key": verifier.text,
        "signatures": [one.name for one in made.note.signatures],
        "note": made.note.whole(),
    }


@log.command()
@click.argument("record", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="RECORD")
@click.option("--log", "place", metavar="PLACE", help="The log that the record is in.")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="Where the proofs are written to.",
    show_default="here",
)
@click.option(
    "--proof",
    "proofs",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Check this proof instead, without the log; may be given several times.",
)
@witness_option
@json_option
def prove(
    record: Path, place: str | None, folder: Path, proofs: tuple[Path, ...], witnesses: tuple[str, ...], as_json: bool
) -> None:
    """Prove that RECORD is in a log: write MATCH.opened.tlog-proof and MATCH.sealed.tlog-proof, or check them."""
    if (place is None) == (not proofs):
        raise MisuseError("--log says where the proofs are fetched, --proof which ones are checked: give one of them")
    found = read_record_file(record)
    if found.terms is None:
        raise LogMissingError("its opening names no log")
    if place is None:
        _check(record, proofs, witnesses, as_json)
        return
    with _told():
        made = LogCheck(place, witnesses).check(record)
    for entry, proof in zip(found.entries(), made, strict=True):
        path = folder / f"{_safe(found.match)}.{entry.kind.word}.tlog-proof"
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(proof.text(), encoding="utf-8", newline="")
        _say(path, entry.kind, proof, as_json)


def _check(record: Path, proofs: tuple[Path, ...], witnesses: tuple[str, ...], as_json: bool) -> None:
    """Check proofs in files against a record: both its entries, or some of them."""
    found = read_record_file(record)
    assert found.terms is not None  # noqa: S101 - the caller looked
    for path in proofs:
        with path.open("rb") as file:
            proof = read_proof(file.read(LONGEST_PROOF_FILE + 1))
        reader = LogReader(FolderSource(path.parent), bytes.fromhex(found.terms.key), None, read_witnesses(witnesses))
        for entry in found.entries():
            if reader.holds(proof, entry):
                _say(path, entry.kind, proof, as_json)
                break
        else:
            raise LogMissingError("%(path)s proves neither the opening nor the seal of %(record)s", path=path, record=record)


def _say(path: Path, kind: EntryKind, proof: LogProof, as_json: bool) -> None:
    """Tell what a file proves."""
    index, size = proof.index, proof.checkpoint.size
    if as_json:
        click.echo(json.dumps({"file": str(path), "kind": kind.word, "index": index, "size": size}, ensure_ascii=False))
        return
    file = plain(str(path))
    click.echo(said(Reason("%(file)s: %(kind)s, entry %(index)s of %(size)s", file=file, kind=kind.said, index=index, size=size)))


def _safe(match: str) -> str:
    return "".join(one for one in match if one.isalnum() or one in "-_")[:80] or "match"


@log.command()
@click.argument("place", metavar="PLACE")
@click.option(
    "--records",
    "beside",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="A record, or a folder of records, that the log must hold; may be given several times.",
)
@key_option
@witness_option
@json_option
def audit(place: str, beside: tuple[Path, ...], key: str | None, witnesses: tuple[str, ...], as_json: bool) -> int:
    """Read the whole log at PLACE and say what was opened and never sealed.

    With --records the matches have names: those that the referee abandoned after somebody had opened a nonce are listed, and
    records that are not in the log.
    """
    with _told():
        reader = open_log(place, key, witnesses)
        records = list(_records(beside))
        with _bar(reader.checkpoint.size) as told:
            found = judge(reader.entries(told), records)
        stated = {one.entry.octets(): one for one in read_successors(reader.source.read("keys", LONGEST_KEYS) or b"")}
    if as_json:
        click.echo(json.dumps(_audited(found, stated), ensure_ascii=False))
    else:
        _list(found, stated)
    return 0 if found.clean else LogMissingError.status if found.absent else LogForkError.status


def _records(paths: tuple[Path, ...]) -> Iterator[KnownRecord]:
    for path in paths:
        files = sorted(one for one in path.iterdir() if one.suffix in (".record", ".arbitre")) if path.is_dir() else [path]
        for file in files:
            try:
                yield known_record(file.name, read_record_file(file).record)
            except ArbitreError as error:
                raise MisuseError("%(file)s: %(error)s", file=plain(str(file)), error=error) from None


def _audited(found: Audit, stated: Mapping[bytes, Successor]) -> dict[str, object]:
    keys = [(index, stated.get(octets)) for index, octets in found.rotations]
    return {
        "rotations": [
            {"index": index, "from": None if one is None else one.old.hex(), "to": None if one is None else one.new.hex()}
            for index, one in keys
        ],
        "size": found.size,
        "unsealed": [{"index": index, "tag": tag.hex(), "record": name or None} for index, tag, name in named(found)],
        "unopened": found.unopened,
        "repeated": found.repeated,
        "foreign": found.foreign,
        "abandoned": found.abandoned,
        "absent": found.absent,
    }


def _rotated(index: int, one: Successor | None) -> str:
    if one is None:
        return said(Reason("%(index)s  the statement is not handed out", index=index))
    return f"{index}  {fingerprint(one.old)} → {fingerprint(one.new)}"


def _list(found: Audit, stated: Mapping[bytes, Successor]) -> None:
    click.echo(said(Reason("%(size)s entries make the root that was signed", size=found.size)))
    lines = [
        (Reason("%(count)s opened and never sealed", count=len(found.unsealed)), [_open(found, *one) for one in named(found)]),
        (
            Reason("%(count)s keys of the referee succeeded", count=len(found.rotations)),
            [_rotated(index, stated.get(octets)) for index, octets in found.rotations],
        ),
        (Reason("%(count)s abandoned after a nonce was opened", count=len(found.abandoned)), [*found.abandoned]),
        (Reason("%(count)s sealed and never opened", count=len(found.unopened)), [*map(str, found.unopened)]),
        (Reason("%(count)s entered twice", count=len(found.repeated)), [*map(str, found.repeated)]),
        (Reason("%(count)s that no log of games has", count=len(found.foreign)), [*map(str, found.foreign)]),
        (Reason("%(count)s records that are not in the log", count=len(found.absent)), [*found.absent]),
    ]
    for title, rows in lines:
        if rows:
            click.echo(said(title))
        for row in rows[:MOST_SHOWN]:
            click.echo(f"  {plain(row)}")
        if len(rows) > MOST_SHOWN:
            click.echo(f"  … ({len(rows)})")


def _open(found: Audit, index: int, tag: bytes, name: str) -> str:
    decided = f" ({phrase('decided; sealed when the event is over')})" if tag in found.decided else ""
    return f"{index}  {tag.hex()}  {name}{decided}".rstrip()


@log.command()
@click.argument("place", metavar="PLACE")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER")
@key_option
@witness_option
@json_option
def mirror(place: str, folder: Path, key: str | None, witnesses: tuple[str, ...], as_json: bool) -> None:
    """Copy the log at PLACE into FOLDER, or bring the copy up to date; `--log FOLDER` then needs no net."""
    with _told():
        reader = open_log(place, key, witnesses)
        with _bar(reader.checkpoint.size) as told:
            size = copy_log(reader, folder, told)
    if as_json:
        click.echo(json.dumps({"folder": str(folder), "size": size, "origin": reader.checkpoint.origin}, ensure_ascii=False))
    else:
        click.echo(said(Reason("%(size)s entries in %(folder)s", size=size, folder=plain(str(folder)))))


@log.command()
@click.option(
    "--log", "logs", multiple=True, required=True, metavar="KEY", help="A log to watch, NAME+ID+KEY; may be given several times."
)
@click.option("--name", required=True, help="What the witness is called in its signatures, such as witness.example/one.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65_535), default=0, help="The port to listen on; 0 takes a free one.")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("arbitre-witness"),
    show_default=True,
    help="Where the key lies, and what was signed last.",
)
def witness(logs: tuple[str, ...], name: str, host: str, port: int, folder: Path) -> None:
    """Be a witness: sign the checkpoints of logs that ask for it, each only if it extends the last.

    Prints the key of the witness, which doubters give behind --witness, and the line for the setting `log-witness` of the site.
    """
    if not NAME.fullmatch(name):
        raise MisuseError("a witness has a name without spaces and without +, not %(name)r", name=name)
    one = Witness(folder, name, keep(folder / "witness.key"), [read_name(text) for text in logs])
    server = door(host, port, one)
    with server:
        click.echo(one.verifier.text)
        click.echo(f'log-witness = ["{one.verifier.text} http://{host}:{server.server_address[1]}"]')
        server.serve_forever()


# ── what commands share ────────────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def _told() -> Iterator[None]:
    """Say where the evidence is when a log contradicts itself."""
    try:
        yield
    except LogForkError as error:
        if error.evidence:
            error.hint = Reason("both checkpoints, signed by the log, are kept in %(path)s", path=error.evidence)
        raise


@contextmanager
def _bar(total: int) -> Iterator[Callable[[int], None]]:
    """Show a bar on a terminal when there is much to read."""
    if total < MUCH or not sys.stderr.isatty():
        yield lambda _: None
        return
    with click.progressbar(length=total, label=said(Reason("reading the log")), file=sys.stderr) as bar:
        yield bar.update
