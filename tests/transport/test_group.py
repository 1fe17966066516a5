"""Control groups, made for real where this machine lets us; and families, looked up where it does not."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arbitre.errors import HouseError
from arbitre.transport.group import Cgroup, family, ground, held_here, make_group, tasks_of_machine

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="these tests look at processes in /proc")

RUNAWAY = "echo $$ >$0; setsid sh -c 'setsid sleep 100 & exec sleep 100' & echo ready; exec sleep 100"


@pytest.fixture
def group() -> Iterator[Cgroup]:
    try:
        ground()
    except HouseError as error:
        pytest.skip(str(error))
    made = make_group(64, 1 << 28)
    assert made is not None
    yield made
    if made.path.exists():
        made.kill()
    while not made.remove():
        pass


def test_nobody_leaves_a_group_and_all_end_together(group: Cgroup) -> None:
    command = ["/bin/sh", "-c", RUNAWAY, str(group.door)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "ready\n"
        while group.tasks() < 3:
            pass
        assert first.poll() is None
        group.kill()
        assert first.wait(20) == -9
    while group.tasks():
        pass
    assert group.remove()
    assert group.remove(), "who comes too late finds it done"


def test_the_kernel_holds_what_it_says_it_holds(group: Cgroup) -> None:
    if "processes" not in held_here():
        pytest.skip("the controllers of cgroup v2 are not ours here")
    script = "import os, time\nfor _ in range(100):\n    if os.fork() == 0:\n        time.sleep(60)"
    command = ["/bin/sh", "-c", 'echo $$ >$0; exec "$@"', str(group.door), sys.executable, "-c", script]
    assert b"BlockingIOError" in subprocess.run(command, capture_output=True, check=False).stderr
    assert group.tasks() <= 64


def test_a_family_is_found_with_those_who_left_its_session() -> None:
    script = "setsid sleep 100 & sh -c 'sleep 100 & wait' & echo ready; wait"
    with subprocess.Popen(["/bin/sh", "-c", script], stdout=subprocess.PIPE, text=True, start_new_session=True) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "ready\n"
        while len(found := family(first.pid)) < 4:
            pass
        assert os.getpid() not in {one.pid for one in found}
        assert sum(one.threads for one in found) >= 4
        for one in found:
            os.kill(one.pid, 9)
    assert tasks_of_machine() > 0
