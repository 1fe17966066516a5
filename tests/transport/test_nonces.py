"""A bot that brings a nonce need not trust the referee's deal, and a bot with a key signs what it played."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BOT = """
from arbitre.bot import Bot, run
from arbitre.crypto.keys import Key

class Wary(Bot):
    brings_nonce = True

    def move(self, position):
        return position.legal[-1]

if __name__ == "__main__":
    run(Wary, Key(bytes(32)))
"""

LIAR = """
import sys
for line in sys.stdin:
    if line.startswith("hello"):
        print("hello 2 liar nonce=" + "ab" * 32, flush=True)
    elif line.startswith("opening"):
        print("agree nonce=" + "cd" * 32, flush=True)
"""


def arbitre(*arguments: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "arbitre", *arguments], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "wary.py").write_text(BOT)
    (tmp_path / "liar.py").write_text(LIAR)
    return tmp_path


@pytest.mark.parametrize("player", ["cmd:{python} wary.py", "py:wary.py"])
def test_a_nonce_is_promised_opened_and_verified(folder: Path, player: str) -> None:
    given = player.format(python=sys.executable)
    last = ("--start", "99001--------M1-2 0 -")
    arbitre("play", "poker", *last, "--watch", given, "--opponent", "random", "--seed", "1", folder=folder)
    arbitre("record", "export", "--all", "--folder", "out", folder=folder)
    lines = [json.loads(line) for path in (folder / "out").iterdir() for line in path.read_text().splitlines()]
    agreed = [json.loads(line["text"]) for line in lines if line.get("kind") == "agreed"]
    assert [len(one["nonce"]) for one in agreed] == [64]
    assert [len(one["signature"] or "") for one in agreed] == [128 if given.startswith("cmd:") else 0]
    said = arbitre("verify", "out", folder=folder)
    assert "✓ verified" in said
    assert (" signed" in said) == given.startswith("cmd:"), "the bot that runs itself has a key"


def test_a_false_nonce_loses(folder: Path) -> None:
    given = f"cmd:{sys.executable} -S liar.py"
    said = arbitre("play", "poker", "--watch", given, "--opponent", "random", "--seed", "1", folder=folder)
    assert "random wins: protocol error, the nonce is not the one that was promised" in said
