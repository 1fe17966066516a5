"""`arbitre` as a program whose processes begin with everything loaded: what a hundred of them would load a hundred times.

A process that has loaded it, the nursery, forks for every command: it has one thread, so nothing is torn by that. The program on
the path is a few lines that hand over their streams, folder and environment, and end as the command ends; a command whose program
is killed is killed too. Where it matters how a process begins, tests start the real one.
"""

import atexit
import gc
import os
import select
import signal
import socket
import subprocess
import sys
import traceback
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from arbitre.cli import COMMANDS, run

LOADED = (*(f"arbitre.cli.{name}" for name in COMMANDS), "arbitre.site.community", "arbitre.hall", "arbitre.referee.verify")
LONGEST = 1 << 18
"""Octets of arguments and environment."""

PROGRAM = """#!{python} -IS
import os, socket, sys
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as line:
    line.connect({address!r})
    said = [os.getcwd(), *sys.argv[1:], "", *(f"{{name}}={{text}}" for name, text in os.environ.items())]
    socket.send_fds(line, [chr(0).join([str(len(sys.argv)), *said]).encode("utf-8", "surrogateescape")], [0, 1, 2])
    sys.exit(int(line.recv(16) or b"1"))
"""


class Nursery:
    """Where commands are born; `program` is the path of `arbitre`, for whoever starts programs."""

    def __init__(self, **environment: str) -> None:
        self._folder = TemporaryDirectory()
        address = Path(self._folder.name) / "door"
        self.program = Path(self._folder.name) / "bin" / "arbitre"
        self.program.parent.mkdir()
        self.program.write_text(PROGRAM.format(python=sys.executable, address=str(address)), encoding="utf-8")
        self.program.chmod(0o700)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.cli.forked", str(address)],
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[2],
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"open\n"

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()
        self._folder.cleanup()


@cache
def nursery(**environment: str) -> Nursery:
    """Return one whose Python begins with this in its environment; it is there as long as this process."""
    made = Nursery(**environment)
    atexit.register(made.close)
    return made


def _serve(address: str) -> None:
    for name in LOADED:
        import_module(name)
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how those who attend to a command end
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as door:
        door.bind(address)
        door.listen(64)
        print("open", flush=True)
        while True:
            line, _ = door.accept()
            if os.fork() == 0:
                door.close()
                _attend(line)
            line.close()


def _attend(line: socket.socket) -> None:
    """Let a command be born, tell how it ended, and end it where nobody waits for it any more."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    said, streams, _, _ = socket.recv_fds(line, LONGEST, 3)
    pid = os.fork()
    if pid == 0:
        line.close()
        _born(os.fsdecode(said).split("\0"), streams)
    for one in streams:
        os.close(one)
    ended = os.pidfd_open(pid)
    if ended not in select.select([line.fileno(), ended], [], [])[0]:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    try:
        line.send(str(os.waitstatus_to_exitcode(status) % 256).encode())
    finally:
        os._exit(0)


def _born(said: list[str], streams: list[int]) -> None:
    """Be the command."""
    status = 1
    try:
        for number, one in enumerate(streams):
            os.dup2(one, number)
            os.close(one)
        sys.stdin, sys.stdout, sys.stderr = (os.fdopen(number, mode) for number, mode in enumerate(("r", "w", "w")))
        count, folder, arguments = int(said[0]), said[1], said[2:]
        os.chdir(folder)
        os.environ.clear()
        os.environ.update({name: text for name, _, text in (one.partition("=") for one in arguments[count:])})
        sys.argv = ["arbitre", *arguments[: count - 1]]
        status = run(sys.argv[1:])
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:  # a process that is born here must never go on as its parent
        traceback.print_exc()
    finally:
        os._exit(status)


if __name__ == "__main__":
    _serve(sys.argv[1])
