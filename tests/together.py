"""Run tests side by side, `--processes N`, in processes that are born with every test found: a plug-in of pytest.

To find eleven thousand tests takes a core twenty seconds, and each process of the usual plug-in finds them again; here they are
found once, and every process is a fork of the one that has. A process takes file after file, so that a site that the tests of a
file share is opened once; the tests of a campaign, each of which takes long, are taken one by one. It asks for what comes next
before its last test, so that what lasts a session, as a browser does, goes on from file to file.

What a test came to is sent to the first process, which alone tells and counts. A process that dies is told as the failure of the
test that it was at, and another takes its place.
"""

import atexit
import os
import random
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from signal import SIGINT, SIGKILL
from tempfile import TemporaryFile
from typing import Any, NoReturn

import pytest
from _pytest.capture import FDCapture

TELLERS = ("terminalreporter", "lfplugin", "nfplugin", "junitxml")
"""Plug-ins that tell or keep what tests came to: theirs is the first process."""

PATIENCE = 10.0
"""Seconds without a word after which a process that is to leave is ended."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Say how many processes."""
    parser.addoption("--processes", type=int, default=0, metavar="N", help="run tests side by side in so many processes")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run what was found; with no processes, or nothing to run, leave it to pytest."""
    processes: int = session.config.getoption("processes")
    if not processes or session.config.getoption("collectonly") or session.testsfailed or not session.items:
        return None
    Run(session, processes).go()
    return True


def units(items: Sequence[pytest.Item]) -> Iterator[Sequence[int]]:
    """Return the numbers of tests that one process takes together, in order."""

    def together(number: int) -> tuple[object, int]:
        item = items[number]
        return item.path, number if item.get_closest_marker("campaign") else -1

    for _, numbers in groupby(range(len(items)), key=together):
        yield tuple(numbers)


@dataclass
class Process:
    """One that runs tests."""

    pid: int
    line: "Connection[Any, Any]"
    left: deque[int] = field(default_factory=deque)
    """What it was given and has not finished: the first is the one that it is at."""


class Run:
    """The first process: it gives tests out, and hears what they came to."""

    def __init__(self, session: pytest.Session, processes: int) -> None:
        self.session = session
        self.processes = processes
        self.waiting = deque(units(session.items))
        self.running: dict[Connection[Any, Any], Process] = {}

    def go(self) -> None:
        """Run everything."""
        told = False
        try:
            for _ in range(min(self.processes, len(self.waiting))):
                self.bear()
            while self.running:
                for line in wait(list(self.running)):
                    assert isinstance(line, Connection)
                    self.hear(self.running[line])
                if self.session.shouldfail:
                    raise self.session.Failed(self.session.shouldfail)
                if self.session.shouldstop:
                    raise self.session.Interrupted(self.session.shouldstop)
        except KeyboardInterrupt:
            told = True  # by the terminal, as we were
            raise
        finally:
            self.leave(told=told)

    def leave(self, *, told: bool) -> None:
        """Have the processes put away what tests hold open, and end those that do not."""
        for one in self.running.values():
            if not told:
                os.kill(one.pid, SIGINT)
        while self.running and (lines := wait(list(self.running), PATIENCE)):
            for line in lines:
                assert isinstance(line, Connection)
                try:
                    line.recv()
                except (EOFError, ConnectionResetError):
                    os.waitpid(self.running.pop(line).pid, 0)
        for one in self.running.values():
            os.kill(one.pid, SIGKILL)
            os.waitpid(one.pid, 0)

    def bear(self) -> None:
        """Fork a process, and let it ask."""
        mine, other = Pipe()
        if (pid := os.fork()) == 0:
            mine.close()
            for one in self.running:
                one.close()
            work(self.session, other)
        other.close()
        self.running[mine] = Process(pid, mine)

    def hear(self, one: Process) -> None:
        """Do what a process says: it wants more, has finished a test, or tells what one came to."""
        try:
            what, said = one.line.recv()
        except (EOFError, ConnectionResetError):
            self.bury(one)
            return
        if what == "more":
            unit = self.waiting.popleft() if self.waiting else ()
            one.left += unit
            with suppress(BrokenPipeError):
                one.line.send(unit)
        elif what == "finished":
            one.left.remove(said)
        else:
            hook = self.session.config.hook
            hook.pytest_runtest_logreport(report=hook.pytest_report_from_serializable(config=self.session.config, data=said))

    def bury(self, one: Process) -> None:
        """Let a process be over; where it died amid a test, that one has failed and another process does the rest."""
        del self.running[one.line]
        one.line.close()
        _, status = os.waitpid(one.pid, 0)
        why = f"the process that ran it ended with status {os.waitstatus_to_exitcode(status)}"
        if one.left:
            item = self.session.items[one.left.popleft()]
            report = pytest.TestReport(item.nodeid, item.location, {}, "failed", why, "call")
            self.session.config.hook.pytest_runtest_logreport(report=report)
            if one.left:
                self.waiting.appendleft(tuple(one.left))
        elif status:
            raise RuntimeError(why.replace("ran it", "was to run tests"))
        if self.waiting:
            self.bear()


def work(session: pytest.Session, line: "Connection[Any, Any]") -> NoReturn:
    """Be a process that runs tests, until there are no more."""
    status = 1
    try:
        _born(session, line)
        unit = _more(line)
        while unit:
            for number, following in pairwise(unit):
                _run(session, line, number, following)
            upcoming = _more(line)
            _run(session, line, unit[-1], upcoming[0] if upcoming else None)
            unit = upcoming
        atexit._run_exitfuncs()  # those of the fork alone: what was the first process's is cleared
        status = 0
    except KeyboardInterrupt:
        session._setupstate.teardown_exact(None)  # browsers, databases and programs end with their tests
    finally:  # whatever happens, it must not go on as its parent
        os._exit(status)


def _born(session: pytest.Session, line: "Connection[Any, Any]") -> None:
    """Let go of what is the first process's, and send it what tests come to."""
    atexit._clear()
    random.seed()
    manager = session.config.pluginmanager
    for name in TELLERS:
        if manager.has_plugin(name):
            manager.unregister(name=name)
    manager.register(_Sender(session.config, line))
    capturing: Any = manager.get_plugin("capturemanager")
    for one in (capturing._global_capturing.out, capturing._global_capturing.err):
        if isinstance(one, FDCapture):  # into a file that all forks would share; tests may have imported who holds it
            with TemporaryFile() as own:
                os.dup2(own.fileno(), one.tmpfile.fileno())


class _Sender:
    """A plug-in that sends reports."""

    def __init__(self, config: pytest.Config, line: "Connection[Any, Any]") -> None:
        self.config = config
        self.line = line

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Send one."""
        said = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        self.line.send(("came", said))


def _more(line: "Connection[Any, Any]") -> Sequence[int]:
    line.send(("more", None))
    unit: Sequence[int] = line.recv()
    return unit


def _run(session: pytest.Session, line: "Connection[Any, Any]", number: int, following: int | None) -> None:
    item = session.items[number]
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=None if following is None else session.items[following])
    line.send(("finished", number))
