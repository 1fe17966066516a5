"""Analyses of the site's games: who may ask for one, and who sees it.

One asks for those of one's own games, and everybody for those of competitions. What was made anybody sees who may see the game:
it is over, and its record is open.
"""

import asyncio

from arbitre.analysis.document import Document
from arbitre.errors import ForbiddenError, UnfinishedError
from arbitre.games.analysis import analyst_class, is_judged
from arbitre.site import matches
from arbitre.site.analyses import Progress, Wish
from arbitre.site.arena.matches import ArenaMatch
from arbitre.site.caller import Caller
from arbitre.site.site import Site


def concerns(caller: Caller, sitting: ArenaMatch) -> bool:
    """Tell whether a game is somebody's own, or of a competition."""
    own = bool(caller.seats(sitting.plan)) or matches.owns(caller, sitting) or caller.operates
    return bool(caller.who) and (own or bool(sitting.plan.event))


def may_ask(caller: Caller, sitting: ArenaMatch) -> bool:
    """Tell whether somebody may have a game analysed."""
    return concerns(caller, sitting) and sitting.state == "over" and is_judged(sitting.plan.game.name)


async def ask(site: Site, caller: Caller, name: str) -> Progress:
    """Have a game analysed: it waits in the caller's line, durably when this returns."""
    sitting = matches.find(site, caller, name)
    if not concerns(caller, sitting):
        raise ForbiddenError("an analysis is made for those who played, and of competitions for everybody")
    analyst_class(sitting.plan.game.name)
    matches.record(site, sitting)
    line = caller.who if caller.account is not None else f"household:{caller.household}"
    found = await asyncio.to_thread(site.community.analyses.ask, Wish(caller.who, line), sitting.name, site.key.fingerprint)
    site.judge.wake()
    return found


async def look(site: Site, caller: Caller, name: str) -> tuple[ArenaMatch, Progress, Document | None]:
    """Return a game that is over, how far its analysis has come, and the analysis."""
    sitting = matches.find(site, caller, name)
    if sitting.state != "over":
        raise UnfinishedError("a game is analysed when it is over and its record is open")
    progress = await asyncio.to_thread(site.community.analyses.progress, sitting.name)
    return sitting, progress, await asyncio.to_thread(site.community.analyses.document, sitting.name)
