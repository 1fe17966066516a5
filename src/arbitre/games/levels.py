"""House players: for every game somebody to play against, from a beginner's level to the best we have.

An engine is a `Bot` like any other, so whatever it can do a user's bot can do. The engine of a game of ours is the module
`engine` of its package, with a tuple `LEVELS` of classes, the weakest first. Another package brings an engine for its own game by
an entry point in the group `arbitre.engines`, named like the game and leading to such a tuple. A game that has none is played at
random.

Levels that need something which is not installed are not in the tuple; the module's `MISSING` says what that is. A level with
a function `prepare` has something to do that takes long, such as compiling: it is done before a clock runs.
"""

from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from random import Random
from typing import Any

from arbitre.errors import PlayerStringError
from arbitre.games.anyone import Anyone
from arbitre.games.game import AnyGame
from arbitre.games.player import Bot
from arbitre.reasons import Reason

GROUP = "arbitre.engines"

Make = Callable[[Random], Bot]


def levels(name: str) -> tuple[Make, ...]:
    """Return the makers of a game's house players, the weakest first."""
    engine = _engine(name)
    if engine is not None:
        made: tuple[Make, ...] = getattr(engine, "LEVELS", ())
        if made:
            return made
    for entry in entry_points(group=GROUP, name=name):
        loaded: tuple[Make, ...] = entry.load()
        return loaded
    return (Anyone,)


def missing(name: str) -> Reason | None:
    """Say which house players of a game are not there and how to get them; None where all are."""
    said: Reason | None = getattr(_engine(name), "MISSING", None)
    return said


def _engine(name: str) -> Any:
    """Return the module of a house game's engine, None where the game is another package's."""
    ours = find_spec(f"arbitre.games.{name}") is not None and find_spec(f"arbitre.games.{name}.engine") is not None
    return import_module(f"arbitre.games.{name}.engine") if ours else None


def prepare(makers: Iterable[Make]) -> None:
    """Do what takes long before some house players can play."""
    for work in dict.fromkeys(getattr(make, "prepare", None) for make in makers):
        if work is not None:
            work()


def house_bot(game: AnyGame, level: int | None = None) -> tuple[Make, int]:
    """Return the maker of the house player of `game` and its level, from 1; without a level the middle one."""
    makers = levels(game.name)
    number = (len(makers) + 1) // 2 if level is None else level
    if not 1 <= number <= len(makers):
        more = missing(game.name)
        said = Reason(
            "the house plays %(game)s at levels 1 to %(most)s, not %(number)s", game=game.name, most=len(makers), number=number
        )
        raise PlayerStringError(Reason("%(said)s; %(more)s", said=said, more=more) if more else said)
    return makers[number - 1], number
