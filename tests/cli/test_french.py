"""A French user is told nothing in English: commands are called as programs of their own, and their words are looked at."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.forked import nursery
from tests.league.house import ANN, BOB, black, white

ENGLISH = re.compile(
    r"\b(the|and|of|with|is|are|was|were|has|have|from|for|not|by|which|who|that|this|its|no|yes|wins|lost|won|drawn|moves|game"
    r"|games|matches|written|try|what|nobody|verdict of|in progress|finished|refused|good|wrong|key)\b",
    re.IGNORECASE,
)
"""Frequent words of ours; none of them is French."""
QUOTED = re.compile(r"'[^']*'|`[^`]*`|https?://\S+|--option \S+|--[a-z-]+\S*|\barbitre [a-z].*|/\S*")
"""What is the same in every language: what somebody wrote, addresses, options, commands to type, paths."""


def told(*arguments: str, given: str = "", status: int | None = 0, cwd: Path | None = None) -> str:
    """Call a command in French; return what it said, when no word of it is English."""
    done = subprocess.run(
        [nursery(**FRENCH).program, *arguments],
        input=given, env=french(), capture_output=True, text=True, check=False, cwd=cwd, timeout=120,
    )  # fmt: skip
    assert status is None or done.returncode == status, done.stdout + done.stderr
    return looked_at(done.stdout) + looked_at(done.stderr)


FRENCH = {"LANGUAGE": "", "LC_ALL": "fr_FR.UTF-8", "PYTHONIOENCODING": "utf-8", "ARBITRE_TOKEN": ""}
"""What somebody in France has in their environment."""


def french() -> dict[str, str]:
    """Return the environment of somebody in France."""
    return {**os.environ, **FRENCH}


def looked_at(text: str) -> str:
    """Return a text in which nothing is English, what is quoted aside."""
    for line in text.splitlines():
        assert not ENGLISH.search(QUOTED.sub("", line)), line
    return text


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a folder with a match, a tournament in which somebody fails, and an account."""
    folder = tmp_path_factory.mktemp("d")
    (folder / "mute.py").write_text("import sys\nsys.exit(3)\n", encoding="utf-8")
    here = str(folder / "data")
    bot = f"mute=cmd:{sys.executable} {folder / 'mute.py'}"
    said = told("play", "tictactoe", "--seed", "1", "--watch", "random", "--opponent", "random", "--data", here)
    assert "┃ VERDICT" in said
    assert "est gardé" in said
    report = folder / "report.html"
    said = told(
        "tournament", "run", "--game", "tictactoe", "--player", "a=random", "--player", "b=random", "--player", bot,
        "--seed", "1", "--name", "Coupe", "--report", str(report), "--data", here,
    )  # fmt: skip
    assert "fautes" in said
    assert "attention : mute a perdu toutes ses parties" in said
    page = re.sub(r"<style>.*?</style>|<[^>]*>|&[a-z#0-9]+;", " ", report.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert "Classement" in page
    assert "round-robin" in looked_at(page.replace("(games 1, cycles 1)", ""))  # keys of the plan
    return here


def test_games_and_what_is_installed(data: str) -> None:
    assert "Dames" in told("games") + told("games", "draughts")
    for name in ("reversi", "kriegspiel", "poker"):
        assert "places ; identifiant" in told("games", name)
    assert "dossier de données" in told("doctor", "--data", data, status=None)


def test_a_game_at_the_keyboard(data: str) -> None:
    said = told("play", "tictactoe", "--seed", "1", "--no-record", "--data", data, given="?\nbla\nquit\n")
    assert "coups légaux" in said
    assert "COMMENT" in said
    assert "REFUSÉ" in told("play", "tictactoe", "--opponent", "human", "--no-record", "--data", data, given="5\n5\nresign\n")


def test_records_are_listed_told_written_and_checked(data: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("e")
    name = told("record", "list", "--data", data).split()[0]
    assert "┃ VERDICT" in told("record", "show", name, "--data", data)
    assert "procès-verbaux écrits" in told("record", "export", "--all", "--folder", str(folder / "all"), "--data", data)
    assert "vérifié" in told("verify", str(folder / "all"), "--data", data)
    record = next((folder / "all").iterdir())
    assert "intact" in told("verify", str(record), "--data", str(folder / "other"), status=4)
    record.write_bytes(record.read_bytes()[:-40])
    told("verify", str(record), "--data", data, status=None)
    (folder / "x").write_bytes(b"x")
    assert "rien qui se vérifie" in told("verify", str(folder / "x"), status=1)


def test_tournaments_are_listed_shown_and_judged(data: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = str(tmp_path_factory.mktemp("f") / "out")
    assert "fini, 3 parties" in told("tournament", "list", "--data", data)
    assert "nom" in told("tournament", "show", "--data", data)
    assert "et le plan écrits" in told("tournament", "export", "--folder", folder, "--data", data)
    assert "Coupe : fini" in told("tournament", "judge", folder).replace("Coupe:", "Coupe :")


def test_accounts(data: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("g")
    (folder / "password").write_text("correct horse battery\n", encoding="utf-8")
    mine = ("--password-file", str(folder / "password"))
    assert "opérateur" in told("operator", "add", "Ada", *mine, "--data", data)
    assert "joueur" in told("operator", "add", "Bob", "--role", "player", *mine, "--data", data)
    for command in (("role", "Bob", "teacher"), ("ban", "Bob"), ("unban", "Bob"), ("quota", "Bob", "3"), ("reset", "Bob", *mine)):
        told("operator", *command, "--data", data)
    assert "effacé" in told("operator", "erase", "Bob", "--data", data, given="o\n", status=None) + told(
        "operator", "erase", "Bob", "--yes", "--data", data, status=None
    )
    assert "octets" in told("operator", "backup", str(folder / "b"), "--data", data)
    assert "est ce qu’il était" in told("operator", "restore", str(folder / "b"), "--data", str(folder / "again"))


def test_draughts(data: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("h")
    for name, octets in (("one.report", white(BOB, 1)), ("two.report", black(ANN, 1)), ("no.report", b"\x01" * 256)):
        (folder / name).write_bytes(octets)
    told("draughts", "perft", "--depth", "2")
    assert "parties confirmées" in told("draughts", "league", "--data", data)
    both = (str(folder / "one.report"), str(folder / "two.report"))
    assert "celui des blancs" in told("draughts", "judge", *both, status=None)
    assert "refusé" in told("draughts", "judge", str(folder / "no.report"), status=1)
    told("verify", str(folder / "no.report"), status=1)


def test_engines(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("i")
    (folder / "mute.py").write_text("import sys\nsys.exit(3)\n", encoding="utf-8")
    told("engine", "list")
    said = told("engine", "test", f"cmd:{sys.executable} {folder / 'mute.py'}", "--game", "tictactoe", status=1)
    assert "le robot ne joue pas" in said
    said = told("engine", "test", "http://127.0.0.1:9/", "--game", "tictactoe", "--timeout", "1", status=1)
    assert "il n’est pas prêt à jouer" in said


LAST = ("Ctrl-C", "essayez", "la maison", "le greffier")
"""How the last line begins that a service says when it is open."""


@contextmanager
def served(*arguments: str) -> Iterator[list[str]]:
    """Let a service run while its first lines are looked at; yield them."""
    command = [sys.executable, "-m", "arbitre", *arguments]
    with subprocess.Popen(command, env=french(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        try:
            lines = [process.stdout.readline()]
            while not lines[-1].startswith(LAST):
                assert lines[-1], lines
                lines.append(process.stdout.readline())
            yield lines
        finally:
            process.send_signal(signal.SIGINT)
            rest = process.stdout.read()
            process.wait(60)
        looked_at("".join(lines) + rest)


def test_a_site_and_its_client(data: str) -> None:
    doors = [word for door in ("registrar", "arcade", "hub", "defender") for word in (f"--{door}-port", "0")]
    with served("serve", "--port", "0", *doors, "--house-games", "0", "--data", data) as lines:
        found = re.search(r"http://\S+", lines[0])
        assert found is not None, lines
        there = ("--site", found[0])
        told("site", "key", *there)
        for command in (
            ("matches",),
            ("engines",),
            ("added", "list"),
            ("compete", "list"),
            ("league", "table"),
            ("arcade", "fame"),
        ):
            told("site", *command, *there)
        assert "jeton" in told("site", "me", *there, status=1)
        assert "jeton" in told("site", "elect", "draw", "Ada", "Bob", *there, status=1)


def test_services_say_where_they_are(data: str) -> None:
    with served("engine", "serve", "--port", "0") as lines:
        assert lines[0].startswith("la maison joue à http://")
    with served("arcade", "serve", "--port", "0", "--data", data) as lines:
        assert lines[0].startswith("l’arcade est ouverte à ")
