"""Lines on standard output from a service that must not wait for its reader.

A terminal that was stopped, a pipe that nobody empties or that has gone, a log on a full disk: none of them may hold up a
registrar or a robot, or end it. So a thread of its own says the lines; what cannot be said is left out, and counted.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import Full, Queue
from threading import Thread

import click

from arbitre.cli.speech import phrase

MOST_UNSAID = 4_096
"""Lines that wait for a reader."""
FAREWELL = 1.0
"""Seconds that the last lines are given."""

Told = Callable[[str], None]


@contextmanager
def telling(most: int = MOST_UNSAID, farewell: float = FAREWELL) -> Iterator[Told]:
    """Give a function that says a line and never waits."""
    lines: Queue[str | None] = Queue(most)
    left_out = 0

    def told(line: str) -> None:
        nonlocal left_out
        try:
            if left_out and lines.qsize() < most - 1:
                lines.put_nowait(phrase("(%(count)s lines were left out: nobody read them)", count=left_out))
                left_out = 0
            lines.put_nowait(line)
        except Full:
            left_out += 1

    def speak() -> None:
        while (line := lines.get()) is not None:
            with suppress(OSError, ValueError):
                _say(line)

    speaker = Thread(target=speak, name="arbitre-telling", daemon=True)
    speaker.start()
    try:
        yield told
    finally:
        with suppress(Full):
            lines.put(None, timeout=farewell)
        speaker.join(farewell)


def _say(line: str) -> None:
    """Write past Python's buffer where there is a file: a thread that is stuck in it would hold up the end of the program."""
    try:
        file = sys.stdout.fileno()
    except (OSError, ValueError, AttributeError):
        click.echo(line)
        return
    data = (line + "\n").encode(sys.stdout.encoding or "utf-8", "replace")
    while data:
        data = data[os.write(file, data) :]
