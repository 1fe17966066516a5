"""`arbitre serve` as people start it: a process, its ports, what it prints, how it stops."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arbitre.errors import StoreError
from arbitre.records.store import Store
from tests.web.site import Client


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
    ports = [str(free_port()) for _ in range(2)]
    with socket.create_server(("127.0.0.1", 0)) as busy:
        taken = str(busy.getsockname()[1])
        listeners = ("--registrar-port", ports[0], "--arcade-port", taken, "--hub-port", ports[1])
        with served(tmp_path, *listeners, "--house-games", "0") as (process, lines):
            assert lines[0].startswith("Arbitre is open at http://127.0.0.1:")
            assert lines[1] == f"the draughts registrar listens at 127.0.0.1:{ports[0]}"
            assert lines[2].startswith("the arcade is not open: cannot listen at 127.0.0.1:" + taken)
            assert lines[3] == f"the hub of elections listens at 127.0.0.1:{ports[1]}"
            client = Client(int(lines[0].rpartition(":")[2]))
            assert client.get("/").status == 200
            with socket.create_connection(("127.0.0.1", int(ports[0])), timeout=5) as reporter:
                reporter.shutdown(socket.SHUT_WR)
                assert reporter.recv(100)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=20)
            assert (process.returncode, out) == (0, "closed\n")
            (logged,) = err.splitlines()
            assert "the arcade is not open: cannot listen at 127.0.0.1:" + taken in logged, "and nothing else is complained of"


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


def test_a_folder_that_is_open_already_is_told_and_is_free_again_when_the_site_is_terminated(tmp_path: Path) -> None:
    none = ("--registrar-port", "0", "--arcade-port", "0", "--hub-port", "0", "--house-games", "0")
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
