"""The league as its users run it: a registrar, a defender and an attacker as programs; and what is refused at once."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep

import pytest
from click.testing import CliRunner

from arbitre.cli.draughts import draughts
from arbitre.errors import ArbitreError, LeagueError
from arbitre.league.ledger import open_roster, pending_games
from arbitre.league.report import mapped
from arbitre.records.store import Store
from tests.league.house import free_port


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "arbitre", "draughts", *words]


@contextmanager
def serving(*words: str) -> Iterator[None]:
    """Run a server until the scene is over; told to stop, it must stop in order."""
    started = subprocess.Popen(command(*words), stdout=subprocess.PIPE, text=True)
    assert started.stdout is not None
    try:
        assert " on [::]:" in started.stdout.readline()
        yield
    finally:
        started.terminate()
        started.stdout.read()
        assert started.wait() == 0
        started.stdout.close()


def test_who_reaches_nobody_says_so(tmp_path: Path) -> None:
    asked = command("attack", f"127.0.0.1:{free_port()}", "--once", "--player", "random", "--data", str(tmp_path))
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "cannot be reached" in done.stdout
    assert done.stderr == "arbitre: error: nobody was reached\n"


def test_a_day_of_the_league(tmp_path: Path) -> None:
    registrar, defender = free_port(), free_port()
    where = ("--registrar", f"127.0.0.1:{registrar}", "--player", "random")
    challenge = command(
        *("attack", "127.0.0.1", "--port", str(defender), "--bind", "127.0.0.9", "--once"), *where, "--data", str(tmp_path / "a")
    )
    with (
        serving("registrar", "--port", str(registrar), "--data", str(tmp_path / "r")),
        serving("defend", "--port", str(defender), *where, "--data", str(tmp_path / "d")),
    ):
        first = subprocess.run(challenge, capture_output=True, text=True, check=True).stdout
        assert "the registrar: ACC" in first
        second = subprocess.run(challenge, capture_output=True, text=True, check=True).stdout
        assert "a game was played today" in second
        store = Store(tmp_path / "r")
        while pending_games(store):
            sleep(0.05)  # the defender, too, reports
        store.close()
    told = subprocess.run(command("league", "--json", "--data", str(tmp_path / "r")), capture_output=True, text=True, check=True)
    fields = json.loads(told.stdout)
    assert (fields["games"], fields["pending"]) == (1, 0)
    assert {line["name"] for line in fields["table"]} == {"127.0.0.1", "127.0.0.9"}


def test_a_round_whose_report_waits_says_so_and_the_next_one_sends_it_first(tmp_path: Path) -> None:
    registrar, defender = free_port(), free_port()
    challenge = command(
        *("attack", f"127.0.0.1:{defender}", "--bind", "127.0.0.9", "--once", "--player", "random"),
        *("--registrar", f"127.0.0.1:{registrar}", "--data", str(tmp_path / "a")),
    )
    with serving("defend", "--port", str(defender), "--player", "random", "--data", str(tmp_path / "d")):
        done = subprocess.run(challenge, capture_output=True, text=True, check=False)
        assert done.returncode == 3
        assert f"the registrar 127.0.0.1:{registrar} cannot be reached" in done.stdout
        assert done.stderr.startswith("arbitre: error: 1 report waits: the registrar could not be told\narbitre: hint: ")
        with serving("registrar", "--port", str(registrar), "--data", str(tmp_path / "r")):
            done = subprocess.run(challenge, capture_output=True, text=True, check=True)
        first, second = done.stdout.splitlines()
        assert first.endswith("the registrar: ACC : mais non confirmé")
        assert "a game was played today" in second


@pytest.mark.parametrize(
    "line",
    [
        "registrar --timezone Nowhere/Atall",
        "registrar --port 0",
        "attack",
        "attack host --every 0d",
        "attack host --every soon",
        "attack host --time none",
        "attack host --player random --level 1",
        "defend --port 99999",
        "report game.pdn --opponent 127.0.0.1 --registrar host",
        "report game.pdn --white --registrar host",
    ],
)
def test_wrong_calls_are_usage_errors(line: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(draughts, [*line.split(), "--data", str(tmp_path)])
    assert done.exit_code == 2, done.output
    assert not list(tmp_path.iterdir())


def test_a_roster_that_cannot_be_read_stops_the_registrar(tmp_path: Path) -> None:
    roster = tmp_path / "groups"
    for text, why in ((b"\xff", "is no UTF-8 text"), (b"x y", "line 1 of the roster")):
        roster.write_bytes(text)
        done = CliRunner().invoke(draughts, ["registrar", "--roster", str(roster), "--data", str(tmp_path / "data")])
        assert isinstance(done.exception, LeagueError)
        assert why in str(done.exception)
    assert not (tmp_path / "data").exists()
    roster.write_bytes(b"\xef\xbb\xbf127.0.0.1 the owls\r\n")
    assert open_roster(roster).identity(mapped("127.0.0.1")) == "the owls", "an editor's mark before the first line is none of it"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("attack host:x", "is no address"),
        ("attack host --registrar [::1", "is no address"),
        ("attack host --bind somewhere", "no IPv4 or IPv6 address"),
        ("attack host --player nobody", "no player is called"),
        ("attack host --player cmd:./robot-that-is-not-there", "there is no program './robot-that-is-not-there'"),
        ("registrar --host no..such", "no host has such a name"),
        ("registrar --host 192.0.2.1", "cannot listen on 192.0.2.1:5777: Cannot assign requested address"),
        ("defend --time fast", "no time limit is written"),
        ("league", "there is no league in"),
        ("report nothing.pdn --white --opponent me --registrar host", "no IPv4 or IPv6 address"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(line: str, why: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(draughts, [*line.split(), "--data", str(tmp_path)])
    assert isinstance(done.exception, ArbitreError), done.output
    assert why in str(done.exception)
