"""A copy of a log is what the log hands out, brought up to date without fetching anything twice, and whole or not there."""

from pathlib import Path

import pytest

from arbitre.errors import LogForkError
from arbitre.records.log.mirror import mirror
from arbitre.records.log.reader import FolderSource, LogReader
from tests.records.log.laid import LOG_KEY, laid

ENTRIES = [number.to_bytes(4, "big") for number in range(700)]


class Files:
    """A log in memory that counts what is read."""

    where = "memory"

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.asked: list[str] = []

    def read(self, path: str, most: int) -> bytes | None:
        self.asked.append(path)
        data = self.files.get(path)
        assert data is None or len(data) <= most
        return data


def copied(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_copy_grows_with_the_log(tmp_path: Path) -> None:
    every = dict[str, bytes]()
    for size in (0, 1, 255, 256, 257, 700):
        every |= laid(ENTRIES[:size])
        source = Files(laid(ENTRIES[:size]))
        assert mirror(LogReader(source, LOG_KEY.public), tmp_path) == size
        assert copied(tmp_path) == every, "older partial tiles may stay"
        again = LogReader(FolderSource(tmp_path), LOG_KEY.public)
        assert list(again.entries()) == ENTRIES[:size]
    assert source.asked == ["checkpoint", "tile/entries/001", "tile/entries/002.p/188", "keys"]


def test_a_copy_that_does_not_fit_is_none(tmp_path: Path) -> None:
    source = Files(laid(ENTRIES[:300]))
    source.files["tile/entries/000"] = source.files["tile/entries/000"][:-1] + b"x"
    with pytest.raises(LogForkError):
        mirror(LogReader(source, LOG_KEY.public), tmp_path)
    assert not (tmp_path / "checkpoint").exists()
    assert mirror(LogReader(Files(laid(ENTRIES[:300])), LOG_KEY.public), tmp_path) == 300, "nothing of it is kept"


def test_a_partial_tile_may_be_gone_when_the_full_one_is_there() -> None:
    old, new = laid(ENTRIES[:200]), laid(ENTRIES)
    source = Files(new | {"checkpoint": old["checkpoint"]})
    reader = LogReader(source, LOG_KEY.public)
    assert list(reader.entries()) == ENTRIES[:200]
