"""The store keeps what it has confirmed, whatever happens to the process or the disk."""

import asyncio
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from arbitre.errors import ArbitreError, StoreError, UnknownRecordError
from arbitre.reasons import Reason
from arbitre.records.backend import Rows
from arbitre.records.event import Event, Kind
from arbitre.records.place import FILE, Place
from arbitre.records.record import Seal, Word
from arbitre.records.sqlite import SQLite
from arbitre.records.store import SOON_SECONDS, Store, StoreJournal
from arbitre.records.tables import METADATA
from arbitre.records.upgrade import SCHEMA
from arbitre.referee.verdict import Termination, Verdict
from arbitre.site.community import Community
from tests.reasons import gives, raises
from tests.records.schema import FILES, FOLDER, schema

SEAL = Seal(3, "00" * 32, (Word(),), "11" * 64)
VERDICT = Verdict(None, Termination.ABANDONED, Reason("quoted", text="test")).text()


def said(number: int) -> Event:
    return Event(Kind.SAID, 0, 0, number, f"move {number}")


def write(store: Store, journal: StoreJournal, *events: Event) -> None:
    journal.write(events, [event.line() for event in events])
    asyncio.run(store.durable())


def test_what_is_written_is_read_back(place: Place) -> None:
    store = Store(place)
    store.add_match("one", "tictactoe", bytes(32), "2026-01-01")
    journal = StoreJournal(store, "one")
    write(store, journal, said(1), said(2))
    write(store, journal, said(3))
    assert store.events("one") == (said(1), said(2), said(3))
    assert store.match("one").verdict is None
    journal.seal(SEAL, VERDICT)
    asyncio.run(store.durable())
    store.close()
    again = Store(place)
    record = again.record("one")
    assert record.events == (said(1), said(2), said(3))
    assert record.seal == SEAL
    assert again.match("one").verdict == VERDICT
    assert again.key().fingerprint == Store(place).key().fingerprint


@pytest.mark.sqlite
def test_the_folder_is_private(tmp_path: Path) -> None:
    Store(tmp_path / "data").close()
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "data" / "arbitre.sqlite").stat().st_mode) == 0o600


@pytest.mark.sqlite
def test_a_damaged_page_is_told_in_one_line(tmp_path: Path) -> None:
    """Nothing that the disk makes of a file ends in anything but an error of ours: whoever sees it knows what to do."""
    folder, random, told = tmp_path / "data", Random(1), list[str]()
    store = Store(folder)
    for number in range(40):
        store.add_match(f"match-{number}", "tictactoe", bytes(32), "2026-01-01")
        write(store, StoreJournal(store, f"match-{number}"), *map(said, range(20)))
    store.close()
    file = folder / FILE
    whole = file.read_bytes()
    for at in range(0, len(whole), 4_096):
        damaged = bytearray(whole)
        start = at + random.choice((0, 8, 100, random.randrange(4_000)))
        count = random.choice((1, 8, 96))
        damaged[start : start + count] = random.choice((bytes(count), b"\xff" * count, random.randbytes(count)))
        file.write_bytes(damaged)
        try:
            Community(folder).close()
            again = Store(folder)
            try:
                for row in again.matches():
                    again.record(row.name)
            finally:
                again.close()
        except ArbitreError as error:
            told.append(str(error))
        for leftover in folder.glob(f"{FILE}-*"):
            leftover.unlink()
    assert told
    assert not [line for line in told if "\n" in line or len(line) > 500]


@pytest.mark.sqlite
def test_what_sqlite_cannot_quote_is_told_too(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    Store(folder).close()
    file = folder / FILE
    file.write_bytes(file.read_bytes().replace(b"CREATE TABLE matches", b"CREATE TABL\xff matches"))
    for opened in (Store, Community):
        with raises(StoreError, "cannot be used"):
            opened(folder)


@pytest.mark.sqlite
@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("UPDATE alembic_version SET version_num = x'00'", Reason("is damaged", what=Reason("its schema has no number"))),
        ("UPDATE matches SET game = x'ff'", Reason("is not as it was written")),
        ("UPDATE transitions SET lines = x'ff'", Reason("has steps that are no text")),
    ],
)
def test_what_is_no_longer_what_was_written_is_told(tmp_path: Path, statement: str, what: Reason) -> None:
    store = Store(tmp_path)
    store.add_match("one", "tictactoe", bytes(32), "2026-01-01")
    write(store, StoreJournal(store, "one"), said(1))
    store.write(statement, ())  # a damaged page can make anything of a column
    asyncio.run(store.durable())
    store.close()
    with raises(StoreError, what):
        Store(tmp_path).record("one")


