"""The arcade teaches: each exploit wins 32–0 where the machine is vulnerable by design, and is refused where it is not."""

import asyncio
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from arbitre.arcade.bout import Ending, Finish
from tests.arcade.house import opened

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "arcade"

EXPLOITS = [
    ("group_attack.py", "Facile", ""),
    ("group_attack.py", "Difficile", "# error a modulus has 2048 to 4096 bits or a name, not 7 bits"),
    ("group_attack.py", "Nightmare", "# error GROUP is disabled at Nightmare"),
    ("legendre_attack.py", "Normal", ""),
    ("legendre_attack.py", "Difficile", "# error the generator must lie between 1 and p - 1"),
    ("legendre_attack.py", "Nightmare", "# error GROUP is disabled at Nightmare"),
]


def script(name: str, level: str) -> tuple[subprocess.CompletedProcess[str], Finish]:
    """Run a script against a machine of our own, as a student would; return what it said and how the house saw it."""

    async def scenario() -> tuple[subprocess.CompletedProcess[str], Finish]:
        async with opened(level=level) as ((host, port), ledgers, _):
            command = [sys.executable, str(EXAMPLES / name), f"{host}:{port}"]
            done = await asyncio.to_thread(
                partial(subprocess.run, command, capture_output=True, text=True, timeout=60, check=False)
            )
            finish = ledgers[0].bout.finish
            assert finish is not None
            return done, finish

    return asyncio.run(scenario())


@pytest.mark.parametrize(("name", "level", "error"), EXPLOITS)
def test_exploits(name: str, level: str, error: str) -> None:
    done, finish = script(name, level)
    assert done.stderr == ""
    if error:
        assert done.returncode == 1
        assert done.stdout.startswith(f"{error}\n0-0, adversaire wins: the other side forfeits: ")
        assert finish.ending is Ending.FAULTS
    else:
        assert done.returncode == 0
        assert done.stdout == "32-0, joueur wins: the first to 32 points\n"
        assert finish.scores == (32, 0)


def test_the_bot_in_ten_lines() -> None:
    done, finish = script("mirror.py", "Difficile")
    assert (done.stdout, done.stderr) == (f"{finish.reason}\n", "")
    assert finish.ending is Ending.GOAL
