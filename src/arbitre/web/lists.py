"""Games in lists: what a page shows of many matches, under the names that people know; and the house playing for visitors."""

import asyncio
from dataclasses import replace
from typing import Any

from arbitre.games.catalogue import Listing, listing, listings
from arbitre.games.catalogue import game as find_game
from arbitre.games.game import AnyGame
from arbitre.games.levels import levels
from arbitre.site.arena.live import Live
from arbitre.site.arena.matches import Sitting
from arbitre.site.arena.plan import GUEST, MODEL, Engine, Person, Plan, Referee, Sitter, guests_apart
from arbitre.site.arena.plan import House as HousePlayer
from arbitre.site.arena.showcase import is_shown
from arbitre.web.house import House
from arbitre.words import DEFAULT, Words

MOST_KNOWN = 20
"""People, and engines, whose names a search means."""

SHOW_PACE = 1.6
"""Seconds between two moves of theirs."""


async def names_of(house: House, plan: Plan, words: Words | None = None) -> tuple[str, ...]:
    """Return what the players of a match are called on pages: records know accounts and engines by neutral names."""
    return (await all_names(house, (plan,), words))[0]


async def all_names(house: House, plans: tuple[Plan, ...], words: Words | None = None) -> list[tuple[str, ...]]:
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
    return isinstance(sitter, Person) and sitter.name in ("", GUEST)


def _common(sitter: Sitter, letter: str, _: Words | None) -> str:
    """Return what somebody who has no name of one's own is called."""
    if _ is None:
        return ""
    if isinstance(sitter, HousePlayer):
        return _("house %(level)s", level=sitter.level)
    if isinstance(sitter, Referee):
        return _("referee of %(game)s", game=sitter.name)
    if isinstance(sitter, Engine) and sitter.name.startswith(MODEL):
        return _("model of %(game)s", game=sitter.name.removeprefix(MODEL))
    if not _guest(sitter):
        return ""
    return _("guest %(letter)s", letter=letter) if letter else _("guest")


async def known_as(house: House, words: str) -> tuple[str, ...]:
    """Return how records call those whose names on pages have these words in them."""
    if not words.strip():
        return ()
    kept = house.community
    people, engines = await asyncio.to_thread(
        lambda: (kept.accounts.all(search=words, most=MOST_KNOWN), kept.engines.called(words, MOST_KNOWN))
    )
    return (*(one.neutral for one in people), *engines)


def listing_of(game: AnyGame) -> Listing:
    """Return the listing of a game; one that somebody added goes by its own name."""
    found = listing(game.name)
    return found if game.called == game.name else replace(found, title=game.called, titre="")


def card(sitting: Sitting, names: tuple[str, ...], live: Live | None = None, language: str = DEFAULT) -> dict[str, Any]:
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


async def cards(house: House, sittings: tuple[Sitting, ...], words: Words | None = None) -> list[dict[str, Any]]:
    """Return what a list shows of several matches."""
    names = await all_names(house, tuple(one.plan for one in sittings), words)
    live = {one.name: one for one in house.arena.playing()}
    language = DEFAULT if words is None else words.language
    return [card(one, called, live.get(one.name), language) for one, called in zip(sittings, names, strict=True)]


async def show_case(house: House) -> None:
    """Let players of the house play, as many games as the operator wants a visitor to find."""
    while sum(is_shown(one.sitting) for one in house.arena.playing()) < house.settings.house_games and not house.arena.full:
        shown = [one.name for one in listings() if one.shown]
        if not shown:
            return
        name = shown[house.arena.count % len(shown)]
        middle = (len(levels(name)) + 1) // 2
        plan = Plan(find_game(name), (HousePlayer(middle), HousePlayer(max(1, middle - 1))), pace=SHOW_PACE)
        await house.arena.open(plan)
