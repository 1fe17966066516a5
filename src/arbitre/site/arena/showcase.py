"""The showcase: games that players of the house play by themselves, so that a visitor finds something to watch.

They are begun by nobody, and nobody misses them: only the newest are kept, as many as the operator wants. A game that a person
began or saved, or that belongs to a competition, is never one of them, whoever sat there.
"""

from collections import deque

from arbitre.records.store import Store
from arbitre.site.arena.matches import SITTINGS, Sitting, read_sitting
from arbitre.site.arena.plan import House, Plan

OURS = (
    " WHERE state = 'over' AND owner IS NULL AND title = ''"
    " AND json_extract(plan, '$.event') = '' AND COALESCE(json_extract(plan, '$.starter'), '') = ''"
    " AND EXISTS (SELECT 1 FROM matches WHERE name = match AND tournament IS NULL)"
)


def is_shown(sitting: Sitting) -> bool:
    """Tell whether the house plays a match by itself, for its visitors: whoever else began one may stop it."""
    return sitting.owner is None and not sitting.title and _by_itself(sitting.plan)


def _by_itself(plan: Plan) -> bool:
    return not plan.starter and not plan.event and all(isinstance(sitter, House) for sitter in plan.sitters)


class Showcase:
    """Keeps the newest games of the showcase, and lets the others go."""

    def __init__(self, store: Store, most: int) -> None:
        self._store = store
        self.most = most
        self._kept: deque[str] = deque()

    def open(self) -> None:
        """Find the games that are kept, and let go what is too much."""
        found = (read_sitting(row) for row in self._store.rows(SITTINGS + OURS + " ORDER BY number"))
        self._kept = deque(one.name for one in found if is_shown(one))
        self._thin_out()

    def ended(self, sitting: Sitting) -> None:
        """Take down that a match is over, and let the oldest go if it was one of ours."""
        if sitting.state == "over" and is_shown(sitting):
            self._kept.append(sitting.name)
            self._thin_out()

    def _thin_out(self) -> None:
        while len(self._kept) > self.most:
            name = self._kept.popleft()
            # asked in the very statement that removes it, behind whatever is being written: somebody may just have saved it
            self._store.write("DELETE FROM sittings" + OURS + " AND match = ?", (name,))  # noqa: S608
            for table, key in (("traces", "match"), ("transitions", "match"), ("matches", "name")):
                query = f"DELETE FROM {table} WHERE {key} = ? AND NOT EXISTS (SELECT 1 FROM sittings WHERE match = ?)"  # noqa: S608
                self._store.write(query, (name, name))
