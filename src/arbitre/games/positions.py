"""Positions worth showing an engine or an interface (spec: tournoyons, section 7).

A preset is a position in the game's notation, or the moves that lead to it from the start; a game names its own in
`Listing.presets`: its start, something from the middle, something near the end, and what engines and interfaces get wrong most
often. Of a game that names none they are taken from a game of random moves, the same always. What they are called is for the
page that shows them: here they have keys. The key `over` is the end of some game, in which nobody is to move.
"""

from functools import cache
from random import Random
from typing import Any

from arbitre.games.catalogue import fetch
from arbitre.games.game import AnyGame, Awaits, Eye, Seat, playout
from arbitre.games.labels import listing_for
from arbitre.games.notation import notation_of
from arbitre.values import value


@value
class Step:
    """One picture of a game's rules: a position, who looks at it, and one English line, a key of the catalogues."""

    words: str
    text: str = ""
    """The position, as `Preset` has it."""
    line: str = ""
    eye: Eye = "referee"

    def views(self, game: AnyGame) -> tuple[Any, Any]:
        """Return what is seen, and what was seen before the last move; None where there was none."""
        states = Preset("", self.text, self.line).states(game)
        return game.view(states[-1], self.eye), game.view(states[-2], self.eye) if len(states) > 1 else None


@value
class Preset:
    """One position; `key` names it within its game."""

    key: str
    text: str = ""
    """The position in the game's notation; empty: where `line` leads from the start."""
    line: str = ""
    """Moves with spaces between; two that are made at once are joined by `&`."""

    def states(self, game: AnyGame) -> tuple[Any, ...]:
        """Return the positions on the way to this one, itself last; `ArbitreError` where the game has options that forbid it."""
        notation = notation_of(game)
        found = [notation.read_state(self.text) if self.text else game.start()]
        for said in self.line.split():
            moves = {}
            for seat, text in zip(seats_to_move(game, found[-1]), said.split("&"), strict=True):
                view = game.view(found[-1], seat)
                moves[seat] = notation.read(text, view)
                game.check(view, moves[seat])
            found.append(game.play(found[-1], moves))
        return tuple(found)


def seats_to_move(game: AnyGame, state: Any) -> tuple[Seat, ...]:
    """Return who is to move, in order; nobody where nature is, or where the game is over."""
    phase = game.phase(state)
    return tuple(sorted(phase.seats)) if isinstance(phase, Awaits) else ()


OVER = "over"
PARTS = {"start": 0.0, "middle": 1 / 3, "end": 2 / 3}
"""How far a game of random moves has gone in the positions of a game that names none."""
SEED = 1


def presets_of(label: str) -> tuple[Preset, ...]:
    """Return the presets of a game, by its name or its label, in which somebody is to move."""
    return tuple(one for one in _named(label) if one.key != OVER) or _walked(listing_for(label).game())


def preset_of(name: str, key: str) -> Preset | None:
    """Return a preset of a game by its key."""
    return next((one for one in presets_of(name) if one.key == key), None)


def last_of(game: AnyGame) -> tuple[Any, Any]:
    """Return the last two positions of some game."""
    for one in _named(game.label):
        if one.key == OVER:
            return one.states(game)[-2:]
    return _ended(game)


def _named(label: str) -> tuple[Preset, ...]:
    where = listing_for(label).presets
    return fetch(where) if where else ()


@cache
def _ended(game: AnyGame) -> tuple[Any, Any]:
    *_, step = playout(game, Random(SEED))
    return step.before, step.after


@cache
def _walked(game: AnyGame) -> tuple[Preset, ...]:
    asked = [step.before for step in playout(game, Random(SEED)) if isinstance(game.phase(step.before), Awaits)]
    write = notation_of(game).write_state
    found = {write(asked[int(part * len(asked))]): key for key, part in reversed(PARTS.items())}
    start = write(game.start())
    return tuple(Preset(key, "" if text == start else text) for text, key in reversed(found.items()))
