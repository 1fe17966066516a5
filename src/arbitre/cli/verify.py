"""`arbitre verify`: check records, transcripts, games and reports, offline, thousands at a time; each system brings its court."""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from errno import EFBIG
from functools import partial
from itertools import islice
from os import cpu_count
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import click

from arbitre.cli import codes
from arbitre.cli.logged import LogCheck, witness_option
from arbitre.cli.options import data_option, json_option
from arbitre.cli.speech import MisuseError, phrase, said
from arbitre.errors import LogMissingError, LogOrderError, refusal
from arbitre.reasons import N_, Reason
from arbitre.records.event import plain
from arbitre.records.evidence import LARGEST_JOURNAL, Dispute, check_record, event_lines, read_journal
from arbitre.records.keyring import known_keys
from arbitre.records.log.entries import EntryKind
from arbitre.records.place import Place
from arbitre.records.record import LARGEST_RECORD
from arbitre.referee.files import HEAD, court_for, examine, expected, is_named, read_whole
from arbitre.referee.verify import Finding, Proof, one_line
from arbitre.values import value

STATUS = {Proof.VERIFIED: 0, Proof.BROKEN: 1, Proof.INCOMPLETE: 3, Proof.INTACT: 4, Proof.ATTESTED: 5, Proof.FOREIGN: 6}
"""The exit status says the worst that was found: broken before foreign, incomplete, unknown signer and attested."""

UNLOGGED = LogMissingError.status
"""The exit status where everything is in order but the log."""

MARKS = {
    Proof.VERIFIED: "✓",
    Proof.ATTESTED: "≈",
    Proof.INTACT: "?",
    Proof.INCOMPLETE: "…",
    Proof.FOREIGN: "‽",
    Proof.BROKEN: "✗",
}
COLOURS = {
    Proof.VERIFIED: "green",
    Proof.ATTESTED: "green",
    Proof.INTACT: "yellow",
    Proof.INCOMPLETE: "yellow",
    Proof.FOREIGN: "yellow",
    Proof.BROKEN: "red",
}

COUNTED = {
    Proof.VERIFIED: N_("%(count)s verified"),
    Proof.ATTESTED: N_("%(count)s attested"),
    Proof.INTACT: N_("%(count)s intact"),
    Proof.INCOMPLETE: N_("%(count)s incomplete"),
    Proof.FOREIGN: N_("%(count)s of another format"),
    Proof.BROKEN: N_("%(count)s broken"),
}

LARGEST_PIPE = 1 << 30
"""More is not taken from what can be read only once; a file may be larger."""

