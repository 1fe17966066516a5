"""Kriegspiel by file: opening a file of 200 plies, password and all, and what its steps take.

A file is opened in full: the text is read, the seal opened, the chain folded, both signatures checked, every try judged again,
and the password hashed by argon2id with the usual work for both seats, because either could be meant. Judged attempts per second,
beside the package `kriegspiel`, stand among the figures of the rules.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from time import perf_counter

from arbitre.crypto.passwords import USUAL
from arbitre.crypto.sealing import Published, provider
from arbitre.games.game import FIRST
from arbitre.games.kriegspiel.rules import Kriegspiel
from arbitre.kref.desk import Desk
from arbitre.kref.game import GameFile, call_game, read_game
from bench.table import Row

PLIES = 200
SEED = 1899


def long_game(plies: int = PLIES) -> GameFile:
    """Return a random game of so many plies, with all its refused tries."""
    random = Random(SEED)
    rules = Kriegspiel()
    black = call_game("bench", "Bob", "black", "default", Published(), work=USUAL, date="2026-11-16")
    white = black.file.join("Ada", "white", USUAL)
    seats = (white, white.file.login("black"))
    file = white.file
    while file.ply < plies and file.verdict is None:
        assert file.mover is not None
        seated = seats[0 if file.mover == FIRST else 1]._replace(file=file)
        seated, _ = seated.attempt(rules.sample(seated.view, random).uci())
        file = seated.file
    return file


def seconds(work: object, times: int = 5) -> float:
    """Return the least time of several."""
    assert callable(work)
    best = float("inf")
    for _ in range(times):
        start = perf_counter()
        work()
        best = min(best, perf_counter() - start)
    return best


def measure() -> Iterator[Row]:
    """Open a long file in this process and in one of its own."""
    text = long_game().text()
    file = read_game(text, provider)
    yield Row(
        f"openings of a file of {file.ply} plies", 1 / seconds(lambda: read_game(text, provider).login("white")), "aim", 1, 1
    )
    yield Row("of these without the password", 1 / seconds(lambda: read_game(text, provider)), "aim", 1)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "game.ksg").write_text(text)
        (home / "password").write_text("white\n")
        Desk(home / "game.ksg", home / "state").read()
        command = [sys.executable, "-m", "arbitre", "kref", "show", "game.ksg", "--password-file", "password"]
        environment = {"HOME": folder, "LC_ALL": "C.UTF-8", "PYTHONPATH": ":".join(sys.path)}

        def show() -> None:
            subprocess.run(command, cwd=home, env=environment, check=True, capture_output=True)

        yield Row("`arbitre kref show` of it, start of the program included", 1 / seconds(show), "aim", 1, 1)
    yield Row("size of it", len(text) / 1024, "a new game", len(long_game(0).text()) / 1024, unit=" KiB")
