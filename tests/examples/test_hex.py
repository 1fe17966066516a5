"""Hex, a package of 120 lines made from the manual alone: installed, it plays wherever a game of the house plays."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.examples.beside import EXAMPLES, arbitre, installed

BOT = f"py:{EXAMPLES / 'bots' / 'first.py'}"
ROOT = EXAMPLES.parent
THROUGH_ALL = ("tests/tournoyons/test_wire.py", "tests/tournoyons/test_tester.py", "tests/web/test_programs.py")
"""Tests that go through every game that is installed."""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    return installed("hex", tmp_path_factory.mktemp("hex"))


@pytest.fixture(scope="module")
def engine(python: str) -> Iterator[str]:
    """Return where the house's player of Hex answers."""
    command = [python, "-m", "arbitre", "engine", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            found = re.search(r"http://\S+:\d+", process.stdout.readline())
            assert found is not None
            yield f"{found[0]}/hex/1"
        finally:
            process.kill()


def test_it_is_short() -> None:
    files = [path.read_text(encoding="utf-8") for path in (EXAMPLES / "hex").rglob("*.py")]
    assert sum(text.count("\n") for text in files) <= 120


def test_it_conforms(python: str) -> None:
    script = "from arbitre.testing import conform; from arbitre_hex import LISTING; conform(LISTING, options=({}, {'size': 2}))"
    done = subprocess.run([python, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_it_is_played_in_the_terminal_and_verified(python: str, tmp_path: Path) -> None:
    assert "--option size=7  cells on a side (2 to 19)" in arbitre(python, "games", "hex")
    for size, why in (
        ("0", "is from 2 to 19, not 0"),
        ("-1", "not -1"),
        ("9" * 18, "is from 2 to 19"),
        ("x", "is a whole number"),
    ):
        said = arbitre(python, "play", "hex", "--option", f"size={size}", status=1)
        assert said.startswith("arbitre: error: hex: size ")
        assert why in said
        assert "Traceback" not in said
    data = ("--data", str(tmp_path / "data"))
    said = arbitre(
        python, "play", "hex", "--watch", "random", "--opponent", "house:hex", "--option", "size=4", "--seed", "1", *data
    )
    assert "wins: both sides are joined" in said
    arbitre(python, "record", "export", "--all", "--folder", str(tmp_path), *data)
    (record,) = tmp_path.glob("*.record")
    assert "verified" in arbitre(python, "verify", str(record), *data)


def test_it_is_played_on_a_pipe_and_by_address(python: str, engine: str) -> None:
    for one, two, size in ((BOT, "random", 4), (engine, BOT, 5), (f"{engine}#direct", engine, 7)):
        words = ("--watch", one, "--opponent", two, "--option", f"size={size}", "--seed", "1", "--no-record")
        assert "wins: both sides are joined" in arbitre(python, "play", "hex", *words)
    said = arbitre(python, "engine", "test", engine, "--game", "hex", "--option", "size=3")
    assert "register it as it is" in said
    assert "&Options=size%3D3&" in said


def test_it_is_played_in_a_tournament(python: str, engine: str, tmp_path: Path) -> None:
    players = ("--player", "one=random", "--player", f"two={engine}", "--player", f"three={BOT}")
    words = ("--game", "hex", "--option", "size=3", "--games", "2", "--data", str(tmp_path))
    assert arbitre(python, "tournament", "run", *words, *players).startswith("hex tournament: finished, 6 games")


def test_it_is_played_on_the_site(python: str, engine: str, tmp_path: Path) -> None:
    """Run the tests of the site that follow, and those that go through all games, where Hex is installed."""
    here = Path(__file__).parent.relative_to(ROOT) / "hex_on_the_site.py"
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "hex", f"--basetemp={tmp_path / 'nested'}"]
    done = subprocess.run(
        [*command, str(here), *THROUGH_ALL],
        env=os.environ | {"HEX": engine},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4_000:]
