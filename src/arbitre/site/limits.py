"""How often a visitor of the site may try what (`transport.limits` counts)."""

from collections.abc import Mapping

from arbitre.records.shared import Shared
from arbitre.site.forms import fold
from arbitre.transport.limits import Limit, Limits, hasty

USUAL: Mapping[str, Limit] = {
    "log in from": Limit(30, 900),
    "log in as": Limit(10, 900),
    "log in on": Limit(10, 900),
    "wrong for": Limit(20, 900),
    "wrong near": Limit(10, 86_400),
    "confirm": Limit(10, 900),
    "register": Limit(100, 3_600),  # a school sits behind one address
    "code": Limit(60, 900),
    "join": Limit(20, 900),
    "join from": Limit(600, 900),  # whoever guesses keeps nobody else of his class out; a code has 45 bits
    "missing": Limit(300, 900),
    "write": Limit(600, 600),
    "call out": Limit(60, 600),
    "begin": Limit(600, 3_600),  # a class sits behind one address
    "try": Limit(6_000, 3_600),  # and thirty pupils press "Ten games" many times
    "file": Limit(2_400, 600),
}
"""Attempts to log in by address, by name and address, and by name and known browser; wrong ones by name, and by name and
neighbourhood, which are counted and never refused; passwords that somebody who is inside is asked for again; new accounts by
address, links that were wrong, codes of classes that were wrong, by account and by address, pages that are not there, things that
are changed, addresses that we are made to call (URL checks, testers), games that are begun, games in which a program is tried,
requests about games by file."""


AT_THE_DOOR = frozenset({"log in from", "log in as", "log in on", "wrong for", "wrong near"})
"""What is counted where passwords are tried."""


class SharedLimits(Limits):
    """The counters of a node that shares its database: what is taken is taken from all nodes together.

    Passwords are tried at one node alone, so what is counted there (`AT_THE_DOOR`) stays there.
    """

    def __init__(self, limits: Mapping[str, Limit], shared: Shared) -> None:
        super().__init__(limits)
        self._shared = shared

    def take(self, kind: str, key: str, now: float) -> None:
        """Count an attempt; `HasteError` says how long to wait, and then nothing is counted."""
        if kind in AT_THE_DOOR:
            super().take(kind, key, now)
            return
        now += self._shared.ahead
        limit = self.limits[kind]
        found = self._shared.count(kind, key, limit.most, limit.seconds, now)
        if found is not None:
            raise hasty(max(0.1, self.wait(kind, *found, now % limit.seconds)))

    def look(self, kind: str, key: str, now: float) -> None:
        """Raise `HasteError` if an attempt would be one too many; count nothing."""
        if kind in AT_THE_DOOR:
            super().look(kind, key, now)
            return
        now += self._shared.ahead
        seconds = self.limits[kind].seconds
        wait = self.wait(kind, *self._shared.counted(kind, key, seconds, now), now % seconds)
        if wait > 0:
            raise hasty(wait)

    def forgive(self, kind: str, key: str) -> None:
        """Forget somebody's attempts, because one succeeded."""
        if kind in AT_THE_DOOR:
            super().forgive(kind, key)
        else:
            self._shared.forget(kind, key)


def name_key(name: str) -> str:
    """Return what a name is counted as, however it is spelt."""
    return fold(name[:100])
