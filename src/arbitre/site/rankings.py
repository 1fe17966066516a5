"""Rankings as they are looked at: made when somebody asks, and not anew each time; under the names that people know."""

import asyncio
from time import monotonic

from arbitre.errors import UnknownError, shorten
from arbitre.site.accounts import Account
from arbitre.site.games import PlayableGame, added_games, played
from arbitre.site.ratings import Ranked, Ranking, ranking, rated_labels
from arbitre.site.site import Site

FRESH_SECONDS = 0.002
"""For each game that it was made from, a ranking stays good so long; it is made again when games were added."""


async def rank(site: Site, game: str) -> Ranking:
    """Return the ranking of a game; one of many games is not made anew each time."""
    kept = site.rankings.get(game)
    if kept is not None and monotonic() - kept[0] < FRESH_SECONDS * kept[1].games:
        return kept[1]
    found = await asyncio.to_thread(ranking, site.store, game)
    site.rankings[game] = (monotonic(), found)
    return found


async def ranked(site: Site, label: str, by: Account | None) -> tuple[PlayableGame, Ranking]:
    """Return a game that this person may see, and its ranking; `UnknownError`."""
    table = await asyncio.to_thread(played, site, label, by)
    if table is None:
        raise UnknownError("no game is called %(label)r here", label=shorten(label))
    return table, await rank(site, table.label)


def rated(site: Site, by: Account | None) -> list[str]:
    """Return the labels of the added games that somebody is rated in and this person may see."""
    return sorted(rated_labels(site.store) & {one.label for one in added_games(site, by)})


async def names(site: Site, standings: tuple[Ranked, ...]) -> dict[str, str]:
    """Return what those of a ranking are called, by their neutral names."""
    return await called(site, [one.neutral for one in standings])


async def called(site: Site, neutral: list[str]) -> dict[str, str]:
    """Return what people and engines are called, by their neutral names."""
    return await asyncio.to_thread(lambda: site.community.accounts.names(neutral) | site.community.engines.names(neutral))
