"""Who judges a record: its opening says it.

A match of a game is judged by `Match`. A protocol that has a referee of its own names itself in the opening; `COURTS` says where
its court is, and any installed package brings more under the entry point group `arbitre.courts`, each named like its protocol
and leading to a `Court`. A court is fetched when a record of its protocol comes.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import entry_points
from typing import Any, Protocol, TypeVar

from arbitre.errors import CatalogueError, RecordError, shorten
from arbitre.games.catalogue import fetch
from arbitre.records.event import Event, read_object
from arbitre.records.record import Record
from arbitre.referee.match import Match
from arbitre.referee.terms import Chair, read_opening
from arbitre.values import value

GROUP = "arbitre.courts"

COURTS: Mapping[str, str] = {"arcade": "arbitre.arcade.court:COURT"}
"""Where the courts of our own protocols are, by the protocol's name in an opening."""

A = TypeVar("A")


class Judge(Protocol[A]):
    """Whatever turns inputs into outputs: `Match` over any game, or the referee of a protocol that has its own."""

    def open(self) -> tuple[A, tuple[Event, ...]]:
        """Call the match: the first state of affairs, and the opening with all that follows from it."""

    def hear(self, affairs: A, event: Event) -> tuple[A, tuple[Event, ...]]:
        """Take one input; `TranscriptError` if no referee could have taken it here."""


class Opened(Protocol):
    """An opening, whatever was opened."""

    @property
    def chairs(self) -> Sequence[Chair]:
        """Who sits where."""

    @property
    def referee(self) -> str:
        """The public key of whoever seals the record."""

    @property
    def title(self) -> str:
        """What is played."""


@value
class Court:
    """One kind of record: how its opening is read, who judges it, and what it can be written as."""

    read: Callable[[str], Any]
    """Returns the opening, an `Opened`; `RecordError`."""
    judge: Callable[[Any, bytes], "Judge[Any]"]
    """Makes the judge of an opening with its seed."""
    forms: Mapping[str, Callable[[Record], str]]
    """What a finished record can be written as, where that is not what games are written as."""


GAMES = Court(read_opening, Match, {})
"""Matches of games."""


def court_of(text: str) -> Court:
    """Return the court of a record with this opening; `RecordError` where nobody here judges its protocol."""
    protocol = read_object(text).get("protocol") if '"protocol":' in text else None
    if not isinstance(protocol, str):
        return GAMES
    if protocol in COURTS:
        ours: Court = fetch(COURTS[protocol])
        return ours
    for entry in entry_points(group=GROUP, name=protocol):
        court = entry.load()
        if not isinstance(court, Court):
            raise CatalogueError(
                "entry point %(name)r of %(group)s leads to %(kind)s, not to a Court",
                name=entry.name,
                group=GROUP,
                kind=type(court).__name__,
            )
        return court
    raise RecordError("nobody here judges the protocol %(protocol)r", protocol=shorten(protocol))
