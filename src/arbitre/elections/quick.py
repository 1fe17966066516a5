"""A quick choice among names, and what a kept transcript shows: for whoever looks at a finished election."""

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from arbitre.elections.lots import order_of
from arbitre.elections.proof import Finding, verify_source
from arbitre.elections.rooms import proper_name
from arbitre.elections.transcript import Entry, Header, open_source
from arbitre.errors import ElectionError
from arbitre.referee.verify import Proof
from arbitre.values import value

MOST_SHOWN = 1_000
"""Parties of a record that are listed; larger ones are told in a line, and downloaded."""
MOST_NAMES = 200
"""Names of a quick choice."""
LONGEST_RECORD = 1 << 20
"""Octets of a transcript that is shown in full and worked out again in the browser."""


def proper_names(lines: Iterable[str]) -> list[str]:
    """Return the names on lines of a text; `ElectionError` where they cannot be put into an order."""
    names = [proper_name(line) for line in lines if line.strip()]
    if not 2 <= len(names) <= MOST_NAMES:
        raise ElectionError("a choice needs 2 to %(most_names)s names, one on each line", most_names=MOST_NAMES)
    if len(set(names)) < len(names):
        raise ElectionError("each name once")
    return names


@value
class Shown:
    """A finished election as its page shows it."""

    header: Header
    finding: Finding
    order: tuple[str, ...]
    """Where lots were drawn; else empty."""
    entries: tuple[Entry, ...]

    @property
    def fault(self) -> dict[str, str]:
        """Return why somebody was left out, by name."""
        return {one.player: one.fault.value for one in self.finding.verdict.excluded} if self.finding.verdict else {}

    @property
    def group(self) -> str:
        """Return the fingerprint of those who signed."""
        return self.finding.group


@lru_cache(maxsize=128)
def look_at(path: Path) -> tuple[Shown | None, Finding]:
    """Verify a kept transcript, which never changes; return what it shows, nothing if it is too long, and what was found."""
    with open_source(path) as source:
        finding = verify_source(source, steps="plain", jobs=1)
        if path.stat().st_size > LONGEST_RECORD:
            return None, finding
        order = order_of(source) if (source.header.more or {}).get("lots") and finding.standing is not Proof.BROKEN else ()
        said = [one for chunk in source.chunks() for _, one in chunk.said()]
        entries = tuple(one for one in said if isinstance(one, Entry))[:MOST_SHOWN]
        return Shown(source.header, finding, order, entries), finding
