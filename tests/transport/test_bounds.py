"""What a program and all that it starts use together is bounded: by the watcher on every machine, by the system where it can."""

import sys
from pathlib import Path

import pytest

from arbitre.errors import HouseError
from arbitre.transport.bounds import Bounded, Bounds, How, how, scopes, why_no_groups
from arbitre.transport.group import family
from arbitre.transport.sandbox import Sandbox, works

SMALL = Bounds(memory=96 << 20, tasks=24)
EATS = """
import os, time
for _ in range(6):
    if not os.fork():
        kept = bytearray(b"x") * (40 << 20)
        print("full", flush=True)
        time.sleep(600)
for _ in range(6):
    os.wait()
"""
SHARES = """
import mmap, os, time
kept = mmap.mmap(-1, 200 << 20)
for at in range(0, len(kept), 4096):
    kept[at] = 1
print("full", flush=True)
time.sleep(600)
"""
FORKS = """
import os, time
while True:
    try:
        if not os.fork():
            time.sleep(600)
    except OSError:
        time.sleep(0.01)
"""
HONEST = """
import os, sys
kept = bytearray(b"x") * (60 << 20)
for _ in range(6):
    if not os.fork():
        sys.stdin.readline()
        os._exit(0)
print("well", flush=True)
sys.stdin.readline()
"""


@pytest.fixture(params=["scope", "cgroup", "watch"])
def by(request: pytest.FixtureRequest) -> How:
    kind: How = request.param
    if kind == "scope" and not scopes():
        pytest.skip("the user's service manager makes no scopes here")
    if kind == "cgroup" and why_no_groups():
        pytest.skip(why_no_groups())
    return kind


@pytest.fixture
def sandbox() -> Sandbox:
    try:
        works()
    except HouseError as error:
        pytest.skip(str(error))
    return Sandbox()


@pytest.mark.parametrize(("text", "why"), [(EATS, "group-too-large"), (SHARES, "group-too-large"), (FORKS, "group-too-many")])
def test_a_whole_group_is_bounded(text: str, why: str, by: How, sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(text)
    started = Bounded(sandbox.wrap([sys.executable, "bot.py"], tmp_path), SMALL, by)
    relatives: list[int] = []
    try:
        if by == "watch":
            started.process.wait(60)
            assert started.killed is not None
            assert started.killed.code == why
        elif why == "group-too-large":
            assert started.process.stdout is not None
            assert started.process.stdout.read().count(b"full") < 6  # the kernel ended some
        else:
            while len(relatives) < 10:
                relatives = [one.pid for one in family(started.process.pid)]
            assert len(relatives) <= SMALL.tasks
    finally:
        started.bury()
    assert not [one for one in family(started.process.pid) if one.pid != started.process.pid]


def test_what_a_fork_shares_is_not_counted_for_each(by: How, sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(HONEST)
    started = Bounded(sandbox.wrap([sys.executable, "bot.py"], tmp_path), SMALL, by)
    try:
        assert started.process.stdout is not None
        assert started.process.stdin is not None
        assert started.process.stdout.readline() == b"well\n"
        started.look()
        assert started.killed is None
        assert started.process.poll() is None
    finally:
        started.bury()


def test_what_was_killed_is_gone_with_all_that_it_started(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(HONEST)
    started = Bounded(sandbox.wrap([sys.executable, "bot.py"], tmp_path), Bounds(), "watch")
    assert started.process.stdout is not None
    assert started.process.stdout.readline() == b"well\n"
    before = [one.pid for one in family(started.process.pid)]
    assert len(before) > 6
    started.bury()
    alive = [pid for pid in before if Path(f"/proc/{pid}/stat").exists() and " Z " not in Path(f"/proc/{pid}/stat").read_text()]
    assert alive == []


def test_the_best_way_is_taken() -> None:
    assert how() == ("scope" if scopes() else "watch" if why_no_groups() else "cgroup")
