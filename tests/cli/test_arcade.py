"""`arbitre arcade` as a user meets it: serve, join, judge, and the house's own commands over its records."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

ARBITRE = [sys.executable, "-m", "arbitre"]


def arbitre(folder: Path, *arguments: str, said: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*ARBITRE, *arguments],
        cwd=folder,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        input=said,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """An arcade in a process of its own, with its data in `house`."""
    command = [*ARBITRE, "arcade", "serve", "--port", "0", "--level", "facile", "--data", "house"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        said = [server.stdout.readline() for _ in range(3)]
        found = re.match(r"the arcade is open at (\S+), level Facile, records in house", said[0])
        assert found is not None
        assert said[1].startswith("Facile is vulnerable by design")
        assert said[2] == f"try: arbitre arcade join {found[1]}\n"
        yield found[1]
        server.send_signal(signal.SIGTERM)
        _, complaints = server.communicate(timeout=20)
    assert complaints == ""
    assert server.returncode == 0


def test_a_person_joins_and_the_record_is_judged(address: str, tmp_path: Path) -> None:
    done = arbitre(tmp_path, "arcade", "join", address, "--name", "Ada", said="x\n" + "r\np\ns\n" * 2_000)
    assert done.returncode in (0, 1), done.stderr
    assert "┃ KEYS " in done.stdout
    assert "round 0> r(ock) p(aper) s(cissors): " in done.stdout
    assert re.search(r"┃ COMMENTATOR round \d+: (rock|paper|scissors) ", done.stdout)
    assert "┃ VERDICT the " in done.stdout
    mine = re.search(r"your record: (\S+)", done.stdout)
    assert mine is not None
    judged = arbitre(tmp_path, "arcade", "judge", mine[1])
    assert judged.returncode == 0, judged.stderr
    assert judged.stdout.startswith("┃ INTACT arcade Facile, Ada – machine, ")
    name = mine[1].rpartition("/")[2].partition("-")[0]
    house = arbitre(tmp_path, "arcade", "judge", name, "--data", "house", "--rounds", "--language", "fr")
    assert house.stdout.startswith("┃ VÉRIFIÉ arcade Facile, Ada – machine, ")
    assert "manche 0 : " in house.stdout
    exported = arbitre(tmp_path, "record", "export", name, "--data", "house")
    (tmp_path / "house.record").write_text(exported.stdout, newline="")
    compared = arbitre(tmp_path, "arcade", "judge", mine[1], "house.record", "--data", "house")
    assert compared.returncode == 0
    assert "┃ COMPARED both tell the same match, keys " in compared.stdout
    assert name in arbitre(tmp_path, "record", "list", "--data", "house").stdout
    assert "arcade Facile · Ada – machine" in arbitre(tmp_path, "record", "show", name, "--data", "house").stdout
    assert arbitre(tmp_path, "verify", "house.record", "--data", "house").stdout.startswith("✓ verified: arcade Facile")
    assert "manche" not in arbitre(tmp_path, "record", "export", name, "--as", "story", "--data", "house").stdout
    assert "is for games" in arbitre(tmp_path, "record", "export", name, "--as", "json", "--data", "house").stderr


def test_two_bots_meet_and_a_forged_record_shows(address: str, tmp_path: Path) -> None:
    def visit(name: str) -> subprocess.CompletedProcess[str]:
        return arbitre(tmp_path, "arcade", "join", address, "--table", "t", "--bot", "Nightmare", "--name", name, "--data", name)

    with ThreadPoolExecutor(2) as pool:
        one, two = pool.map(visit, ("ada", "bob"))
    assert sorted((one.returncode, two.returncode)) == [0, 1], one.stderr + two.stderr
    paths = [next((tmp_path / name / "arcade").glob("*.record")) for name in ("ada", "bob")]
    compared = arbitre(tmp_path, "arcade", "judge", *map(str, paths))
    assert compared.returncode == 0
    assert compared.stdout.count("INTACT arcade Duel") == 2
    assert "both tell the same match" in compared.stdout
    text = paths[1].read_text()
    paths[1].write_text(text.replace("MOVE PIERRE", "MOVE FEUILLE", 1), newline="")
    forged = arbitre(tmp_path, "arcade", "judge", *map(str, paths))
    assert forged.returncode == 1
    assert "┃ BROKEN event" in forged.stdout


def test_who_waits_at_a_table_says_so_and_how_to_leave(address: str, tmp_path: Path) -> None:
    command = [*ARBITRE, "arcade", "join", address, "--table", "new", "--name", "Ada"]
    heeds = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # whoever runs the tests in the background may not
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heeds,  # noqa: PLW1509 - nothing else runs here
    ) as waiting:
        assert waiting.stderr is not None
        line = waiting.stderr.readline()
        code = line.removeprefix("table ").partition(":")[0]
        assert (
            line == f"table {code}: waiting for somebody who says arbitre arcade join {address} --table {code} (Ctrl-C leaves)\n"
        )
        waiting.send_signal(signal.SIGINT)
        try:
            out, err = waiting.communicate(timeout=20)
        finally:
            waiting.kill()
    assert (waiting.returncode, out, err.strip()) == (130, "", "arbitre: interrupted")


@pytest.mark.parametrize(
    ("arguments", "status", "problem"),
    [
        (("join", "127.0.0.1:1"), 1, "cannot reach 127.0.0.1:1"),
        (("join", "host:x"), 1, "'host:x' is no HOST:PORT"),
        (("judge", "nothing"), 1, "there is no file 'nothing', and no data folder arbitre-data"),
        (("judge", "a", "b", "c"), 2, "one record is judged, two are compared"),
        (("serve", "--level", "brutal"), 2, "Invalid value for '--level'"),
        (("serve", "--host", "203.0.113.1", "--port", "0"), 1, "cannot listen at 203.0.113.1:0"),
    ],
)
def test_mistakes_are_explained(arguments: tuple[str, ...], status: int, problem: str, tmp_path: Path) -> None:
    done = arbitre(tmp_path, "arcade", *arguments)
    assert done.returncode == status
    assert done.stderr.startswith("arbitre: error: ")
    assert problem in done.stderr
    assert "Traceback" not in done.stderr
