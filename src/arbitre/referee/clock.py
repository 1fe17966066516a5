"""Time limits: none, so much for each move, or so much for the game with an increment.

Times are whole milliseconds. A player is charged from the moment the question leaves to the moment the answer arrives, and for
nothing else. A refused try does not start a new turn, so it gets neither a fresh limit nor an increment.
"""

import re
from typing import Literal

from arbitre.errors import TermsError
from arbitre.values import value

UNITS = {"ms": 1, "s": 1_000, "m": 60_000, "min": 60_000, "h": 3_600_000}

MOST = 1_000 * 3_600_000
"""No limit is longer than a thousand hours: correspondence games have none."""


@value
class Clock:
    """A time limit; `bank` and `increment` in milliseconds."""

    kind: Literal["none", "move", "game"] = "none"
    bank: int = 0
    increment: int = 0

    def __post_init__(self) -> None:
        if self.kind == "none":
            sound = self.bank == self.increment == 0
        else:
            sound = 0 < self.bank <= MOST and 0 <= self.increment <= (MOST if self.kind == "game" else 0)
        if not sound:
            raise TermsError(
                "no clock gives %(bank)s ms and %(increment)s ms by %(kind)s",
                bank=self.bank,
                increment=self.increment,
                kind=self.kind,
            )

    @property
    def runs(self) -> bool:
        """Whether time is limited at all."""
        return self.kind != "none"

    def renew(self, left: int) -> int:
        """Return the time left when a new turn of a player comes, `left` being what the last turn left over."""
        return self.bank if self.kind == "move" else left + self.increment


def elapsed(seconds: float) -> int:
    """Return a span of time as every clock here counts it: in whole milliseconds, the one that has begun left out.

    Whoever takes or refuses an answer by its time asks this, as the clock that is charged does, so the two never differ.
    """
    return int(seconds * 1000)


def read_clock(text: str) -> Clock:
    """Read `none`, `5s/move`, `200ms/move`, `2m` or `60s+1s`."""
    word = text.strip().lower()
    if word == "none":
        return Clock()
    found = re.fullmatch(r"([0-9.]{1,9})(ms|s|min|m|h)(?:/move|\+([0-9.]{1,9})(ms|s|min|m|h))?", word, re.ASCII)
    if found is None:
        raise TermsError("no time limit is written %(text)r: try 5s/move, 60s+1s, 10m or none", text=text[:40])
    bank = _milliseconds(text, found[1], found[2])
    if word.endswith("/move"):
        return Clock("move", bank)
    return Clock("game", bank, _milliseconds(text, found[3], found[4]) if found[3] else 0)


def write_clock(clock: Clock) -> str:
    """Write a time limit so that it is read back the same."""
    if clock.kind == "none":
        return "none"
    if clock.kind == "move":
        return f"{_duration(clock.bank)}/move"
    return _duration(clock.bank) + (f"+{_duration(clock.increment)}" if clock.increment else "")


def _milliseconds(text: str, number: str, unit: str) -> int:
    try:
        return round(float(number) * UNITS[unit])
    except ValueError:
        raise TermsError("%(number)r in the time limit %(text)r is no number", number=number, text=text[:40]) from None


def _duration(milliseconds: int) -> str:
    return f"{milliseconds // 1_000}s" if milliseconds % 1_000 == 0 else f"{milliseconds}ms"
