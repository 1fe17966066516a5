"""Analyses, beside a fixed yardstick: a Reversi game at 100,000 nodes a ply within ten seconds of one core.

The game is one of random moves, so every ply is searched and every better line looked for. A hundred thousand nodes are what the
first search of a position may see; the depth that it finished, and the one before it, are searched again on top of that.
"""

from collections.abc import Iterator
from functools import partial
from random import Random

from arbitre.games.analysis import Effort, Ply, analyst_class
from arbitre.games.game import playout
from arbitre.games.reversi.rules import Reversi
from bench.table import Row, rate

NODES = 100_000
AIM = 6
"""Games a minute."""


def measure() -> Iterator[Row]:
    """Measure games judged a minute of one core."""
    rules = Reversi()
    course = [
        Ply(step.before.mover, step.before.turn, step.before, step.moves[step.before.mover], "", step.after)
        for step in playout(rules, Random(100))
    ]
    per_minute = 60 * rate(partial(_judged, rules, course), 5)
    yield Row("Reversi games analysed at 100,000 nodes a ply", per_minute, "aim", AIM, aim=1, unit="/min")


def _judged(rules: Reversi, course: list[Ply]) -> int:
    """Judge a game, with its certificate; return that it was one."""
    analyst = analyst_class("reversi")(rules, Effort(NODES))
    analyst.certify(course, list(analyst.judge(course, range(len(course)))))
    return 1
