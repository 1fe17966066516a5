"""MasterMind hides two codes until the end."""

from itertools import product
from random import Random

from arbitre.games.game import Eye, Outcome
from arbitre.games.mastermind.rules import Code, MasterMind, Table, marked

PRESETS: list[dict[str, object]] = [{}, {"colours": 2, "pegs": 2, "lines": 3}, {"colours": 10, "pegs": 3, "lines": 12}]


def resample(game: MasterMind, state: Table, eye: Eye, random: Random) -> Table:
    """Return the same table with other codes that `eye` does not know, such as would have got the same marks."""
    if state.codes is None or isinstance(game.phase(state), Outcome):
        return state
    codes = list(state.codes)
    for seat in (0, 1):
        if seat != eye:
            lines = state.boards[1 - seat]
            fits = [
                code
                for code in (Code("".join(pegs)) for pegs in product(game.palette, repeat=game.pegs))
                if all(marked(code, line.guess) == line for line in lines)
            ]
            codes[seat] = random.choice(fits)
    return Table((codes[0], codes[1]), state.boards)