CHUNK = 64


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE…")
@click.option("--key", "given", metavar="FINGERPRINT", help="The key that must have signed: 32 hexadecimal digits.")
@click.option("--journal", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="A seat's journal of the match.")
@click.option("--jobs", "-j", type=click.IntRange(1, 256), help="How many processes to use [default: one per core].")
@click.option(
    "--plies", type=click.IntRange(0), help="Of an analysis, compute so many plies again, drawn at random [default: 20]."
)
@click.option("--all", "everything", is_flag=True, help="Of an analysis, compute all plies again.")
@click.option("--quiet", "-q", is_flag=True, help="Print only what is not verified, and the sum.")
@click.option("--log", metavar="URL|FOLDER", help="Check too that records are in this transparency log, or in a copy of it.")
@witness_option
@data_option
@json_option
def verify(
    files: tuple[Path, ...],
    given: str | None,
    journal: Path | None,
    jobs: int | None,
    plies: int | None,
    everything: bool,
    quiet: bool,
    log: str | None,
    witnesses: tuple[str, ...],
    data: Place,
    as_json: bool,
) -> int:
    """Check records of matches, transcripts of elections, games of Kriegspiel by file, reports of the league, analyses.

    A FILE may be a folder, in which everything is checked that can be, or `-` for standard input. Exit status: 0 all verified
    under a known key (or the given one), 5 attested by an external referee, 4 intact but signed by an unknown key or nobody, 3
    incomplete, 6 of a format that this program does not know, 1 broken. With --log also: 7 not in the log, 8 the log contradicts
    what was seen of it before, 9 what it hands out is not in form.

    With a journal that a seat kept (`python -m arbitre.bot BOT --journal FOLDER`), one record is laid beside it, and the first
    place is told where the two part: status 1.
    """
    if journal is not None and len(files) != 1:
        raise MisuseError("one journal is laid beside one record")
    if given is not None and (len(given) != 32 or set(given) - set("0123456789abcdef")):
        raise MisuseError("a fingerprint is 32 hexadecimal digits, in lower case")
    codes.load()
    if log is None and witnesses:
        raise MisuseError("--witness says who watches a log: name it with --log")
    logs = None if log is None else LogCheck(log, witnesses)
    missing = 0
    sources = [_source(path) for path in files]
    total = sum(len(names) for _, names in sources)
    keys = frozenset(known_keys(data.folder))
    worst = Proof.VERIFIED
    counts = dict.fromkeys(Proof, 0)
    several = total > 1
    processes = (jobs or cpu_count() or 1) if total >= 2 * CHUNK else 1
    heirs = frozenset[str]() if logs is None or given is None else logs.heirs(given)
    for path, found in _progress(_findings(_paths(sources), keys, given, heirs, processes, -1 if everything else plies), total):
        counts[found.standing] += 1
        logged = None if logs is None else _logged(logs, path, found, given)
        untimely = logged is not None and logged.untimely
        missing += logged is not None and not logged.held and not untimely
        worst = max(worst, Proof.BROKEN if untimely else found.standing, key=_gravity)
        if as_json:
            click.echo(json.dumps(_described(path, found) | ({} if logs is None else _entered(logged)), ensure_ascii=False))
        elif not (quiet and found.standing is Proof.VERIFIED and (logged is None or logged.held)):
            mark = (
                click.style(MARKS[found.standing], fg=COLOURS[found.standing]) if sys.stdout.isatty() else MARKS[found.standing]
            )
            click.echo(f"{mark} {f'{plain(str(path))}: ' if several else ''}{one_line(said(found.reason))}")
            for detail in found.details:
                click.echo(f"  {plain(said(detail))}")
            if logged is not None:
                click.echo(f"  {'✓' if logged.held else '✗'} {plain(said(logged.why))}")
    if journal is not None:
        why = _laid_beside(files[0], journal)
        click.echo(f"{'✗' if why.fields else '✓'} {plain(said(why))}")
        worst = Proof.BROKEN if why.fields else worst
    if several and not as_json:
        click.echo(", ".join(phrase(COUNTED[standing], count=count) for standing, count in counts.items() if count))
    if missing and not as_json:
        click.echo(said(Reason("%(count)s not in the log", count=missing)))
    return UNLOGGED if missing and worst is not Proof.BROKEN else STATUS[worst]


@value
class Logged:
    """Whether a record is in a log, and where, or why not."""

    held: bool
    why: Reason
    entries: Mapping[str, int]
    untimely: bool = False
    """Whether it is there, but under a key that was not the referee's at that place."""


def _logged(logs: LogCheck, path: Path, found: Finding, given: str | None) -> Logged | None:
    """Look a record up in the log; None for what is no record, or is not sealed."""
    if found.kind != "record" or found.standing in (Proof.BROKEN, Proof.INCOMPLETE):
        return None
    if str(path) == "-":
        raise MisuseError("--log looks at a record twice: give it as a file, not on standard input")
    try:
        proofs = logs.check(path, given)
    except LogMissingError as error:
        return Logged(False, error.reason, {})
    except LogOrderError as error:
        return Logged(False, error.reason, {}, untimely=True)
    kinds = (EntryKind.OPENED.word, EntryKind.SEALED.word)
    entries = dict(zip(kinds, (proof.index for proof in proofs), strict=True))
    why = Reason("in the log, entries %(opened)s and %(sealed)s of %(size)s", **entries, size=proofs[-1].checkpoint.size)
    return Logged(True, why, entries)


def _entered(logged: Logged | None) -> dict[str, object]:
    return {"log": None if logged is None else {"held": logged.held, "line": str(logged.why), "entries": dict(logged.entries)}}


def _laid_beside(path: Path, journal: Path) -> Reason:
    """Say whether a seat may sign a record by its own journal, and where the two part if it may not."""
    found = read_journal(_read(journal, LARGEST_JOURNAL))
    try:
        check_record(found, event_lines(_read(path, LARGEST_RECORD)))
    except Dispute as dispute:
        told = "the journal and the record part at event %(event)s (%(code)s): %(why)s"
        if dispute.event is None:
            told = "the journal and the record part (%(code)s): %(why)s"
        return Reason(told, event=dispute.event or 0, code=dispute.code.value, why=dispute.why)
    return Reason("the two agree: the seat may sign this record")