def test_matches_are_found_by_the_start_of_their_names(place: Place) -> None:
    store = Store(place)
    for name in ("abc1", "abd2", "x%y"):
        store.add_match(name, "reversi", bytes(32), "2026-01-01", tournament="cup" if name != "x%y" else None, fixture=1)
    asyncio.run(store.durable())
    assert store.match("abc").name == "abc1"
    assert store.match("x%").name == "x%y"
    assert [row.name for row in store.matches(tournament="cup")] == ["abc1", "abd2"]
    assert [row.name for row in store.matches(game="pente")] == []
    for name, why in (("ab", "two matches begin with"), ("%", "no match is called"), ("", "two matches")):
        with raises(UnknownRecordError, why):
            store.match(name)


def test_waiting_writes_share_a_commit(place: Place) -> None:
    store = Store(place)
    commits = 0
    original = store._write

    def counted(batch: list[Rows]) -> None:
        nonlocal commits
        commits += 1
        time.sleep(0.01)
        original(batch)

    store._write = counted  # type: ignore[method-assign]

    async def match(number: int) -> None:
        store.add_match(f"m{number}", "tictactoe", bytes(32), "2026-01-01")
        journal = StoreJournal(store, f"m{number}")
        for turn in range(5):
            journal.write((said(turn),), [said(turn).line()])
            await store.durable()
            assert sum(1 for _ in store.events(f"m{number}")) == turn + 1, "confirmed, and not there"

    async def all_at_once() -> None:
        await asyncio.gather(*(match(number) for number in range(100)))

    asyncio.run(all_at_once())
    assert commits < 30, "five hundred writes need no hundred commits"


def test_a_commit_that_is_done_but_not_yet_noted_stops_nobody(place: Place) -> None:
    """Whoever asks in the very turn of the loop in which a commit is done must let the loop take note of it."""
    store = Store(place)

    async def course() -> None:
        store.add_match("one", "tictactoe", bytes(32), "2026-01-01")
        first = asyncio.create_task(store.durable())
        await asyncio.sleep(0)
        assert store._commit is not None
        store._commit[1].result()  # the commit is over, the loop has not heard of it
        store.add_match("two", "tictactoe", bytes(32), "2026-01-01")
        await asyncio.gather(first, asyncio.create_task(store.durable()))

    asyncio.run(course())
    assert store.match("two").name == "two"
    store.close()


def test_nobody_takes_the_same_step_twice(place: Place) -> None:
    one, two = Store(place), Store(place)
    one.add_match("m", "tictactoe", bytes(32), "2026-01-01")
    write(one, StoreJournal(one, "m"), said(1))
    with raises(StoreError, "another process has written the same step"):
        write(two, StoreJournal(two, "m"), said(2))
    assert one.events("m") == (said(1),)
    with pytest.raises(StoreError):
        two.write("SELECT 1", ())


def test_a_failed_batch_leaves_nothing_behind(place: Place) -> None:
    store = Store(place)
    store.add_match("m", "tictactoe", bytes(32), "2026-01-01")
    asyncio.run(store.durable())
    store.add_match("n", "tictactoe", bytes(32), "2026-01-01")
    store.add_match("m", "tictactoe", bytes(32), "2026-01-01")
    with pytest.raises(StoreError):
        asyncio.run(store.durable())
    assert [row.name for row in Store(place).matches()] == ["m"]


