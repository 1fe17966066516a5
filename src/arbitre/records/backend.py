"""What differs between databases: how to connect, write a batch, read, and hold a thing against other processes.

`Store` has the queue and the commits that many share; a backend has the connections. Statements are written once, in words that
both databases understand, with `?` for each value. What goes wrong is a `StoreError` of one clear line.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from arbitre.records.place import Place

if TYPE_CHECKING:
    from arbitre.records.hints import Hints
    from arbitre.records.nodes import Node

Rows: TypeAlias = dict[str, list[Sequence[object]]]
"""Statements, each with the values of all its rows."""

Execute: TypeAlias = Callable[[str, Sequence[object]], list[Any]]
"""Executes one statement and returns the rows that it finds."""

T = TypeVar("T")


class Backend(Protocol):
    """A database that is open: one connection writes, in one thread at a time, another reads, from any."""

    node: "Node | None"
    """Whose commits these are, where several nodes share the database."""
    trouble: str
    """Why a commit waits that is on its way, and is tried again; empty while none does."""

    def write(self, batch: Sequence[Rows]) -> None:
        """Commit a batch: all of it or nothing."""

    def transact(self, work: Callable[[Execute], T]) -> T:
        """Do something that looks and then writes, alone; it may be called again where the database went away meanwhile."""

    def rows(self, query: str, values: Sequence[object]) -> list[Any]:
        """Return what a query finds among what is durable."""

    def stream(self, query: str, values: Sequence[object]) -> Iterator[Any]:
        """Return it one by one, however much it is."""

    def alone(self) -> AbstractContextManager[None]:
        """Keep other processes that say so too out; they wait."""

    def holding(self, what: str) -> AbstractContextManager[None]:
        """Hold a thing against other processes; `StoreError` where one of them holds it."""

    def number(self, kind: str, last: int) -> int:
        """Return the next number of a kind, behind the last that this process knows."""

    def octets(self) -> int:
        """Return how much room everything takes."""

    def close(self) -> None:
        """Close every connection."""


class Short(Protocol):
    """A connection for short transactions that wait for no batch."""

    def transact(self, work: Callable[[Execute], T]) -> T:
        """Do something and commit it, or nothing; each statement sees all that was committed before it."""

    def close(self) -> None:
        """Close the connection."""


def open_aside(place: Place) -> Short:
    """Open such a connection; only where several processes share a database is there one."""
    from arbitre.records.postgresql import Aside  # noqa: PLC0415

    return Aside(place)


def open_hints(place: Place, heard: Callable[[str], None]) -> "Hints":
    """Return what says hints to the other processes that share a database, and hears theirs."""
    from arbitre.records.hints import Hints  # noqa: PLC0415

    return Hints(place, heard)


def open_backend(place: Place) -> Backend:
    """Open the database of a place, made or brought up to date."""
    # the file is the usual case: it must open without paying for the other, which need not be installed
    if place.database:
        from arbitre.records.postgresql import PostgreSQL  # noqa: PLC0415

        return PostgreSQL(place)
    from arbitre.records.sqlite import SQLite  # noqa: PLC0415

    return SQLite(place)


def prepare(place: Place) -> None:
    """Make the tables of a place, or bring them up to date; whoever reads without a `Store` calls this first."""
    if place.database:
        from arbitre.records import postgresql  # noqa: PLC0415

        postgresql.prepare(place)
    else:
        from arbitre.records import sqlite  # noqa: PLC0415

        sqlite.prepare(place)
