"""`arbitre kref` as two people use it: two machines, the file by mail, every step a process of its own."""

import json
import os
import pty
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout, suppress
from datetime import date, timedelta
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest

from arbitre.cli import run
from tests.cli.forked import nursery
from tests.kref.mail import mangle


class Player:
    """One machine: a home, a password file, and the program."""

    def __init__(self, home: Path, password: str) -> None:
        self.home = home
        home.mkdir()
        (home / "password").write_text(password + "\n")

    def environment(self, more: dict[str, str]) -> dict[str, str]:
        return {"HOME": str(self.home), "XDG_STATE_HOME": str(self.home / "state"), "LC_ALL": "C", **more}

    def run(self, command: str, *arguments: str, said: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [nursery(LC_ALL="C").program, "kref", command, "game.ksg", *arguments],
            cwd=self.home,
            env={**os.environ, **self.environment(environment)},
            input=said,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def types(self, arguments: list[str], *lines: str) -> str:
        """Run a command in a terminal, answer each prompt with a line, and return what was on the screen."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.home)
            os.environ.update(self.environment({"LANGUAGE": "en"}))
            os.execv(sys.executable, [sys.executable, "-m", "arbitre", "kref", *arguments])  # noqa: S606 - our own program
        screen, waiting = "", list(lines)
        with suppress(OSError):  # a terminal whose program is gone
            while read := os.read(terminal, 4096):
                screen += read.decode()
                if waiting and screen.endswith(": ") and "password" in screen.rpartition("\n")[2]:
                    os.write(terminal, f"{waiting.pop(0)}\n".encode())
                    screen += "\n"
        os.close(terminal)
        os.waitpid(pid, 0)
        assert not waiting, screen
        return screen

    def says(self, command: str, *arguments: str) -> Any:
        done = self.run(command, *arguments, "--password-file", "password", "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def send(self, other: "Player", seed: int) -> None:
        (other.home / "game.ksg").write_text(mangle((self.home / "game.ksg").read_text(), Random(seed)), newline="")


class Inside(Player):
    """The same program without processes of its own, which take their time: where only what it says is looked at."""

    def run(self, command: str, *arguments: str, said: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
        assert not said
        return self.call(command, "game.ksg", *arguments, **environment)

    def call(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        out, err = StringIO(), StringIO()
        with chdir(self.home), redirect_stdout(out), redirect_stderr(err), pytest.MonkeyPatch.context() as patch:
            patch.delenv("LANGUAGE", raising=False)
            for name, value in self.environment(environment).items():
                patch.setenv(name, value)
            status = run(["kref", *arguments])
        return subprocess.CompletedProcess(arguments, status, out.getvalue(), err.getvalue())


@pytest.fixture
def inside(tmp_path: Path) -> tuple[Inside, Inside]:
    return Inside(tmp_path / "white", "open"), Inside(tmp_path / "black", "sesame")


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


FRENCH = {"LC_ALL": "fr_FR.UTF-8", "LANGUAGE": "fr", "PYTHONIOENCODING": "utf-8"}


def test_everything_is_said_in_french(inside: tuple[Inside, Inside]) -> None:
    """Commands, board, log, errors, verdict, proof, PGN: as the environment says, or the option."""
    white, black = inside
    mine = ("--password-file", "password")
    called = black.run("new", *mine, "--hashing", "light", **FRENCH)
    assert called.stdout == "game.ksg est créé : envoyez-le aux Blancs, qui disent arbitre kref white game.ksg\n"
    black.send(white, 1)
    waits = black.run("try", "e7e5", *mine, **FRENCH)
    assert (waits.returncode, waits.stderr) == (
        1,
        "arbitre: erreur : les Blancs ne sont pas encore assis : arbitre kref white FICHIER\n",
    )
    assert "vous avez les Blancs" in white.run("white", *mine, "--hashing", "light", **FRENCH).stdout
    (white.home / "wrong").write_text("wrong\n")
    wrong = white.run("show", "--password-file", "wrong", "--language", "fr", PYTHONIOENCODING="utf-8")
    assert (wrong.returncode, wrong.stderr) == (1, "arbitre: erreur : mauvais mot de passe\n")
    usage = white.run("guess", "e5", *mine, **FRENCH)
    assert (usage.returncode, usage.stderr.splitlines()) == (
        2,
        [
            "arbitre: erreur : une hypothèse s’écrit CASE=PIÈCE, comme e5=q, et non 'e5'",
            "arbitre: conseil : arbitre kref guess --help",
        ],
    )
    offered = white.run("draw", *mine, **FRENCH)
    assert offered.stdout == "draw: Les Blancs proposent la nulle\n"
    white.run("try", "e2e4", *mine, **FRENCH)
    white.send(black, 2)
    agreed = black.run("draw", *mine, **FRENCH)
    assert agreed.stdout.split("\n")[1] == "partie nulle : les joueurs sont convenus de la nulle"
    shown = black.run("show", *mine, **FRENCH).stdout
    assert "vous avez les Noirs · demi-coup 1" in shown
    assert (
        "   1  Aux Blancs de jouer\n      draw  ½ Les Blancs proposent la nulle\n      e2e4  ✓\n   2  Aux Noirs de jouer" in shown
    )
    assert "l’arbitre avait raison : 3 décisions, dont 0 refus" in black.run("verify", **FRENCH).stdout
    pgn = black.run("replay", "--pgn", *mine, **FRENCH).stdout.replace("\n", " ")
    assert "{Aux Blancs de jouer. draw: Les Blancs proposent la nulle} 1. e4" in pgn
    assert "Les Noirs acceptent la nulle. partie nulle : les joueurs sont convenus de la nulle} 1/2-1/2" in pgn
    assert f'[Date "{date.today():%Y.%m.%d}"]' in pgn or f'[Date "{date.today() - timedelta(1):%Y.%m.%d}"]' in pgn


def test_the_whole_log_is_shown(inside: tuple[Inside, Inside]) -> None:
    white, black = inside
    black.says("new", "--hashing", "light")
    black.send(white, 1)
    white.says("white", "--hashing", "light")
    white.says("try", "e2d3", "e2e4")
    white.send(black, 2)
    black.says("try", "d7d5")
    black.send(white, 3)
    seen = white.says("try", "e4d5")
    assert [(one["turn"], one["side"], one["try"], one["made"], one["heard"], one["square"]) for one in seen["log"]] == [
        (1, "white", None, False, ["wm0"], None),
        (1, "white", "e2d3", False, ["wnp"], None), (1, "white", "e2e4", True, [], None),
        (2, "black", None, False, ["bm0"], None), (2, "black", None, True, [], None),
        (3, "white", None, False, ["wm1"], None), (3, "white", "e4d5", True, ["wpn"], "d5"),
        (4, "black", None, False, ["bm0"], None),
    ]  # fmt: skip
    shown = white.run("show", "--password-file", "password", PYTHONIOENCODING="utf-8").stdout
    assert shown.split("\n", 12)[12] == (
        "   1  White to move\n      e2d3  ✗ Not possible\n      e2e4  ✓\n"
        "   2  Black to move\n      …     ✓\n"
        "   3  White to move with 1 possible pawn captures\n      e4d5  ✓ Pawn gone (d5)\n"
        "   4  Black to move\n"
    )


def test_the_games_of_this_machine_are_listed(inside: tuple[Inside, Inside]) -> None:
    white, black = inside
    assert black.call("list").stderr == "no game by file was opened here yet\n"
    black.says("new", "--hashing", "light", "--player", "Bob")
    black.send(white, 1)
    assert json.loads(white.call("list", "--json").stdout) == [], "a file that was never opened is nobody's game yet"
    white.says("white", "--hashing", "light", "--player", "Ada")
    (one,) = json.loads(white.call("list", "--json").stdout)
    assert (one["name"], one["to_move"], one["players"], one["ply"]) == ("game", "white", {"white": "Ada", "black": "Bob"}, 0)
    said = white.call("list", **FRENCH).stdout
    assert said.startswith(f"{white.home}/game.ksg: game · Ada – Bob · ")
    assert said.endswith("aux Blancs de jouer\n")
    (white.home / "game.ksg").unlink()
    assert white.call("list").stdout == f"{white.home}/game.ksg: the file is not there\n"


def test_a_new_password_is_typed_twice(players: tuple[Player, Player]) -> None:
    """A slip would lock its owner out: the two must be the same; whoever comes back types it once."""
    white, black = players
    said = black.types(["new", "game.ksg", "--hashing", "light"], "sesame", "sesami", "sesame", "sesame")
    assert "the two passwords differ: type them again" in said
    assert "game.ksg is called" in said
    assert black.says("show")["status"] == "waiting"
    black.send(white, 1)
    assert "you are White" in white.types(["white", "game.ksg", "--hashing", "light"], "open", "open")
    assert "White to move" in white.types(["show", "game.ksg"], "open")
    assert "existe" in black.types(["new", "game.ksg", "--language", "fr"]), "before anybody types a password"


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
