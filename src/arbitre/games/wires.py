"""A game's wire: its words for engines and for interfaces, and which games have them (spec: tournoyons, sections 4, 5 and 8)."""

from functools import cache

from arbitre.errors import ProtocolError
from arbitre.games.catalogue import Listing, fetch, listing, listings
from arbitre.games.game import AnyGame, Seat
from arbitre.games.screen import ScreenWire
from arbitre.games.wire import EngineWire
from arbitre.reasons import Reason
from arbitre.values import value

PLAIN = "arbitre.games.plain:WIRE"
"""The wire of a game that brings none."""


@value
class Wire:
    """Both sides of a game's wire; a game names its own in `Listing.wire`."""

    engine: type[EngineWire]
    screen: type[ScreenWire]


def wire_of(name: str) -> Wire:
    """Return the wire of a game of the catalogue."""
    made: Wire = fetch(listing(name).wire or PLAIN)
    return made


def unspeakable(game: AnyGame) -> Reason | None:
    """Say why a game cannot be played over the Tournoyons protocol, or None if it can."""
    return wire_of(game.name).engine.unspeakable(game)


def engine_wire(game: AnyGame) -> EngineWire:
    """Return a game's words for engines; `ProtocolError` where it has none."""
    if why := unspeakable(game):
        raise ProtocolError(why)
    return wire_of(game.name).engine(game)


def screen_of(game: AnyGame, people: frozenset[Seat] = frozenset()) -> ScreenWire:
    """Return a game's words for interfaces, `people` where persons sit; `ProtocolError` where it has none."""
    return wire_of(game.name).screen(game, engine_wire(game), people)


@cache
def wired() -> tuple[Listing, ...]:
    """Return the games that engines and interfaces play: those of two players."""
    return tuple(one for one in listings() if unspeakable(one.game()) is None)


def is_wired(name: str) -> bool:
    """Tell whether a name is that of a game which engines and interfaces play."""
    return any(one.name == name for one in wired())
