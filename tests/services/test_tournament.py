"""A tournament survives anything: killed at any instant, resumed, it ends as if nothing had happened."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

ROOT = Path(__file__).parent.parent.parent
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

    A kill comes at some instant of the first third of the time that the whole takes here. A machine that has become faster
    meanwhile may come through with fewer than three: then the hunt begins anew, with less time between kills.
    """
    reference = tmp_path / "reference"
    begun = time.monotonic()
    done = arbitre("tournament", "run", *plan, "--data", str(reference), folder=tmp_path)
    longest = (time.monotonic() - begun) / 3
    assert done.returncode == 0, done.stderr
    for hunt in range(8):
        hunted = tmp_path / f"hunted{hunt}"
        same_key(reference, hunted)
        if hunt_down(hunted, plan, kills, longest / 2**hunt) >= min(kills, 3):
            break
    else:
        raise AssertionError("never killed three times")
    assert standings(hunted) == standings(reference)
    assert records(hunted) == records(reference)
    assert arbitre("verify", "--quiet", f"{hunted}-out", "--data", str(hunted), folder=tmp_path).returncode == 0


def hunt_down(hunted: Path, plan: list[str], kills: int, longest: float) -> int:
    """Hold a tournament to its end, killing it again and again; return how often it was killed."""
    random = Random(1)
    killed = 0
    command = ["run", *plan]
    while True:
        process = subprocess.Popen(
            [*ARBITRE, "tournament", *command, "--data", str(hunted)],
            cwd=hunted.parent,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            process.wait(random.uniform(longest / 4, longest) if killed < kills else 300)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            killed += 1
        else:
            errors = process.stderr.read().decode() if process.stderr else ""
            if process.returncode == 0:
                return killed
            # killed before the tournament itself was durable: it begins again
            assert "no tournament is" in errors, errors
            command = ["run", *plan]
            continue
        finally:
            if process.stderr:
                process.stderr.close()
        command = ["resume"]


def test_killed_and_resumed_with_players_of_the_house(tmp_path: Path) -> None:
    plan = ["--game", "poker", "--player", "random", "--player", "two=random", "--player", "three=random"]
    survive(tmp_path, [*plan, "--games", "24", "--seed", "17"], kills=12)


def test_killed_and_resumed_with_programs(tmp_path: Path) -> None:
    plan = ["--game", "tictactoe", "--player", STEADY, "--player", "random", "--format", "gauntlet", "--games", "60"]
    survive(tmp_path, [*plan, "--seed", "3", "-j", "4", "--time", "none"], kills=8)


def test_killed_at_fifty_instants(tmp_path: Path) -> None:
    plan = ["--game", "reversi", "--player", STEADY, "--player", "random", "--player", "house:reversi/1", "--format", "swiss"]
    survive(tmp_path, [*plan, "--games", "40", "--rounds", "3", "--seed", "5", "-j", "4"], kills=50)


def test_one_process_at_a_time(tmp_path: Path) -> None:
    plan = ["--game", "poker", "--player", "random", "--player", "two=random", "--games", "2000", "--data", "data"]
    first = subprocess.Popen([*ARBITRE, "tournament", "run", *plan], cwd=tmp_path, stdout=subprocess.DEVNULL)
    try:
        database = tmp_path / "data" / "arbitre.sqlite"
        for _ in range(200):
            if database.exists() and arbitre("tournament", "list", "--data", "data", folder=tmp_path).stdout:
                break
            time.sleep(0.05)
        done = arbitre("tournament", "resume", "--data", "data", folder=tmp_path)
        assert done.returncode == 1
        assert "another process is at work on tournament-" in done.stderr
    finally:
        first.kill()
        first.wait()
