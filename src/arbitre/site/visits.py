"""Visits at the arcade that are carried by requests: what is told ends when the site closes (spec: arcade)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

from arbitre.arcade.desk import Caller, Told
from arbitre.reasons import Reason
from arbitre.site.site import Site


async def listen(site: Site, caller: Caller, after: int) -> AsyncIterator[Told | None]:
    """Yield what a visitor is told behind a number, and None now and then; the visit is over when the site closes."""
    closing = asyncio.ensure_future(site.closing.wait())
    closing.add_done_callback(lambda done: None if done.cancelled() else caller.dismiss(Reason("arcade-closes")))
    try:
        async with aclosing(caller.listen(after)) as told:  # type: ignore[type-var]
            async for one in told:
                yield one
    finally:
        closing.cancel()
