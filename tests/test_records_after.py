"""`records = "after"`: games are decided one by one, and their records handed over, signed and sealed when the event is over."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.test_hall import ARBITRE, arbitre, counted, records

WARY = """
import sys
from pathlib import Path
from arbitre.bot import Bot, run
from arbitre.crypto.keys import Key


class Wary(Bot):
    brings_nonce = True

    def move(self, position):
        return position.sample(self.random)


run(Wary, Key(bytes([int(sys.argv[1])]) * 32), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
"""


def plan(tmp_path: Path, *more: str, games: int = 4) -> list[str]:
    """Return a tournament of a bot that keeps a journal, against the one that `more` says."""
    (tmp_path / "wary.py").write_text(WARY)
    bot = f"{sys.executable} {tmp_path / 'wary.py'}"
    first = f"one=cmd:{bot} 7 {tmp_path / 'journals'}"
    other = " ".join(("two=cmd:" + bot, *more)) if more else "two=random"
    return ["--game", "poker", "--turns", "12", "--records", "after", "--player", first, "--player", other, "--games", str(games)]


def listed(data: Path) -> list[str]:
    return arbitre("record", "list", "--data", str(data), folder=data.parent).stdout.splitlines()


def test_records_are_handed_over_signed_and_sealed_when_the_tournament_is_over(tmp_path: Path) -> None:
    data = tmp_path / "data"
    done = arbitre("tournament", "run", *plan(tmp_path, "8", str(tmp_path / "journals")), "--data", str(data), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert not any("sealed when" in line for line in listed(data))
    assert len(records(data)) == 4
    told = arbitre("verify", f"{data}-out", "--data", str(data), folder=tmp_path)
    assert told.returncode == 0
    assert told.stdout.count("signed by one, two") + told.stdout.count("signed by two, one") == 4
    assert '\\"records\\":\\"after\\"' in next(iter(records(data).values())).decode(), "the opening that all agreed to says so"
    for journal in (tmp_path / "journals").iterdir():
        kinds = [json.loads(line)["kind"] for line in journal.read_text().splitlines()]
        assert kinds[-3:] == ["ended", "ended", "signed"], "told when it was decided, and again when it was sealed"


def test_whose_journal_is_gone_declines_and_who_is_gone_is_silent(tmp_path: Path) -> None:
    data = tmp_path / "data"
    done = arbitre("tournament", "run", *plan(tmp_path, "8", games=2), "--data", str(data), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    records(data)
    told = arbitre("verify", f"{data}-out", "--data", str(data), folder=tmp_path).stdout
    assert told.count("signed by one, disputed by two (no-journal)") == 2, told


def test_nothing_leaves_before_the_end_and_a_kill_in_between_loses_nothing(tmp_path: Path) -> None:
    data = tmp_path / "data"
    process = subprocess.Popen(
        [*ARBITRE, "tournament", "run", *plan(tmp_path, games=6), "--data", str(data)],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    while counted(data, "matches WHERE verdict IS NOT NULL") < 2:
        assert process.poll() is None
        time.sleep(0.001)  # the other process writes on
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert counted(data, "matches WHERE seal IS NOT NULL") == 0
    decided = [line for line in listed(data) if "decided; sealed when the event is over" in line]
    assert len(decided) >= 2
    refused = arbitre("record", "export", decided[0].split()[0], "--data", str(data), folder=tmp_path)
    assert refused.returncode != 0
    assert "is sealed, and leaves the house, when the event is over" in refused.stderr
    assert "games are decided" in arbitre("tournament", "show", "--data", str(data), folder=tmp_path).stdout
    done = arbitre("tournament", "resume", "--data", str(data), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "games are decided" not in done.stdout
    found = records(data)
    told = arbitre("verify", f"{data}-out", "--data", str(data), folder=tmp_path)
    assert told.returncode == 0
    assert told.stdout.count("signed by one") - told.stdout.count("not signed by one") >= 6
    assert 6 <= len(found) <= 7, "six games, and one that may have been interrupted"


def test_a_tournament_that_is_called_off_seals_at_once(tmp_path: Path) -> None:
    data = tmp_path / "data"
    process = subprocess.Popen(
        [*ARBITRE, "tournament", "run", *plan(tmp_path, games=200), "--data", str(data)],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    while counted(data, "matches WHERE verdict IS NOT NULL") < 1:
        assert process.poll() is None
        time.sleep(0.001)  # the other process writes on
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    done = arbitre("tournament", "seal", "--data", str(data), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    found = records(data)
    assert done.stdout == (f"{len(found)} records are sealed\n" if len(found) > 1 else "1 record is sealed\n")
    assert arbitre("verify", "--quiet", f"{data}-out", "--data", str(data), folder=tmp_path).returncode == 0
