"""Commands in processes of their own that begin with everything loaded: what a hundred of them would load a hundred times."""

import atexit
import gc
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import NamedTuple

from arbitre.cli import COMMANDS

LOADED = (*(f"arbitre.cli.{name}" for name in COMMANDS), "arbitre.site.community", "arbitre.hall", "arbitre.referee.verify")


class Said(NamedTuple):
    """How a command ended, and what it said."""

    status: int
    out: str
    err: str


class Nursery:
    """A process that forks for every command: it has one thread, so nothing is torn by that.

    A command has our environment of that moment, and what is said here, which Python itself may want to know at its start.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._folder = TemporaryDirectory()
        self._environment = environment
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.cli.forked"],
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )

    def call(
        self, *arguments: str, given: str = "", cwd: Path | None = None, more: Mapping[str, str] = MappingProxyType({})
    ) -> Said:
        """Run a command, with more in its environment, and return what it said."""
        streams = [Path(self._folder.name) / name for name in ("stdin", "stdout", "stderr")]
        streams[0].write_text(given, encoding="utf-8")
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        environment = {**os.environ, **self._environment, **more}
        process.stdin.write(json.dumps([arguments, list(map(str, streams)), str(cwd or Path.cwd()), environment]) + "\n")
        process.stdin.flush()
        return Said(int(process.stdout.readline()), *(one.read_text(encoding="utf-8") for one in streams[1:]))

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()
        self._folder.cleanup()


@cache
def nursery(**environment: str) -> Nursery:
    """Return where commands are born that have this in their environment, as long as this process lives."""
    made = Nursery(environment)
    atexit.register(made.close)
    return made


def _born(arguments: list[str], streams: list[str], folder: str, environment: dict[str, str]) -> None:
    """Be the command, with streams that are files."""
    from arbitre.cli import run  # noqa: PLC0415 - the parent has loaded it

    for number, (path, mode) in enumerate(zip(streams, ("r", "w", "w"), strict=True)):
        with Path(path).open(mode) as stream:
            os.dup2(stream.fileno(), number)
    sys.stdin, sys.stdout, sys.stderr = (os.fdopen(number, mode) for number, mode in enumerate(("r", "w", "w")))
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["arbitre", *arguments]
    status = run(arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _serve() -> None:
    for name in LOADED:
        __import__(name)
    gc.freeze()
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            _born(*json.loads(line))
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    _serve()
