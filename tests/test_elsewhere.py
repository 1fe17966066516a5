"""Where a system lacks what only Unix has (`fcntl`, `resource`, `termios`, `pwd`, uvloop) what a pupil's laptop needs works."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.house import compiled
from tests.web.clients import ALONE

HIDDEN = ("fcntl", "resource", "termios", "pwd", "grp", "tty", "pty", "uvloop")
BOT = """
from arbitre.bot import Bot, run

class First(Bot):
    def move(self, position):
        return position.legal[0]

run(First)
"""


@pytest.fixture
def elsewhere(tmp_path: Path) -> dict[str, str]:
    """Return an environment in which every Python finds none of those modules."""
    hidden = f"import sys\nfor name in {HIDDEN!r}:\n    sys.modules[name] = None\n"
    (tmp_path / "sitecustomize.py").write_text(hidden)
    own = {"PYTHONPATH": str(tmp_path), "ARBITRE_DATA": str(tmp_path / "data"), "HOME": str(tmp_path)}
    return {**os.environ, **compiled(), **own}


def done(environment: dict[str, str], *arguments: str, status: int = 0) -> str:
    ran = subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=environment["HOME"],
    )
    assert ran.returncode == status, ran.stderr
    return ran.stdout if not status else ran.stderr


def test_the_modules_are_hidden(elsewhere: dict[str, str]) -> None:
    for name in HIDDEN:
        assert "ModuleNotFoundError" in done(elsewhere, "-c", f"import {name}", status=1)


def test_a_bot_is_imported_and_speaks(elsewhere: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text(BOT)
    ran = subprocess.run(
        [sys.executable, "-m", "arbitre.bot", "first.py"], input="hello 2 tictactoe 1\n", env=elsewhere, capture_output=True,
        text=True, cwd=tmp_path, timeout=60, check=True,
    )  # fmt: skip
    assert ran.stdout == "hello 2 First\n"


def test_a_game_is_played_and_its_record_verifies(elsewhere: dict[str, str], tmp_path: Path) -> None:
    done(elsewhere, "-m", "arbitre", "play", "tictactoe", "--opponent", "house", "--watch", "random")
    name = done(elsewhere, "-m", "arbitre", "record", "list").split()[0]
    (tmp_path / "game.record").write_text(done(elsewhere, "-m", "arbitre", "record", "export", name), encoding="utf-8")
    done(elsewhere, "-m", "arbitre", "verify", "game.record")


def test_what_is_for_unix_says_so_in_one_line(elsewhere: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text(BOT)
    said = done(elsewhere, "-m", "arbitre", "play", "tictactoe", "--opponent", "house", "--watch", "py:first.py", status=1)
    assert "on Unix only" in said
    assert "Traceback" not in said


@contextmanager
def served(environment: dict[str, str]) -> Iterator[str]:
    command = [sys.executable, "-m", "arbitre", "serve", "--port", "0", *ALONE]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    said = ""
    try:
        for line in process.stdout:
            said += line
            if line.startswith("stop it"):
                break
        found = re.search(r"open at (http://\S+)", said)
        assert found is not None, said
        yield found[1]
    finally:
        process.terminate()
        process.communicate(timeout=30)


def test_a_site_for_oneself_a_bot_that_joins_it_and_the_file_that_it_hands_out(elsewhere: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text(BOT)
    script = """
import sys
from pathlib import Path
from arbitre.site.community import Community
with Community(Path(sys.argv[1])) as community:
    owner = community.accounts.create("owner", "correct horse battery")
    engine = community.engines.add(owner, game="tictactoe", name="Laptop", url="dial:")
    print(community.engines.mint(owner, engine.id))
"""
    with served(elsewhere) as url:
        with urlopen(f"{url}/api/health", timeout=30) as answer:  # noqa: S310 - our own
            assert json.load(answer)
        (tmp_path / "engine.token").write_text(done(elsewhere, "-c", script, str(tmp_path / "data")))
        join = ("-m", "arbitre", "bot", "join", url, "first.py", "--token", "engine.token", "--practice", "--games", "1")
        assert "games that were played to their end: 1" in done(elsewhere, *join)
        done(elsewhere, "-m", "arbitre", "serve", "--port", "0", *ALONE, status=1)  # the folder is held, without flock too
