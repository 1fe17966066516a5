"""The daily puzzle, and those before, by game: one move alone does it, touched or typed, and the answer comes with its proof."""

import asyncio
from typing import Any

from litestar import Response, get

from arbitre.errors import UnknownError
from arbitre.games.analysis import Goal, Puzzle
from arbitre.games.catalogue import game as find_game
from arbitre.games.catalogue import listing
from arbitre.games.notation import notation_of
from arbitre.games.setup import Setup, setup_of
from arbitre.site.daily import Daily
from arbitre.values import value
from arbitre.web.analysed import drawing
from arbitre.web.dependencies import FromPath, FromQuery, OurHouse, ThisVisit
from arbitre.web.house import WebApp
from arbitre.web.telling import N_
from arbitre.web.visit import Visit

SHOWN = 30
"""Days that are listed."""
LONGEST = 40
"""Characters of a move."""

ASKED = {
    Goal.KEEP: N_("One move alone keeps the result. Which?"),
    Goal.SOON: N_("One move alone wins within %(count)s moves, whatever the other does. Which?"),
    Goal.FOURS: N_("One move alone wins within %(count)s moves, each a threat to win at once. Which?"),
}
PROVED = {
    Goal.KEEP: N_("Every move, counted out to the end by the rules alone; anybody can count again."),
    Goal.SOON: N_("Every move, and every line of so many moves, by the rules alone; anybody can go through them again."),
    Goal.FOURS: N_("Every threat to win at once, and all that follows, by the rules alone; anybody can go through them again."),
}
LEADS = {
    Goal.KEEP: {1: N_("wins"), 0: N_("draws"), -1: N_("loses")},
    Goal.SOON: {1: N_("wins in time"), 0: N_("does not win in time")},
    Goal.FOURS: {1: N_("wins in time"), 0: N_("does not win in time")},
}


@value
class Cell:
    """A cell of the board of a puzzle."""

    label: str
    href: str
    """Where a touch leads; empty where nothing can be done."""
    chosen: bool = False
    target: bool = False
    """Whether the piece that was chosen can go there."""


@get("/puzzles")
async def puzzles(house: OurHouse, visit: ThisVisit, game: FromQuery[str] = "") -> Response[str]:
    """Show the newest puzzle, of all or of one game, and lead to those before."""
    found = await asyncio.to_thread(house.puzzles.shown, 1, game)
    if game and not found:
        raise UnknownError("there is no puzzle of this game yet")
    return await _page(house, visit, found[0] if found else None, game=game)


@get("/puzzles/{day:str}")
async def puzzle(
    house: OurHouse, visit: ThisVisit, day: FromPath[str], move: FromQuery[str] = "", piece: FromQuery[str] = ""
) -> Response[str]:
    """Show the puzzle of a day, with a piece where it may go, and with a move what it leads to."""
    return await _page(house, visit, await asyncio.to_thread(house.puzzles.find, day), move[:LONGEST].strip(), piece[:LONGEST])


async def _page(
    house: WebApp, visit: Visit, daily: Daily | None, move: str = "", piece: str = "", game: str = ""
) -> Response[str]:
    listed = await asyncio.to_thread(house.puzzles.shown, SHOWN, game)
    games = await asyncio.to_thread(house.puzzles.games)
    return house.page(
        visit,
        "puzzles.html",
        daily=daily,
        game=game,
        called={name: listing(name).called(visit.language) for name in games},
        games=games,
        shown={} if daily is None else _shown(visit, daily, move, piece),
        move=move,
        there=daily is not None and house.arena.sittings.has(daily.match),
        days=listed,
    )


def _shown(visit: Visit, daily: Daily, move: str, piece: str) -> dict[str, Any]:
    """Return what the page says of a puzzle: the board, the question, and with a move what is to be said of it."""
    table, one = find_game(daily.game), daily.puzzle
    state = notation_of(table).read_state(one.position)
    setup = setup_of(table)
    legal = [notation_of(table).write(found) for found in table.legal(table.view(state, state.mover))]
    move = next((text for text in legal if text.casefold() == move.casefold()), move)
    sides = ("", "") if setup is None else tuple(names[visit.language == "fr"] for names in setup.sides)
    return {
        "picture": drawing(table, state, None),
        "size": 0 if setup is None else setup.size,
        "cells": () if setup is None else _cells(setup, daily.day, legal, move, piece),
        "example": next(text for text in legal if text != one.move),
        "side": sides[one.mover],
        "asked": visit.words(ASKED[one.goal], count=one.within),
        "right": move == one.move,
        "said": _said(visit, one, move, legal) if move else "",
        "proved": visit.words(PROVED[one.goal]),
        "results": [(text, visit.words(LEADS[one.goal][result])) for text, result in one.results],
    }


def _said(visit: Visit, one: Puzzle, move: str, legal: list[str]) -> str:
    """Return what is said of a move."""
    if move == one.move:
        return visit.words(N_("Right: %(move)s is the only one."), move=move)
    if move not in legal:
        return visit.words(N_("%(move)s is no move here."), move=move)
    if one.goal is Goal.KEEP:
        return visit.words(N_("No: %(move)s gives the result away."), move=move)
    if one.goal is Goal.FOURS and move not in dict(one.results):
        return visit.words(N_("No: %(move)s threatens nothing at once."), move=move)
    return visit.words(N_("No: after %(move)s the other holds out longer."), move=move)


def _cells(setup: Setup, day: str, legal: list[str], move: str, piece: str) -> tuple[Cell, ...]:
    """Return the cells: a touch plays a move of one cell; of a move between cells the piece is chosen first, then where to."""
    ways = {text: tuple(text.replace("x", "-").split("-")) for text in legal}
    targets: dict[str, str] = {}
    for text, (start, *rest) in ways.items():
        if not rest:
            targets.setdefault(start, f"move={text}")
        elif start == piece:
            targets.setdefault(rest[-1], f"move={text}")
        else:
            targets.setdefault(start, f"piece={start}")
    chosen = {piece, *move.replace("x", "-").split("-")}
    return tuple(
        Cell(
            label,
            f"/puzzles/{day}?{targets[label]}" if label in targets else "",
            bool(label) and label in chosen,
            bool(piece) and targets.get(label, "").startswith("move="),
        )
        for label in setup.labels
    )
