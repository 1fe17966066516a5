"""Openings from a file: one to a line, a position in the game's notation or the moves that lead to it from the usual start.

What follows `#` is a remark, and so is an empty line. In draughts moves may be numbered (`1. 32-28 19-23 2. 28x19 …`), as people
write them.
"""

import re

from arbitre.errors import ArbitreError, TournamentError, shorten
from arbitre.games.game import AnyGame, Awaits, Outcome
from arbitre.games.notation import notation_of

MOST = 100_000
"""Openings of a file."""
LONGEST_LINE = 20_000

NUMBER = re.compile(r"[0-9]{1,3}\.+")


def read_openings(text: str, game: AnyGame) -> tuple[str, ...]:
    """Return the positions of a file in canonical text; `TournamentError` names the line that is none."""
    made: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        said = line.partition("#")[0].strip()
        if not said:
            continue
        if len(made) == MOST or len(line) > LONGEST_LINE:
            raise TournamentError("line %(line)s: more than %(most)s openings, or too long a one", line=number, most=MOST)
        try:
            made.append(_position(said, game))
        except ArbitreError as error:
            raise TournamentError("line %(line)s: %(error)s", line=number, error=error) from None
    if not made:
        raise TournamentError("there is no opening in the file")
    return tuple(made)


def _position(said: str, game: AnyGame) -> str:
    """Return a position, or the one that moves lead to."""
    notation = notation_of(game)
    words = [word for word in said.split() if not NUMBER.fullmatch(word)]
    try:
        state = notation.read_state(said)
    except ArbitreError as error:
        try:
            state = _played(words, game)
        except ArbitreError as second:
            raise TournamentError(
                "%(said)r is no position (%(error)s) and no moves (%(second)s)", said=shorten(said), error=error, second=second
            ) from None
    if isinstance(game.phase(state), Outcome):
        raise TournamentError("%(item)r is the end of a game", item=shorten(said))
    return notation.write_state(state)


def _played(words: list[str], game: AnyGame) -> object:
    notation, state = notation_of(game), game.start()
    for word in words:
        phase = game.phase(state)
        if not isinstance(phase, Awaits) or len(phase.seats) != 1:
            raise TournamentError("%(word)r: nobody is to move there alone", word=shorten(word))
        [seat] = phase.seats
        view = game.view(state, seat)
        move = notation.read(word, view)
        game.check(view, move)
        state = game.play(state, {seat: move})
    return state
