"""Whether a database is reached from this process: what one connection finds out, every other knows.

A server that is not there refuses at once; where a cable was cut nobody says anything, and whoever asks waits for seconds. So
nobody waits twice: who waited in vain says so, and until a thread of its own has reached the database again everybody else is
refused at once.
"""

import os
from collections.abc import Callable
from threading import Lock, Thread
from time import monotonic, sleep
from typing import Protocol, TypeVar


class Connection(Protocol):
    """What leads to a database."""

    def close(self) -> None:
        """Close it."""


T = TypeVar("T", bound=Connection)
Connect = Callable[[], Connection]

VAIN_SECONDS = 1.0
"""Who waited for so long, and for nothing, waited in vain."""
AGAIN_SECONDS = 0.5
"""How soon the thread tries again."""


class Reach:
    """What is known of one database."""

    def __init__(self) -> None:
        self._missed = 0.0
        """Since when whoever tries does not connect, by the clock that never goes back; 0 where it is reached."""
        self._trying = False
        """Whether the thread tries, and everybody else is refused."""
        self._turn = Lock()

    def through(self, connect: Callable[[], T], refused: Callable[[], Exception]) -> T:
        """Connect; whoever would wait in vain is `refused`."""
        if self._trying:
            raise refused()
        began = monotonic()
        try:
            found = connect()
        except Exception:
            self.lost(began, connect)
            raise
        self._missed = 0.0
        return found

    def lost(self, began: float, connect: Connect) -> None:
        """Hear that somebody does not reach it who began to wait then."""
        with self._turn:
            self._missed = self._missed or began
            if not self._trying and monotonic() - began > VAIN_SECONDS:
                self._trying = True
                Thread(target=self._try, args=(connect,), name="arbitre-reach", daemon=True).start()

    def hopeful(self, since: float, seconds: float) -> bool:
        """Tell whether who has tried since a moment may try again: all who miss it wait together, and no longer than so."""
        return not self._trying and monotonic() < (self._missed or since) + seconds

    def _try(self, connect: Connect) -> None:
        while self._trying:
            try:
                connect().close()
            except Exception:  # whatever it is, nobody is through
                sleep(AGAIN_SECONDS)
            else:
                with self._turn:
                    self._missed, self._trying = 0.0, False


_KNOWN: dict[str, Reach] = {}


def reach(database: str) -> Reach:
    """Return what is known of the database at an address."""
    return _KNOWN.setdefault(database, Reach())


if hasattr(os, "register_at_fork"):  # not on every system
    os.register_at_fork(after_in_child=_KNOWN.clear)  # no thread tries there
