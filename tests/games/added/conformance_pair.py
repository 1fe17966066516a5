"""Added games of two boards hide the other's board, and what is being prepared, until the end."""

from dataclasses import replace
from random import Random

from arbitre.games.added.rules import REFEREE, AddedPair, Course
from arbitre.games.game import Eye, Outcome

PRESETS: list[dict[str, object]] = [{"key": "Fleet"}, {"key": "Codes", "simultaneous": True}, {"key": "Open", "open": True}]


def resample(game: AddedPair, state: Course, eye: Eye, random: Random) -> Course:
    """Return the same course with other boards and preparations that `eye` does not know."""
    if isinstance(game.phase(state), Outcome) or eye == REFEREE:
        return state
    ready = [str(random.randrange(1000)) if word and seat != eye else word for seat, word in enumerate(state.ready)]
    trays = [board if seat == eye or game.open else str(random.randrange(1000)) for seat, board in enumerate(state.trays)]
    return replace(state, trays=tuple(trays), ready=(ready[0], ready[1]))
