"""Bounds for a program and everything that it starts, together: memory and tasks of the whole group.

A limit of one process lets six children pass it together. So the whole group is bounded by the system where it does that for us:
by a scope of the user's service manager (`systemd-run --user --scope`), or by a control group of version 2. Everywhere else a
**watcher** looks at every group many times a second, sums its memory and counts its tasks from `/proc`, and kills the group that
has too much. Between two looks a group may pass its bound; what one process can take in that time its own limits bound.

What is summed is memory that nobody else could use: anonymous, shared and swapped. Pages that a fork shares are counted twice at
first; a group that seems too large is counted once more, exactly, before it is killed.
"""

import os
import select
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

from arbitre.errors import HouseError
from arbitre.reasons import Reason, declare
from arbitre.transport.group import Cgroup, family, held_here, make_group
from arbitre.transport.process import SHELL, ProcessLimits, clean_environment
from arbitre.values import value

PROC = Path("/proc")
LOOK_SECONDS = 0.05
"""So often the watcher looks."""
LAST_SECONDS = 10.0
"""What was killed has so long to be gone; a process that waits for a disk may take it."""
MEMORY = 256 << 20
TASKS = 64

How: TypeAlias = Literal["scope", "cgroup", "watch"]
"""By whom a group is bounded: the service manager, the kernel at our word, or the watcher."""

declare(
    {
        "group-too-large": (
            "it and what it started used more than %(most)s MiB",
            "lui et ce qu’il a lancé ont pris plus de %(most)s Mio",
        ),
        "group-too-many": (
            "it started more than %(most)s processes and threads in all",
            "il a lancé plus de %(most)s processus et fils en tout",
        ),
    }
)


@value
class Bounds:
    """What a program and all that it starts may use together."""

    memory: int = MEMORY
    """Octets."""
    tasks: int = TASKS
    """Processes and threads."""

    def limits(self) -> ProcessLimits:
        """Return what each process may use for itself."""
        return ProcessLimits(cpu=3_600, memory=self.memory, file=16 << 20, processes=None, group=None)


def how() -> How:
    """Return by whom groups are bounded on this machine; tried out, not guessed."""
    if scopes():
        return "scope"
    return "cgroup" if not why_no_groups() else "watch"


@cache
def scopes() -> bool:
    """Tell whether the user's service manager makes scopes with bounds for us."""
    if shutil.which("systemd-run") is None:
        return False
    try:
        tried = subprocess.run(_scope(Bounds(), ["true"]), capture_output=True, check=False, timeout=10)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return False
    return tried.returncode == 0


@cache
def why_no_groups() -> str:
    """Return why no control group bounds memory and tasks here; empty: they do."""
    try:
        held = held_here()
    except HouseError as error:
        return str(error)
    return "" if set(held) == {"processes", "memory"} else "the controllers for memory and processes are not ours"


def _scope(bounds: Bounds, command: Sequence[str]) -> list[str]:
    said = (f"MemoryMax={bounds.memory}", "MemorySwapMax=0", f"TasksMax={bounds.tasks}")
    given = [word for one in said for word in ("-p", one)]
    return ["systemd-run", "--user", "--scope", "--quiet", "--collect", *given, "--", *command]


class Bounded:
    """A running program whose whole group is bounded; `killed` says why, where the watcher has ended it."""

    def __init__(self, command: Sequence[str], bounds: Bounds, by: How | None = None) -> None:
        self.bounds = bounds
        self.killed: Reason | None = None
        self._by = by or how()
        self._group: Cgroup | None = make_group(bounds.tasks, bounds.memory) if self._by == "cgroup" else None
        script = bounds.limits().script(None if self._group is None else self._group.door)
        line = [SHELL, "-c", script, "sh", *command]
        self.process = subprocess.Popen(  # noqa: S603 - to run what others lend, in a sandbox, is the purpose
            _scope(bounds, line) if self._by == "scope" else line,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=clean_environment({name: os.environ[name] for name in ("XDG_RUNTIME_DIR",) if name in os.environ}),
            start_new_session=True,
        )
        if self._by == "watch":
            WATCHER.watch(self)

    def look(self) -> None:
        """Kill the group if it has too much."""
        pid = self.process.pid
        members = _members(pid)
        if sum(one[1] for one in members) > self.bounds.tasks:
            self._end(Reason("group-too-many", most=self.bounds.tasks))
        elif all(sum(count(one[0]) for one in members) > self.bounds.memory for count in (_rough, _exactly)):
            self._end(Reason("group-too-large", most=self.bounds.memory >> 20))

    def _end(self, why: Reason) -> None:
        self.killed = why
        self.kill()

    def kill(self) -> None:
        """End the program and everything that it started."""
        if self._group is not None:
            with suppress(OSError):
                self._group.kill()
        self.process.kill()
        for _ in range(3):  # who was born meanwhile is found by the next look; a sandbox ends with its first process
            for one in family(self.process.pid) if self.process.returncode is None else ():
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(one.pid, signal.SIGKILL)
            if len(family(self.process.pid)) <= 1:
                break

    def bury(self) -> int:
        """End everything, wait until it is gone, and return the status of the program."""
        alive = _handles(self.process.pid)
        self.kill()
        status = self.process.wait()
        _gone(alive)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        if self._group is not None:
            self._group.remove()
        return status


