"""Games in lists: what a page shows of many matches, under the names that people know."""

import asyncio
from dataclasses import replace
from typing import Any

from arbitre.games.catalogue import Listing, listing
from arbitre.games.game import AnyGame
from arbitre.site.arena.live import Live
from arbitre.site.arena.matches import ArenaMatch
from arbitre.site.arena.plan import GUEST, MODEL, EngineSeat, MatchPlan, PersonSeat, RefereeSeat, Sitter, guests_apart
from arbitre.site.arena.plan import HouseSeat as HousePlayer
from arbitre.web.house import WebApp
from arbitre.words import DEFAULT, Words


async def names_of(house: WebApp, plan: MatchPlan, words: Words | None = None) -> tuple[str, ...]:
    """Return what the players of a match are called on pages: records know accounts and engines by neutral names."""
    return (await all_names(house, (plan,), words))[0]


async def all_names(house: WebApp, plans: tuple[MatchPlan, ...], words: Words | None = None) -> list[tuple[str, ...]]:
    """Return what the players of several matches are called on pages: in somebody's words, or as records have it."""
    neutral = [chair.name for plan in plans for chair in plan.chairs()]
    found = await asyncio.to_thread(lambda: house.community.accounts.names(neutral) | house.community.engines.names(neutral))
    return [
        tuple(
            found.get(chair.name) or _common(sitter, letter, words) or chair.name
            for sitter, letter, chair in zip(plan.sitters, guests_apart(map(_guest, plan.sitters)), plan.chairs(), strict=True)
        )
        for plan in plans
    ]


def _guest(sitter: Sitter) -> bool:
    return isinstance(sitter, PersonSeat) and sitter.name in ("", GUEST)


def _common(sitter: Sitter, letter: str, _: Words | None) -> str:
    """Return what somebody who has no name of one's own is called."""
    if _ is None:
        return ""
    if isinstance(sitter, HousePlayer):
        return _("house %(level)s", level=sitter.level)
    if isinstance(sitter, RefereeSeat):
        return _("referee of %(game)s", game=sitter.name)
    if isinstance(sitter, EngineSeat) and sitter.name.startswith(MODEL):
        return _("model of %(game)s", game=sitter.name.removeprefix(MODEL))
    if not _guest(sitter):
        return ""
    return _("guest %(letter)s", letter=letter) if letter else _("guest")


def listing_of(game: AnyGame) -> Listing:
    """Return the listing of a game; one that somebody added goes by its own name."""
    found = listing(game.name)
    return found if game.called == game.name else replace(found, title=game.called, titre="")


def card(sitting: ArenaMatch, names: tuple[str, ...], live: Live | None = None, language: str = DEFAULT) -> dict[str, Any]:
    """Return what a list shows of a match."""
    return {
        "href": f"/games/{sitting.name}",
        "game": sitting.plan.game.name,
        "names": names[: sitting.plan.game.seats - len(sitting.plan.game.neutral)],
        "title": sitting.title or listing_of(sitting.plan.game).called(language),
        "ply": 1 if live is None else max(1, len(live.scenes("spectator"))),  # what nobody sees is not counted either
        "state": sitting.state,
        "number": sitting.number,
    }


async def cards(house: WebApp, sittings: tuple[ArenaMatch, ...], words: Words | None = None) -> list[dict[str, Any]]:
    """Return what a list shows of several matches."""
    names = await all_names(house, tuple(one.plan for one in sittings), words)
    live = {one.name: one for one in house.arena.playing()}
    language = DEFAULT if words is None else words.language
    return [card(one, called, live.get(one.name), language) for one, called in zip(sittings, names, strict=True)]
