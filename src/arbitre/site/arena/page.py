"""The proof between the referee and the page of a person who plays: what the page is told, and what it says to it.

The page brings a key of its own for each match, and a promise where the game draws (`greet`); it is shown the opening, signed,
and agrees (`agree`); each question reaches it with its head; in the end it checks the record and signs it, or declines (`sign`).
What it is told is a list of messages that every open page of the seat hears from where it came in; a page that comes later hears
what is still open. Whatever a page does not say, because it is closed, old or slow, holds nobody up longer than the limits.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from json import dumps
from typing import Literal, TypeAlias

from arbitre.referee.clock import Clock
from arbitre.referee.player import Agreement, Decline, Greeting

Due: TypeAlias = Literal["greeting", "agreement", "word"]
"""What a page is waited for."""
Said: TypeAlias = Greeting | Agreement | Decline | str

GREET_SECONDS = 10.0
"""How long a match waits for the key of a page that said it would bring one; then it is played without."""
CALLED_SECONDS = 60.0
"""How long, where somebody is called to a game of a competition: the page of the game is one click away."""
AGREE_SECONDS = 20.0
"""How long a page has to agree at least."""
DAY_SECONDS = 86_400.0
"""How long it has where no clock runs: nobody knows when somebody who has closed the page comes back."""
MOST_KEPT = 16
"""Messages that are kept: a page that is further behind has a hole in its journal, and says so."""


def agreeing_seconds(clock: Clock) -> float:
    """Return how long a person has to agree to the opening: the time of the first move."""
    return max(AGREE_SECONDS, clock.bank / 1_000) if clock.runs else DAY_SECONDS


class SeatPage:
    """All pages that one person has open of one match, as one."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self.watching = 0
        """How many pages listen."""
        self.record = b""
        """The record as it is to be signed, while it is."""
        self._wake = wake
        self._messages: deque[tuple[int, str]] = deque(maxlen=MOST_KEPT)
        self._number = 0
        self._open = 1
        """The number of the first message that concerns a page which comes now."""
        self._due: Due | None = None
        self._said: asyncio.Future[Said] | None = None

    @property
    def before(self) -> int:
        """The number of the last message that a page which comes now need not hear."""
        return self._open - 1

    def after(self, number: int) -> Iterator[tuple[int, str]]:
        """Return the messages behind a number."""
        return (one for one in tuple(self._messages) if one[0] > number)

    def inform(self, kind: str, fields: Mapping[str, object], *, also: bool = False) -> None:
        """Tell the pages something; what was told before is past, unless they are to hear this `also`."""
        self._number += 1
        if not also:
            self._open = self._number
        self._messages.append((self._number, dumps({"kind": kind, **fields}, ensure_ascii=False)))
        self._wake()

    def past(self) -> None:
        """Let pages that come from now on hear nothing of what was told."""
        self._open = self._number + 1

    async def answer(self, due: Due) -> Said:
        """Return what a page says to what it was told."""
        self._due, self._said = due, asyncio.get_running_loop().create_future()
        try:
            return await self._said
        finally:
            self._due = self._said = None
            self.past()

    def say(self, due: Due, said: Said) -> bool:
        """Take what a page says; False where nobody waits for it: another page was quicker, or it comes too late."""
        if self._due is not due or self._said is None or self._said.done():
            return False
        self._said.set_result(said)
        return True
