"""House players: for every game somebody to play against, from a beginner's level to the best we have.

An engine is a `Bot` like any other, so whatever it can do a user's bot can do. A game names its own in `Listing.levels`: a tuple
of classes, the weakest first. A game that names none is played at random.

Levels that need something which is not installed are not in the tuple; `MISSING` in its module says what that is. A level with
a function `prepare` has something to do that takes long, such as compiling: it is done before a clock runs.
"""

from collections.abc import Callable, Iterable
from importlib import import_module
from random import Random

from arbitre.errors import PlayerStringError
from arbitre.games.anyone import Anyone
from arbitre.games.catalogue import listing
from arbitre.games.game import AnyGame
from arbitre.games.player import Bot
from arbitre.reasons import N_, Reason

Make = Callable[[Random], Bot]


def levels(name: str) -> tuple[Make, ...]:
    """Return the makers of a game's house players, the weakest first."""
    module, _, attribute = listing(name).levels.partition(":")
    made: tuple[Make, ...] = getattr(import_module(module), attribute) if module else ()
    return made or (Anyone,)


def missing(name: str) -> Reason | None:
    """Say which house players of a game are not there and how to get them; None where all are."""
    module = listing(name).levels.partition(":")[0]
    said: Reason | None = getattr(import_module(module), "MISSING", None) if module else None
    return said


def lines(name: str) -> tuple[str, ...]:
    """Return what each house player of a game does, in one English line: the first of its docstring, a key of the catalogues."""
    return tuple((make.__doc__ or "").partition("\n")[0] for make in levels(name))


RUNGS = (N_("Beginner"), N_("Easy"), N_("Fair"), N_("Strong"), N_("Best"))
"""What levels are called in short, from the weakest to the best that we have: keys of the catalogues."""


def rungs(name: str) -> tuple[int, ...]:
    """Return on which of the rungs, from 0, each house player of a game stands: the first and the last, and between in steps."""
    last = len(levels(name)) - 1
    return tuple(round(at * (len(RUNGS) - 1) / last) if last else 0 for at in range(last + 1))


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
