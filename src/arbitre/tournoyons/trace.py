"""What is exchanged with an engine at an address, in the order in which it began, for its owner to read."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from time import time
from typing import NamedTuple

from arbitre.errors import shorten
from arbitre.reasons import Reason, declare, keep, kept, reason_of
from arbitre.tournoyons.wire import Reply

OURS = ("called", "failed")
"""The exchanges that we began."""

MOST_WAITING = 100
"""Exchanges that wait to be told; of more, the oldest are forgotten: a hostile engine may call back without end."""


declare({"unended": ("we hung up before the call had ended", "nous avons raccroché avant la fin de l’appel")})
UNENDED = Reason("unended")
"""What is told of a call that has no status."""


class Fetched(NamedTuple):
    """What a call came to."""

    status: int
    body: str
    whole: bool
    """Whether the body ended within the bounds."""
    onward: str = ""
    """Where a redirect led that was not to be followed."""
    arrived: float = 0.0
    """When its last octet was there, by `time.monotonic`."""


@dataclass(slots=True)
class Spoken:
    """One exchange."""

    what: str
    """`called`, `heard`, `refused`, `failed`."""
    text: str
    """The address, or the query that came."""
    status: int = 0
    body: str = ""
    """What came back, or was answered; of a call without a status, the reason."""
    at: float = field(default_factory=time)
    """When it began."""
    going: bool = False
    """Whether it has not come to an end yet."""

    @property
    def shown(self) -> Reason | str | None:
        """What its owner is shown of it."""
        return came_of(self.what, self.status, self.body)


class Trace:
    """Everything that is exchanged with one engine; told when the ask is over, never before."""

    def __init__(self, tell: Callable[[Spoken], None] | None) -> None:
        self._tell = tell
        self._spoken: list[Spoken] = []
        self._asking = False

    def asked(self) -> None:
        """Tell nothing from now on."""
        self._asking = True

    def answered(self) -> None:
        """Tell what was exchanged, up to a call that still goes on."""
        self._asking = False
        going = next((number for number, one in enumerate(self._spoken) if one.going), len(self._spoken))
        told, self._spoken = self._spoken[:going], self._spoken[going:]
        if self._tell is not None:
            for one in told:
                self._tell(one)

    async def called(self, url: str, call: Awaitable[Fetched]) -> Fetched:
        """Take down a call from its beginning."""
        spoken = Spoken("called", url, going=True)
        self._add(spoken)
        try:
            fetched = await call
        except asyncio.CancelledError:
            spoken.body = keep(UNENDED)  # whoever calls back meanwhile has answered: it is no failure
            raise
        except Exception as error:
            spoken.what, spoken.body = "failed", keep(call_fault(error))
            raise
        else:
            spoken.status, spoken.body = fetched.status, shorten(fetched.body, 1000)
            return fetched
        finally:
            spoken.going = False
            if not self._asking:
                self.answered()

    def heard(self, query: str, reply: Reply, *, going: bool = False) -> Spoken:
        """Take down that somebody called back; `going` where the reply waits, and `replied` will tell what it was."""
        what = "heard" if reply.status == 200 else "refused"
        spoken = Spoken(what, shorten(query, 1000), reply.status, reply.text, going=going)
        self._add(spoken)
        return spoken

    def replied(self, spoken: Spoken, reply: Reply) -> None:
        """Take down what was answered in the end to somebody who called back."""
        spoken.what, spoken.status, spoken.body = "heard" if reply.status == 200 else "refused", reply.status, reply.text
        spoken.going = False
        if not self._asking:
            self.answered()

    def _add(self, spoken: Spoken) -> None:
        self._spoken.append(spoken)
        del self._spoken[:-MOST_WAITING]


def came_of(what: str, status: int, body: str) -> Reason | str | None:
    """Return what came of an exchange: the reason where a call of ours has no status, else what went over the wire."""
    return kept(body) if what in OURS and not status else body


def call_fault(error: BaseException) -> Reason:
    """Return what went wrong with a call, without the address, which its owner knows."""
    if (known := reason_of(error)) is not None:
        return known
    return Reason("quoted", text=shorten(str(error) or type(error).__name__))