@pytest.mark.sqlite
def test_a_full_disk_is_told_and_loses_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add_match("m", "tictactoe", bytes(32), "2026-01-01")
    journal = StoreJournal(store, "m")
    write(store, journal, said(1))
    assert isinstance(store.backend, SQLite)
    pages = store.backend.writer.execute("PRAGMA page_count").fetchone()[0]
    store.backend.writer.execute(f"PRAGMA max_page_count = {pages + 2}")
    journal.write([], [Event(Kind.SAID, 0, 0, number, "x" * 4_000).line() for number in range(2, 100)])
    with raises(StoreError, "cannot be used", error="database or disk is full"):
        asyncio.run(store.durable())
    assert Store(tmp_path).events("m") == (said(1),)


@pytest.mark.sqlite
@pytest.mark.parametrize("what", ["a file", "no database", "a newer one"])
def test_folders_that_cannot_be_used_are_named(tmp_path: Path, what: str) -> None:
    folder = tmp_path / "data"
    if what == "a file":
        folder.write_text("")
    else:
        folder.mkdir()
        if what == "no database":
            (folder / "arbitre.sqlite").write_bytes(b"not a database, but long enough to look like one" * 50)
        else:
            Store(folder).close()
            with sqlite3.connect(folder / "arbitre.sqlite") as connection:
                connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError) as caught:
        Store(folder)
    assert gives(caught.value, "newer Arbitre") or gives(caught.value, "cannot be used")


def test_a_new_store_is_made_as_the_tables_are_declared() -> None:
    """To the letter: tables, indexes and the stamp. `make schema` writes the file anew after a table was changed."""
    for name, dialect in FILES.items():
        assert schema(dialect) == (FOLDER / name).read_text()


def test_a_new_store_is_made_without_the_migrations(tmp_path: Path) -> None:
    words = "import sys; from pathlib import Path; from arbitre.records.store import Store; Store(Path(sys.argv[1])).close(); "
    words += "print(*{name.partition('.')[0] for name in sys.modules} & {'alembic', 'sqlalchemy'})"
    assert subprocess.run([sys.executable, "-c", words, tmp_path], check=True, stdout=subprocess.PIPE).stdout == b"\n"


OPENER = """
import sys
from pathlib import Path
from arbitre.records.store import Store
print("ready", flush=True)
Store(Path(sys.argv[1])).close()
"""


