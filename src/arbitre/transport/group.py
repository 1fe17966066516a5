"""What a program and everything it starts may use together: a control group of its own, where the system gives us one.

The limits of `arbitre.transport.process` hold for each process, and the one of processes for all of a user's together, not for
root at all. A control group (cgroup v2) holds for the group: whatever a program starts is born in it and cannot leave, sessions
and orphans included, so it can be counted, bounded by the kernel where its controllers are ours to use, and ended as a whole.

Where no group can be made, descendants and sessions are looked up in /proc, and only when the machine has got so many more tasks
that somebody must have begun something without end: in quiet times a watch costs one small read.
"""

import os
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path
from typing import NamedTuple

from arbitre.errors import HouseError, refusal

CONTROLLERS = ("pids", "memory")
PROC = Path("/proc")
_NUMBERS = count(1)


class Cgroup:
    """One control group."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.bounded = False
        """Whether the kernel itself refuses one task too many."""

    @property
    def door(self) -> Path:
        """The file through which a process enters."""
        return self.path / "cgroup.procs"

    def limit(self, tasks: int | None, memory: int | None) -> None:
        """Let the kernel hold the limits that it can hold here."""
        held = (self.path / "cgroup.controllers").read_text().split()
        if tasks is not None and "pids" in held:
            (self.path / "pids.max").write_text(str(tasks))
            self.bounded = True
        if memory is not None and "memory" in held:
            (self.path / "memory.max").write_text(str(memory))
            with suppress(OSError):  # else a group that is full goes on in the swap
                (self.path / "memory.swap.max").write_text("0")

    def tasks(self) -> int:
        """Return how many threads of all its processes there are."""
        return len((self.path / "cgroup.threads").read_text().split())

    def kill(self) -> None:
        """End everything in it."""
        try:
            (self.path / "cgroup.kill").write_text("1")
        except FileNotFoundError:  # before Linux 5.14
            for number in self.door.read_text().split():
                with suppress(ProcessLookupError):
                    os.kill(int(number), 9)

    def remove(self) -> bool:
        """Take the group away; False while somebody in it is not dead yet."""
        try:
            self.path.rmdir()
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return True


def make_group(tasks: int | None, memory: int | None) -> Cgroup | None:
    """Return a new group for a program; None where the system gives us none (`ground` says why)."""
    try:
        path = ground() / f"arbitre-{os.getpid()}-{next(_NUMBERS)}"
        path.mkdir()
    except (HouseError, OSError):
        return None
    made = Cgroup(path)
    with suppress(OSError):  # what cannot be bounded is watched
        made.limit(tasks, memory)
    return made


@cache
def ground() -> Path:
    """Return the folder below which we may make groups; `HouseError` says why there is none. Tried out, not guessed."""
    place = _own()
    probe = place / f"arbitre-{os.getpid()}-0"
    try:
        probe.mkdir()
        entered = subprocess.run(  # noqa: S603 - a constant line of ours
            ["/bin/sh", "-c", 'echo $$ >"$1"', "sh", str(probe / "cgroup.procs")], capture_output=True, check=False, timeout=20
        )
        probe.rmdir()
    except OSError as error:
        raise HouseError(
            "no control groups: %(place)s is not ours to divide (%(strerror)s)", place=place, strerror=refusal(error)
        ) from None
    if entered.returncode:
        raise HouseError("no control groups: nobody may enter those that are made in %(place)s", place=place)
    _hand_down(place)
    _tidy(place)
    return place


def _own() -> Path:
    """Return the folder of the group that we run in."""
    try:
        mounts = [line.split() for line in (PROC / "self/mountinfo").read_text().splitlines() if " - cgroup2 " in line]
        lines = (PROC / "self/cgroup").read_text().splitlines()
    except OSError:
        raise HouseError("no control groups: this system has no /proc") from None
    inside = next((line[3:] for line in lines if line.startswith("0::")), None)
    if not mounts or inside is None:
        raise HouseError("no control groups: this system has no cgroup v2")
    root, at = mounts[0][3], Path(mounts[0][4])
    return at / inside.removeprefix(root.rstrip("/")).lstrip("/")


def _tidy(place: Path) -> None:
    """Take away groups of referees who are no more: they are empty."""
    for left in place.glob("arbitre-*-*"):
        pid = left.name.split("-")[1]
        if pid.isdigit() and not (PROC / pid).exists():
            with suppress(OSError):
                left.rmdir()


def _hand_down(place: Path) -> None:
    """Let groups below ours have the controllers that ours has, as far as the system lets us."""
    with suppress(OSError):
        wanted = [one for one in CONTROLLERS if one in (place / "cgroup.controllers").read_text().split()]
        given = (place / "cgroup.subtree_control").read_text().split()
        for one in wanted:
            if one not in given:  # refused where processes sit in our own group, as they do unless a service manager made two
                (place / "cgroup.subtree_control").write_text(f"+{one}")


def held_here() -> tuple[str, ...]:
    """Return what the kernel holds for a whole group here, tried out on a real one; `HouseError` where there are no groups."""
    ground()
    made = make_group(8, 1 << 26)
    if made is None:
        raise HouseError("no control groups: one could be made, and then no more")
    try:
        return tuple(one for one, file in (("processes", "pids.max"), ("memory", "memory.max")) if (made.path / file).exists())
    finally:
        made.remove()


# ── without groups ─────────────────────────────────────────────────────────────────────────────────────────────────


class Task(NamedTuple):
    """A process, as /proc has it."""

    pid: int
    parent: int
    group: int
    session: int
    threads: int


def tasks_of_machine() -> int:
    """Return how many threads there are on this machine; 0 where nobody tells."""
    try:
        return int((PROC / "loadavg").read_text().split()[3].partition("/")[2])
    except (OSError, ValueError, IndexError):
        return 0


def family(first: int) -> list[Task]:
    """Return a process and all that came of it: its children's children, and whoever shares a session with one of them."""
    children, sessions = defaultdict[int, list[Task]](list), defaultdict[int, list[Task]](list)
    found: dict[int, Task] = {}
    for one in _everybody():
        children[one.parent].append(one)
        sessions[one.session].append(one)
        if one.pid == first:
            found[first] = one
    new = [*found.values(), *sessions[first], *children[first]]
    while new:
        one = new.pop()
        if one.pid == first or one.pid not in found:
            found[one.pid] = one
            new += (near for near in (*children.pop(one.pid, ()), *sessions.pop(one.session, ())) if near.pid not in found)
    return list(found.values())


def _everybody() -> Iterator[Task]:
    for folder in PROC.iterdir():
        if folder.name.isdigit():
            with suppress(OSError, ValueError, IndexError):  # it ended meanwhile
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                yield Task(int(folder.name), int(fields[1]), int(fields[2]), int(fields[3]), int(fields[17]))
