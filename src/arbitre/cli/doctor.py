"""`arbitre doctor`: what is installed, what is missing, what to do."""

import json
import platform
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

import click

from arbitre import __version__
from arbitre.cli.options import data_option, json_option
from arbitre.cli.speech import phrase, said
from arbitre.errors import ArbitreError
from arbitre.games.catalogue import Listing, listings
from arbitre.reasons import N_, Reason
from arbitre.records.place import Place
from arbitre.records.store import Store
from arbitre.transport.group import held_here
from arbitre.transport.sandbox import works

WIDTH = 18
"""Of what was looked at, in either language."""


class Finding(NamedTuple):
    """One thing that was looked at."""

    what: str
    well: bool
    found: object
    needed: bool = True
    advice: object = ""


PACKAGES = (
    ("pynacl", True, N_("for signatures")),
    ("gmpy2", True, N_("for commitments of the arcade")),
    ("textual", True, N_("for programs of the whole terminal")),
    ("sqlalchemy", True, N_("for migrations of the store")),
    ("numpy", False, N_("for the strong engines: pip install 'arbitre[engines]'")),
    ("numba", False, N_("for the strong engines: pip install 'arbitre[engines]'")),
    ("mcp", False, N_("for agents: pip install 'arbitre[agents]'")),
    ("psycopg", False, N_("for a site on PostgreSQL: pip install 'arbitre[postgresql]'")),
    ("procrastinate", False, N_("for tournaments on many machines: pip install 'arbitre[postgresql]'")),
)

PROGRAMS = (("cc", N_("compiles the example bot in C")), ("node", N_("runs the example bot in JavaScript")))

BY_US = {
    "processes": N_("its processes are counted by us"),
    "memory": N_("memory is bounded for each of its processes by itself"),
}
BY_THE_KERNEL = {
    "processes": N_("the kernel bounds processes of all together"),
    "memory": N_("the kernel bounds memory of all together"),
}
"""Who holds a bot and everything it starts to its limits."""


@click.command()
@data_option
@json_option
def doctor(data: Place, as_json: bool) -> int:
    """Look at this installation: what is there, what is missing, and what to do about it.

    Exit status 1 if something that is needed does not work.
    """
    findings = list(_findings(data))
    if as_json:
        told = [one._asdict() | {"found": str(one.found), "advice": str(one.advice)} for one in findings]
        click.echo(json.dumps(told, ensure_ascii=False, indent=1))
    else:
        for one in findings:
            mark = (
                click.style("✓", fg="green")
                if one.well
                else click.style("✗" if one.needed else "–", fg="red" if one.needed else "yellow")
            )
            advice = f" ({said(one.advice)})" if one.advice and not one.well else ""
            click.echo(f"{mark} {phrase(one.what):<{WIDTH}} {said(one.found)}{advice}")
    return int(any(one.needed and not one.well for one in findings))


def _findings(data: Place) -> Iterator[Finding]:
    yield Finding("arbitre", True, __version__)
    yield Finding(
        "python",
        sys.version_info >= (3, 11),
        Reason(
            "%(version)s on %(system)s", version=platform.python_version(), system=f"{platform.system()} {platform.machine()}"
        ),
    )
    games = [(need, True, Reason("for %(use)s", use=one.title)) for one in _listed() for need in one.needs]
    for name, needed, use in (*games, *((name, needed, Reason(use)) for name, needed, use in PACKAGES)):
        try:
            yield Finding(name, True, version(name), needed)
        except PackageNotFoundError:
            yield Finding(name, False, Reason("not installed"), needed, use)
    try:
        yield Finding(N_("games"), True, " ".join(one.name for one in listings()))
    except ArbitreError as error:
        yield Finding(N_("games"), False, error, True, Reason("a package lists a game that cannot be found"))
    yield _sandbox()
    yield _groups()
    for program, purpose in PROGRAMS:
        where = shutil.which(program)
        yield Finding(program, where is not None, where or Reason("not found"), False, Reason(purpose))
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
        return Finding(N_("sandbox"), False, error, False, Reason("for --sandbox"))
    return Finding(N_("sandbox"), True, Reason("bubblewrap works"))


def _groups() -> Finding:
    """Try out what holds for a bot and everything it starts, together."""
    try:
        held = held_here()
    except ArbitreError as error:
        advice = Reason("a service manager hands a part of them down: systemd-run --user --scope -p Delegate=yes arbitre …")
        return Finding(N_("bots' limits"), False, _several(error, *map(Reason, BY_US.values())), False, advice)
    holds = (Reason(BY_THE_KERNEL[one] if one in held else BY_US[one]) for one in BY_US)
    return Finding(N_("bots' limits"), True, _several(Reason("a bot ends with all that it started (cgroup v2)"), *holds))


def _several(first: object, second: object, third: object) -> Reason:
    return Reason("%(first)s; %(second)s; %(third)s", first=first, second=second, third=third)


def _folder(data: Place) -> Finding:
    what = N_("database") if data.database else N_("data folder")
    if not data.database and not data.folder.exists():
        why = Reason("%(data)s is not there yet, and will be made when it is needed", data=data)
        return Finding(what, True, why)
    try:
        store = Store(data)
        matches = sum(1 for _ in store.matches())
        fingerprint = store.key().fingerprint
        store.close()
    except ArbitreError as error:
        return Finding(what, False, error)
    why = Reason("%(data)s: %(matches)s matches, referee's key %(key)s", data=data, matches=matches, key=fingerprint)
    return Finding(what, True, why)
