"""The command line as a user meets it: what it prints, where, and with which exit status."""

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest

from arbitre.cli import COMMANDS, run
from arbitre.errors import HouseError
from arbitre.games.catalogue import listings
from arbitre.transport.group import held_here
from tests.cli.forked import nursery

ARBITRE = [sys.executable, "-m", "arbitre"]


def arbitre(*arguments: str, folder: Path | None = None, said: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the program in a process and a folder of its own; where its environment matters, it is started as a user starts it."""
    if environment:
        return started(*ARBITRE, *arguments, folder=folder, said=said, **environment)
    return started(str(nursery(LC_ALL="C.UTF-8").program), *arguments, folder=folder, said=said)


def started(*command: str, folder: Path | None = None, said: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Start a program in English."""
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "LC_ALL": "C.UTF-8", **environment},
        input=said,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run the command line in this process, where only its words matter."""
    status = run(list(arguments))
    return status, *capsys.readouterr()


def test_help_lists_every_command() -> None:
    for arguments in ((), ("--help",), ("-h",)):
        done = started(*ARBITRE, *arguments)
        assert done.returncode == 0
        for name, line in COMMANDS.items():
            assert name in done.stdout
            assert line.split()[0] in done.stdout


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_explains_itself(capsys: pytest.CaptureFixture[str], name: str) -> None:
    status, out, err = told(capsys, name, "--help")
    assert (status, err) == (0, "")
    assert out.startswith("Usage: arbitre")


@pytest.mark.parametrize(
    ("arguments", "status", "problem"),
    [
        (("bogus",), 2, "no command 'bogus'; there are: "),
        (("play", "chess"), 2, "no game is called 'chess'; there are: bigtictactoe connectfour"),
        (("play",), 2, "Missing argument 'GAME'"),
        (("play", "tictactoe", "--seat", "3"), 2, "tictactoe has 2 seats; there is no seat 3"),
        (("play", "tictactoe", "--start", "999"), 1, "bad position '999' at character 1: '9' is none of 012"),
        (("play", "tictactoe", "--option", "size"), 2, "an option is written KEY=VALUE"),
        (("play", "tictactoe", "--option", "size=4"), 1, "tictactoe has no option 'size'; it has no options"),
        (("play", "pente", "--opponent", "house:reversi"), 1, "plays reversi, not pente"),
        (("play", "pente", "--opponent", "house:pente/99"), 1, "the house plays pente at levels 1 to"),
        (("play", "pente", "--opponent", "nobody"), 1, "no player is called 'nobody'; a player is one of: house"),
        (("play", "pente", "--opponent", "py:nofile.py"), 1, "there is no file 'nofile.py'"),
        (("verify",), 2, "Missing argument 'FILE"),
        (("verify", "--key", "xyz", "f"), 2, "a fingerprint is 32 hexadecimal digits"),
        (("draughts", "perft", "--depth", "3", "--fen", "W:W99:B1"), 1, "bad position"),
        (("draughts", "perft", "--depth", "x"), 2, "Invalid value for '--depth'"),
        (("draughts", "perft", "--depth", "1", "--count", "Q"), 2, "Invalid value for '--count'"),
        (("record", "show", "x"), 1, "there are no records in arbitre-data: arbitre play tictactoe makes the first"),
    ],
)
def test_mistakes_are_explained(
    arguments: tuple[str, ...],
    status: int,
    problem: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    found, out, err = told(capsys, *arguments)
    assert (found, out) == (status, ""), err
    assert err.startswith("arbitre: error: ")
    assert problem in err
    assert "\x1b" not in err


def test_games() -> None:
    done = arbitre("games")
    assert [line.split()[0] for line in done.stdout.splitlines()] == [one.name for one in listings()]
    assert "trois marques" in arbitre("games", LC_ALL="fr_FR.UTF-8", LANG="fr_FR.UTF-8", LANGUAGE="fr").stdout
    listed = json.loads(arbitre("games", "--json").stdout)
    assert {one["name"]: one["seats"] for one in listed}["poker"] == 2
    assert "--option plies=100" in arbitre("games", "draughts").stdout


def test_one_game_is_told_whole_to_programs() -> None:
    book = json.loads(arbitre("games", "mastermind", "--json", "--option", "pegs=5").stdout)
    assert book["rules"].startswith("# MasterMind")
    assert book["options"][1]["schema"] == {"type": "integer", "default": 4, "minimum": 2, "maximum": 6}
    assert book["spelling"]["move"]["pattern"] == "^(?:[ABCDEFGH]{5})$"
    refused = arbitre("games", "mastermind", "--json", "--option", "pegs=9")
    assert (refused.returncode, "pegs is from 2 to 6" in refused.stderr) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "last"),
    [
        (("--depth", "5"), "27117"),
        (("--depth", "0"), "1"),
        (("--depth", "1", "--fen", "B:BK17,K24:W6,9,10,11,20,21,22,23,30,K31,33,37,41,42,43,44,46", "--count", "O"), "178"),
        (("--depth", "1", "--fen", "B:BK17,K24:W6,9,10,11,20,21,22,23,30,K31,33,37,41,42,43,44,46", "--count", "P"), "436"),
        (("--depth", "2", "--divide"), "81"),
    ],
)
def test_perft_ends_with_the_bare_count(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], last: str) -> None:
    status, out, _ = told(capsys, "draughts", "perft", *arguments)
    assert status == 0
    assert out.splitlines()[-1] == last
    if "--divide" in arguments:
        assert sum(int(line.split()[-1]) for line in out.splitlines()[:-1]) == int(last)


# ── playing ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_game_against_oneself(tmp_path: Path) -> None:
    done = arbitre("play", "tictactoe", "--opponent", "human", folder=tmp_path, said="1\n4\n2\n5\n3\n")
    assert done.returncode == 0, done.stderr
    assert "VERDICT you wins: three in a row" in done.stdout
    listed = arbitre("record", "list", folder=tmp_path).stdout
    assert "tictactoe" in listed
    name = listed.split()[0]
    story = arbitre("record", "show", name[:5], "--boards", folder=tmp_path).stdout
    assert "   5  you: 3" in story
    assert "X" in story
    exported = arbitre("record", "export", name, folder=tmp_path).stdout
    (tmp_path / "game.record").write_text(exported)
    verified = arbitre("verify", "game.record", folder=tmp_path)
    assert (verified.returncode, verified.stderr) == (0, "")
    assert verified.stdout.startswith("✓ verified: tictactoe, you – guest, 1 – 0 (rules: three in a row), 13 events, key ")
    as_json = json.loads(arbitre("verify", "--json", "game.record", folder=tmp_path).stdout)
    assert as_json["standing"] == "verified"
    assert as_json["verdict"]["scores"] == ["1", "0"]
    assert arbitre("verify", "--data", "none", "game.record", folder=tmp_path).returncode == 4
    assert arbitre("verify", "--data", "none", "--key", as_json["key"], "game.record", folder=tmp_path).returncode == 0
    whole = json.loads(arbitre("record", "export", name, "--as", "json", folder=tmp_path).stdout)
    assert whole["steps"][-1]["position"] == "111220000 6"
    wrong = arbitre("record", "export", name, "--as", "pdn", folder=tmp_path)
    assert "pdn is for draughts, and this is tictactoe" in wrong.stderr


def test_a_folder_of_records_is_one_by_either_name_and_an_empty_one_is_none(tmp_path: Path) -> None:
    arbitre("play", "tictactoe", "--watch", "random", "--opponent", "random", folder=tmp_path)
    arbitre("record", "export", "--all", "--folder", "out", folder=tmp_path)
    kept = next((tmp_path / "out").glob("*.record"))
    kept.rename(kept.with_suffix(".arbitre"))  # as the site hands it out
    assert "✓ verified" in arbitre("verify", "out", folder=tmp_path).stdout
    (tmp_path / "empty").mkdir()
    nothing = arbitre("verify", "empty", folder=tmp_path)
    assert nothing.returncode == 2
    assert "no record is in empty; expected a record of a match (.record .arbitre), a transcript of an election" in nothing.stderr
    missing = arbitre("verify", "missing.arbitre", folder=tmp_path)
    assert (missing.returncode, missing.stdout) == (1, "✗ broken: missing.arbitre cannot be read: No such file or directory\n")


def test_wrong_input_is_explained_and_asked_again(tmp_path: Path) -> None:
    done = arbitre("play", "tictactoe", "--opponent", "human", folder=tmp_path, said="banana\n\n?\n1\n1\n9\nquit\n")
    assert done.returncode == 0
    assert "invalid move 'banana': a move is a cell, one digit from 1 to 9" in done.stdout
    assert "legal moves: 1 2 3 4 5 6 7 8 9" in done.stdout
    assert "REFUSED 1 is taken" in done.stdout
    assert "VERDICT no result" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize("name", [one.name for one in listings()])
def test_the_end_of_input_ends_every_game_cleanly(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for seat in ("1", "2"):
        monkeypatch.setattr(sys, "stdin", StringIO())
        status, _, err = told(capsys, "play", name, "--seat", seat, "--seed", "1", "--data", str(tmp_path))
        assert status == 0, err
        assert "Traceback" not in err


@pytest.mark.parametrize("name", [one.name for one in listings()])
def test_every_game_can_be_watched_and_verified(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = told(capsys, "play", name, "--watch", "random", "--opponent", "random", "--seed", "2")
    assert status == 0, err
    assert "VERDICT" in out
    assert told(capsys, "record", "export", "--all", "--folder", "out") == (0, "1 written to out\n", "")
    assert told(capsys, "verify", "out")[0] == 0


def test_the_same_seed_is_the_same_game(tmp_path: Path) -> None:
    first, second = (
        arbitre("play", "poker", "--watch", "house", "--opponent", "random", "--seed", "5", "--no-record", folder=tmp_path).stdout
        for _ in range(2)
    )
    assert first == second
    assert list(tmp_path.iterdir()) == []


def test_draughts_leave_as_pdn_and_kriegspiel_as_pgn(tmp_path: Path) -> None:
    for name, form, sign in (("draughts", "pdn", "[White"), ("kriegspiel", "pgn", "[White")):
        data = tmp_path / name
        arbitre("play", name, "--watch", "random", "--opponent", "random", "--seed", "3", "--data", str(data))
        done = arbitre("record", "export", "--all", "--as", form, "--data", str(data))
        assert done.returncode == 0, done.stderr
        assert sign in done.stdout


def test_a_folder_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for data in ("file", "file/deeper"):
        done = arbitre("play", "tictactoe", "--watch", "random", "--opponent", "random", "--data", str(tmp_path / data))
        assert done.returncode in (1, 2)
        assert done.stderr.startswith("arbitre: error: ")
        assert str(tmp_path / "file") in done.stderr
        assert "Traceback" not in done.stderr


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m arbitre draughts perft --depth 3 --divide | head -1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""


def test_many_records_in_several_processes(tmp_path: Path) -> None:
    for seed in range(2):
        arbitre("play", "tictactoe", "--watch", "random", "--opponent", "random", "--seed", str(seed), folder=tmp_path)
    arbitre("record", "export", "--all", "--folder", "out", folder=tmp_path)
    files = list((tmp_path / "out").iterdir())
    for number in range(200):
        (tmp_path / "out" / f"copy{number}.record").write_bytes(files[number % 2].read_bytes())
    broken = (tmp_path / "out" / "copy77.record").read_bytes().replace(b'"said"', b'"sung"', 1)
    (tmp_path / "out" / "copy77.record").write_bytes(broken)
    done = arbitre("verify", "out", "--quiet", "--jobs", "2", folder=tmp_path)
    assert done.returncode == 1
    assert done.stdout.splitlines() == ["✗ out/copy77.record: broken: event 3: no event has this form", "201 verified, 1 broken"]


def test_the_doctor(tmp_path: Path) -> None:
    done = arbitre("doctor", folder=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "is not there yet" in done.stdout
    arbitre("play", "tictactoe", "--watch", "random", "--opponent", "random", folder=tmp_path)
    assert "1 matches, referee's key" in arbitre("doctor", folder=tmp_path).stdout
    found = json.loads(arbitre("doctor", "--json", folder=tmp_path).stdout)
    assert {one["what"]: one["well"] for one in found}["games"]
    limits = next(one for one in found if one["what"] == "bots' limits")
    if limits["well"]:  # it says what this very machine does
        held = held_here()
        assert ("the kernel bounds processes" in limits["found"]) == ("processes" in held)
        assert ("the kernel bounds memory" in limits["found"]) == ("memory" in held)
    else:
        with pytest.raises(HouseError):
            held_here()
    (tmp_path / "arbitre-data" / "arbitre.sqlite").write_bytes(b"spoilt" * 1_000)
    done = arbitre("doctor", folder=tmp_path)
    assert done.returncode == 1
    assert "✗ data folder" in done.stdout
