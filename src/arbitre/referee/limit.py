"""One wait with a limit: an answer and the end of the time are never both true.

Whoever is asked decides, once, at the place where the answer arrives: it is taken, and the sender told so, or it is refused.
When the time is up nobody is simply called off. The player is told to close its question (`Player.expire`), and says whether
that was still open; an answer that was taken before is waited for, however late the loop comes to it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

T = TypeVar("T")

SLACK_SECONDS = 0.02
"""How much later than the limit the bell rings: an answer that arrived in time may still have to be read."""


async def within(milliseconds: int, asking: Awaitable[T], expire: Callable[[], bool]) -> T:
    """Return the answer, or raise `TimeoutError` when the time is up and `expire` says that no answer was taken.

    A loop that is behind finds the answer and the end of the time in the same round, and a plain timeout then cancels a task that
    was about to be woken with the answer. This one rings a round later, behind whoever was woken.
    """
    limit = _Limit(asyncio.get_running_loop(), asyncio.current_task(), expire)
    bell = limit.loop.call_later(milliseconds / 1000 + SLACK_SECONDS, limit.up)
    try:
        return await asking
    except asyncio.CancelledError:
        if limit.rang and limit.quiet():
            raise TimeoutError from None
        raise
    finally:
        bell.cancel()
        limit.over = True
        if limit.rang:
            limit.quiet()


class _Limit:
    """What `asyncio.timeout` does for one wait; every ply has one, and this takes a third of the time."""

    __slots__ = ("before", "expire", "loop", "over", "rang", "task")

    def __init__(self, loop: asyncio.AbstractEventLoop, task: "asyncio.Task[Any] | None", expire: Callable[[], bool]) -> None:
        self.loop = loop
        self.task = task
        self.expire = expire
        self.before = 0 if task is None else task.cancelling()
        self.over = self.rang = False

    def up(self) -> None:
        """Ring a round later."""
        self.loop.call_soon(self.ring)

    def ring(self) -> None:
        """Stop waiting, unless an answer was taken."""
        if not self.over and self.task is not None and self.expire():
            self.rang = True
            self.task.cancel()

    def quiet(self) -> bool:
        """Take the ringing back; tell whether nobody else has called the wait off."""
        self.rang = False
        return self.task is not None and self.task.uncancel() <= self.before
