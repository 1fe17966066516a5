"""Rochambeau judged: what a sign was expected to score against what could be foreseen of the others.

Between two who show one of three signs the house's own ensemble of predictors foresees, from the rounds before alone, how likely
the other shows each sign; in other games the others' last rounds speak for the next. Who cannot be foreseen loses nothing and
lets nothing be lost. The curve is the chance of winning the race if every further point were a toss.
"""

from collections.abc import Iterator, Mapping, Sequence
from random import Random

from arbitre.games.analysis import HALF, WHOLE, Analyst, Course, Judgement, Ply
from arbitre.games.game import FIRST, SECOND, Seat
from arbitre.games.rochambeau.engine import PAST
from arbitre.games.rochambeau.predictors import Ensemble, chances
from arbitre.games.rochambeau.rules import Rochambeau, Sign, Standing, beats
from arbitre.reasons import Reason

Odds = Mapping[Sign, float]

MOST_SIGNS = 101
"""Of more signs only those are weighed that somebody has shown."""
STEADY = 0.08
"""What is expected within so much of nothing is luck."""


class RochambeauAnalyst(Analyst):
    """Compares signs by what they were expected to score."""

    measure = Reason("expected score of a sign")
    wins = False
    name = "rochambeau, ensemble"
    parts = (
        "arbitre.games.rochambeau:analysis.py",
        "arbitre.games.rochambeau:predictors.py",
        "arbitre.games.rochambeau:rules.py",
    )
    usual = 1

    def judge(self, course: Course, wanted: Sequence[int]) -> Iterator[Judgement]:
        """Go through all rounds in order, for predictors learn; speak of those that are wanted."""
        game = self.game
        assert isinstance(game, Rochambeau)  # noqa: S101 - an analyst judges its own game
        foresight = _Two() if (game.states, game.players) == (3, 2) else _Many(game)
        asked = iter((*wanted, len(course)))
        at = next(asked)
        round_ = -1
        for nth, ply in enumerate(course):
            state: Standing = ply.before
            if state.played != round_:
                round_ = state.played
                foresight.begin(state)
            if nth == at:
                yield self._judged(game, ply, foresight.odds(ply.seat))
                at = next(asked)

    def _judged(self, game: Rochambeau, ply: Ply, odds: Odds) -> Judgement:
        listed = range(game.states) if game.states <= MOST_SIGNS else {ply.move, *odds}
        worths = {Sign(sign): expected(Sign(sign), odds, game.states) for sign in listed}
        best = max(sorted(worths), key=lambda sign: worths[sign])
        choice = worths[best] >= STEADY
        played = round(HALF * (1 + worths[ply.move]))
        text = self.notation.write(best) if choice else ""
        top = max(played, round(HALF * (1 + worths[best])))
        return Judgement(top, played, self._standing(game, ply.after), text, (text,) if choice else (), choice)

    def _standing(self, game: Rochambeau, state: Standing) -> int:
        if not game.goal:
            return WHOLE // len(state.inside) if FIRST in state.inside else 0
        if game.players == 2:
            one, two = state.points
            return round(WHOLE * chances(min(one, game.goal), min(two, game.goal), game.goal))
        return WHOLE * (1 + state.points[0]) // (game.players + sum(state.points))


def expected(sign: Sign, odds: Odds, states: int) -> float:
    """Return what a sign is expected to score against such odds, from -1 to 1."""
    return sum(likely * (beats(sign, their, states) - beats(their, sign, states)) for their, likely in odds.items())


class _Two:
    """What each of two could foresee of the other's three signs."""

    def __init__(self) -> None:
        self.heads = {seat: Ensemble(Random(0)) for seat in (FIRST, SECOND)}
        self.told: dict[Seat, list[float]] = {}

    def begin(self, state: Standing) -> None:
        """Take in the round before, and foretell the next; in the predictors' order each sign beats the one before it."""
        if len(state.shown) == 2 and self.told:
            one, two = ((-sign) % 3 if sign is not None else 0 for sign in state.shown)
            self.heads[FIRST].see(one, two)
            self.heads[SECOND].see(two, one)
        self.told = {seat: head.foretell() for seat, head in self.heads.items()}

    def odds(self, seat: Seat) -> Odds:
        """Return how likely the other shows each sign."""
        return {Sign((-number) % 3): likely for number, likely in enumerate(self.told[seat])}


class _Many:
    """What anybody could foresee of many: what they showed of late."""

    def __init__(self, game: Rochambeau) -> None:
        self.game = game
        self.past: list[tuple[Sign | None, ...]] = []

    def begin(self, state: Standing) -> None:
        """Take in the round before."""
        if state.shown:
            self.past = [*self.past[1 - PAST :], state.shown]

    def odds(self, seat: Seat) -> Odds:
        """Return how often the others showed each sign, with one round of any sign more."""
        shown = [one for round_ in self.past for other, one in enumerate(round_) if one is not None and other != seat]
        found: dict[Sign, float] = {}
        for sign in shown:
            found[sign] = found.get(sign, 0.0) + 1 / (len(shown) + self.game.players)
        return found
