"""The draughts league as the site shows it: its confirmed games, and defenders of visitors that the house challenges."""

from arbitre.errors import UnknownError
from arbitre.league.duel import PORT
from arbitre.league.house import Challenge
from arbitre.league.ledger import Confirmed
from arbitre.site.caller import Caller
from arbitre.site.site import Site
from arbitre.transport.sockets import read_endpoint

LONGEST_ADDRESS = 300
USUAL_LEVEL = 1


async def game(site: Site, number: int) -> Confirmed:
    """Return a confirmed game; `UnknownError`."""
    await site.league.look()
    found = site.league.game(number)
    if found is None:
        raise UnknownError("no confirmed game has this number")
    return found


def challenge(site: Site, caller: Caller, address: str, level: int) -> Challenge:
    """Challenge the defender at an address; `LeagueError` where that is none, `HasteError` where there are too many."""
    return site.robots.challenge(read_endpoint(address.strip()[:LONGEST_ADDRESS], PORT), level, caller.counted)


def challenged(site: Site, name: str) -> Challenge:
    """Return a challenge of the house by its name; `UnknownError`."""
    found = site.robots.find(name)
    if found is None:
        raise UnknownError("nobody knows this challenge any more")
    return found


async def confirmed(site: Site, one: Challenge) -> int | None:
    """Return the number of the confirmed game that a challenge has become."""
    if one.finished is None or not one.finished.recordable:
        return None
    await site.league.look()
    return next((game.number for game in reversed(site.league.games) if game.report.game.moves == one.duel.moves), None)
