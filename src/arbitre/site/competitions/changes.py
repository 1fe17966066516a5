"""What an organiser changed after a competition was announced: who relied on it can read what it was and what it is.

Its game, and whether engines or people play, never change. Once somebody has entered, the terms of the games stay too: he entered
for those. Everything else may change until it begins, and nothing silently: each change is kept, and shown on the page.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from arbitre.errors import QuotaError, SettledError
from arbitre.values import value

MOST_CHANGES = 200
"""Lines that the history of one competition may have."""

FREE = ("title", "about", "opens", "begins", "listed", "each", "concurrency")
"""What may change until a competition begins; everything else only while nobody has entered."""

CANCELLED = "cancelled"
"""The line of the history that says why a competition was called off."""


@value
class Change:
    """One thing that was changed."""

    at: int
    field: str
    """A field of an announcement, a key of its plan, or `CANCELLED`."""
    before: str
    after: str


Lines = list[tuple[str, str, str]]
"""Field, before, after."""


def read_change(row: Sequence[Any]) -> Change:
    """Return the value of a row of the table."""
    _, _, at, field, before, after = row
    return Change(at, field, before, after)


def differences(before: Mapping[str, object], after: Mapping[str, object]) -> Lines:
    """Return what differs, as text; a key that is missing on one side is empty there."""
    keys = dict.fromkeys((*before, *after))
    texts = ((key, _text(before.get(key)), _text(after.get(key))) for key in keys)
    return [(key, old, new) for key, old, new in texts if old != new]


def check_lines(lines: Lines, *, entered: bool, kept: int) -> None:
    """Refuse what may not change any more."""
    settled = [field for field, _, _ in lines if field not in FREE]
    if entered and settled:
        raise SettledError(settled)
    if kept + len(lines) > MOST_CHANGES:
        raise QuotaError(
            "a competition is changed at most %(most_changes)s times: announce another one", most_changes=MOST_CHANGES
        )


def _text(one: object) -> str:
    if isinstance(one, list | tuple):
        return "\n".join(map(str, one))
    if isinstance(one, Mapping):
        return ", ".join(f"{key}={_text(each)}" for key, each in one.items())
    return "" if one is None else str(int(one)) if isinstance(one, bool) else str(one)
