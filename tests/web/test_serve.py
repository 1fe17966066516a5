"""`arbitre serve` as people start it: a process, its ports, what it prints, how it stops."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from arbitre.arcade.bout import Ending, Finish
from arbitre.arcade.side import Throw
from arbitre.arcade.visitor import Player, join
from arbitre.cli.serve import serve, wait_for_database
from arbitre.elections import Verdict
from arbitre.elections.election import HubElection
from arbitre.elections.live import choosing, take_part
from arbitre.elections.transport import Address, HubChannel
from arbitre.errors import SettingsError, StoreError
from arbitre.records.place import Place
from arbitre.records.store import Store
from arbitre.referee.verify import Proof, verify
from arbitre.transport.sockets import listen
from tests.league.house import ANN, BOB, CONFIRMED, PENDING, black, send, white
from tests.reasons import gives
from tests.web.site import Client

LISTENERS = {
    "draughts registrar": "registrar-port",
    "arcade": "arcade-port",
    "hub of elections": "hub-port",
    "draughts defender": "defender-port",
}
USUAL_PORTS = (5777, 3232, 8282, 7777)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


@contextmanager
def served(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """Start the command; yield it with the lines up to the last of its announcement."""
    command = [sys.executable, "-m", "arbitre", "serve", "--data", str(folder), "--port", "0", *options]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "LC_ALL": "C.UTF-8"}
    )
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        lines = []
        for line in process.stdout:
            lines.append(line.rstrip())
            if line.startswith("stop it"):
                break
        yield process, lines
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def test_it_says_where_everything_is_and_stops_cleanly(tmp_path: Path) -> None:
    ports = [str(free_port()) for _ in range(4)]
    listeners = [word for option, port in zip(LISTENERS.values(), ports, strict=True) for word in (f"--{option}", port)]
    with served(tmp_path, *listeners, "--house-games", "0") as (process, lines):
        assert lines[0].startswith("Arbitre is open at http://127.0.0.1:")
        assert lines[1:5] == [f"the {name} listens at 127.0.0.1:{port}" for name, port in zip(LISTENERS, ports, strict=True)]
        client = Client(int(lines[0].rpartition(":")[2]))
        assert client.get("/").status == 200
        with socket.create_connection(("127.0.0.1", int(ports[0])), timeout=5) as reporter:
            reporter.shutdown(socket.SHUT_WR)
            assert reporter.recv(100)
        with socket.create_connection(("127.0.0.1", int(ports[3])), timeout=20) as challenger:
            assert challenger.recv(100).endswith(b"\0"), "white begins"
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (0, "closed\n", "")


def test_a_usual_port_that_is_taken_is_named_in_one_line_and_the_site_opens(tmp_path: Path) -> None:
    here = "127.0.0.77"  # an address that no other test listens on
    with ExitStack() as stack:
        for port in USUAL_PORTS:
            stack.enter_context(socket.create_server((here, port)))
        process, lines = stack.enter_context(served(tmp_path, "--listen", here, "--house-games", "0"))
        assert Client(int(lines[0].rpartition(":")[2])).get("/league").status == 200
        for name, port, line in zip(LISTENERS, USUAL_PORTS, lines[1:5], strict=True):
            assert line.startswith(f"the {name} is not open: cannot listen ")
            assert f"{here}:{port}: " in line
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=20)
    assert len(err.splitlines()) == 4, "one line each in the log, and nothing else is complained of"


@pytest.mark.parametrize("where", ["option", "file"])
@pytest.mark.parametrize("name", LISTENERS)
def test_a_port_that_was_asked_for_and_is_taken_is_an_error(tmp_path: Path, name: str, where: str) -> None:
    asked = LISTENERS[name]
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        (tmp_path / "site.toml").write_text(f"{asked} = {port}\n")
        given = [f"--{asked}", str(port)] if where == "option" else ["--config", str(tmp_path / "site.toml")]
        others = [word for option in LISTENERS.values() if option != asked for word in (f"--{option}", "0")]
        done = CliRunner().invoke(serve, ["--port", "0", "--data", str(tmp_path / "site"), "--house-games", "0", *others, *given])
    assert isinstance(done.exception, SettingsError), done.output
    assert str(done.exception).startswith(f"{asked}: cannot listen ")
    assert f"127.0.0.1:{port}" in str(done.exception)
    assert gives(done.exception.hint, "takes another port, or 0 for none", option=asked)
    assert done.output == "", "the site was not announced"


class Wheel(Player):
    """One sign after the other."""

    name = "wheel"

    def throw(self, past: Sequence[Throw]) -> str:
        return ("PIERRE", "FEUILLE", "CISEAUX")[len(past) % 3]


@pytest.mark.sqlite
def test_every_door_is_played_through(tmp_path: Path) -> None:
    """A whole match at the arcade, two reports of one game, an election: at the ports that the command itself opened."""
    registrar, arcade, hub = (free_port() for _ in range(3))
    doors = [
        f"--{name}-port={port}" for name, port in (("registrar", registrar), ("arcade", arcade), ("hub", hub), ("defender", 0))
    ]

    async def everything() -> tuple[Finish, list[str], list[Verdict]]:
        parties = [HubElection(name, choosing()) for name in "abc"]
        election = asyncio.gather(*(take_part(one, HubChannel(one.name, Address("127.0.0.1", hub))) for one in parties))
        match = asyncio.to_thread(join, ("127.0.0.1", arcade), Wheel(), level="Nightmare")
        answers = [await send(registrar, ANN, white(BOB, 1)), await send(registrar, BOB, black(ANN, 1))]
        return await match, answers, list(await election)

    with served(tmp_path, *doors, "--house-games=0") as (process, lines):
        client = Client(int(lines[0].rpartition(":")[2]))
        finish, answers, verdicts = asyncio.run(everything())
        assert finish.ending is Ending.GOAL
        assert answers == [PENDING, CONFIRMED]
        assert len({verdict.winner for verdict in verdicts}) == 1
        assert "127.0.0.2" in client.get("/league").text
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=20)
        assert (process.returncode, out, err) == (0, "closed\n", "")
    assert [path.suffix for path in (tmp_path / "elections").iterdir()] == [".jsonl"]
    store = Store(tmp_path)
    (row,) = store.matches(game="arcade")
    assert verify(store.record(row.name).text().encode(), keys=[store.key().fingerprint]).standing is Proof.VERIFIED
    store.close()


def test_a_busy_port_is_an_error_with_a_hint(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        command = [sys.executable, "-m", "arbitre", "serve", "--data", str(tmp_path), "--port", str(busy.getsockname()[1])]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "cannot listen on 127.0.0.1" in done.stderr
    assert "hint: --port 0 takes a free one" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--host", "999.1.1.1"), "hint: --host is an address of this machine"),
        (("--host", "192.0.2.1"), "hint: --host is an address of this machine"),
        (("--timezone", "Mars/X"), "no time zone is called 'Mars/X': try Europe/Paris"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_opens(tmp_path: Path, options: tuple[str, ...], words: str) -> None:
    command = [sys.executable, "-m", "arbitre", "serve", "--data", str(tmp_path / "site"), "--port", "0", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert words in done.stderr
    assert "takes a free one" not in done.stderr
    assert not (tmp_path / "site").exists()


@pytest.mark.sqlite
def test_a_folder_that_is_open_already_is_told_and_is_free_again_when_the_site_is_terminated(tmp_path: Path) -> None:
    none = ("--registrar-port", "0", "--arcade-port", "0", "--hub-port", "0", "--defender-port", "0", "--house-games", "0")
    store = Store(tmp_path)
    with served(tmp_path, *none) as (process, _):
        with pytest.raises(StoreError, match="another process is at work on site"), store.holding("site"):
            pass
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=20) == ("closed\n", "")
        assert process.returncode == 0
    with store.holding("site"), served(tmp_path, *none) as (process, lines):
        assert lines == []
        _, err = process.communicate(timeout=20)
        assert process.returncode == 1
        assert "another process is at work on site" in err
        assert "Traceback" not in err
    store.close()


def test_while_the_database_is_away_a_node_that_opens_anew_keeps_nobody_waiting(tmp_path: Path) -> None:
    sockets = listen("127.0.0.1", 0)
    client = Client(int(sockets[0].getsockname()[1]))
    nowhere = Place(tmp_path, "postgresql://arbitre@127.0.0.1:1/none")

    async def course() -> None:
        stopped = asyncio.Event()
        waiting = asyncio.ensure_future(wait_for_database(nowhere, sockets, stopped))
        for answer in [await asyncio.to_thread(client.get, "/play") for _ in range(2)]:
            assert (answer.status, answer.headers["retry-after"]) == (503, "1")
        assert (await asyncio.to_thread(client.ask, "POST", "/login", b"name=ann")).status == 503
        stopped.set()
        await waiting

    asyncio.run(asyncio.wait_for(course(), 60))
    for one in sockets:
        one.close()
