"""What nodes count together, and what is done once at whichever of them it is asked for: two small tables of their database.

A count is one statement, which counts or finds that it would be one too many; spans of time are those of the database's clock.

What is asked under a key is **claimed** before it is done, by one node; another one that is asked the same meanwhile waits for
the answer. A claim of a node that died is taken over: whatever it did was fenced, or is found again by what it is.
"""

from time import time

from arbitre.records.backend import Execute, Short
from arbitre.records.nodes import Node
from arbitre.values import value

KEPT_SECONDS = 3_600
"""How long an answer is kept for whoever asks again."""
SWEEP_SECONDS = 60.0
"""How often what is too old is removed."""

EARLIER = "COALESCE((SELECT taken FROM counts WHERE kind = ? AND name = ? AND span = ?), 0)"
COUNT = (
    f"INSERT INTO counts (kind, name, span, taken, until) SELECT ?, ?, ?, 1, ? WHERE ? * {EARLIER} <= ?"
    " ON CONFLICT (kind, name, span) DO UPDATE SET taken = counts.taken + 1"
    f" WHERE counts.taken + ? * {EARLIER} <= ? RETURNING taken"
)
CLAIM = (
    "INSERT INTO repeats (token, name, asked, node, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (token, name)"
    " DO UPDATE SET node = EXCLUDED.node, at = EXCLUDED.at"
    " WHERE repeats.answer IS NULL AND repeats.asked = EXCLUDED.asked AND (repeats.node = EXCLUDED.node"
    " OR NOT EXISTS (SELECT 1 FROM nodes WHERE alive AND id || '/' || incarnation = repeats.node)) RETURNING 1"
)


@value
class Claim:
    """What has become of something that is asked for under a key."""

    ours: bool
    """Whether it is ours to do."""
    asked: bytes = b""
    """What was asked under this key."""
    answer: str = ""
    """What was answered; empty while another node does it."""


class Shared:
    """Both tables, for one node; each call is one short transaction."""

    def __init__(self, aside: Short) -> None:
        self._aside = aside
        self.node: Node | None = None
        """Whose claims these are."""
        self.ahead = 0.0
        """How many seconds the database's clock is ahead of ours."""
        self._swept = 0.0

    def close(self) -> None:
        """Close the connection."""
        self._aside.close()

    def count(self, kind: str, name: str, most: int, seconds: int, now: float) -> tuple[int, int] | None:
        """Count one; where it would be more than the most within so many seconds, count nothing and return both spans' counts."""
        span, passed = int(now // seconds), now % seconds / seconds
        earlier = (1 - passed, kind, name, span - 1, most - 1)

        def work(execute: Execute) -> tuple[int, int] | None:
            self._sweep(execute, now)
            taken = execute(COUNT, (kind, name, span, int((span + 2) * seconds), *earlier, *earlier))
            return None if taken else _counted(execute, kind, name, span)

        return self._aside.transact(work)

    def counted(self, kind: str, name: str, seconds: int, now: float) -> tuple[int, int]:
        """Return how many were counted in this span of so many seconds, and in the one before."""
        return self._aside.transact(lambda execute: _counted(execute, kind, name, int(now // seconds)))

    def forget(self, kind: str, name: str) -> None:
        """Forget what was counted under a name."""
        self._aside.transact(lambda execute: execute("DELETE FROM counts WHERE kind = ? AND name = ?", (kind, name)))

    def claim(self, token: int, name: str, asked: bytes) -> Claim:
        """Claim what is asked under a key, or say what has become of it."""
        now = time() + self.ahead

        def work(execute: Execute) -> Claim:
            self._sweep(execute, now)
            if execute(CLAIM, (token, name, asked, self._name, int(now))):
                return Claim(ours=True)
            found = execute("SELECT asked, answer FROM repeats WHERE token = ? AND name = ?", (token, name))
            return Claim(False, bytes(found[0][0]), found[0][1] or "") if found else Claim(False, asked)

        return self._aside.transact(work)

    def settle(self, token: int, name: str, answer: str) -> None:
        """Keep what was answered; where it came to nothing, let the next who asks try."""
        mine = (token, name, self._name)
        query = "UPDATE repeats SET answer = ? WHERE token = ? AND name = ? AND node = ?"
        drop = "DELETE FROM repeats WHERE token = ? AND name = ? AND node = ?"
        self._aside.transact(lambda execute: execute(query, (answer, *mine)) if answer else execute(drop, mine))

    @property
    def _name(self) -> str:
        return "" if self.node is None else f"{self.node.id}/{self.node.incarnation}"

    def _sweep(self, execute: Execute, now: float) -> None:
        if now - self._swept > SWEEP_SECONDS:
            self._swept = now
            execute("DELETE FROM counts WHERE until < ?", (int(now),))
            execute("DELETE FROM repeats WHERE at < ?", (int(now) - KEPT_SECONDS,))


def _counted(execute: Execute, kind: str, name: str, span: int) -> tuple[int, int]:
    rows = execute("SELECT span, taken FROM counts WHERE kind = ? AND name = ? AND span >= ?", (kind, name, span - 1))
    found: dict[int, int] = dict(rows)
    return found.get(span, 0), found.get(span - 1, 0)