def _handles(first: int) -> list[int]:
    """Return a descriptor of each process of a family, readable once that very process has ended; none before Linux 5.3."""
    handles: list[int] = []
    for one in family(first) if hasattr(os, "pidfd_open") else ():
        with suppress(OSError):  # it ended meanwhile
            handles.append(os.pidfd_open(one.pid))
    return handles


def _gone(handles: Sequence[int]) -> None:
    """Wait until processes that were killed have ended: what lived in a sandbox ends after its first process, not with it."""
    dying = select.poll()
    left = set(handles)
    for handle in handles:
        dying.register(handle, select.POLLIN)
    until = time.monotonic() + LAST_SECONDS
    while left and (seconds := until - time.monotonic()) > 0:
        for handle, _ in dying.poll(seconds * 1_000):
            dying.unregister(handle)
            left.remove(handle)
    for handle in handles:
        os.close(handle)


# ── the watcher ────────────────────────────────────────────────────────────────────────────────────────────────────


class _Watcher:
    """One thread that looks at every group while there is one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watched: set[Bounded] = set()
        self._thread: threading.Thread | None = None
        self._pause = threading.Event()

    def watch(self, one: Bounded) -> None:
        """Look at one more until it is over."""
        with self._lock:
            self._watched.add(one)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="watcher", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            with self._lock:
                self._watched = {one for one in self._watched if one.process.returncode is None}
                if not self._watched:
                    self._thread = None
                    return
                watched = list(self._watched)
            for one in watched:
                one.look()
            self._pause.wait(LOOK_SECONDS)


WATCHER = _Watcher()


def _members(first: int) -> list[tuple[int, int]]:
    """Return the processes of a family with the number of their threads, by walking down from its first; each is read once."""
    found: dict[int, int] = {}
    new = [first]
    while new:
        pid = new.pop()
        if pid in found:
            continue
        threads, children = _below(pid)
        found[pid] = threads
        new += children
    return list(found.items())


def _below(pid: int) -> tuple[int, list[int]]:
    """Return how many threads a process has, and which processes they started."""
    threads, children = 0, list[int]()
    try:
        for task in (PROC / str(pid) / "task").iterdir():
            threads += 1
            children += map(int, (task / "children").read_text().split())
    except (OSError, ValueError):
        if not (PROC / "self" / "task" / str(os.getpid()) / "children").exists():  # a kernel that does not say so
            return threads, [one.pid for one in family(pid) if one.pid != pid]
    return threads, children


def _rough(pid: int) -> int:
    """Return the memory of a process, in octets; what it shares with its parent is counted for both."""
    return _sum(PROC / str(pid) / "status", ("RssAnon:", "RssShmem:", "VmSwap:"))


def _exactly(pid: int) -> int:
    """Return the share that a process has in its memory; as `_rough` where nobody tells."""
    return _sum(PROC / str(pid) / "smaps_rollup", ("Pss_Anon:", "Pss_Shmem:", "SwapPss:")) or _rough(pid)


def _sum(file: Path, names: Sequence[str]) -> int:
    try:
        rows = [line.split() for line in file.read_text().splitlines()]
    except OSError:
        return 0
    return sum(int(row[1]) for row in rows if len(row) > 1 and row[0] in names) << 10
