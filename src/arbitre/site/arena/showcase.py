"""The showcase: games that players of the house play by themselves, so that a visitor finds something to watch.

They are begun by nobody, and nobody misses them: only the newest are kept, as many as the operator wants. A game that a person
began or saved, or that belongs to a competition, is never one of them, whoever sat there.
"""

from collections import deque

from arbitre.records.store import Store
from arbitre.site.arena.matches import ArenaMatch, ArenaMatches


def is_shown(sitting: ArenaMatch) -> bool:
    """Tell whether the house plays a match by itself, for its visitors: whoever else began one may stop it."""
    return sitting.owner is None and not sitting.title and sitting.plan.shown


class Showcase:
    """Keeps the newest games of the showcase, and lets the others go."""

    def __init__(self, store: Store, most: int) -> None:
        self._sittings = ArenaMatches(store)
        self.most = most
        self._kept: deque[str] = deque()

    def open(self) -> None:
        """Find the games that are kept, and let go what is too much."""
        self._kept = deque(self._sittings.shown())
        self._thin_out()

    def ended(self, sitting: ArenaMatch) -> None:
        """Take down that a match is over, and let the oldest go if it was one of ours."""
        if sitting.state == "over" and is_shown(sitting):
            self._kept.append(sitting.name)
            self._thin_out()

    def _thin_out(self) -> None:
        while len(self._kept) > self.most:
            self._sittings.forget_shown(self._kept.popleft())