@pytest.mark.sqlite
def test_a_store_that_is_killed_while_it_is_made_is_made_all_the_same(tmp_path: Path) -> None:
    random = Random(3)
    for number in range(4):
        folder = tmp_path / str(number)
        opener = subprocess.Popen([sys.executable, "-c", OPENER, str(folder)], stdout=subprocess.PIPE, text=True)
        assert opener.stdout is not None
        opener.stdout.readline()
        time.sleep(random.random() * 0.01)  # an instant somewhere in its work is what this is about
        opener.kill()
        opener.communicate()
        Store(folder).close()
        with closing(sqlite3.connect(folder / FILE)) as made:
            found = {name for (name,) in made.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            assert found == {*METADATA.tables, "alembic_version"}
            assert made.execute("SELECT version_num FROM alembic_version").fetchall() == [(SCHEMA,)]


def test_a_thing_is_held_by_one_process(place: Place) -> None:
    one, two = Store(place), Store(place)
    with one.holding("cup"):
        with raises(StoreError, "another process is at work on", what="cup"), two.holding("cup"):
            pass
        with two.holding("league"):
            pass
    with two.holding("cup"):
        pass


def test_what_goes_wrong_while_a_thing_is_held_is_not_the_folders_fault(place: Place) -> None:
    with pytest.raises(FileNotFoundError), Store(place).holding("cup"):
        raise FileNotFoundError("somebody else's")


@pytest.mark.sqlite
def test_a_store_that_does_not_know_its_age(tmp_path: Path) -> None:
    Store(tmp_path).close()
    with sqlite3.connect(tmp_path / "arbitre.sqlite") as connection:
        connection.execute("DELETE FROM alembic_version")
    with raises(StoreError, "its schema has no number"):
        Store(tmp_path)


WRITER = """
import asyncio, sys
from pathlib import Path
from arbitre.records.event import Event, Kind
from arbitre.records.place import Place
from arbitre.records.store import Store, StoreJournal

async def main():
    store = Store(Place(Path(sys.argv[1]), sys.argv[3]))
    names = [f"{sys.argv[2]}{n}" for n in range(4)]
    for name in names:
        store.add_match(name, "tictactoe", bytes(32), "2026-01-01")
    journals = [StoreJournal(store, name) for name in names]

    async def one(journal):
        for number in range(100_000):
            journal.write((), [Event(Kind.SAID, 0, 0, number, "x").line()])
            await store.durable()
            print(journal.name, number, flush=True)

    await asyncio.gather(*(one(journal) for journal in journals))

asyncio.run(main())
"""


def test_kill_dash_nine_loses_nothing_confirmed(place: Place) -> None:
    """Two processes write to one folder and are killed at a random instant, several times over."""
    random = Random(7)
    for round_ in range(4):
        writers = [
            subprocess.Popen(
                [sys.executable, "-c", WRITER, str(place.folder), f"r{round_}w{n}m", place.database],
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ},
            )
            for n in range(2)
        ]
        lines = [writer.stdout.readline() for writer in writers if writer.stdout is not None]
        time.sleep(random.random() * 0.4)
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
        lines += [line for writer in writers for line in writer.communicate()[0].splitlines()]
        # a line that was cut off by the kill was not confirmed to anybody
        confirmed = {name: int(number) for name, number in (line.split() for line in lines if len(line.split()) == 2)}
        assert len(confirmed) >= 2
        store = Store(place)
        for name, number in confirmed.items():
            turns = [event.turn for event in store.events(name)]
            assert turns == list(range(len(turns))), "no gap"
            assert len(turns) > number, f"{name} was confirmed up to {number} and has {len(turns)}"
        store.close()


def test_a_cancelled_waiter_does_not_hold_up_the_others(place: Place) -> None:
    async def course() -> None:
        store = Store(place)
        for number in range(50):
            store.write("INSERT INTO tournaments (name, plan, seed, created) VALUES (?, '', ?, '')", (f"t{number}", b""))
            first = asyncio.ensure_future(store.durable())
            await asyncio.sleep(0)
            second = asyncio.ensure_future(store.durable())
            first.cancel()
            async with asyncio.timeout(20):
                await second
        store.close()

    asyncio.run(course())
    store = Store(place)
    assert len(store.tournaments()) == 50
    store.close()


def test_whoever_comes_in_the_moment_a_commit_ends_neither_hangs_nor_waits_for_strangers(place: Place) -> None:
    """Many write and wait at once, all the time: each is done with the commit that holds its own words."""
    store = Store(place)

    async def writer(number: int) -> None:
        for step in range(40):
            store.write("INSERT INTO tournaments (name, plan, seed, created) VALUES (?, '', ?, '')", (f"{number}/{step}", b""))
            await store.durable()
            assert store.rows("SELECT 1 FROM tournaments WHERE name = ?", (f"{number}/{step}",))
            for _ in range(number % 3):
                await asyncio.sleep(0)

    async def course() -> None:
        async with asyncio.timeout(60):
            await asyncio.gather(*(writer(number) for number in range(12)))

    asyncio.run(course())
    store.close()


def test_what_nobody_waits_for_is_durable_before_long(place: Place) -> None:
    """Also in a second loop, after one that stopped before its time had come."""
    store = Store(place)

    async def append(sequence: int, seconds: float) -> None:
        StoreJournal(store, "m", sequence).write((said(sequence),), [said(sequence).line()])
        store.soon()
        await asyncio.sleep(seconds)

    asyncio.run(append(0, 0))
    asyncio.run(append(1, 2 * SOON_SECONDS))
    for _ in range(100):
        if len(store.events("m")) == 2:
            break
        time.sleep(0.02)
    assert len(store.events("m")) == 2
    store.close()


