"""Who checks a file: its first octets say it, and where they say nothing its name.

The record of a match is checked by `referee.verify`. A system that proves what it does in files of its own says in a `FileCourt`
how such a file begins and what it is called. `HOUSE` says where ours are, and any installed package brings more under the entry
point group `arbitre.courts`; a court is fetched when none before it knows the file.

Files come from strangers: a court reads no more than it needs, and whatever it stumbles over, the file is broken and the next
one is looked at.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import cache, reduce
from importlib.metadata import entry_points
from typing import IO, TypeAlias

from arbitre.errors import ArbitreError, RecordError
from arbitre.games.catalogue import fetch
from arbitre.reasons import N_, Reason
from arbitre.referee.courts import GROUP
from arbitre.referee.verify import Finding, Proof, verify
from arbitre.values import value

HEAD = 1 << 14
"""So many octets are looked at to know a file: a letter may stand before a game that came by mail."""

LARGEST = 64 << 20
"""A larger file is no record of a match."""

Check: TypeAlias = Callable[[IO[bytes], Collection[str], str | None], Finding]
"""Checks a file that can be read and sought: with the keys that are known, and the one that must have signed."""

SampledCheck: TypeAlias = Callable[[IO[bytes], Collection[str], str | None, int | None], Finding]
"""Checks also how many parts are drawn: None as many as are usual, -1 all."""


@value
class FileCourt:
    """One kind of file that proves something."""

    kind: str
    """What programs call it."""
    what: str
    """What people call it, behind "expected"."""
    endings: tuple[str, ...]
    """What such files are called."""
    recognises: Callable[[bytes], bool]
    """Tells by its first octets whether a file is of this kind."""
    check: Check
    sampled: SampledCheck | None = None
    """The same with so many parts drawn at random, where a file is checked by parts."""


def read_whole(file: IO[bytes], most: int) -> bytes:
    """Return all octets of a file; `RecordError` where there are too many."""
    data = file.read(most + 1)
    if len(data) > most:
        if most >> 20:
            raise RecordError("larger than %(most)s MiB", most=most >> 20)
        raise RecordError("larger than %(most)s octets", most=most)
    return data


RECORDS = FileCourt(
    "record",
    N_("a record of a match"),
    (".record", ".arbitre"),
    lambda head: head.startswith(b'{"at":'),
    lambda file, keys, given: verify(read_whole(file, LARGEST), keys, given),
)

HOUSE = (
    "arbitre.referee.files:RECORDS",
    "arbitre.elections.court:TRANSCRIPTS",
    "arbitre.kref.court:GAMES",
    "arbitre.league.court:REPORTS",
    "arbitre.analysis.court:ANALYSES",
)
"""Where our own courts are; records come first, for there are thousands of them."""


def file_courts() -> Iterator[FileCourt]:
    """Return all courts, ours first."""
    yield from map(fetch, HOUSE)
    yield from _plugged()


@cache
def _plugged() -> tuple[FileCourt, ...]:
    return tuple(court for entry in entry_points(group=GROUP) if isinstance(court := entry.load(), FileCourt))


def court_for(head: bytes, name: str) -> FileCourt | None:
    """Return who checks a file that begins with these octets and has this name."""
    known = next((court for court in file_courts() if court.recognises(head)), None)
    return known or next((court for court in file_courts() if name.endswith(court.endings)), None)


def is_named(name: str) -> bool:
    """Tell whether a file is called like one that a court checks."""
    return any(name.endswith(court.endings) for court in file_courts())


def expected() -> Reason:
    """Return what can be verified, for people."""
    known = (Reason("%(what)s (%(endings)s)", what=Reason(one.what), endings=" ".join(one.endings)) for one in file_courts())
    return reduce(lambda some, one: Reason("%(some)s, %(one)s", some=some, one=one), known)


def examine(
    file: IO[bytes], name: str, keys: Collection[str] = (), given: str | None = None, parts: int | None = None
) -> Finding:
    """Check a file, whatever it is, so many parts of it where it is checked by parts; `OSError` where it cannot be read."""
    head = file.read(HEAD)
    file.seek(0)
    court = court_for(head, name)
    if court is None:
        return Finding(Proof.BROKEN, Reason("nothing that can be verified; expected %(known)s", known=expected()), kind="")
    try:
        found = court.sampled(file, keys, given, parts) if court.sampled is not None else court.check(file, keys, given)
    except ArbitreError as error:
        found = Finding(Proof.BROKEN, error.reason)
    except OSError:
        raise
    except Exception as error:  # a fault of the court that a hostile file found: it must not stop the check of others
        why = Reason("the court fails on it: %(kind)s: %(error)s", kind=type(error).__name__, error=str(error))
        found = Finding(Proof.BROKEN, why)
    # the opening stays here: it may hold a game of a package that cannot travel between processes
    return replace(found, kind=court.kind, opening=None)
