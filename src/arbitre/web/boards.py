"""Positions on the default interfaces: the address of a page that draws one, for testers (spec: tournoyons, section 5).

Parameters are a mapping here, for people may change each by hand; whatever they write is encoded so that it stays one parameter
of one query.
"""

import re
from collections.abc import Mapping
from functools import cache
from random import Random
from typing import Any

from arbitre.errors import ArbitreError, ForbiddenAddressError, UnfitError, shorten
from arbitre.games.catalogue import game as find_game
from arbitre.games.game import AnyGame, Seat, playout
from arbitre.games.notation import notation_of
from arbitre.games.screen import PLAIN, SEATS, Phrase, Shown, escape
from arbitre.games.screens import screen_of
from arbitre.reasons import reason_of
from arbitre.tournoyons.positions import Preset, seats_to_move
from arbitre.tournoyons.tester import Exercise
from arbitre.transport.guard import check_form, read_url
from arbitre.words import Words

PARAMETERS = (
    "Set", "Method", "Tray", "Move1", "Move2", "Gain1", "Gain2", "Heard", "Side", "Count", "Name1", "Name2", "Legend", "Wait",
    "Mute", "Color", "WebTest", "Input",
)  # fmt: skip
"""What an interface is told, `URLReturn` aside, in the order in which it is sent: the input last."""

PAPER = {"light": "fbfaf7", "dark": "14181b"}
"""The colours of our pages, as the style sheet has them."""

STRICT, OWN_ORIGIN = "allow-scripts", "allow-scripts allow-same-origin"
"""What a frame may do; with the second, a page of another origin than ours keeps that origin, and no more."""

METHODS = ("Standard", "End", "Prepare", "Double", "Inverse", "None")
LONGEST = 1_000
WORDED = ("Name1", "Name2", "Legend", "Count")
HOST = re.compile(r"[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]+\]")


def query_of(parameters: Mapping[str, str], returns: str = "") -> str:
    """Return a query with the parameters that say something: words as `escape` writes them, the rest as it is if it can be."""
    found = []
    for name in PARAMETERS:
        text = parameters.get(name, "")[:LONGEST]
        if text:
            found.append(f"{name}={text if name not in WORDED and PLAIN.fullmatch(text) else escape(text)}")
    return "&".join([*found, *([f"URLReturn={returns}"] if returns else [])])


def parameters_of(shown: Shown, words: Words) -> dict[str, str]:
    """Return what an interface is told of a position, with the names and the legend of this site."""
    legends = {
        Phrase.BLACK_PASSES: words("Black passes"),
        Phrase.WHITE_PASSES: words("White passes"),
        Phrase.I_PASS: words("I pass"),
        Phrase.READY: words("Ready"),
    }
    given = {
        "Set": shown.set,
        "Method": shown.method,
        "Tray": shown.tray,
        "Move1": shown.moves[0],
        "Move2": shown.moves[1],
        "Gain1": shown.gains[0],
        "Gain2": shown.gains[1],
        "Heard": shown.heard,
        "Side": None if shown.side is None else SEATS[shown.side],
        "Count": None if shown.count is None else str(shown.count),
        "Name1": words("First"),
        "Name2": words("Second"),
        "Legend": None if shown.legend is None else legends[shown.legend],
        "Wait": "4",
        "Input": None if shown.asks is None else SEATS[shown.asks],
    }
    return {name: text for name, text in given.items() if text}


def address_of(name: str, parameters: Mapping[str, str], theme: str = "") -> str:
    """Return the address of a default interface that shows something."""
    return f"/interfaces/{name}.html?{query_of({**surroundings(theme), **parameters})}"


def surroundings(theme: str) -> dict[str, str]:
    """Return the colour of the page that an interface is told, where the visitor has chosen light or dark."""
    return {"Color": PAPER[theme]} if theme in PAPER else {}


def board(game: AnyGame, exercise: Exercise, words: Words) -> dict[str, str]:
    """Return the parameters that show the position of an exercise to the seat that is to move."""
    return parameters_of(screen_of(game).show(exercise.view, exercise.seat), words)


def effect(game: AnyGame, exercise: Exercise, text: str, words: Words) -> dict[str, str] | None:
    """Return the parameters that show what a move does; None where that cannot be shown: an umpire would refuse it."""
    try:
        moves = {
            seat: game.sample(game.view(exercise.state, seat), Random(1)) for seat in seats_to_move(game, exercise.state)
        } | {exercise.seat: notation_of(game).read(text, exercise.view)}
        after = game.play(exercise.state, moves)
        shown = screen_of(game).show(game.view(after, exercise.seat), exercise.seat, before=exercise.view)
    except ArbitreError:
        return None
    return parameters_of(shown, words)


def asked(game: AnyGame, preset: Preset, words: Words) -> dict[str, str]:
    """Return the parameters that ask a person for a move in a preset position, with the move before it."""
    states = preset.states(game)
    seat = seats_to_move(game, states[-1])[0]
    before = game.view(states[-2], seat) if len(states) > 1 else None
    shown = screen_of(game, frozenset({seat})).show(game.view(states[-1], seat), seat, before=before, asks=seat)
    return parameters_of(shown, words)


def over(game: AnyGame, words: Words) -> dict[str, str]:
    """Return the parameters that show the end of some game."""
    before, after = _last(game.name)
    return parameters_of(
        screen_of(game).show(game.view(after, "referee"), "spectator", before=game.view(before, "referee")), words
    )


@cache
def _last(name: str) -> tuple[Any, Any]:
    game = find_game(name)
    if name == "kriegspiel":
        states = Preset("mate", line="f2f3 e7e5 g2g4 d8h4").states(game)
        return states[-2], states[-1]
    *_, step = playout(game, Random(1))
    return step.before, step.after


def origin_of(address: str) -> str:
    """Return the origin of somebody's page as `frame-src` names it; `UnfitError` where it would say anything else."""
    try:
        url = read_url(address)
        check_form(url)
        host, port = url.raw_host or "", url.port
    except (ValueError, ForbiddenAddressError) as error:
        raise UnfitError("url", reason_of(error) or str(error)) from None
    shown = f"[{host}]" if ":" in host else host
    if not HOST.fullmatch(shown) or url.user is not None or url.password is not None:
        raise UnfitError("url", "not an address that can be shown in a frame: %(address)r", address=shorten(address, 80))
    return f"{url.scheme}://{shown}:{port}"


def sandbox_of(address: str, own_origin: bool, site: str) -> str:
    """Return what the frame of a third party's page may do: with our origin it would be a page of ours, so that is never kept."""
    return OWN_ORIGIN if own_origin and origin_of(address) != origin_of(site) else STRICT


def framed(address: str, query: str) -> str:
    """Return an interface's address with a query behind it, or behind the one that it has."""
    bare = address.partition("#")[0]
    return f"{bare}{'&' if '?' in bare else '?'}{query}"


def seat_of(text: str) -> Seat:
    """Return the seat that a field of a form names, 1 or 2."""
    return Seat(1) if text == "2" else Seat(0)