def test_appended_rows_keep_their_place_among_statements(place: Place) -> None:
    store = Store(place)
    store.add_match("m", "tictactoe", bytes(32), "2026-01-01")
    StoreJournal(store, "m").write((said(1),), [said(1).line()])
    store.forget("m")
    StoreJournal(store, "m").write((said(2),), [said(2).line()])
    asyncio.run(store.durable())
    assert [event.turn for event in store.events("m")] == [2]
    store.close()


def test_a_commit_that_fails_reaches_everybody_who_waits(place: Place) -> None:
    """Also who asks while it is under way, and who asks later; each gets an error of his own."""
    store = Store(place)

    async def course() -> list[BaseException | None]:
        store.write("INSERT INTO nowhere VALUES (?)", (1,))
        waiting = [asyncio.create_task(store.durable()) for _ in range(50)]
        await asyncio.sleep(0)
        store.add_match("m", "tictactoe", bytes(32), "2026-01-01")
        waiting += [asyncio.create_task(store.durable()) for _ in range(50)]
        found = await asyncio.gather(*waiting, return_exceptions=True)
        return [*found, *await asyncio.gather(store.durable(), return_exceptions=True)]

    found = asyncio.run(course())
    assert {type(one) for one in found} == {StoreError}
    assert len(set(map(id, found))) == 101
    store.close()
    assert list(Store(place).matches()) == []


def test_what_comes_after_a_failed_commit_is_not_written_by_closing_in_its_midst(place: Place) -> None:
    """A record that lacks a step and has the next one would be worse than one that ends."""
    store = Store(place)
    store.add_match("m", "tictactoe", bytes(32), "2026-01-01")
    asyncio.run(store.durable())

    async def course() -> None:
        StoreJournal(store, "m", 0).write((said(1),), [said(1).line()])
        store.write("INSERT INTO nowhere VALUES (?)", (1,))
        waiting = asyncio.create_task(store.durable())
        await asyncio.sleep(0)
        StoreJournal(store, "m", 1).write((said(2),), [said(2).line()])
        store.close()
        with pytest.raises(StoreError):
            await waiting

    asyncio.run(course())
    assert Store(place).events("m") == ()


def test_closing_while_a_commit_is_under_way_keeps_everything_and_leaves_nobody_waiting(place: Place) -> None:
    store = Store(place)

    async def course() -> None:
        store.add_match("one", "tictactoe", bytes(32), "2026-01-01")
        first = asyncio.create_task(store.durable())
        await asyncio.sleep(0)
        store.add_match("two", "tictactoe", bytes(32), "2026-01-01")
        second = asyncio.create_task(store.durable())
        await asyncio.sleep(0)
        store.close()
        async with asyncio.timeout(5):
            await asyncio.gather(first, second)
        with raises(StoreError, "closed"):
            store.add_match("three", "tictactoe", bytes(32), "2026-01-01")

    asyncio.run(course())
    assert [row.name for row in Store(place).matches()] == ["one", "two"]


def test_a_loop_that_ends_in_the_midst_of_a_commit_hangs_nobody_in_the_next(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(place)
    at_once = store._write

    def slowly(batch: list[Rows]) -> None:
        time.sleep(0.2)
        at_once(batch)

    monkeypatch.setattr(store, "_write", slowly)

    async def begin() -> None:
        store.add_match("one", "tictactoe", bytes(32), "2026-01-01")
        waiting = asyncio.create_task(store.durable())
        await asyncio.sleep(0)
        waiting.cancel()

    async def on() -> None:
        store.add_match("two", "tictactoe", bytes(32), "2026-01-01")
        async with asyncio.timeout(5):
            await store.durable()

    asyncio.run(begin())
    asyncio.run(on())
    assert [row.name for row in store.matches()] == ["one", "two"]
    store.close()


def test_what_is_listed_is_listed_twice_side_by_side(place: Place) -> None:
    with closing(Store(place)) as store:
        for name in ("one", "two"):
            store.add_match(name, "tictactoe", bytes(32), "2026-01-01")
        asyncio.run(store.durable())
        assert [(a.name, b.name) for a, b in zip(store.matches(), store.matches(), strict=True)] == [("one",) * 2, ("two",) * 2]
