"""The arcade's hall of fame: who beat the machine, read from the records that prove it."""

from itertools import islice
from typing import NamedTuple

from arbitre.arcade.referee import PROTOCOL, read_call
from arbitre.arcade.terms import LEVELS
from arbitre.errors import RecordError
from arbitre.records.store import Store
from arbitre.referee.verdict import Termination, read_verdict

LOOKED_AT = 2_000
"""Of so many matches, the newest, the best are shown: the hall is read each time somebody looks."""


class Fame(NamedTuple):
    """One victory over the machine."""

    level: str
    name: str
    scores: tuple[int, ...]
    date: str
    match: str


def hall_of_fame(store: Store, most: int = 10) -> list[Fame]:
    """Return the best victories: the hardest level first, then the widest margin."""
    rows = [row for row in store.matches(game=PROTOCOL) if row.verdict is not None]
    found = []
    for row in islice(reversed(rows), LOOKED_AT):
        verdict = read_verdict(row.verdict or "")
        if verdict.termination is not Termination.RULES or verdict.scores is None or verdict.scores[0] != 1:
            continue
        try:
            call = read_call(store.events(row.name)[0].text)
        except (RecordError, IndexError):
            continue
        if call.terms.level in LEVELS:
            found.append(Fame(call.terms.level, call.chairs[0].name, verdict.tally, row.created, row.name))
    ranks = list(LEVELS)
    return sorted(found, key=lambda fame: (-ranks.index(fame.level), fame.scores[1] - fame.scores[0]))[:most]
