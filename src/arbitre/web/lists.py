"""Games in lists: what a page shows of many matches, under the names that people know; and the house playing for visitors."""

import asyncio
from dataclasses import replace
from typing import Any

from arbitre.engines import levels
from arbitre.rules.added import Added
from arbitre.rules.catalogue import Listing, listing
from arbitre.rules.catalogue import game as find_game
from arbitre.rules.game import AnyGame
from arbitre.services.arena import Live, Sitting
from arbitre.services.sitting import House as HousePlayer
from arbitre.services.sitting import Plan
from arbitre.web.house import House

SHOWN = ("reversi", "draughts", "pente", "bigtictactoe")
"""Games that two of the house play for a visitor who comes when nothing goes on, one after the other."""

SHOW_PACE = 1.6
"""Seconds between two moves of theirs."""


async def names_of(house: House, plan: Plan) -> tuple[str, ...]:
    """Return what the players of a match are called on pages: records know accounts and engines by neutral names."""
    return (await all_names(house, (plan,)))[0]


async def all_names(house: House, plans: tuple[Plan, ...]) -> list[tuple[str, ...]]:
    """Return what the players of several matches are called on pages."""
    chairs = [[chair.name for chair in plan.chairs()] for plan in plans]
    neutral = [name for seats in chairs for name in seats]
    found = await asyncio.to_thread(lambda: house.community.accounts.names(neutral) | house.community.engines.names(neutral))
    return [tuple(found.get(name, name) for name in seats) for seats in chairs]


def listing_of(game: AnyGame) -> Listing:
    """Return the listing of a game; one that somebody added goes by its own name."""
    found = listing(game.name)
    return replace(found, title=game.key) if isinstance(game, Added) else found


def card(sitting: Sitting, names: tuple[str, ...], live: Live | None = None) -> dict[str, Any]:
    """Return what a list shows of a match."""
    shown = listing_of(sitting.plan.game)
    return {
        "href": f"/games/{sitting.name}",
        "game": sitting.plan.game.name,
        "names": names[: sitting.plan.game.seats - len(sitting.plan.game.neutral)],
        "title": sitting.title or shown.title or shown.name,
        "ply": 1 if live is None else max(1, len(live.scenes("spectator"))),  # what nobody sees is not counted either
        "state": sitting.state,
        "number": sitting.number,
    }


async def cards(house: House, sittings: tuple[Sitting, ...]) -> list[dict[str, Any]]:
    """Return what a list shows of several matches."""
    names = await all_names(house, tuple(one.plan for one in sittings))
    live = {one.name: one for one in house.arena.playing()}
    return [card(one, called, live.get(one.name)) for one, called in zip(sittings, names, strict=True)]


def _showing(house: House) -> int:
    return sum(
        one.sitting.owner is None and all(isinstance(sitter, HousePlayer) for sitter in one.sitting.plan.sitters)
        for one in house.arena.playing()
    )


async def show_case(house: House) -> None:
    """Let players of the house play, as many games as the operator wants a visitor to find."""
    while _showing(house) < house.settings.house_games and not house.arena.full:
        name = SHOWN[house.arena.count % len(SHOWN)]
        middle = (len(levels(name)) + 1) // 2
        plan = Plan(find_game(name), (HousePlayer(middle), HousePlayer(max(1, middle - 1))), pace=SHOW_PACE)
        await house.arena.open(plan)
