"""A tournament survives anything: killed at any instant, resumed, it ends as if nothing had happened."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from random import Random

import pytest

from arbitre.records.place import FILE

ROOT = Path(__file__).parent.parent
ARBITRE = [sys.executable, "-m", "arbitre"]
STEADY = f"steady=cmd:{sys.executable} -I -S {ROOT / 'tests' / 'fixtures' / 'bots' / 'steady.py'}"


def arbitre(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*ARBITRE, *arguments], cwd=folder, capture_output=True, text=True, timeout=300, check=False)


def standings(data: Path) -> object:
    done = arbitre("tournament", "show", "--json", "--data", str(data), folder=data.parent)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def records(data: Path) -> dict[str, bytes]:
    folder = data.parent / f"{data.name}-out"
    shutil.rmtree(folder, ignore_errors=True)
    done = arbitre("record", "export", "--all", "--folder", str(folder), "--data", str(data), folder=data.parent)
    assert done.returncode == 0, done.stderr
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def same_key(reference: Path, data: Path) -> None:
    """Let two folders have one referee, so that their signatures can be compared."""
    data.mkdir()
    shutil.copy(reference / "referee.key", data / "referee.key")


def survive(tmp_path: Path, plan: list[str], kills: int) -> None:
    """Hold a tournament at once and again with kills; everything must come out the same.

    A kill comes when so many more transitions are written, at most a share of the whole. A process that runs far ahead of who
    hunts it may come through with fewer than three: then the hunt begins anew, with less between kills.
    """
    reference = tmp_path / "reference"
    done = arbitre("tournament", "run", *plan, "--data", str(reference), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    share = written(reference) // kills
    for hunt in range(8):
        hunted = tmp_path / f"hunted{hunt}"
        same_key(reference, hunted)
        if hunt_down(hunted, plan, kills, share >> hunt) >= min(kills, 3):
            break
    else:
        raise AssertionError("never killed three times")
    assert standings(hunted) == standings(reference)
    assert records(hunted) == records(reference)
    assert arbitre("verify", "--quiet", f"{hunted}-out", "--data", str(hunted), folder=tmp_path).returncode == 0


def counted(data: Path, table: str) -> int:
    """Return how many rows of a table are durable, while a process may be writing more or not have made it yet."""
    with suppress(sqlite3.OperationalError), closing(sqlite3.connect(f"file:{data / FILE}?mode=ro", uri=True)) as reader:
        return int(reader.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0])  # noqa: S608 - names of ours
    return 0


def written(data: Path) -> int:
    return counted(data, "transitions")


def hunt_down(hunted: Path, plan: list[str], kills: int, share: int) -> int:
    """Hold a tournament to its end, killing it again and again; return how often it was killed."""
    random = Random(1)
    killed = 0
    command = ["run", *plan]
    while True:
        goal = written(hunted) + random.randrange(share + 1)
        process = subprocess.Popen(
            [*ARBITRE, "tournament", *command, "--data", str(hunted)],
            cwd=hunted.parent,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        assert process.stderr is not None
        with process.stderr:
            while killed < kills and process.poll() is None and written(hunted) < goal:
                time.sleep(0.001)  # the other process writes on
            if killed < kills and process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                killed += 1
                command = ["resume"]
                continue
            errors = process.stderr.read().decode()
            if process.wait() == 0:
                return killed
        # killed before the tournament itself was durable: it begins again
        assert "no tournament is" in errors, errors
        command = ["run", *plan]


@pytest.mark.campaign
def test_killed_and_resumed_with_players_of_the_house(tmp_path: Path) -> None:
    plan = ["--game", "poker", "--player", "random", "--player", "two=random", "--player", "three=random"]
    survive(tmp_path, [*plan, "--games", "4", "--seed", "17"], kills=4)


@pytest.mark.campaign
def test_killed_and_resumed_with_programs(tmp_path: Path) -> None:
    plan = ["--game", "tictactoe", "--player", STEADY, "--player", "random", "--format", "gauntlet", "--games", "20"]
    survive(tmp_path, [*plan, "--seed", "3", "-j", "4", "--time", "none"], kills=3)


@pytest.mark.parametrize(("kills", "games"), [(3, 4), pytest.param(50, 40, marks=pytest.mark.campaign)])
def test_killed_at_many_instants(tmp_path: Path, kills: int, games: int) -> None:
    plan = ["--game", "reversi", "--player", STEADY, "--player", "random", "--player", "house:reversi/1", "--format", "swiss"]
    survive(tmp_path, [*plan, "--games", str(games), "--rounds", "3", "--seed", "5", "-j", "4"], kills=kills)


WARY = """
import time
from arbitre.bot import Bot, run
from arbitre.crypto.keys import Key

class Wary(Bot):
    brings_nonce = True

    def move(self, position):
        time.sleep(0.005)
        return position.legal[0]

run(Wary, Key(bytes([7]) * 32))
"""


def test_a_match_that_somebody_agreed_to_is_closed_and_not_played_again(tmp_path: Path) -> None:
    (tmp_path / "wary.py").write_text(WARY)
    data, bot = tmp_path / "data", f"{sys.executable} {tmp_path / 'wary.py'}"
    plan = ["--game", "reversi", "--player", f"one=cmd:{bot}", "--player", f"two=cmd:{bot}", "--games", "2", "-j", "1"]
    process = subprocess.Popen(
        [*ARBITRE, "tournament", "run", *plan, "--data", str(data)],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    while written(data) < 10:
        assert process.poll() is None
        time.sleep(0.001)  # the other process writes on
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    done = arbitre("tournament", "resume", "--data", str(data), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    found = records(data)
    assert len(found) == 3, "two games, and the one that was interrupted"
    told = arbitre("verify", f"{data}-out", "--data", str(data), folder=tmp_path).stdout
    assert told.count("abandoned") == 1
    assert told.count("signed by one, two") == 2
    assert "not signed by one, two" in told or "not signed by two, one" in told


def test_one_process_at_a_time(tmp_path: Path) -> None:
    plan = ["--game", "poker", "--player", "random", "--player", "two=random", "--games", "2000", "--data", "data"]
    first = subprocess.Popen([*ARBITRE, "tournament", "run", *plan], cwd=tmp_path, stdout=subprocess.DEVNULL)
    try:
        while not counted(tmp_path / "data", "tournaments"):
            assert first.poll() is None
            time.sleep(0.001)  # the other process is about to write it
        done = arbitre("tournament", "resume", "--data", "data", folder=tmp_path)
        assert done.returncode == 1
        assert "another process is at work on tournament-" in done.stderr
    finally:
        first.kill()
        first.wait()
