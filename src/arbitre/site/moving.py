"""Moves a site from the file of its data folder to a PostgreSQL: everything or nothing, and checked before it counts.

Nobody writes meanwhile. All rows go over in one transaction; before it is committed, the rows of every table are counted on both
sides, and every record that is sealed is read from where it is now and verified. Keys and files stay in the data folder, which
the site goes on with; the old file stays too, until the operator removes it.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from arbitre.errors import MovingError
from arbitre.records.backend import Execute
from arbitre.records.nodes import living
from arbitre.records.place import Place
from arbitre.records.store import Store, sealed_records
from arbitre.records.tables import METADATA, SITTING_NUMBERS
from arbitre.referee.verify import Proof, verify
from arbitre.values import value

NODES = frozenset({"nodes", "heartbeats", "roles", "house_keys", "commits", "counts", "repeats"})
"""What says who is at work on a database, and nothing of the site in it."""
TABLES = tuple(table for table in METADATA.sorted_tables if table.name not in NODES)

AT_ONCE = 500
"""Rows that go over together."""

Told = Callable[[int], None]
"""Is told how many rows or records were seen to."""


@value
class Moved:
    """What went over."""

    rows: int
    records: int


def size_of(source: Store) -> int:
    """Return how many rows and records there are to be seen to."""
    counts = (_count(source.rows, table.name) for table in TABLES)
    return sum(counts) + sum(1 for row in source.matches() if row.seal is not None)


def move(source: Store, place: Place, told: Told = lambda _: None) -> Moved:
    """Move everything of an open file to an empty database; `MovingError` where that is not empty, or something is lost."""
    target = Store(place)
    try:
        with source.holding("site"), target.holding("site"):
            if living(target.rows):
                raise MovingError("%(place)s is in use: a node of it is open", place=place)
            course = target.backend.transact
            return source.backend.transact(lambda _: course(lambda execute: _moved(source, execute, place, told)))
    finally:
        target.close()


def _moved(source: Store, execute: Execute, place: Place, told: Told) -> Moved:
    from arbitre.records.postgresql import COLUMNS  # noqa: PLC0415 - where it is installed

    execute("SET LOCAL idle_in_transaction_session_timeout = 0", ())  # to verify a record takes its time
    tables = [table.name for table in TABLES]
    for table in tables:
        if _count(execute, table):
            raise MovingError("%(place)s is not empty: there are rows in %(table)s", place=place, table=table)
    kinds: dict[str, dict[str, str]] = {}
    for table, column, kind in execute(COLUMNS, ()):
        kinds.setdefault(table, {})[column] = kind
    rows = sum(_copied(source, execute, table, kinds[table], told) for table in tables)
    _number_on(execute)
    return Moved(rows, _verified(source, execute, told))


def _copied(source: Store, execute: Execute, table: str, kinds: dict[str, str], told: Told) -> int:
    """Copy one table, and count it on both sides."""
    names = ", ".join(f'"{column}"' for column in kinds)
    arrays = ", ".join(f"?::{kind}[]" for kind in kinds.values())
    query = f'INSERT INTO "{table}" ({names}) SELECT * FROM unnest({arrays})'  # noqa: S608 - made of tables of ours
    for rows in _pages(source.backend.stream(f'SELECT {names} FROM "{table}"', ())):  # noqa: S608
        columns = zip(kinds.values(), zip(*rows, strict=True), strict=True)
        # what SQLite keeps as 0 and 1
        execute(query, [list(map(bool, column)) if kind == "boolean" else list(column) for kind, column in columns])
        told(len(rows))
    there, here = _count(source.rows, table), _count(execute, table)
    if there != here:
        raise MovingError("of %(there)s rows of %(table)s %(here)s arrived", there=there, table=table, here=here)
    return here


def _pages(rows: Iterator[Sequence[object]]) -> Iterator[list[Sequence[object]]]:
    while page := list(islice(rows, AT_ONCE)):
        yield page


def _number_on(execute: Execute) -> None:
    """Let what numbers rows go on behind those that came over."""
    counted = [(table.name, column.name) for table in TABLES for column in table.columns if column.identity]
    sequences = [(f"pg_get_serial_sequence('{table}', '{column}')", table, column) for table, column in counted]
    for sequence, table, column in (*sequences, (f"'{SITTING_NUMBERS.name}'", "sittings", "number")):
        execute(f'SELECT setval({sequence}, COALESCE(MAX("{column}") + 1, 1), false) FROM "{table}"', ())  # noqa: S608


def _verified(source: Store, execute: Execute, told: Told) -> int:
    """Verify every record from where it is now; one that was broken before may stay so, as it was."""
    count, keys = 0, frozenset(key.fingerprint for key in source.referee_keys())
    for name, record in sealed_records(execute):
        text = record.text()
        sound = verify(text.encode(), keys).standing in (Proof.VERIFIED, Proof.ATTESTED)
        if not sound and text != source.record(name).text():
            raise MovingError("the record of the match %(name)r did not arrive as it was", name=name)
        count += 1
        told(1)
    return count


def _count(execute: Execute, table: str) -> int:
    return int(execute(f'SELECT count(*) FROM "{table}"', ())[0][0])  # noqa: S608 - a table of ours
