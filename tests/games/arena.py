"""Where engines meet: whole games between bots, with nothing between them and the rules."""

from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Any

from arbitre.bot import Bot
from arbitre.games.game import AnyGame, Chance, Outcome, Seat
from arbitre.games.levels import Make
from arbitre.games.notation import notation_of
from arbitre.games.player import Position

LONGEST = 5_000
"""No game between engines takes more transitions than this, refused tries included."""


def ask(game: AnyGame, bot: Bot, state: Any, seat: Seat, *, turn: int = 1, left: int | None = None) -> Any:
    """Return the move that `bot` says in `state`, read and checked as the referee would."""
    text = notation_of(game)
    view = game.view(state, seat)
    said = bot.move(Position(game, text, seat, turn, view, left))
    move = text.read(said, view)
    game.check(view, move)
    assert text.write(move) == said, "engines say moves in canonical text"
    return move


def course(game: AnyGame, makers: Sequence[Make], seed: object, state: Any = None) -> tuple[list[Any], Outcome]:
    """Play one game and return its states and its outcome; the seed decides on all luck."""
    bots = [make(Random(f"{seed}/{seat}")) for seat, make in enumerate(makers)]
    nature = Random(f"{seed}/nature")
    states = [game.start() if state is None else state]
    while len(states) < LONGEST:
        now = states[-1]
        phase = game.phase(now)
        if isinstance(phase, Outcome):
            return states, phase
        if isinstance(phase, Chance):
            states.append(game.draw(now, nature.randrange(phase.below)))
        else:
            moves = {seat: ask(game, bots[seat], now, seat, turn=phase.turn) for seat in sorted(phase.seats)}
            states.append(game.play(now, moves))
    raise AssertionError("the game does not end")


def contest(game: AnyGame, one: Make, two: Make, games: int, seed: object = 0) -> Fraction:
    """Return what share of the points `one` takes from `two` in games where they change seats."""
    won = Fraction(0)
    for number in range(games):
        swap = number % 2
        _, end = course(game, (two, one) if swap else (one, two), f"{seed}/{number // 2}")
        won += end.scores[swap]
    return won / games
