"""Covers: for each game a small picture of a position in the middle of a game, to choose it by; and its rules in three.

The position is that of a game of chance moves, the same on every machine; everything is open in it, for nobody plays it.
"""

from functools import cache
from random import Random

from markupsafe import Markup

from arbitre.games.catalogue import fetch, listing
from arbitre.games.catalogue import game as find_game
from arbitre.games.game import AnyGame, Chance, Outcome
from arbitre.games.positions import Step
from arbitre.web.smalls import picture_of

PLIES = 24
"""How far such a game goes on, unless it ends before."""
SEED = 6


@cache
def cover(name: str) -> Markup:
    """Return the picture of a game's cover; empty where the game draws no positions."""
    game = find_game(name)
    before, state = _midway(game, Random(SEED))
    drawn = picture_of(game, game.view(state, "referee"), None if before is None else game.view(before, "referee"))
    return Markup(drawn)  # noqa: S704 - made by a game of the catalogue, of numbers


@cache
def steps(name: str) -> tuple[tuple[Markup, str], ...]:
    """Return the rules of a game in pictures, each with its English line; none where the game names none, or draws none."""
    where, game = listing(name).steps, find_game(name)
    if not where or not listing(name).miniature:
        return ()
    told: tuple[Step, ...] = fetch(where)
    return tuple((Markup(picture_of(game, *one.views(game))), one.words) for one in told)  # noqa: S704 - as above


def _midway(game: AnyGame, luck: Random) -> tuple[object, object]:
    """Return two positions of a game of chance moves, one behind the other, before it ends."""
    course = [game.start()]
    while len(course) <= PLIES:
        phase = game.phase(course[-1])
        if isinstance(phase, Outcome):
            course.pop()
            break
        if isinstance(phase, Chance):
            course.append(game.draw(course[-1], luck.randrange(phase.below)))
        else:
            moves = {seat: game.sample(game.view(course[-1], seat), luck) for seat in sorted(phase.seats)}
            course.append(game.play(course[-1], moves))
    return course[-2] if len(course) > 1 else None, course[-1]
