"""Programs that know nothing of ours read our log: the libraries of the Go checksum database, where Go is installed."""

import asyncio
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from arbitre.records.log.checkpoint import sign_checkpoint
from arbitre.records.log.sequencer import Sequencer
from arbitre.records.log.tiles import ENTRIES, levels_of, tiles_of
from arbitre.records.store import Store
from tests.records.log.keeper import ADDRESS, entry

READER = Path(__file__).parent / "independent" / "reader.go"
DEBIAN = "/usr/share/gocode"
"""Where Debian puts Go's libraries (golang-golang-x-mod-dev)."""


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The reader, compiled."""
    go = shutil.which("go")
    if go is None:
        pytest.skip("go is not installed")
    where = subprocess.run([go, "env", "GOPATH"], capture_output=True, text=True, check=True).stdout.strip()
    paths = f"{where}:{DEBIAN}"
    if not any((Path(one) / "src/golang.org/x/mod/sumdb/tlog").is_dir() for one in paths.split(":")):
        pytest.skip("golang.org/x/mod is not installed (golang-golang-x-mod-dev)")
    made = tmp_path_factory.mktemp("go") / "reader"
    environment = {**os.environ, "GOPATH": paths, "GO111MODULE": "off", "GOFLAGS": "", "CGO_ENABLED": "0"}
    subprocess.run([go, "build", "-o", str(made), str(READER)], env=environment, check=True)
    return made


def write(log: Sequencer, folder: Path) -> None:
    """Write everything that a log hands out into a folder."""
    made = log.published
    files = {"checkpoint": made.note.whole().encode(), "key": log.verifier.text.encode()}
    for level in (ENTRIES, *range(levels_of(made.size))):
        files |= {tile.path: log.tile(tile) or b"" for tile in tiles_of(made.size, level)}
    for path, octets in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(octets)


def test_the_libraries_of_go_accept_our_log(reader: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "data")
    log = Sequencer(store, ADDRESS)
    asyncio.run(log.open())
    for first, last in ((0, 300), (300, 700)):
        for number in range(first, last):
            log.add(entry(number))
        asyncio.run(log.step())
        if last == 300:
            (tmp_path / "old").write_text(log.published.note.whole())
    write(log, tmp_path / "log")
    store.close()

    def judged() -> str:
        command = [str(reader), str(tmp_path / "log"), str(tmp_path / "old")]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    assert judged() == "accepted: 700 entries, extending 300\n"
    for path in ("tile/0/001", "tile/1/000.p/2", "tile/entries/000", "checkpoint"):
        octets = (tmp_path / "log" / path).read_bytes()
        (tmp_path / "log" / path).write_bytes(octets[:40] + bytes([octets[40] ^ 1]) + octets[41:])
        assert judged().startswith("refused:"), path
        (tmp_path / "log" / path).write_bytes(octets)
    (tmp_path / "old").write_text(sign_checkpoint(f"{ADDRESS}/log", 300, bytes(32), log.key).note.whole())
    assert judged().startswith("refused:")
