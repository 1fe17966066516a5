"""`arbitre kref` as two people use it: two machines, the file by mail, every step a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.protocol.mail import mangle


class Player:
    """One machine: a home, a password file, and the program."""

    def __init__(self, home: Path, password: str) -> None:
        self.home = home
        home.mkdir()
        (home / "password").write_text(password + "\n")

    def run(self, command: str, *arguments: str, said: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "arbitre", "kref", command, "game.ksg", *arguments],
            cwd=self.home,
            env={**os.environ, "HOME": str(self.home), "XDG_STATE_HOME": str(self.home / "state"), "LC_ALL": "C", **environment},
            input=said,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def says(self, command: str, *arguments: str) -> Any:
        done = self.run(command, *arguments, "--password-file", "password", "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def send(self, other: "Player", seed: int) -> None:
        (other.home / "game.ksg").write_text(mangle((self.home / "game.ksg").read_text(), Random(seed)), newline="")


@pytest.fixture
def players(tmp_path: Path) -> tuple[Player, Player]:
    return Player(tmp_path / "white", "open"), Player(tmp_path / "black", "sesame")


def test_a_game_by_mail(players: tuple[Player, Player]) -> None:
    white, black = players
    assert black.says("new", "--hashing", "light", "--player", "Bob")["status"] == "waiting"
    black.send(white, 1)
    assert white.says("white", "--hashing", "light", "--player", "Ada")["to_move"] == "white"
    rulings = white.says("try", "e2d3", "f2f3", "a2a3")["rulings"]
    assert [(one["try"], one["made"], one["heard"]) for one in rulings] == [("e2d3", False, ["wnp"]), ("f2f3", True, ["bm0"])]
    for number, (mover, other, text) in enumerate([(black, white, "e7e5"), (white, black, "g2g4"), (black, white, "d8h4")]):
        other.send(mover, number)
        last = mover.says("try", text)
        assert last["rulings"][0]["made"]
    black.send(white, 9)
    seen = white.says("show")
    assert seen["status"] == last["status"] == "over"
    assert seen["verdict"] == "Bob wins: checkmate"
    assert "q" in seen["board"]
    replay = white.run("replay", "--password-file", "password", "--pgn", "--record", "game.record")
    assert "Qh4#" in replay.stdout
    done = subprocess.run(
        [sys.executable, "-m", "arbitre", "verify", "game.record"], cwd=white.home, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout[:9]) == (4, "? intact:"), done.stderr
    verified = black.run("verify")
    assert "the referee was right: 5 rulings, 1 of them refusals, all confirmed" in verified.stdout
    boards = black.run("replay", "--password-file", "password", "--boards")
    assert boards.stdout.count("a b c d e f g h        a b c d e f g h        a b c d e f g h") == 6


def test_words_and_statuses(players: tuple[Player, Player]) -> None:
    white, black = players
    made = black.run("new", "--password-file", "-", "--hashing", "light", said="sesame\n")
    assert made.returncode == 0, made.stderr
    assert "send it to White" in made.stdout
    black.send(white, 2)
    white.says("white", "--hashing", "light")
    refused = white.run(
        "try", "e2e5", "--password-file", "password", LC_ALL="fr_FR.UTF-8", LANGUAGE="fr", PYTHONIOENCODING="utf-8"
    )
    assert (refused.returncode, refused.stdout) == (0, "e2e5: Coup illégal\n")
    spoken = white.run("try", "e2d3", "--password-file", "password", "--language", "en", LANGUAGE="fr")
    assert (spoken.returncode, spoken.stdout) == (0, "e2d3: Not possible\n")
    (white.home / "wrong").write_text("wrong\n")
    for arguments, status, problem in (
        (("show", "--password-file", "wrong"), 1, "wrong password"),
        (("accuse", "--password-file", "password"), 2, "accusing the referee forfeits the game: say --yes"),
        (("replay", "--password-file", "password"), 1, "the game is not over"),
        (("guess", "e5", "--password-file", "password"), 2, "a guess is written SQUARE=PIECE"),
    ):
        done = white.run(*arguments)
        assert (done.returncode, done.stdout) == (status, ""), arguments
        assert problem in done.stderr
        assert "Traceback" not in done.stderr
    left = white.run("show", said="\n")
    assert left.returncode in (0, 130)
    assert "│" not in left.stdout, "without a password nothing is shown"
    guessed = white.run("guess", "e5=q", "--password-file", "password", PYTHONIOENCODING="utf-8")
    assert "q" in guessed.stdout.split("\n")[6]
    text = (white.home / "game.ksg").read_text()
    (white.home / "game.ksg").write_text(text[:1000])
    cut = white.run("verify")
    assert cut.returncode == 1
    assert "truncated" in cut.stderr


def test_the_resigner_sees_the_board_from_the_returned_file(players: tuple[Player, Player]) -> None:
    white, black = players
    black.says("new", "--hashing", "light", "--mode", "planned")
    black.send(white, 3)
    white.says("white", "--hashing", "light")
    assert white.says("try", "e2d3", "e2e4")["planned"] == ["e2d3", "e2e4"]
    white.send(black, 4)
    assert black.says("show")["heard"] == [["wm0", "wnp"], ["bm0"]]
    assert black.says("resign")["status"] == "resigned"
    assert not set(black.says("show")["board"]) & set("PNBRQK")
    assert black.run("acknowledge", "--password-file", "password").returncode == 1
    black.send(white, 5)
    assert set(white.says("acknowledge")["board"]) >= set("pP")
    white.send(black, 6)
    assert set(black.says("show")["board"]) >= set("pP")


def test_the_terminal_program_needs_a_terminal(players: tuple[Player, Player]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "arbitre", "kref", "new.ksg"],
        cwd=players[0].home,
        capture_output=True,
        text=True,
        check=False,
        input="",
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "the terminal program needs a terminal; scripts say arbitre kref show FILE" in done.stderr


def test_modes_that_need_no_file(players: tuple[Player, Player]) -> None:
    done = players[1].run("new", "--mode", "server", "--password-file", "password")
    assert done.returncode == 1
    assert "the record stays with the referee" in done.stderr