def _read(path: Path, most: int) -> bytes:
    with path.open("rb") as file:
        return read_whole(file, most)


def _gravity(standing: Proof) -> int:
    return (Proof.VERIFIED, Proof.ATTESTED, Proof.INTACT, Proof.INCOMPLETE, Proof.FOREIGN, Proof.BROKEN).index(standing)


def _source(path: Path) -> tuple[Path, list[str]]:
    """Return a folder with the names of its records, or a file under no folder: a hundred thousand paths would take much room."""
    if not path.is_dir():
        return Path(), [str(path)]
    with os.scandir(path) as entries:
        found = sorted(entry.name for entry in entries if _is_file(entry) and (is_named(entry.name) or _is_known(Path(entry))))
    if not found:
        raise MisuseError("no record is in %(path)s; expected %(known)s", path=plain(str(path)), known=expected())
    return path, found


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Tell whether an entry of a folder can be read to its end: no pipe, no device, no link that leads to itself."""
    try:
        return entry.is_file()
    except OSError:
        return False


def _is_known(path: Path) -> bool:
    """Tell whether a file that is called otherwise can be verified nevertheless."""
    try:
        with path.open("rb") as file:
            return court_for(file.read(HEAD), "") is not None
    except OSError:
        return False


def _paths(sources: list[tuple[Path, list[str]]]) -> Iterator[Path]:
    return (folder / name for folder, names in sources for name in names)


def _findings(
    paths: Iterator[Path], keys: frozenset[str], given: str | None, heirs: frozenset[str], jobs: int, parts: int | None
) -> Iterator[tuple[Path, Finding]]:
    """Check in this process, or, where there are many, in several; in order, and never holding more than a few results."""
    asked = partial(_one, keys=keys, given=given, parts=parts)
    work = partial(_heir, keys=keys, given=given, heirs=heirs) if heirs else asked
    if jobs == 1:
        yield from ((path, work(path)) for path in paths)
        return
    with ProcessPoolExecutor(jobs) as pool:
        # a window of chunks at a time keeps memory flat however many files there are
        while window := list(islice(paths, CHUNK * jobs * 8)):
            yield from zip(window, pool.map(work, window, chunksize=CHUNK), strict=True)


def _heir(path: Path, keys: frozenset[str], given: str | None, heirs: frozenset[str]) -> Finding:
    """Check a file that the given key may have signed, or one that comes after it."""
    found = _one(path, heirs, None)
    return found if found.kind == "record" and found.key in heirs else _one(path, keys, given)


def _one(path: Path, keys: frozenset[str], given: str | None, parts: int | None = None) -> Finding:
    try:
        with nullcontext(sys.stdin.buffer) if str(path) == "-" else path.open("rb") as file:
            if file.seekable():
                return examine(file, path.name, keys, given, parts)
            with TemporaryFile() as kept:  # it is looked at before it is read
                _copy(file, kept)
                return examine(kept, path.name, keys, given)
    except OSError as error:
        return Finding(
            Proof.BROKEN, Reason("%(name)s cannot be read: %(why)s", name=plain(path.name), why=refusal(error)), kind=""
        )


def _copy(file: IO[bytes], kept: IO[bytes]) -> None:
    """Keep what can be read only once; `OSError` where it has no end."""
    while data := file.read(CHUNK << 14):
        if kept.tell() + len(data) > LARGEST_PIPE:
            raise OSError(EFBIG, f"more than {LARGEST_PIPE >> 20} MiB")
        kept.write(data)
    kept.seek(0)


def _described(path: Path, found: Finding) -> dict[str, object]:
    verdict = found.told if found.verdict is None else json.loads(found.verdict.text())
    return {
        "file": str(path),
        "kind": found.kind or None,
        "standing": found.standing.value,
        "line": found.line,
        "event": found.event,
        "events": found.events,
        "key": found.key or None,
        "verdict": verdict,
    }


def _progress(findings: Iterator[tuple[Path, Finding]], total: int) -> Iterator[tuple[Path, Finding]]:
    """Show a bar on a terminal when there is much to do."""
    if total < 2 * CHUNK or not sys.stderr.isatty():
        yield from findings
        return
    with click.progressbar(findings, length=total, label=phrase("verifying"), file=sys.stderr) as bar:
        yield from bar
