"""How well the house plays Kriegspiel: whole games, half of them with each colour, from seeds that anybody can play again.

The random player tries anything that is not ruled out. The greedy one takes whenever it can know how: first the pawn captures
that were announced, then on the square where its own piece was just taken, the cheapest piece first; otherwise it is a random
player. A published open bot mates a random player in 23 games of 100. Points are wins and half the draws, in per cent; "±" and
"95 %" say how sure the figure is. The peer `/3`, `house:kriegspiel/3`, plays the same games as the level above it.
"""

import os
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from math import sqrt
from random import Random
from time import process_time
from typing import NamedTuple

import chess

from arbitre.bot import Bot, Position
from arbitre.games.anyone import Anyone
from arbitre.games.game import FIRST, SECOND, Outcome, Seat
from arbitre.games.kriegspiel.rules import Kriegspiel, Sight, Try, ruled_out
from arbitre.games.levels import Make, levels
from arbitre.games.notation import notation_of
from bench.table import Row

GAMES = int(os.environ.get("ARBITRE_BENCH_GAMES", "100"))
"""So many against the random player, three fifths of them against the greedy one, a fifth against the level below."""
AIM_MATES, AIM_POINTS, PUBLISHED = 90, 60, 23
SLOWEST = 10
"""Tries per second that let a hundred games be played in minutes."""


class Greedy(Bot):
    """Takes whenever it can know how, and otherwise tries anything."""

    def __init__(self, random: Random | None = None) -> None:
        super().__init__(random)
        self.turn = 0
        self.fallen = 0
        self.after = 0
        """Where its pieces stood after its last try."""

    def move(self, position: Position) -> str:
        """Say a capture, or anything."""
        sight: Sight = position.view
        if sight.turn != self.turn:
            self.fallen = self.after & ~sight.men.all if sight.turn == self.turn + 2 else 0
            self.turn = sight.turn
        tries: list[Try] = list(position.game.legal(sight))
        open_ = [move for move in tries if not ruled_out(sight, move.from_square, move.to_square)] or tries
        bites = [move for move in open_ if sight.men.pawns >> move.from_square & 1 and (move.from_square - move.to_square) % 8]
        back = [move for move in open_ if self.fallen >> move.to_square & 1]
        cheapest = sorted(back, key=lambda move: cost(sight, move.from_square))[:1]
        choice = self.random.choice(bites or cheapest or open_)
        self.after = sight.men.all ^ 1 << choice.from_square | 1 << choice.to_square
        return position.notation.write(choice)


def cost(sight: Sight, square: chess.Square) -> int:
    """Return the type of one's own piece on a square, which grows with its worth."""
    return next(kind for kind, squares in enumerate(sight.men[1:]) if squares >> square & 1)


class Course(NamedTuple):
    """How a game went for the player that is measured."""

    points: float
    reason: str
    tries: int
    seconds: float
    """CPU seconds that its tries took."""


def play(level: int, rival: Make, seed: int) -> Course:
    """Play one game of a level against another player; odd seeds give it Black."""
    game = Kriegspiel()
    text = notation_of(game)
    seat = SECOND if seed % 2 else FIRST
    bots = {seat: levels(game.name)[level - 1](Random(f"{seed}/us")), Seat(1 - seat): rival(Random(f"{seed}/them"))}
    state = game.start()
    tries, seconds = 0, 0.0
    while not isinstance(phase := game.phase(state), Outcome):
        mover = state.mover
        view = game.view(state, mover)
        begun = process_time()
        said = bots[mover].move(Position(game, text, mover, state.turn, view))
        if mover == seat:
            tries, seconds = tries + 1, seconds + process_time() - begun
        move = text.read(said, view)
        game.check(view, move)
        state = game.play(state, {mover: move})
    return Course(float(phase.scores[seat]), str(phase.reason), tries, seconds)


def match(level: int, rival: Make, games: int = GAMES) -> list[Course]:
    """Play games on all cores."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        courses = list(pool.map(play, [level] * games, [rival] * games, range(games)))
    print(
        f"  level {level}, {getattr(rival, '__name__', rival)}:",
        dict(Counter((one.points, one.reason) for one in courses)),
        file=sys.stderr,
    )
    return courses


def mates(courses: list[Course]) -> float:
    """Return how many games of a hundred were won, which only mate does."""
    return 100 * sum(one.points == 1 for one in courses) / len(courses)


def points(courses: list[Course]) -> float:
    """Return the share of the points in per cent."""
    return 100 * sum(one.points for one in courses) / len(courses)


def give_or_take(courses: list[Course]) -> str:
    """Return the half width of the 95 % interval of the points, by the spread of the games."""
    mean = points(courses) / 100
    spread = sum((one.points - mean) ** 2 for one in courses) / (len(courses) - 1)
    return f"± {100 * 1.96 * sqrt(spread / len(courses)):.0f}"


def interval(courses: list[Course]) -> str:
    """Return the 95 % interval of the mates by Wilson's formula."""
    count, share = len(courses), mates(courses) / 100
    middle = (share + 1.92 / count) / (1 + 3.84 / count)
    half = 1.96 / (1 + 3.84 / count) * sqrt(share * (1 - share) / count + 0.96 / count**2)
    return f"{100 * (middle - half):.0f} to {100 * (middle + half):.0f}"


def measure() -> Iterator[Row]:
    """Measure the highest level against a random player, a greedy one and the level below."""
    top = len(levels("kriegspiel"))
    below = top - 1
    chance, lesser = match(top, Anyone), match(below, Anyone)
    unit = " of 100"
    yield Row(f"mates against a random player (95 %: {interval(chance)})", mates(chance), "aim", AIM_MATES, 1, unit)
    yield Row("the same, beside a published bot", mates(chance), "published", PUBLISHED, None, unit)
    yield Row("the same, beside the level below", mates(chance), f"`/{below}`", mates(lesser), None, unit)
    yield Row("the same, as White and as Black", mates(chance[0::2]), "Black", mates(chance[1::2]), None, unit)
    some = max(2, GAMES * 3 // 5)
    greed, lesser = match(top, Greedy, some), match(below, Greedy, some)
    yield Row(f"points against a greedy player ({give_or_take(greed)})", points(greed), "aim", AIM_POINTS, 1, " %")
    yield Row("the same, beside the level below", points(greed), f"`/{below}`", points(lesser), None, " %")
    yield Row("the same, as White and as Black", points(greed[0::2]), "Black", points(greed[1::2]), None, " %")
    duel = match(top, levels("kriegspiel")[below - 1], max(2, GAMES // 5))
    yield Row(f"points against the level below ({give_or_take(duel)})", points(duel), "even", 50, 1, " %")
    speed = sum(one.tries for one in chance) / sum(one.seconds for one in chance)
    yield Row("tries per CPU second", speed, "aim", SLOWEST, 1)
