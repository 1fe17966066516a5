"""The command line against hostile input, closed streams, odd alphabets and interruptions: a clear line, never a traceback."""

import asyncio
import os
import pty
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from arbitre.games.catalogue import game
from arbitre.players import Setting, read_contestant
from arbitre.records.event import Kind, write_reason
from arbitre.records.store import Store
from tests.cli.test_cli import ARBITRE, arbitre, told
from tests.referee.tables import KEY, Hearing, make_match

PLAIN = Path(__file__).parents[2] / "examples" / "bots" / "plain.py"


@pytest.mark.parametrize(
    ("player", "problem"),
    [
        ('cmd:"', "cannot be read: no closing quotation"),
        ("cmd: ", "names no command"),
        ("cmd:''", "never started: there is no program ''"),
        ("cmd:" + "a" * 5_000, "never started: there is no program"),
        ("py:" + "a" * 5_000, "there is no file"),
        ("py:/", "there is no file '/' to make a player of"),
        ("py:", "no player is called 'py:'"),
        ("", "no player is called ''"),
        ("\x1b[2J", r"no player is called '\x1b[2J'"),
    ],
)
def test_players_that_are_none(player: str, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, err = told(capsys, "play", "tictactoe", "--watch", "random", "--opponent", player, "--data", str(tmp_path))
    assert problem in out + err
    assert "Traceback" not in err
    assert "\x1b[2J" not in out + err


def test_a_program_may_be_called_anything_and_its_name_is_shown_safely(tmp_path: Path) -> None:
    program = tmp_path / ("\x1b[31m" + "x" * 200)
    program.write_text("")
    for text in (f"cmd:'{program}'", f"py:{program}"):
        name = read_contestant(text, Setting(game("tictactoe"))).name
        assert name.isprintable()
        assert len(name) <= 80


def closed(redirection: str, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the program with a stream closed or broken by the shell."""
    line = f'exec "$@" {redirection}'
    command = ["sh", "-c", line, "sh", *ARBITRE, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)


@pytest.mark.parametrize(
    ("redirection", "arguments", "status"),
    [
        (">&-", ("games",), 0),
        ("2>&-", ("bogus",), 2),
        (">&- 2>&- <&-", ("games",), 0),
        ("<&-", ("verify", "-"), 1),
        ("<&-", ("play", "tictactoe"), 0),
        (">/dev/full", ("games",), 1),
        (">/dev/full", ("record", "list"), 1),
    ],
)
def test_closed_and_full_streams(redirection: str, arguments: tuple[str, ...], status: int, tmp_path: Path) -> None:
    if "/dev/full" in redirection and not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    done = closed(redirection, *arguments, folder=tmp_path)
    assert "Traceback" not in done.stderr
    assert done.returncode == status, done.stderr


@pytest.mark.parametrize("alphabet", ["ascii", pytest.param("latin-1", marks=pytest.mark.campaign)])
def test_a_terminal_without_our_characters(alphabet: str, tmp_path: Path) -> None:
    said = {"PYTHONIOENCODING": alphabet}
    assert arbitre("play", "tictactoe", "--watch", "random", "--opponent", "random", folder=tmp_path, **said).returncode == 0
    assert arbitre("record", "list", folder=tmp_path, **said).returncode == 0
    assert arbitre("play", "tictactoe", folder=tmp_path, said="é\nquit\n", **said).returncode == 0
    done = arbitre("record", "export", "--all", "--folder", "out", folder=tmp_path, **said)
    assert done.returncode == 0
    done = arbitre("verify", "out", folder=tmp_path, **said)
    assert done.returncode == 0
    assert done.stdout.rstrip().endswith("1 verified") or "verified: tictactoe" in done.stdout


def test_a_record_leaves_as_the_same_octets_in_every_alphabet(tmp_path: Path) -> None:
    wide = [sys.executable, "-m", "arbitre", "record", "export", "--all"]
    assert (
        arbitre(
            "tournament", "run", "--game", "tictactoe", "--player", "é=random", "--player", "random", folder=tmp_path
        ).returncode
        == 0
    )
    outputs = {
        subprocess.run(
            wide, cwd=tmp_path, env={**os.environ, "PYTHONIOENCODING": alphabet}, capture_output=True, check=True, timeout=60
        ).stdout
        for alphabet in ("utf-8", "ascii", "latin-1")
    }
    assert len(outputs) == 1
    assert "é" in outputs.pop().decode()


def test_octets_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_bytes(b"\xff")
    done = arbitre("tournament", "run", "plan.toml", folder=tmp_path)
    assert (done.returncode, "octet 1 is not UTF-8" in done.stderr) == (1, True)
    played = subprocess.run(
        [*ARBITRE, "play", "tictactoe"], cwd=tmp_path, input=b"\xff\nquit\n", capture_output=True, timeout=60, check=False
    )
    assert played.returncode == 0
    assert b"Traceback" not in played.stderr
    name = os.fsdecode(b"\xff\x1b[2J.record")
    (tmp_path / name).write_bytes(b"\xff")
    (tmp_path / "b.record").write_bytes(b"\xff")
    for form in ((), ("--json",)):
        done = arbitre("verify", ".", *form, folder=tmp_path)
        assert done.returncode == 1
        assert "Traceback" not in done.stderr
        assert "\x1b" not in done.stdout


def test_a_hostile_record_cannot_speak_to_the_terminal(tmp_path: Path) -> None:
    hearing = Hearing(make_match())
    hearing.hear(Kind.RESIGNED, 0, write_reason("\x1b[2J\n✓ verified: something else"))
    (tmp_path / "a.record").write_bytes(hearing.record().text().encode())
    done = arbitre("verify", "--key", KEY.fingerprint, "a.record", folder=tmp_path)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 1
    assert "\x1b" not in done.stdout


def test_a_match_whose_players_are_still_sitting_down_is_listed(tmp_path: Path) -> None:
    store = Store(tmp_path / "arbitre-data")
    store.add_match("abc", "tictactoe", bytes(32), "2026-01-01")
    asyncio.run(store.durable())
    store.close()
    for form in ((), ("--json",)):
        done = arbitre("record", "list", *form, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "abc" in done.stdout


def test_the_house_does_not_show_its_hand_first(tmp_path: Path) -> None:
    """Where both speak at once, what one said is told when both have spoken."""
    done = arbitre("play", "rochambeau", "--seat", "2", "--opponent", "house", folder=tmp_path)
    before = done.stdout.partition("second player, turn 1>")[0]
    assert not re.search("rock|paper|scissors", before)


def test_more_people_than_ordinals(tmp_path: Path) -> None:
    crowd = ("--option", "players=10", "--option", "goal=0", "--opponent", "human")
    done = arbitre("play", "rochambeau", *crowd, folder=tmp_path, said="\nrock\n" * 10)
    assert done.returncode == 0, done.stderr
    assert "player 10, turn 1>" in done.stdout


def test_a_tournament_that_names_nobody_is_not_kept(tmp_path: Path) -> None:
    for player, status in (("nobody", 1), ("random", 0)):
        done = arbitre("tournament", "run", "--game", "tictactoe", "--player", "random", "--player", player, folder=tmp_path)
        assert done.returncode == status, done.stderr


def test_asking_makes_no_folder(tmp_path: Path) -> None:
    for command in ("show", "list", "report", "resume"):
        done = arbitre("tournament", command, folder=tmp_path)
        assert (done.returncode, "no tournament is in" in done.stderr) == (1, True)
    assert list(tmp_path.iterdir()) == []


def test_one_interruption_at_the_prompt_is_enough(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    try:
        playing = subprocess.Popen(
            [*ARBITRE, "play", "tictactoe"], cwd=tmp_path, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert playing.stdout is not None
        shown = ""
        while "turn 1>" not in shown:
            shown += playing.stdout.read(1)
        time.sleep(0.5)  # between the prompt and the reading Python is deaf for an instant; a person is not that quick
        playing.send_signal(signal.SIGINT)
        _, complaint = playing.communicate(timeout=30)
    finally:
        os.close(ours)
        os.close(theirs)
    assert playing.returncode == 130
    assert "interrupted" in complaint
    assert "Traceback" not in complaint


def over(database: Path) -> bool:
    """Return whether a match is over."""
    with suppress(sqlite3.OperationalError), closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as reader:
        return bool(reader.execute("SELECT 1 FROM matches WHERE verdict IS NOT NULL LIMIT 1").fetchall())
    return False


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.campaign)])
def test_an_interrupted_tournament_says_how_to_go_on(number: signal.Signals, tmp_path: Path) -> None:
    bot = f"cmd:{sys.executable} -S {PLAIN}"
    run = [*ARBITRE, "tournament", "run", "--game", "tictactoe", "--player", bot, "--player", "random", "--games", "60"]
    holding = subprocess.Popen([*run, "--name", "a 'b'"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not over(tmp_path / "arbitre-data" / "arbitre.sqlite"):
        time.sleep(0.01)
    holding.send_signal(number)
    _, complaint = holding.communicate(timeout=60)
    assert holding.returncode == 130, complaint
    assert "Traceback" not in complaint
    found = re.search("go on with: arbitre (.*)", complaint)
    assert found is not None
    done = subprocess.run(["sh", "-c", f'exec "$@" {found[1]}', "sh", *ARBITRE], cwd=tmp_path, timeout=300, check=False)
    assert done.returncode == 0
