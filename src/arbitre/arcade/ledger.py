"""A ledger of the arcade: one match as it is heard, judged and written down, by whoever keeps it.

The server keeps one, and each side may keep its own: the same judge hears the same lines, so that the ledgers of a duel can be
laid side by side afterwards and show whether somebody in between changed what was said (spec: arcade, section 4).
"""

import os
from collections.abc import Mapping
from time import time

from arbitre.arcade.bout import Bout, News
from arbitre.arcade.referee import Affairs, Call, Judge, turn
from arbitre.arcade.terms import Oracle, Terms, ponder
from arbitre.crypto.chain import SEED_BYTES, commitment
from arbitre.crypto.keys import Key
from arbitre.errors import TranscriptError
from arbitre.records.event import Event, Kind, clean
from arbitre.records.record import Chain
from arbitre.referee.runner import Journal
from arbitre.referee.terms import Chair

LONGEST = 8_200
"""Characters of a line that are kept: more than any line may have."""


class Ledger:
    """One match: how it stands, and the record as it grows."""

    def __init__(
        self,
        terms: Terms,
        chairs: tuple[Chair, Chair],
        journal: Journal,
        key: Key,
        *,
        limit: int | None = None,
        keeper: str = "referee",
        notes: Mapping[str, str] | None = None,
        name: str = "",
        seed: bytes | None = None,
        oracle: Oracle = ponder,
    ) -> None:
        self.seed = os.urandom(SEED_BYTES) if seed is None else seed
        committed = commitment(self.seed)
        self.key = key
        """Who keeps the record, and signs it."""
        public, now = key.public.hex(), int(time())
        self.call = Call(name or committed[:12], chairs, committed, terms, limit, keeper, notes, public, now)
        self.judge = Judge(self.call, self.seed, oracle)
        self.journal = journal
        self._chain = Chain(self.seed)
        self._kept: list[Event] = []
        self._lines: list[str] = []
        self.affairs: Affairs
        self.affairs, outputs = self.judge.open()
        self._keep(outputs)

    @property
    def bout(self) -> Bout:
        """How the bout stands."""
        return self.affairs.bout

    @property
    def over(self) -> bool:
        """Whether the verdict is spoken."""
        return self.affairs.verdict is not None

    @property
    def deadline(self) -> int | None:
        """The first moment at which whoever is awaited is late."""
        return self.judge.deadline(self.affairs)

    def hear(self, kind: Kind, seat: int, text: str, at: int = 0) -> tuple[News, ...]:
        """Take one input down, with what follows from it."""
        text = text if text.isascii() and len(text) <= LONGEST else clean(text, LONGEST)
        event = Event(kind, max(at, self.affairs.now), seat, turn(self.affairs.bout), text)
        self.affairs, outputs, news = self.judge.listen(self.affairs, event)
        self._keep((event, *outputs))
        if len(news) > 1:
            self.flush()  # a round is over, or the match
        return news

    def seal(self) -> None:
        """Sign the record of a match that is over."""
        if self.affairs.verdict is None:
            raise TranscriptError("a record is sealed when its match is over")
        self.flush()
        self.journal.seal(self._chain.seal(self.key, [chair.key for chair in self.call.chairs]), self.affairs.verdict.text())

    def flush(self) -> None:
        """Hand what happened since the last round to the journal."""
        if self._kept:
            self.journal.write(self._kept, self._lines)
            self._kept, self._lines = [], []

    def _keep(self, events: tuple[Event, ...]) -> None:
        lines = [event.line() for event in events]
        self._chain.extend(lines)
        self._kept += events
        self._lines += lines
