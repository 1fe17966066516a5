"""The sequencer loses nothing that was told durable, publishes no two trees under one origin, and survives every kill."""

import asyncio
import logging
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from arbitre.crypto.chain import salt
from arbitre.errors import LogMissingError, StoreError
from arbitre.records.log.entries import Entry, EntryKind, tag_of
from arbitre.records.log.note import check
from arbitre.records.log.rows import LogRows
from arbitre.records.log.sequencer import PUBLISHED, Sequencer
from arbitre.records.log.tiles import ENTRIES, Tile, levels_of, read_bundle, tiles_of
from arbitre.records.log.tree import includes, leaf_hash
from arbitre.records.store import Store
from arbitre.site.backup import restore_backup, write_backup
from tests.reasons import raises
from tests.records.log.keeper import ADDRESS, EACH, entry
from tests.records.log.naive import naive_root


@contextmanager
def opened(folder: Path, address: str = ADDRESS) -> Iterator[Sequencer]:
    store = Store(folder)
    try:
        log = Sequencer(store, address)
        asyncio.run(log.open())
        yield log
    finally:
        store.close()


def add(log: Sequencer, *numbers: int) -> None:
    for number in numbers:
        log.add(entry(number))
    asyncio.run(log.step())


def test_the_tree_grows_and_is_handed_out_in_tiles(tmp_path: Path) -> None:
    with opened(tmp_path) as log:
        assert log.published.origin == "games.example/log"
        assert log.published.size == 0
        whole = [entry(number).octets() for number in range(600)]
        for first, last in ((0, 1), (1, 255), (255, 257), (257, 600)):
            add(log, *range(first, last))
            made = log.published
            assert made.tree == (last, naive_root(whole[:last]))
            assert check(made.note, log.verifier)
            for level in range(levels_of(last)):
                for tile in tiles_of(last, level):
                    assert len(log.tile(tile) or b"") == tile.octets
            bundles = [read_bundle(log.tile(tile) or b"", tile.width) for tile in tiles_of(last, ENTRIES)]
            assert [one for bundle in bundles for one in bundle] == whole[:last]
        for tile in (Tile(0, 2, 89), Tile(0, 3, 1), Tile(0, 2), Tile(1, 0, 3), Tile(2, 0, 1), Tile(ENTRIES, 2, 89)):
            assert log.tile(tile) is None
        assert log.tile(Tile(0, 2, 3)) == b"".join(map(leaf_hash, whole[512:515]))


def test_what_is_not_published_is_not_handed_out(tmp_path: Path) -> None:
    with opened(tmp_path) as log:
        add(log, 1)
        before = log.published
        head = log._head
        assert head is not None
        log.add(entry(2))
        asyncio.run(log.store.durable())
        asyncio.run(log.store.transact(lambda execute: log._sequenced(execute, head)))
        assert log.tile(Tile(0, 0, 2)) is None
        assert log.published == before


def test_a_match_is_proven_by_its_name(tmp_path: Path) -> None:
    seed = bytes(range(32))
    with opened(tmp_path) as log:
        log.store.add_match("abcdef", "tictactoe", seed, "2026-01-01")
        made = Entry(EntryKind.OPENED, tag_of(salt(seed, 0)), bytes(32))
        add(log, *range(5))
        with raises(LogMissingError, "does not hold"):
            log.proof("abcdef", EntryKind.OPENED)
        log.add(made)
        add(log, *range(5, 9))
        proof = log.proof("abcdef", EntryKind.OPENED)
        assert proof.index == 5
        assert includes(proof.checkpoint.root, 10, 5, leaf_hash(made.octets()), proof.hashes)
        for name, kind in (("abcdef", EntryKind.SEALED), ("abc", EntryKind.OPENED), ("other", EntryKind.OPENED)):
            with pytest.raises(LogMissingError):
                log.proof(name, kind)


def test_it_goes_on_where_it_was(tmp_path: Path) -> None:
    with opened(tmp_path) as log:
        add(log, 1, 2, 3)
        before = log.published
        log.add(entry(4))
    with opened(tmp_path) as log:
        assert log.published == before
        asyncio.run(log.step())
        assert log.published.size == 4
        assert log.published.origin == before.origin


def test_of_two_sequencers_one_fails(tmp_path: Path) -> None:
    with opened(tmp_path) as one, opened(tmp_path) as two:
        add(one, 1)
        two.add(entry(2))
        with raises(StoreError, "has written"):
            asyncio.run(two.step())
        assert one.published.size == 1
        asyncio.run(one.step())
        assert one.published.tree == (2, naive_root([entry(1).octets(), entry(2).octets()]))


