"""`arbitre engine`, `python -m arbitre.bot --http` and addresses as players, as a user meets them."""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arbitre.cli import run
from arbitre.cli.engine import presets
from arbitre.games.catalogue import game, listing
from arbitre.games.levels import levels
from tests.cli.test_cli import ARBITRE, arbitre
from tests.house import WIRED
from tests.tournoyons.test_player import ENGINES, started

Called = Callable[..., tuple[int, str, str]]


MINE = """
from arbitre.bot import Bot

class Careless(Bot):
    def move(self, position):
        return position.sample(self.random)
"""


@pytest.fixture
def called(capsys: pytest.CaptureFixture[str]) -> Called:
    """Return the command line in this process: status, output, errors."""

    def call(*arguments: str) -> tuple[int, str, str]:
        status = run(list(arguments))
        return status, *capsys.readouterr()

    return call


EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "bots"


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def serving(command: list[str], port: int) -> Iterator[str]:
    """Run a server until it is not needed any more."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            for _ in range(400):
                try:
                    socket.create_connection(("127.0.0.1", port), timeout=1).close()
                    break
                except OSError:
                    time.sleep(0.05)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()


@pytest.fixture(scope="module")
def house() -> Iterator[str]:
    port = free_port()
    with serving([*ARBITRE, "engine", "serve", "--port", str(port), "--allow-from", "127.0.0.0/8"], port) as url:
        yield url


def test_the_house_engines_are_listed(called: Called) -> None:
    lines = called("engine", "list")[1].splitlines()
    assert len(lines) == sum(len(levels(name)) for name in WIRED)
    assert lines[0].split("\t") == ["/bigtictactoe/1", "Set=BigTicTacToe", "house:bigtictactoe/1"]
    assert json.loads(called("engine", "list", "--json")[1])[0]["path"] == "/bigtictactoe/1"


@pytest.mark.parametrize("name", WIRED)
def test_a_house_engine_passes_the_tester(house: str, name: str, called: Called) -> None:
    status, told, _ = called("engine", "test", f"{house}/{name}/1", "--game", name)
    assert status == 0, told
    assert f"Set={listing(name).set}&Game=TEST&MoveId=" in told
    assert "&Referee=&Status=0" in told
    assert "wrong" not in told


def test_the_tester_shows_given_positions_and_tells_what_is_wrong(house: str, called: Called) -> None:
    position = ("--game", "tictactoe", "--position", "112200000")
    _, told, _ = called("engine", "test", f"{house}/tictactoe/1", *position)
    assert "&Turn=1&Tray=112200000&" in told
    assert told.splitlines()[-3:] == [
        "1 of 1 answers in the body are good moves of TicTacToe",
        "1 of 1 calls back are good moves of TicTacToe",
        "verdict: it calls back during the call, and answers in the body: register it as it is",
    ]
    status, told, _ = called("engine", "test", f"{house}/reversi/1", *position)
    assert status == 1
    assert "wrong: status 400 instead of 200" in told
    assert "plays Reversi, not Set='TicTacToe'" in told
    status, told, _ = called("engine", "test", "http://127.0.0.1:1/", *position)
    assert status == 1
    assert "the call failed: the connection was refused" in told


def test_an_address_is_a_player(house: str, tmp_path: Path) -> None:
    players = [f"{house}/reversi/1", f"direct={house}/reversi/1#direct,full", "random"]
    plan = [part for player in players for part in ("--player", player)]
    done = arbitre(
        "tournament", "run", "--game", "reversi", *plan, "--time", "10s/move", "-j", "3", "--data", str(tmp_path), "--json",
        "--callback", f"http://localhost:{free_port()}",
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    kept = arbitre("record", "list", "--data", str(tmp_path))
    assert kept.stdout.count("reversi") >= 3


@pytest.mark.parametrize(
    ("player", "words"),
    [
        ("http://127.0.0.1:1/#loud", "'loud' behind 'http://127.0.0.1:1/' is none of direct, full, notify"),
        ("gopher://x/", "a player is one of: house"),
        ("http:x", "a player is one of: house"),
        ("https", "a player is one of: house"),
    ],
)
def test_what_is_no_player_is_told(player: str, words: str, called: Called) -> None:
    status, _, error = called("play", "reversi", "--watch", player, "--no-record")
    assert (status, words in error) == (1, True)


def test_a_callback_is_an_address(called: Called) -> None:
    status, _, error = called("play", "reversi", "--opponent", "http://127.0.0.1:1/", "--callback", "here", "--no-record")
    assert (status, "--callback is an address like" in error) == (2, True)


def test_a_bot_of_ten_lines_is_served_over_http(called: Called) -> None:
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "arbitre.bot",
        str(EXAMPLES / "first.py"),
        "--http",
        str(port),
        "--allow-from",
        "127.0.0.0/8",
    ]
    with serving(command, port) as url:
        assert called("engine", "test", url, "--game", "pente")[0] == 0
        status, told, error = called("play", "tictactoe", "--watch", url, "--opponent", "random", "--no-record")
        assert (status, error) == (0, "")
        assert f"127.0.0.1:{port}: " in told


def test_an_engine_with_a_language_of_its_own_is_served_over_http(called: Called) -> None:
    port = free_port()
    player = f"gomocup:depth=1 {sys.executable} -m arbitre engine speak gomocup bigtictactoe/1"
    command = [*ARBITRE, "engine", "serve", "--player", player, "--game", "bigtictactoe", "--option", "first=yes"]
    with serving([*command, "--port", str(port)], port) as url:
        assert called("engine", "test", url, "--game", "bigtictactoe", "--option", "first=yes")[0] == 0
        status, told, error = called(
            "play", "bigtictactoe", "--option", "first=yes", "--watch", url, "--opponent", "random", "--no-record"
        )
        assert (status, error) == (0, "")
        assert f"127.0.0.1:{port}: " in told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--player", "py:x.py"], "--game"),
        (["--game", "reversi"], "--player"),
        (["--player", "house", "--game", "reversi"], "no program of this machine"),
        (["--player", "http://127.0.0.1:1/", "--game", "reversi"], "no program of this machine"),
    ],
)
def test_what_cannot_be_served_is_said(called: Called, arguments: list[str], words: str) -> None:
    status, _, error = called("engine", "serve", *arguments)
    assert status == 2
    assert words in error


@pytest.mark.parametrize("name", WIRED)
def test_the_preset_boards_begin_with_the_start(name: str) -> None:
    shown = list(presets(game(name)))
    assert len(shown) >= 5
    assert shown[0].turn == 1
    assert {one.seat for one in shown} == {0, 1}


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("foo", "begins with http:// or https://, not 'foo'"),
        ("ftp://127.0.0.1/", "begins with http:// or https://"),
        ("http://", "no host"),
        ("http://127.0.0.1:notaport/", "is no address"),
    ],
)
def test_what_is_no_address_is_refused_once_and_nothing_is_called(url: str, words: str, called: Called) -> None:
    status, told, error = called("engine", "test", url, "--game", "reversi")
    assert (status, told) == (1, "")
    assert error.count(words) == 1


@pytest.mark.parametrize("name", ["tictactoe", "poker", "seafight"])
def test_a_bot_on_a_pipe_is_tried_like_an_engine(name: str, called: Called, tmp_path: Path) -> None:
    bot = tmp_path / "mine.py"
    bot.write_text(MINE, encoding="ascii")
    status, told, _ = called("engine", "test", f"py:{bot}", "--game", name)
    assert status == 0, told
    assert "  → position " in told
    assert "  ← move " in told
    assert "wrong" not in told


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("import sys\nsys.exit('no such module')", "wrong: exited with status 1: no such module\nthe bot does not play: "),
        (
            "input(); print('hello 2', flush=True); input(); input(); print('5', flush=True); input()",
            "wrong: '5' is no line of a bot",
        ),
        ("input(); print('hello 2', flush=True); input(); input(); print('move e4', flush=True); input()", "← move e4, "),
        ("input(); print('hello 2', flush=True); input(); input(); print('resign', flush=True); input()", "wrong: it resigned"),
        ("input(); print('hello 2', flush=True); input(); input(); input()", "wrong: no answer within 1 seconds; it has "),
    ],
)
def test_a_bot_on_a_pipe_is_told_what_is_wrong(program: str, words: str, called: Called, tmp_path: Path) -> None:
    bot = tmp_path / "mine.py"
    bot.write_text(program, encoding="ascii")
    asked = ("--game", "tictactoe", "--timeout", "1", *("--position", "112200000") * (2 if "exit" in program else 1))
    status, told, _ = called("engine", "test", f"cmd:{sys.executable} {bot}", *asked)
    assert status == 1
    assert words in told


def test_where_nobody_takes_the_first_call_no_other_is_made(called: Called) -> None:
    status, told, _ = called("engine", "test", f"http://127.0.0.1:{free_port()}/", "--game", "reversi")
    assert status == 1
    assert told.count("the call failed") == 1
    assert "nobody takes calls there: 7 more positions were not shown\n0 of 1 answers in the body" in told
    assert told.endswith("verdict: it is not ready to play\n")


@pytest.fixture(scope="module")
def styles() -> Iterator[str]:
    yield from started(sys.executable, "-S", str(ENGINES / "styles.py"))


@pytest.mark.parametrize(
    ("path", "status", "verdict", "told"),
    [
        (
            "careful",
            0,
            "it calls back during the call, and answers in the body: register it as it is",
            "good, called back during the",
        ),
        ("behind", 0, "it calls back after the call: register it as it is", "good, called back after the call"),
        ("faithful", 0, "it calls back during the call: register it as it is", "do not declare it direct"),
        ("direct", 0, "it answers in the body: declare it direct (#direct)", "it hung up before it had answered"),
        ("written", 1, "it is not ready to play", "declare it “full board” (#full)"),
        ("method-POST", 1, "it is not ready to play", "called back by POST, only GET is a call back"),
    ],
)
def test_both_ways_to_answer_are_tried(styles: str, path: str, status: int, verdict: str, told: str, called: Called) -> None:
    found, said, _ = called("engine", "test", f"{styles}/{path}", "--game", "tictactoe", "--timeout", "1")
    assert (found, said.splitlines()[-1]) == (status, f"verdict: {verdict}"), said
    assert told in said


def test_the_full_board_mends_what_it_was_proposed_for(styles: str, called: Called) -> None:
    assert called("engine", "test", f"{styles}/written", "--game", "tictactoe", "--full")[0] == 0


def test_one_way_alone_is_tried_where_that_is_asked_for(styles: str, called: Called) -> None:
    status, said, _ = called("engine", "test", f"{styles}/careful", "--game", "tictactoe", "--answers", "body")
    assert (status, "Game=TEST" in said, "calls back" in said) == (0, True, False)
    status, said, _ = called("engine", "test", f"{styles}/careful", "--game", "tictactoe", "--answers", "back")
    assert (status, "Game=TEST" in said, "in the body" in said) == (0, False, False)
