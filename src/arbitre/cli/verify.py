"""`arbitre verify`: check records, offline, thousands at a time."""

import json
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from os import cpu_count
from pathlib import Path

import click

from arbitre.cli.options import data_option, json_option
from arbitre.reasons import Reason
from arbitre.records.event import plain
from arbitre.records.keyring import known_keys
from arbitre.referee.verify import Finding, Standing
from arbitre.referee.verify import verify as check

STATUS = {Standing.VERIFIED: 0, Standing.BROKEN: 1, Standing.INCOMPLETE: 3, Standing.INTACT: 4, Standing.ATTESTED: 5}
"""The exit status says the worst that was found: broken before incomplete before unknown signer before attested."""

MARKS = {Standing.VERIFIED: "✓", Standing.ATTESTED: "≈", Standing.INTACT: "?", Standing.INCOMPLETE: "…", Standing.BROKEN: "✗"}
COLOURS = {
    Standing.VERIFIED: "green",
    Standing.ATTESTED: "green",
    Standing.INTACT: "yellow",
    Standing.INCOMPLETE: "yellow",
    Standing.BROKEN: "red",
}

LARGEST = 64 << 20
"""A larger file is no record of a match."""

CHUNK = 64

ENDINGS = (".record", ".arbitre")
"""What files of records are called: by the command line, and by the site."""


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE…")
@click.option("--key", "given", metavar="FINGERPRINT", help="The key that must have signed: 32 hexadecimal digits.")
@click.option("--jobs", "-j", type=click.IntRange(1, 256), help="How many processes to use [default: one per core].")
@click.option("--quiet", "-q", is_flag=True, help="Print only what is not verified, and the sum.")
@data_option
@json_option
def verify(files: tuple[Path, ...], given: str | None, jobs: int | None, quiet: bool, data: Path, as_json: bool) -> int:
    """Check records of matches: rules, draws, commitments, clocks, chain and signatures.

    A FILE may be a folder, whose `*.record` and `*.arbitre` files are checked, or `-` for standard input. Exit status: 0 all
    verified under a known key (or the given one), 5 attested by an external referee, 4 intact but signed by an unknown key, 3
    incomplete, 1 broken.
    """
    if given is not None and (len(given) != 32 or set(given) - set("0123456789abcdef")):
        raise click.UsageError("a fingerprint is 32 hexadecimal digits, in lower case")
    sources = [_source(path) for path in files]
    total = sum(len(names) for _, names in sources)
    keys = frozenset(known_keys(data))
    worst = Standing.VERIFIED
    counts = dict.fromkeys(Standing, 0)
    several = total > 1
    processes = (jobs or cpu_count() or 1) if total >= 2 * CHUNK else 1
    for path, found in _progress(_findings(_paths(sources), keys, given, processes), total):
        counts[found.standing] += 1
        if _gravity(found.standing) > _gravity(worst):
            worst = found.standing
        if as_json:
            click.echo(json.dumps(_described(path, found), ensure_ascii=False))
        elif not (quiet and found.standing is Standing.VERIFIED):
            mark = (
                click.style(MARKS[found.standing], fg=COLOURS[found.standing]) if sys.stdout.isatty() else MARKS[found.standing]
            )
            click.echo(f"{mark} {f'{plain(str(path))}: ' if several else ''}{found.line}")
    if several and not as_json:
        click.echo(", ".join(f"{count} {standing.value}" for standing, count in counts.items() if count))
    return STATUS[worst]


def _gravity(standing: Standing) -> int:
    return (Standing.VERIFIED, Standing.ATTESTED, Standing.INTACT, Standing.INCOMPLETE, Standing.BROKEN).index(standing)


def _source(path: Path) -> tuple[Path, list[str]]:
    """Return a folder with the names of its records, or a file under no folder: a hundred thousand paths would take much room."""
    if not path.is_dir():
        return Path(), [str(path)]
    with os.scandir(path) as entries:
        found = sorted(entry.name for entry in entries if entry.name.endswith(ENDINGS))
    if not found:
        raise click.UsageError(f"no record is in {plain(str(path))}: it holds no file that ends with {' or '.join(ENDINGS)}")
    return path, found


def _paths(sources: list[tuple[Path, list[str]]]) -> Iterator[Path]:
    return (folder / name for folder, names in sources for name in names)


def _findings(paths: Iterator[Path], keys: frozenset[str], given: str | None, jobs: int) -> Iterator[tuple[Path, Finding]]:
    """Check in this process, or, where there are many, in several; in order, and never holding more than a few results."""
    work = partial(_one, keys=keys, given=given)
    if jobs == 1:
        yield from ((path, work(path)) for path in paths)
        return
    with ProcessPoolExecutor(jobs) as pool:
        # a window of chunks at a time keeps memory flat however many files there are
        while window := list(islice(paths, CHUNK * jobs * 8)):
            yield from zip(window, pool.map(work, window, chunksize=CHUNK), strict=True)


def _one(path: Path, keys: frozenset[str], given: str | None) -> Finding:
    try:
        if str(path) == "-":
            data = sys.stdin.buffer.read(LARGEST + 1)
        else:
            with path.open("rb") as file:
                data = file.read(LARGEST + 1)
    except OSError as error:
        return Finding(Standing.BROKEN, Reason("%(name)s cannot be read: %(why)s", name=plain(path.name), why=error.strerror))
    if len(data) > LARGEST:
        return Finding(Standing.BROKEN, Reason("larger than %(most)s MiB", most=LARGEST >> 20))
    found = check(data, keys, given)
    # the opening stays in its process: it may hold a game of a package that cannot travel
    return Finding(found.standing, found.why, found.event, None, found.verdict, found.key, found.events)


def _described(path: Path, found: Finding) -> dict[str, object]:
    verdict = None if found.verdict is None else json.loads(found.verdict.text())
    return {
        "file": str(path),
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
    with click.progressbar(findings, length=total, label="verifying", file=sys.stderr) as bar:
        yield from bar