@pytest.mark.sqlite
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE log_entries SET entry = x'00' WHERE number = 599",
        "UPDATE log_nodes SET hash = zeroblob(32) WHERE number = 1",
        "DELETE FROM log_nodes WHERE number = 0",
        "UPDATE log_head SET size = 599",
    ],
)
def test_a_damaged_tree_is_not_gone_on_with(tmp_path: Path, statement: str) -> None:
    with opened(tmp_path) as log:
        add(log, *range(600))
        log.store.write(statement, ())
    store = Store(tmp_path)
    with pytest.raises(StoreError):
        asyncio.run(Sequencer(store, ADDRESS).open())
    store.close()


# ── backups, and other addresses ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.sqlite
def test_a_restored_backup_opens_a_new_origin_and_says_so(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder, backup, again = tmp_path / "data", tmp_path / "backup.tar", tmp_path / "again"
    with opened(folder) as log:
        add(log, 1, 2)
        write_backup(folder, backup)
        add(log, 3)
        key = log.key.public
    restore_backup(backup, again)
    with caplog.at_level(logging.WARNING), opened(again) as log:
        assert "new origin" in caplog.text
        assert log.key.public == key
        first = log.published
        assert first.origin.startswith("games.example/log/")
        assert first.tree == (2, naive_root([entry(1).octets(), entry(2).octets()]))
        add(log, 4)
        assert log.published.origin == first.origin
    with opened(again) as log:
        assert log.published.origin == first.origin
    shutil.rmtree(again)
    restore_backup(backup, again)
    with opened(again) as log:
        assert log.published.origin not in (first.origin, "games.example/log"), "a second time is another time"


@pytest.mark.sqlite
def test_a_database_that_is_put_back_opens_a_new_origin(tmp_path: Path) -> None:
    folder, kept = tmp_path / "data", tmp_path / "kept.sqlite"
    with opened(folder) as log:
        add(log, 1, 2)
    shutil.copy(folder / "arbitre.sqlite", kept)
    with opened(folder) as log:
        add(log, 3)
    shutil.copy(kept, folder / "arbitre.sqlite")
    with opened(folder) as log:
        assert log.published.origin.startswith("games.example/log/")
    (folder / "arbitre.sqlite").unlink()
    with opened(folder) as log:
        assert log.published.size == 0
        assert log.published.origin.startswith("games.example/log/")
    (folder / PUBLISHED).write_text("rubbish")
    with opened(folder) as log:
        assert log.published.origin.startswith("games.example/log/")


def test_another_address_is_another_origin_of_the_same_tree(tmp_path: Path) -> None:
    with opened(tmp_path) as log:
        add(log, 1)
        tree = log.published.tree
    with opened(tmp_path, "arena.example:8000") as log:
        assert log.published.origin == "arena.example:8000/log"
        assert log.published.tree == tree
        assert check(log.published.note, log.verifier)


# ── kills ──────────────────────────────────────────────────────────────────────────────────────────────────────────


class Course:
    """What was told and shown over many lives of one log."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.told: set[int] = set()
        self.seen: set[tuple[str, int, str]] = set()

    def live(self, at: int) -> int:
        """Live until the write with a number; return the status."""
        done = subprocess.run(
            [sys.executable, "-m", "tests.records.log.keeper", str(self.folder), str(at)],
            capture_output=True,
            text=True,
            check=False,
        )
        for line in done.stdout.splitlines():
            word, *rest = line.split()
            if word == "told":
                self.told.update(map(int, rest))
            else:
                self.seen.add((rest[0], int(rest[1]), rest[2]))
        assert done.returncode in (0, -9), done.stderr
        return done.returncode

    def judge(self) -> None:
        """Everything that was told is in the log once, and every checkpoint that was shown is of its one tree."""
        with opened(self.folder) as log:
            asyncio.run(log.step())
            made, rows = log.published, LogRows(log.store.rows)
            entries = rows.entries(0, made.size)
            assert naive_root(entries) == made.root
            assert rows.waiting() == 0
            numbers = [int.from_bytes(one[1:17], "big") for one in entries]
            assert len(set(numbers)) == len(numbers)
            assert self.told <= set(numbers)
            for origin, size, root in self.seen:
                assert origin == made.origin
                assert naive_root(entries[:size]).hex() == root


@pytest.mark.sqlite
def test_killed_between_the_row_and_the_checkpoint(tmp_path: Path) -> None:
    course = Course(tmp_path)
    assert course.live(0) == 0
    writes = EACH + 2  # a row for each entry, what waited goes, the head is replaced
    for at in (writes, writes + 1, writes + 2):
        assert course.live(at) == -9
    course.judge()


@pytest.mark.sqlite
@pytest.mark.parametrize("lives", [4, pytest.param(150, marks=pytest.mark.campaign)])
def test_killed_at_any_write(tmp_path: Path, lives: int) -> None:
    course, random = Course(tmp_path), Random(lives)
    for _ in range(lives):
        course.live(random.randrange(1, 90))
    course.judge()
