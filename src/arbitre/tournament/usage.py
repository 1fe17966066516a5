"""What the games of a tournament took of each player: moves, time, refused moves, and the tokens of language models.

All of it is read from records: the clock's times where one runs, and what players noted beside their moves (`tokens_in=…
tokens_out=… calls=… ms=…`), which is their own word.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from arbitre.records.event import Event, Kind
from arbitre.values import value

NUMBER = re.compile(r"(?<![^ ])(tokens_in|tokens_out|calls|ms)=([0-9]{1,12})(?![^ ])")


@value
class Usage:
    """What one player took."""

    moves: int = 0
    refused: int = 0
    milliseconds: int = 0
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    def __add__(self, more: "Usage") -> "Usage":
        """Return what both took together."""
        return Usage(
            self.moves + more.moves,
            self.refused + more.refused,
            self.milliseconds + more.milliseconds,
            self.calls + more.calls,
            self.tokens_in + more.tokens_in,
            self.tokens_out + more.tokens_out,
        )

    def fields(self) -> dict[str, int]:
        """Return it as plain values."""
        return asdict(self)


def usage_of(events: Sequence[Event], seats: int) -> tuple[Usage, ...]:
    """Return what each seat of a match took."""
    return tuple(_seat([event for event in events if event.seat == seat]) for seat in range(seats))


def _seat(events: Iterable[Event]) -> Usage:
    moves = refused = timed = 0
    noted = dict.fromkeys(("tokens_in", "tokens_out", "calls", "ms"), 0)
    asked = 0
    for event in events:
        match event.kind:
            case Kind.ASKED:
                asked = event.at
            case Kind.SAID | Kind.RESIGNED | Kind.SETTLED:
                moves += event.kind is Kind.SAID
                timed += event.at - asked
            case Kind.REFUSED:
                refused += 1
            case Kind.NOTED:
                for name, number in NUMBER.findall(event.text.partition(" said=")[0]):
                    noted[name] += int(number)
    return Usage(moves - refused, refused, timed or noted["ms"], noted["calls"], noted["tokens_in"], noted["tokens_out"])
