"""Positions as pictures: an editor for every game that has a board, and small pictures of those that were kept.

What a visitor lays is sent as it lies; the server makes the text, draws it and says what is wrong. The text is the one that forms
and programs take, so nothing else needs to know of this page. Without a script the text alone is edited.
"""

import asyncio
from typing import Any
from urllib.parse import urlencode

from litestar import Response, get
from litestar.exceptions import NotFoundException

from arbitre.errors import ArbitreError, PositionError
from arbitre.games.catalogue import listings
from arbitre.games.game import AnyGame, Outcome
from arbitre.games.notation import notation_of
from arbitre.games.positions import presets_of
from arbitre.games.setup import Arrangement, Setup, canonical, setup_of
from arbitre.site.accounts import Account, Role
from arbitre.site.photos import Photo
from arbitre.web.annotated import coordinates
from arbitre.web.dependencies import FromQuery, OurHouse, ThisVisit, Whole
from arbitre.web.house import WebApp
from arbitre.web.smalls import picture_of
from arbitre.web.telling import N_
from arbitre.words import Words

LONGEST = 4_000
MOST_KEPT = 12
NAMES = {
    "start": N_("usual start"), "middle": N_("middle of a game"), "end": N_("near the end"), "captures": N_("captures"),
    "choices": N_("many choices"), "promotion": N_("promotion"),
}  # fmt: skip
"""What the positions of a game are called that have a name."""


def _table(name: str) -> tuple[AnyGame, Setup]:
    """Return a game that has an editor."""
    listed = next((one for one in listings() if one.name == name and one.setup), None)
    if listed is None:
        raise NotFoundException
    game = listed.game()
    found = setup_of(game)
    if found is None:
        raise NotFoundException
    return game, found


def _told(words: Words, game: AnyGame, setup: Setup, text: str, laid: Arrangement | None = None) -> dict[str, Any]:
    """Return what the editor shows of a text, or of an arrangement and its text: the picture, and what is wrong."""
    problem, said = "", ""
    try:
        text = canonical(game, text)
        laid = laid or setup.spread(text)
        said = _said(words, game, setup, text)
    except PositionError as error:
        problem = words.of(error.why)
    except ArbitreError as error:
        problem = words.of(error)
    shown = {} if laid is None else {"cells": laid.cells, "side": laid.side, "rest": laid.rest, "picture": setup.draw(laid.cells)}
    return {**shown, "text": text, "problem": problem, "said": said}


def _said(words: Words, game: AnyGame, setup: Setup, text: str) -> str:
    """Return whose turn it is."""
    state = notation_of(game).read_state(text)
    if isinstance(game.phase(state), Outcome):
        return words(N_("The game would be over at once."))
    side = setup.spread(text).side
    return words(N_("A position to play from; to move: %(side)s."), side=setup.sides[side][words.language == "fr"])


@get("/positions")
async def positions(
    house: OurHouse, visit: ThisVisit, game: FromQuery[str] = "reversi", position: FromQuery[str] = ""
) -> Response[str]:
    """Show the editor."""
    rules, setup = _table(game)
    told = _told(visit.words, rules, setup, position[:LONGEST])
    if "cells" not in told:  # what was pasted is no position: its text and the reason stay, beside the usual start
        told = {**_told(visit.words, rules, setup, ""), "text": position[:LONGEST], "problem": told["problem"], "said": ""}
    by = visit.person
    return house.page(
        visit,
        "positions.html",
        game=game,
        games=[one for one in listings() if one.setup],
        setup=setup,
        told=told,
        coordinates=coordinates(game),
        side_names=[names[visit.language == "fr"] for names in setup.sides],
        kept=await _kept(house, by, rules, visit.words),
        may_announce=by is not None and by.may(Role.ORGANISER),
        problem="",
    )


@get("/positions/drawn")
async def drawn(
    visit: ThisVisit,
    game: FromQuery[str],
    text: FromQuery[str] = "",
    cells: FromQuery[str] = "",
    side: Whole = 0,
    rest: FromQuery[str] = "",
) -> dict[str, Any]:
    """Return the picture and the text of what was laid, or of what was pasted, and what is wrong with it."""
    rules, setup = _table(game)
    if not cells:
        return _told(visit.words, rules, setup, text[:LONGEST])
    laid = Arrangement(cells, side, rest[:40])
    setup.check(laid, cells[:LONGEST])
    return _told(visit.words, rules, setup, setup.gather(laid), laid)


async def _kept(house: WebApp, by: Account | None, game: AnyGame, words: Words) -> list[dict[str, str]]:
    """Return somebody's photographs of a game, and the game's own positions, as small pictures."""
    photos = () if by is None else await asyncio.to_thread(house.community.photos.of, by, game.name)
    found = [_card(one.title, game, one.state) for one in _usual(photos)[:MOST_KEPT]]
    for preset in presets_of(game.name):
        state = preset.states(game)[-1]
        found.append(_card(words(NAMES.get(preset.key, preset.key)), game, notation_of(game).write_state(state)))
    return found


def _usual(photos: tuple[Photo, ...]) -> list[Photo]:
    """Return those that were played by the usual rules, which the editor's pictures follow."""
    return [one for one in photos if not one.options]


def _card(title: str, game: AnyGame, text: str) -> dict[str, str]:
    state = notation_of(game).read_state(text)
    where = urlencode({"game": game.name, "position": text})
    return {"title": title, "href": f"/positions?{where}", "picture": picture_of(game, game.view(state, "referee"))}
