"""Run the tests side by side, and what fails in the crowd once more, alone: `python -m tests.twice [arguments of pytest]`.

Real sockets, browsers and killed processes share the machine's cores, and a test may have waited too long for its turn. What
fails alone too has failed. What does not has a fault of its own, so it is named at the end, to be mended; more than five such
tests fail the whole run. What was skipped is named there too, with its reason.

`tests/together.py` has the processes, and `tests/conftest.py` puts the long files first. There are twice as many processes as
cores, because much of their time the tests wait: for browsers, for programs that are killed and come back, for players that are
slow on purpose.
"""

import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from typing import Any

import pytest

from arbitre.games import kernels

FORGIVEN = 5
"""How many tests may need the second run."""

CHOSEN = ("-m", "not campaign")
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
TOGETHER = (*CHOSEN, "--processes", str(2 * CORES))
ALONE = (*CHOSEN, "-v", "--last-failed", "--last-failed-no-failures", "none")


class Tally:
    """A plug-in of pytest that notes how each test has ended."""

    def __init__(self) -> None:
        self.status = 0
        self.passed: set[str] = set()
        self.failed: set[str] = set()
        self.skipped: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note one phase of a test; what fails while it is set up or torn down has failed."""
        if report.failed:
            self.failed.add(report.nodeid)
        elif report.skipped:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            self.skipped[report.nodeid] = reason.removeprefix("Skipped: ")
        elif report.when == "call":
            self.passed.add(report.nodeid)


def main(arguments: Sequence[str]) -> int:
    """Run the tests, print what became of them, and return the exit status."""
    begun = time.monotonic()
    with kernels.compiling():  # tests would wait for it
        first = run(*TOGETHER, *arguments)
    if first.status not in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED} or (first.status and not first.failed):
        return first.status  # interrupted, or not even begun
    second = Tally()
    if first.failed:
        print("\narbitre: what failed is run again, alone", flush=True)
        second = run(*ALONE, *arguments)
    failed = sorted(second.failed | (first.failed - second.passed))
    needed = sorted(first.failed - set(failed))
    skipped = first.skipped | second.skipped
    print()
    _skipped(skipped)
    _named(f"{_counted(len(needed))} needed the second run: mend what makes a busy machine fail them", needed)
    _named(f"{_counted(len(failed))} failed, alone too", failed)
    passed = len((first.passed | second.passed) - set(failed))
    minutes, seconds = divmod(round(time.monotonic() - begun), 60)
    print(
        f"arbitre: {passed} passed, {len(needed)} of them in the second run, {len(failed)} failed, {len(skipped)} skipped, "
        f"in {minutes} min {seconds} s"
    )
    if len(needed) > FORGIVEN:
        print(f"arbitre: error: {_counted(len(needed))} needed the second run, and {FORGIVEN} may")
    return int(bool(failed) or bool(second.status) or len(needed) > FORGIVEN)


def run(*arguments: str) -> Tally:
    """Run tests in a process of their own, for what one run has imported holds what that run has closed."""
    near, far = Pipe(duplex=False)
    process = get_context("fork").Process(target=_run, args=(arguments, near, far))
    process.start()
    far.close()
    try:
        tally: Tally = near.recv()
    except EOFError:
        tally = Tally()
    process.join()
    tally.status = tally.status or int(process.exitcode or 0)
    return tally


def _run(arguments: Sequence[str], near: "Connection[Any, Any]", far: "Connection[Any, Any]") -> None:
    near.close()
    tally = Tally()
    tally.status = int(pytest.main([*arguments], plugins=[tally]))
    far.send(tally)


def _skipped(skipped: dict[str, str]) -> None:
    """Print what was skipped, under each reason."""
    reasons: dict[str, list[str]] = defaultdict(list)
    for name, reason in skipped.items():
        reasons[reason].append(name)
    for reason in sorted(reasons):
        _named(f"{_counted(len(reasons[reason]))} skipped, {reason}", sorted(reasons[reason]))


def _named(heading: str, names: Iterable[str]) -> None:
    """Print names under a heading, if there are any."""
    lines = [f"  {name}" for name in names]
    if lines:
        print(f"arbitre: {heading}", *lines, sep="\n")


def _counted(tests: int) -> str:
    return "1 test" if tests == 1 else f"{tests} tests"


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
