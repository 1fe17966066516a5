"""Who watches a competition: told when something has changed, not too often, and now and then that the line still stands."""

import asyncio
from collections.abc import AsyncGenerator

from arbitre.site.competitions.competitions import CompetitionId, Stage
from arbitre.site.site import Site

BEAT_SECONDS = 15.0
CALM_SECONDS = 1.1
"""Changes are told at most so often: a little longer than a board stays fresh."""


async def changes(site: Site, number: CompetitionId) -> AsyncGenerator[tuple[Stage, int] | None, None]:
    """Yield the stage of a competition and how much has happened, now and whenever there is more, until the house closes.

    Where nothing happens, `None` says now and then that the line still stands.
    """
    bell, told = site.steward.bell(number), -1
    closing = asyncio.ensure_future(site.closing.wait())
    try:
        while not closing.done():
            if told == bell.count:
                ringing = asyncio.ensure_future(bell.wait())
                await asyncio.wait((ringing, closing), timeout=BEAT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                ringing.cancel()
                if told == bell.count:
                    yield None
                    continue
            first, told = told < 0, bell.count
            if not first:  # a board that is fetched then is newer than what it is fetched for
                await asyncio.wait((closing,), timeout=CALM_SECONDS)
            yield (await asyncio.to_thread(site.community.competitions.find, number)).stage, told
    finally:
        closing.cancel()
