"""`arbitre doctor`: what is installed, what is missing, what to do."""

import json
import platform
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

import click

from arbitre import __version__
from arbitre.cli.options import data_option, json_option
from arbitre.errors import ArbitreError
from arbitre.games.catalogue import Listing, listings
from arbitre.records.store import Store
from arbitre.transport.group import held_here
from arbitre.transport.sandbox import works


class Finding(NamedTuple):
    """One thing that was looked at."""

    what: str
    well: bool
    found: str
    needed: bool = True
    advice: str = ""


PACKAGES = (
    ("pynacl", True, "signatures"),
    ("gmpy2", True, "commitments of the arcade"),
    ("textual", True, "programs of the whole terminal"),
    ("sqlalchemy", True, "migrations of the store"),
    ("numpy", False, "the strong engines: pip install 'arbitre[engines]'"),
    ("numba", False, "the strong engines: pip install 'arbitre[engines]'"),
)

PROGRAMS = (("cc", "compiles the example bot in C"), ("node", "runs the example bot in JavaScript"))


@click.command()
@data_option
@json_option
def doctor(data: Path, as_json: bool) -> int:
    """Look at this installation: what is there, what is missing, and what to do about it.

    Exit status 1 if something that is needed does not work.
    """
    findings = list(_findings(data))
    if as_json:
        click.echo(json.dumps([one._asdict() for one in findings], ensure_ascii=False, indent=1))
    else:
        for one in findings:
            mark = (
                click.style("✓", fg="green")
                if one.well
                else click.style("✗" if one.needed else "–", fg="red" if one.needed else "yellow")
            )
            click.echo(f"{mark} {one.what:<14} {one.found}{f' ({one.advice})' if one.advice and not one.well else ''}")
    return int(any(one.needed and not one.well for one in findings))


def _findings(data: Path) -> Iterator[Finding]:
    yield Finding("arbitre", True, __version__)
    yield Finding(
        "python", sys.version_info >= (3, 11), f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    )
    games = ((need, True, one.title) for one in _listed() for need in one.needs)
    for name, needed, use in (*games, *PACKAGES):
        try:
            yield Finding(name, True, version(name), needed)
        except PackageNotFoundError:
            yield Finding(name, False, "not installed", needed, f"for {use}")
    try:
        yield Finding("games", True, " ".join(one.name for one in listings()))
    except ArbitreError as error:
        yield Finding("games", False, str(error), True, "a package lists a game that cannot be found")
    yield _sandbox()
    yield _groups()
    for program, use in PROGRAMS:
        where = shutil.which(program)
        yield Finding(program, where is not None, where or "not found", False, use)
    yield _folder(data)


def _listed() -> tuple[Listing, ...]:
    """Return the games that can be found; what is wrong with the others is told in its own line."""
    try:
        return listings()
    except ArbitreError:
        return ()


def _sandbox() -> Finding:
    try:
        works()
    except ArbitreError as error:
        return Finding("sandbox", False, str(error), False, "for --sandbox")
    return Finding("sandbox", True, "bubblewrap works")


def _groups() -> Finding:
    """Try out what holds for a bot and everything it starts, together."""
    by_us = {"processes": "its processes are counted by us", "memory": "memory is bounded for each of its processes by itself"}
    try:
        held = held_here()
    except ArbitreError as error:
        advice = "a service manager hands a part of them down: systemd-run --user --scope -p Delegate=yes arbitre …"
        return Finding("bots' limits", False, f"{error}; {'; '.join(by_us.values())}", False, advice)
    said = ["a bot ends with all that it started (cgroup v2)"]
    said += [f"the kernel bounds {one} of all together" if one in held else by_us[one] for one in by_us]
    return Finding("bots' limits", True, "; ".join(said))


def _folder(data: Path) -> Finding:
    if not data.exists():
        return Finding("data folder", True, f"{data} is not there yet, and will be made when it is needed")
    try:
        store = Store(data)
        matches = sum(1 for _ in store.matches())
        fingerprint = store.key().fingerprint
        store.close()
    except ArbitreError as error:
        return Finding("data folder", False, str(error))
    return Finding("data folder", True, f"{data}: {matches} matches, referee's key {fingerprint}")
