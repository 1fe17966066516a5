"""Public engines, where they are there: each plays a match in its own language against somebody who plays anything.

An environment variable holds the player's string, such as `ARBITRE_SCAN="hub:folder=/opt/scan ./scan hub"`; without it a program
of the usual name on the PATH is taken. `ARBITRE_MOBYDAM` holds the path of Moby Dam, which is started here and called.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random

import pytest

from arbitre.bot import InProcess
from arbitre.games.anyone import Anyone
from arbitre.games.catalogue import game
from arbitre.players.adapter import Adapter
from arbitre.referee.verdict import Termination
from tests.players.tables import make_match, play, seated
from tests.players.test_dxp import free_port

ENGINES: Mapping[str, tuple[str, str, str, Mapping[str, object]]] = {
    "SCAN": ("scan", "hub:depth=5 scan hub", "draughts", {"plies": 40}),
    "EDAX": ("edax", "nboard:depth=4 edax -nboard", "reversi", {}),
    "EDAX_GTP": ("edax", "gtp:edax -gtp -l 4", "reversi", {}),
    "EGAROUCID": ("Egaroucid_for_Console", "gtp:Egaroucid_for_Console -gtp -l 4", "reversi", {}),
    "RAPFI": ("pbrain-rapfi", "gomocup:depth=4 pbrain-rapfi", "bigtictactoe", {"first": True}),
}
"""By the variable's name: the program, the player where it is on the PATH, the game and its options."""


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("second", [False, True], ids=["first", "second"])
def test_a_public_engine_plays_a_match(name: str, second: bool) -> None:
    program, usual, table, options = ENGINES[name]
    text = os.environ.get(f"ARBITRE_{name}") or (usual if shutil.which(program) else "")
    if not text:
        pytest.skip(f"{program} is not on the PATH, and ARBITRE_{name} names no player")
    engine = seated(text, game(table, options))
    _plays(engine, table, options, second)
    assert engine.name or name == "EDAX"


@pytest.fixture
def moby_dam(tmp_path: Path) -> Iterator[int]:
    """Start Moby Dam, and return the port that it listens on."""
    program = os.environ.get("ARBITRE_MOBYDAM") or shutil.which("mobydam")
    if program is None:
        pytest.skip("mobydam is not on the PATH, and ARBITRE_MOBYDAM names no file")
    port = free_port()
    with subprocess.Popen(
        [program, "-t", "20", "-p", str(port)], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("depth 3\n")
        process.stdin.flush()
        while "listening" not in process.stdout.readline():
            pass
        yield port
        process.kill()


def test_moby_dam_plays_a_match(moby_dam: int) -> None:
    options = {"plies": 40}
    _plays(seated(f"dxp:127.0.0.1:{moby_dam}", game("draughts", options)), "draughts", options, second=False)


def _plays(engine: Adapter, table: str, options: Mapping[str, object], second: bool) -> None:
    other = InProcess(Anyone(Random(3)))
    match = make_match(table, options=options)
    verdict, _ = play(match, *((other, engine) if second else (engine, other)))
    assert verdict.termination is Termination.RULES, repr(verdict.reason)
