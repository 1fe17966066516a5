"""Calls of the system that a program in a sandbox has no use for, refused by a filter of the kernel's (seccomp).

Memory that belongs to no process is not counted where a watcher counts processes: files in memory that nobody maps, segments of
System V, a file system in memory that a program mounts in a namespace of its own. A program that plays needs none of them, nor to
look into another process. Each is refused as not permitted; `clone3`, whose wishes a filter cannot read, as unknown, so that
libraries take `clone`, whose wishes it can.
"""

import platform
import struct
from atexit import register
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile

from arbitre.values import value

LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16
"""Where the kernel tells the filter which call it is, for which processor, and what is asked (little-endian)."""
ALLOWED, REFUSED, UNKNOWN = 0x7FFF0000, 0x00050000 | 1, 0x00050000 | 38
NAMESPACES = 0x7E020000
"""Flags of `clone` that make a namespace."""
LATER = (425, 428, 429, 430, 431, 432, 447)
"""io_uring_setup, open_tree, move_mount, fsopen, fsconfig, fsmount, memfd_secret: numbers that all processors share."""


@value
class Processor:
    """The numbers of calls on one kind of processor."""

    mark: int
    """As the kernel names it."""
    clone: int
    refused: tuple[int, ...]
    """memfd_create; shmget, shmat, msgget, semget; ptrace, process_vm_readv, process_vm_writev; mount, umount2, pivot_root;
    unshare, setns; keyctl, add_key, request_key; bpf, userfaultfd, perf_event_open; name_to_handle_at, open_by_handle_at."""
    foreign: int | None = None
    """From this number on calls are another convention's."""


PROCESSORS = {
    "x86_64": Processor(
        0xC000003E,
        56,
        (319, 29, 30, 68, 64, 101, 310, 311, 165, 166, 155, 272, 308, 250, 248, 249, 321, 323, 298, 303, 304),
        0x40000000,
    ),
    "aarch64": Processor(
        0xC00000B7,
        220,
        (279, 194, 196, 186, 190, 117, 270, 271, 40, 39, 41, 97, 268, 219, 217, 218, 280, 282, 241, 264, 265),
    ),
}
CLONE3 = 435


def _steps(processor: Processor) -> Iterator[tuple[int, int, int, int]]:
    """Yield the steps of the filter: what it does, how many steps it leaps where that is so and where not, with which number."""
    yield LOAD, 0, 0, ARCHITECTURE
    yield EQUAL, 1, 0, processor.mark
    yield RETURN, 0, 0, REFUSED
    yield LOAD, 0, 0, NUMBER
    if processor.foreign is not None:
        yield AT_LEAST, 0, 1, processor.foreign
        yield RETURN, 0, 0, REFUSED
    yield EQUAL, 0, 1, CLONE3
    yield RETURN, 0, 0, UNKNOWN
    for number in (*processor.refused, *LATER):
        yield EQUAL, 0, 1, number
        yield RETURN, 0, 0, REFUSED
    yield EQUAL, 1, 0, processor.clone
    yield RETURN, 0, 0, ALLOWED
    yield LOAD, 0, 0, FIRST_ARGUMENT
    yield ANY_BIT, 0, 1, NAMESPACES
    yield RETURN, 0, 0, REFUSED
    yield RETURN, 0, 0, ALLOWED


@cache
def call_filter() -> Path | None:
    """Return a file that holds the filter for this machine, while we run; None where we do not know its calls."""
    processor = PROCESSORS.get(platform.machine())
    if processor is None:
        return None
    with NamedTemporaryFile(prefix="arbitre-calls-", delete=False) as file:
        file.write(b"".join(struct.pack("<HBBI", *step) for step in _steps(processor)))
    made = Path(file.name)

    def away() -> None:
        with suppress(OSError):
            made.unlink()

    register(away)
    return made
